//go:build k137

package kube

import "bytes"

// Translate turns an object of a case, which is written for 1.36, into one of this minor; nil means
// that the object is left out. 1.37 reads DeviceTaintRules as v1 and PodGroups as v1beta1.
func Translate(raw []byte) []byte {
	if bytes.Contains(raw, []byte(`"DeviceTaintRule"`)) {
		raw = bytes.Replace(raw, []byte(`"resource.k8s.io/v1beta2"`), []byte(`"resource.k8s.io/v1"`), 1)
	}
	if bytes.Contains(raw, []byte(`"PodGroup"`)) {
		raw = bytes.Replace(raw, []byte(`"scheduling.k8s.io/v1alpha2"`), []byte(`"scheduling.k8s.io/v1beta1"`), 1)
	}
	return raw
}

// EventResource returns the resource of an event, which a case names as in 1.36.
func EventResource(name string) string {
	if name == "UnschedulablePod" {
		return "UnscheduledPod"
	}
	return name
}
