package libsched

// #include "bridge.h"
import "C"

import (
	"sync"
	"sync/atomic"
)

// table maps the numbers that C holds to values, for lookups in each call of a plugin: an index into a
// slice is several times faster than a runtime/cgo handle. Numbers start at 1 and are reused.
type table[T any] struct {
	mu   sync.Mutex // for changes
	free []C.uintptr_t
	all  atomic.Pointer[[]atomic.Pointer[T]]
}

func (t *table[T]) add(value *T) C.uintptr_t {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.free) == 0 {
		var old []atomic.Pointer[T]
		if all := t.all.Load(); all != nil {
			old = *all
		}
		more := make([]atomic.Pointer[T], 2*len(old)+16)
		for i := range more {
			if i < len(old) {
				more[i].Store(old[i].Load())
			} else {
				t.free = append(t.free, C.uintptr_t(i+1))
			}
		}
		t.all.Store(&more)
	}
	h := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	(*t.all.Load())[h-1].Store(value)
	return h
}

// at returns an added value. The number must not have been removed.
func (t *table[T]) at(h C.uintptr_t) *T { return (*t.all.Load())[h-1].Load() }

func (t *table[T]) remove(h C.uintptr_t) {
	t.mu.Lock()
	defer t.mu.Unlock()
	(*t.all.Load())[h-1].Store(nil)
	t.free = append(t.free, h)
}
