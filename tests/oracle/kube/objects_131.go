//go:build k131 || k132 || k133

package kube

import (
	"encoding/json"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// Translate turns an object of a case, which is written for 1.36, into one of this minor; nil means
// that the object is left out. Up to 1.33 dynamic resource allocation is off, and resource.k8s.io
// has other versions.
func Translate(raw []byte) []byte {
	var m struct {
		APIVersion string `json:"apiVersion"`
	}
	if json.Unmarshal(raw, &m) == nil && strings.HasPrefix(m.APIVersion, "resource.k8s.io/") {
		return nil
	}
	return raw
}

// CompletePod does what the API server does to a created pod after its defaulting.
func CompletePod(*v1.Pod) {}
