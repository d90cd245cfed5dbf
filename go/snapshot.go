package libsched

// #include "bridge.h"
import "C"

import (
	"runtime"
	"sync"
)

// Snapshot is an immutable copy of a cluster. Goroutines can query it concurrently.
type Snapshot struct {
	reader
	core *snapshotCore
}

// snapshotCore is the part of a Snapshot that the cleanup closes; it must not point to its Snapshot.
type snapshotCore struct {
	handle[*C.libsched_snapshot]
	view     *C.libsched_view
	services *Services // its cluster's

	mu   sync.Mutex
	idle evaluators
	gone bool
}

func ownSnapshot(ptr *C.libsched_snapshot, services *Services) *Snapshot {
	core := &snapshotCore{view: C.libsched_snapshot_view(ptr), services: services}
	core.ptr = ptr
	core.free = func(p *C.libsched_snapshot) { C.libsched_snapshot_unref(p) }
	s := &Snapshot{core: core}
	s.reader = reader{enter: core.enter, leave: core.release}
	closeWhenUnreachable(s, core)
	return s
}

// Close releases the snapshot.
func (s *Snapshot) Close() {
	if s != nil {
		s.core.close()
	}
}

func (k *snapshotCore) close() {
	k.mu.Lock()
	k.idle.free()
	k.gone = true
	k.mu.Unlock()
	k.handle.close()
}

// Services returns the services that queries on this snapshot use: those that its cluster had.
func (s *Snapshot) Services() *Services { return s.core.services }

func (k *snapshotCore) enter() *C.libsched_view {
	if _, ok := k.acquire(); !ok {
		return nil
	}
	return k.view
}

func (s *Snapshot) borrow(fw *Framework) (*evaluator, *C.libsched_view, error) {
	k := s.core
	ptr, ok := k.acquire()
	if !ok {
		return nil, nil, closedError(s)
	}
	if fw.h.closed() {
		k.release()
		return nil, nil, closedError(fw)
	}
	e := k.take(fw.h)
	if e == nil {
		var err error
		if e, err = newEvaluatorOnSnapshot(fw, ptr, k.services); err != nil {
			k.release()
			return nil, nil, err
		}
	}
	return e, k.view, nil
}

func (s *Snapshot) giveBack(fw *Framework, e *evaluator) {
	s.core.give(fw.h, e)
	s.core.release()
}

// take returns an idle evaluator, or nil.
func (k *snapshotCore) take(fw *handle[*C.libsched_framework]) *evaluator {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := k.idle.find(fw)
	if i < 0 {
		k.idle.drop()
		return nil
	}
	e, last := k.idle[i], len(k.idle)-1
	k.idle[i] = k.idle[last]
	k.idle = k.idle[:last]
	return e
}

// give returns an evaluator; at most a few times as many stay idle as can run at once.
func (k *snapshotCore) give(fw *handle[*C.libsched_framework], e *evaluator) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.gone || fw.closed() || len(k.idle) >= 4*runtime.GOMAXPROCS(0) {
		e.free()
		return
	}
	k.idle = append(k.idle, e)
}
