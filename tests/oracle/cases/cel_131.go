//go:build k131 || k132 || k133

package cases

// CELSpec is empty: these releases have no resource.k8s.io/v1, and the oracle's mode cel begins with 1.34.
type CELSpec struct{}
