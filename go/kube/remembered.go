package kube

import (
	"sync"

	v1 "k8s.io/api/core/v1"
)

// remembered has the references of pods that were looked up in this age, by their addresses.
type remembered struct {
	mu   sync.RWMutex
	pods map[*v1.Pod]seen
}

type seen struct {
	ref     uint64
	age     uint32
	version string // the pod's resource version
}

// find returns 0 for a pod that was not looked up in this age, or has another version since.
func (r *remembered) find(pod *v1.Pod, age uint32) uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s, ok := r.pods[pod]; ok && s.age == age && s.version == pod.ResourceVersion {
		return s.ref
	}
	return 0
}

// put remembers what a lookup that began in an age has found.
func (r *remembered) put(pod *v1.Pod, ref uint64, age uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pods == nil {
		r.pods = map[*v1.Pod]seen{}
	}
	r.pods[pod] = seen{ref, age, pod.ResourceVersion}
}

func (r *remembered) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pods = nil
}
