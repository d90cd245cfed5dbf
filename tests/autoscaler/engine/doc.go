// Package engine asks libsched, by the adapter in examples/go/cluster_autoscaler. It is built with the tag `libsched`, as
// the adapter.
package engine
