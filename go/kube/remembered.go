package kube

import "sync"

// remembered has the references of objects that were looked up in this age, by their addresses.
type remembered[T any] struct {
	mu      sync.RWMutex
	objects map[*T]seen
}

type seen struct {
	ref     uint64
	age     uint32
	version string // the object's resource version
}

// find returns 0 for an object that was not looked up in this age, or has another version since.
func (r *remembered[T]) find(object *T, version string, age uint32) uint64 {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if s, ok := r.objects[object]; ok && s.age == age && s.version == version {
		return s.ref
	}
	return 0
}

// put remembers what a lookup that began in an age has found.
func (r *remembered[T]) put(object *T, version string, ref uint64, age uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects == nil {
		r.objects = map[*T]seen{}
	}
	r.objects[object] = seen{ref, age, version}
}

func (r *remembered[T]) clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.objects = nil
}
