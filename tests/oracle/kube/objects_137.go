//go:build k137

package kube

import (
	"bytes"

	v1 "k8s.io/api/core/v1"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
)

// Translate turns an object of a case, which is written for 1.36, into one of this minor; nil means
// that the object is left out. 1.37 reads DeviceTaintRules as v1, and PodGroups as v1beta1, whose
// disruption mode is an object.
func Translate(raw []byte) []byte {
	if bytes.Contains(raw, []byte(`"DeviceTaintRule"`)) {
		raw = bytes.Replace(raw, []byte(`"resource.k8s.io/v1beta2"`), []byte(`"resource.k8s.io/v1"`), 1)
	}
	if bytes.Contains(raw, []byte(`"PodGroup"`)) {
		raw = bytes.Replace(raw, []byte(`"scheduling.k8s.io/v1alpha2"`), []byte(`"scheduling.k8s.io/v1beta1"`), 1)
		raw = bytes.Replace(raw, []byte(`"disruptionMode":"PodGroup"`), []byte(`"disruptionMode":{"all":{}}`), 1)
		raw = bytes.Replace(raw, []byte(`"disruptionMode":"Pod"`), []byte(`"disruptionMode":{"single":{}}`), 1)
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

// CompletePod does what the API server does to a created pod after its defaulting: requests and
// limits of the pod as a whole are completed from those of its containers.
func CompletePod(p *v1.Pod) {
	made := &core.Pod{}
	if p.Spec.Resources == nil || corev1.Convert_v1_Pod_To_core_Pod(p.DeepCopy(), made, nil) != nil {
		return
	}
	podutil.DefaultPodLevelResources(made)
	resources := &v1.ResourceRequirements{}
	if corev1.Convert_core_ResourceRequirements_To_v1_ResourceRequirements(made.Spec.Resources, resources, nil) == nil {
		p.Spec.Resources = resources
	}
}
