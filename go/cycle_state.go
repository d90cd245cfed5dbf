package libsched

// #include "bridge.h"
import "C"

import (
	"fmt"
	"runtime/cgo"
	"sync"
)

// CycleState is the data of one pod's scheduling cycle. RunPreFilterPlugins fills it,
// RunFilterPlugins reads it, and it carries the caller's values.
type CycleState struct {
	h *handle[*C.libsched_cycle_state]
	// Calls that change the state lock it; calls that only read it share it.
	mu *sync.RWMutex
	// The plugin call that it is lent to; nil for the caller's own state.
	call *call
}

// StateData is a value that knows how to copy itself when its CycleState is cloned. Clone may be
// called while the original is in use elsewhere.
type StateData interface {
	Clone() StateData
}

// The prefix keeps keys of Go apart from those of plugins, whose data Go cannot read.
const stateKeyPrefix = "go/"

// NewCycleState returns an empty state.
func NewCycleState() *CycleState {
	var ptr *C.libsched_cycle_state
	if rc := C.libsched_cycle_state_create(&ptr, nil); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc)) // out of memory
	}
	return ownCycleState(ptr)
}

func ownCycleState(ptr *C.libsched_cycle_state) *CycleState {
	h := newHandle(ptr, func(p *C.libsched_cycle_state) { C.libsched_cycle_state_unref(p) })
	s := &CycleState{h: h, mu: new(sync.RWMutex)}
	closeWhenUnreachable(s, h)
	return s
}

// Close releases the state and the values in it.
func (s *CycleState) Close() {
	if s != nil && s.call == nil {
		s.h.close()
	}
}

func (s *CycleState) acquire() (*C.libsched_cycle_state, bool) {
	if s == nil {
		return nil, false
	}
	return s.h.acquire()
}

// lock is acquire for calls that need exclusive use of the state; unlock must follow unless it fails.
func (s *CycleState) lock() (*C.libsched_cycle_state, error) {
	ptr, ok := s.acquire()
	if !ok {
		return nil, closedError(s)
	}
	s.mu.Lock()
	return ptr, nil
}

func (s *CycleState) unlock() {
	s.mu.Unlock()
	s.h.release()
}

// look calls `call` with the state, shared with other readers; it returns false if the state is closed.
func (s *CycleState) look(call func(*C.libsched_cycle_state)) bool {
	ptr, ok := s.acquire()
	if !ok {
		return false
	}
	defer s.h.release()
	s.mu.RLock()
	defer s.mu.RUnlock()
	call(ptr)
	return true
}

// Clone copies the state. It clones values that are StateData and shares all others. If a Clone
// method panics, so does Clone.
func (s *CycleState) Clone() (*CycleState, error) {
	var out *C.libsched_cycle_state
	var failure *C.libsched_error
	var panicked C.uintptr_t
	var rc C.libsched_rc
	if !s.look(func(p *C.libsched_cycle_state) { rc = C.lsgo_state_clone(p, &out, &panicked, &failure) }) {
		return nil, closedError(s)
	}
	if rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	if panicked != 0 {
		reason := cgo.Handle(panicked).Value().(clonePanic).reason
		C.libsched_cycle_state_unref(out)
		panic(reason)
	}
	return ownCycleState(out), nil
}

// Write stores a value and replaces an earlier one. A value must not refer to its CycleState.
func (s *CycleState) Write(key string, value any) error {
	ptr, err := s.lock()
	if err != nil {
		return err
	}
	defer s.unlock()
	text, n := textOf(stateKeyPrefix + key)
	var failure *C.libsched_error
	rc := C.lsgo_state_write(ptr, text, n, C.uintptr_t(cgo.NewHandle(value)), &failure)
	return takeError(rc, failure)
}

// Read returns a value stored by Write. If the library has cloned the state and the value's Clone method panicked,
// Read panics with the same value. Errors: ErrNotFound.
func (s *CycleState) Read(key string) (any, error) {
	text, n := textOf(stateKeyPrefix + key)
	var value any
	found := false
	if !s.look(func(p *C.libsched_cycle_state) {
		// A Write by another goroutine ends the handle as soon as the state is unlocked.
		if h := C.lsgo_state_read(p, text, n); h != 0 {
			value, found = cgo.Handle(h).Value(), true
		}
	}) {
		return nil, closedError(s)
	}
	if !found {
		return nil, &Error{Code: ErrNotFound, Msg: fmt.Sprintf("nothing is stored under %q", key)}
	}
	if failed, ok := value.(clonePanic); ok {
		panic(failed.reason)
	}
	return value, nil
}

// Delete removes a value, if it exists.
func (s *CycleState) Delete(key string) {
	ptr, err := s.lock()
	if err != nil {
		return
	}
	defer s.unlock()
	C.libsched_cycle_state_delete(ptr, str(stateKeyPrefix+key))
}

// Activate makes the queue retry a pod at once when this cycle has succeeded (PodsToActivate).
func (s *CycleState) Activate(pod *Pod) error {
	p, ok := pod.acquire()
	if !ok {
		return closedError(pod)
	}
	defer pod.h.release()
	ptr, err := s.lock()
	if err != nil {
		return err
	}
	defer s.unlock()
	var failure *C.libsched_error
	return takeError(C.libsched_cycle_state_activate(ptr, p, &failure), failure)
}

// TakeActivations removes and returns the pods of Activate, as "namespace/name", sorted.
func (s *CycleState) TakeActivations() ([]string, error) {
	ptr, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer s.unlock()
	keys := make([]string, C.libsched_cycle_state_activation_count(ptr))
	for i := range keys {
		pod := C.libsched_cycle_state_activation(ptr, C.size_t(i))
		keys[i] = goString(C.libsched_pod_namespace(pod)) + "/" + goString(C.libsched_pod_name(pod))
	}
	C.libsched_cycle_state_clear_activations(ptr)
	return keys, nil
}

// SkipsFilter reports whether PreFilter of a plugin asked to skip its Filter.
func (s *CycleState) SkipsFilter(plugin string) (skips bool) {
	s.look(func(p *C.libsched_cycle_state) { skips = bool(C.libsched_cycle_state_skips_filter(p, str(plugin))) })
	return skips
}

// SkipsScore reports whether PreScore of a plugin asked to skip its Score.
func (s *CycleState) SkipsScore(plugin string) (skips bool) {
	s.look(func(p *C.libsched_cycle_state) { skips = bool(C.libsched_cycle_state_skips_score(p, str(plugin))) })
	return skips
}

// SkipsPreBind reports whether PreBindPreFlight of a plugin asked to skip its PreBind.
func (s *CycleState) SkipsPreBind(plugin string) (skips bool) {
	s.look(func(p *C.libsched_cycle_state) { skips = bool(C.libsched_cycle_state_skips_pre_bind(p, str(plugin))) })
	return skips
}

// ParallelPreBind reports whether PreBindPreFlight of a plugin allowed its PreBind to run concurrently.
func (s *CycleState) ParallelPreBind(plugin string) (parallel bool) {
	s.look(func(p *C.libsched_cycle_state) {
		parallel = bool(C.libsched_cycle_state_parallel_pre_bind(p, str(plugin)))
	})
	return parallel
}
