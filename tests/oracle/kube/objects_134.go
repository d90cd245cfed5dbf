//go:build !k131 && !k132 && !k133 && !k137

package kube

import v1 "k8s.io/api/core/v1"

// Translate turns an object of a case, which is written for 1.36, into one of this minor; nil means
// that the object is left out.
func Translate(raw []byte) []byte { return raw }

// EventResource returns the resource of an event, which a case names as in 1.36.
func EventResource(name string) string { return name }

// CompletePod does what the API server does to a created pod after its defaulting.
func CompletePod(*v1.Pod) {}
