package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"slices"
	"time"
	"unsafe"
)

// evaluator is a framework on a view with its caches; it runs one call at a time. A cluster has one for
// each framework, a snapshot as many as run at once.
type evaluator struct {
	c     *C.lsgo_evaluator
	fw    *handle[*C.libsched_framework] // identifies it; the C evaluator holds its own reference
	texts interner

	services *Services       // services of its view
	ctx      context.Context // of the running call, or nil
	running  *call           // the plugin call made by this evaluator
	panicked any             // the panic value of a plugin in a slot without a Status
}

// askers holds all evaluators, so that plugins find the one that calls them by the number that C passes.
var askers table[evaluator]

// evaluators is a list of the evaluators of a few frameworks; searching it is faster than a map.
type evaluators []*evaluator

// find returns the index of the last unused evaluator of a framework, or -1.
func (list evaluators) find(fw *handle[*C.libsched_framework]) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].fw == fw && list[i].ctx == nil {
			return i
		}
	}
	return -1
}

// drop frees the evaluators of closed frameworks.
func (list *evaluators) drop() {
	*list = slices.DeleteFunc(*list, func(e *evaluator) bool {
		if !e.fw.closed() || e.ctx != nil {
			return false
		}
		e.free()
		return true
	})
}

// free frees all evaluators.
func (list *evaluators) free() {
	for _, e := range *list {
		e.free()
	}
	*list = nil
}

func newEvaluatorOnCluster(fw *Framework, cluster *C.libsched_cluster, services *Services) (*evaluator, error) {
	return newEvaluator(fw, services, func(f *C.libsched_framework, out **C.lsgo_evaluator,
		err **C.libsched_error) C.libsched_rc {
		return C.lsgo_evaluator_on_cluster(f, cluster, out, err)
	})
}

func newEvaluatorOnSnapshot(fw *Framework, snapshot *C.libsched_snapshot, services *Services) (*evaluator, error) {
	return newEvaluator(fw, services, func(f *C.libsched_framework, out **C.lsgo_evaluator,
		err **C.libsched_error) C.libsched_rc {
		return C.lsgo_evaluator_on_snapshot(f, snapshot, out, err)
	})
}

func newEvaluator(fw *Framework, services *Services, create func(f *C.libsched_framework,
	out **C.lsgo_evaluator, err **C.libsched_error) C.libsched_rc) (*evaluator, error) {
	ptr, ok := fw.h.acquire()
	if !ok {
		return nil, closedError(fw)
	}
	defer fw.h.release()
	var e *C.lsgo_evaluator
	var failure *C.libsched_error
	if rc := create(ptr, &e, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownEvaluator(e, fw).use(services)
}

func ownEvaluator(c *C.lsgo_evaluator, fw *Framework) *evaluator {
	e := &evaluator{c: c, fw: fw.h, texts: interner{}}
	if fw.parallelism != 0 { // cannot fail: it is in range and the evaluator is idle
		C.libsched_evaluator_set_parallelism(c.evaluator, C.uint32_t(fw.parallelism), nil)
	}
	c.self = askers.add(e)
	return e
}

// use gives the evaluator services; it frees it if they are closed.
func (e *evaluator) use(services *Services) (*evaluator, error) {
	ptr, err := services.acquire()
	if err != nil {
		e.free()
		return nil, err
	}
	defer services.core.release()
	C.libsched_evaluator_set_services(e.c.evaluator, ptr, nil) // cannot fail: it is idle
	e.c.frame.services, e.services = ptr, services
	return e, nil
}

func (e *evaluator) free() {
	self := e.c.self
	C.lsgo_evaluator_free(e.c)
	askers.remove(self)
}

// status copies the status of the last call; nil for Success.
func (e *evaluator) status() *Status {
	if e.c.code == C.LIBSCHED_CODE_SUCCESS {
		return nil
	}
	s := &Status{code: Code(e.c.code), plugin: e.texts.string(e.c.plugin)}
	n := int(e.c.reason_count)
	if n <= len(s.one) {
		s.reasons = s.one[:n]
	} else {
		s.reasons = make([]string, n)
	}
	for i := range s.reasons {
		if i < C.LSGO_REASONS {
			s.reasons[i] = e.texts.string(e.c.reasons[i])
		} else {
			s.reasons[i] = e.texts.string(C.libsched_status_reason(e.c.status, C.size_t(i)))
		}
	}
	if e.c.one_error {
		s.err = errorText(s.reasons[0])
	}
	return s
}

// failure returns the error of the last call.
func (e *evaluator) failure(rc C.libsched_rc) error {
	err := e.c.error
	e.c.error = nil
	return takeError(rc, err)
}

// until sets the deadline of the following calls; the zero Time is no deadline.
func (e *evaluator) until(deadline time.Time) {
	e.c.deadline_ns = 0
	if deadline.IsZero() {
		return
	}
	if e.c.deadline_ns = C.int64_t(deadline.UnixNano()); e.c.deadline_ns == 0 {
		e.c.deadline_ns = -1 // 0 would mean no deadline, and 1970 has passed
	}
}

// watch ends the calls on this evaluator when the context ends. The returned function must be
// called before the evaluator is given back; it converts ErrCancelled to the context's error.
func (e *evaluator) watch(ctx context.Context) func(error) error {
	if ctx.Done() == nil {
		return func(err error) error { return err }
	}
	done := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		C.libsched_cancel_set(e.c.cancel)
		close(done)
	})
	return func(err error) error {
		if !stop() {
			<-done // the flag is set; reset it for the next call
			C.libsched_cancel_reset(e.c.cancel)
		}
		if failed, ok := err.(*Error); ok && failed.Code == ErrCancelled {
			return contextError(ctx)
		}
		return err
	}
}

// lease holds what every query needs. It is returned by value, so that a query allocates nothing for it.
type lease struct {
	e     *evaluator
	view  *C.libsched_view
	pod   *C.libsched_pod
	state *C.libsched_cycle_state // of borrowWith

	fw     *Framework
	owner  View
	held   *Pod
	locked *CycleState
}

// borrowWith is borrow for queries that have a state, which is locked.
func (fw *Framework) borrowWith(ctx context.Context, state *CycleState, view View, pod *Pod) (lease, error) {
	s, err := state.lock()
	if err != nil {
		return lease{}, err
	}
	l, err := fw.borrow(ctx, view, pod)
	if err != nil {
		state.unlock()
		return lease{}, err
	}
	l.state, l.locked = s, state
	return l, nil
}

// borrow checks and locks the arguments of a query. Release must follow unless it fails.
func (fw *Framework) borrow(ctx context.Context, view View, pod *Pod) (lease, error) {
	if fw == nil {
		return lease{}, closedError(fw)
	}
	if isNilView(view) {
		return lease{}, &Error{Code: ErrMisuse, Msg: "nil View"}
	}
	if err := contextError(ctx); err != nil {
		return lease{}, err
	}
	p, ok := pod.acquire()
	if !ok {
		return lease{}, closedError(pod)
	}
	e, v, err := view.borrow(fw)
	if err != nil {
		pod.h.release()
		return lease{}, err
	}
	e.ctx = ctx
	return lease{e: e, view: v, pod: p, fw: fw, owner: view, held: pod}, nil
}

func (l *lease) release() {
	panicked := l.e.panicked
	l.e.ctx, l.e.panicked = nil, nil
	l.owner.giveBack(l.fw, l.e)
	l.held.h.release()
	if l.locked != nil {
		l.locked.unlock()
	}
	if panicked != nil {
		panic(panicked)
	}
}

// answer returns the status of the last call, or the reason for its failure.
func (l *lease) answer(rc C.libsched_rc) *Status {
	if rc != C.LIBSCHED_OK {
		return AsStatus(l.e.failure(rc))
	}
	return l.e.status()
}

// share holds the services for a query that reads nominated pods.
func (l *lease) share() hold { return l.e.services.core.share(&l.e.c.frame) }

func isNilView(view View) bool {
	switch v := view.(type) {
	case nil:
		return true
	case *Cluster:
		return v == nil
	case *Snapshot:
		return v == nil
	}
	return false
}

// wordsOf lends a set of nodes to one call; NULL for an empty one.
func wordsOf(s NodeSet) *C.uint64_t { return (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(s))) }

// sliceOf returns a C array as a slice of a Go type with the same layout.
func sliceOf[T, E any](array *E, n C.size_t) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(array)), int(n))
}
