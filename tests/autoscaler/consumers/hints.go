// Package consumers is what the Cluster Autoscaler does with a simulated cluster: placing pods by
// hints, estimating how many nodes a scale-up needs, and trying to remove a node. It knows the contract
// alone, so the same steps run on any engine.
package consumers

import (
	"reflect"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Hints remember the nodes on which pods were placed, for two generations.
type Hints struct {
	fresh, old map[string]string
}

// NewHints returns Hints without entries.
func NewHints() *Hints {
	return &Hints{fresh: map[string]string{}, old: map[string]string{}}
}

// hintKey is a pod's uid, or its name without one.
func hintKey(pod *v1.Pod) string {
	if pod.UID != "" {
		return string(pod.UID)
	}
	return pod.Namespace + "/" + pod.Name
}

// Get returns the node of a pod's latest placement.
func (h *Hints) Get(pod *v1.Pod) (node string, ok bool) {
	if node, ok = h.fresh[hintKey(pod)]; !ok {
		node, ok = h.old[hintKey(pod)]
	}
	return node, ok
}

// Set remembers a placement.
func (h *Hints) Set(pod *v1.Pod, node string) { h.fresh[hintKey(pod)] = node }

// DropOld forgets what was not set since the call before.
func (h *Hints) DropOld() {
	h.old, h.fresh = h.fresh, map[string]string{}
}

// mostSimilar is the number of different pods of an owner that are remembered.
const mostSimilar = 10

// similarPods remembers pods that found no node, so that equal pods of the same controller are not tried.
type similarPods struct {
	failed      map[string][]*v1.Pod // by the controller's uid
	overflowing map[string]bool
}

func newSimilarPods() *similarPods {
	return &similarPods{failed: map[string][]*v1.Pod{}, overflowing: map[string]bool{}}
}

func (s *similarPods) hasFailed(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return false
	}
	for _, failed := range s.failed[string(owner.UID)] {
		if reflect.DeepEqual(failed.Labels, pod.Labels) && sameSpec(&failed.Spec, &pod.Spec) {
			return true
		}
	}
	return false
}

func (s *similarPods) fail(pod *v1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || IsDaemonSetPod(pod) {
		return
	}
	uid := string(owner.UID)
	if len(s.failed[uid]) >= mostSimilar {
		s.overflowing[uid] = true
		return
	}
	s.failed[uid] = append(s.failed[uid], pod)
}

// IsDaemonSetPod says whether a DaemonSet controls the pod, or an annotation calls it a DaemonSet's.
func IsDaemonSetPod(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet" ||
		pod.Annotations["cluster-autoscaler.kubernetes.io/daemonset-pod"] == "true"
}

// sameSpec compares what concerns scheduling: environment, hostname and projected volumes may differ.
func sameSpec(a, b *v1.PodSpec) bool {
	return equality.Semantic.DeepEqual(withoutIdentity(a), withoutIdentity(b))
}

func withoutIdentity(spec *v1.PodSpec) *v1.PodSpec {
	clone := *spec
	clone.Hostname = ""
	projected := map[string]bool{}
	clone.Volumes = nil
	for _, volume := range spec.Volumes {
		if volume.Projected != nil {
			projected[volume.Name] = true
		} else {
			clone.Volumes = append(clone.Volumes, volume)
		}
	}
	clone.Containers = withoutMounts(spec.Containers, projected)
	clone.InitContainers = withoutMounts(spec.InitContainers, projected)
	return &clone
}

func withoutMounts(containers []v1.Container, volumes map[string]bool) []v1.Container {
	var out []v1.Container
	for _, container := range containers {
		container.Env = nil
		mounts := container.VolumeMounts
		container.VolumeMounts = nil
		for _, mount := range mounts {
			if !volumes[mount.Name] {
				container.VolumeMounts = append(container.VolumeMounts, mount)
			}
		}
		out = append(out, container)
	}
	return out
}
