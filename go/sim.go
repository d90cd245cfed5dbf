package libsched

// #include "sim_bridge.h"
import "C"

import (
	"context"
	"runtime"
	"sync/atomic"
)

// Sim is a simulated cluster for programs that ask the same questions hundreds of thousands of times, as
// autoscalers do. Pods and nodes are made of the contents of a [Catalog], so pods need no names, and one
// content may be placed any number of times. Nodes are walked in the order in which they were added. Answers
// are those of upstream's PreFilter and Filter; nominated pods do not count. Every change happens completely
// or not at all, and every question is one call of the library, however many pods and nodes it is about.
//
// A Sim is for one goroutine at a time; a call during another one is ErrState. It stays registered with
// the latest context that can be cancelled, until it is asked with another one or closed.
type Sim struct {
	core    *simCore
	catalog *Catalog
}

// NodeID is a node of a Sim. It stays while the node is there, and comes back with it after a Revert. 0 is
// none. The lower 32 bits are a Row, which is given to another node later; the upper ones tell these apart.
type NodeID uint64

// PodID is the place of a single pod in a Sim. 0 is none.
type PodID uint64

// Row returns the node's number in a NodeSet.
func (id NodeID) Row() Row { return Row(uint32(id)) }

// simCore is the part of a Sim that the cleanup closes; it must not point to its Sim.
type simCore struct {
	state atomic.Int32
	lent  bool // a call waits for a callback in Go; only that call changes it
	c     *C.lsgo_sim
	frame *ownFrame
	texts simTexts

	done  <-chan struct{} // of the context that is watched; nil: none
	stop  func() bool     // ends the watch
	fired chan struct{}   // closed when the context's end has reached the library

	changes   uint64   // the number of changes, to notice those of a callback
	plugins   []string // of the framework
	resources []string
	names     []string // by row: the name that NodeName returned last
	lengths   []C.size_t
	bytes     []byte
	on        []C.uint32_t
	refs      []PodRef
	pods      []PodID
}

// The states of a simCore.
const (
	simIdle    = iota
	simBusy    // in a call
	simLent    // in a call that waits for a callback in Go
	simClosing // in a call, whose end closes it
	simClosed
)

// NewSim returns an empty cluster with the plugins of a framework, which it keeps, as it does the catalog.
// Plugins in Go and from shared objects are called for each question. Errors: ErrMisuse, ErrLimit (255
// plugins or more).
func NewSim(fw *Framework, catalog *Catalog) (*Sim, error) {
	if fw == nil {
		return nil, closedError(fw)
	}
	f, err := acquired(fw, fw.h)
	if err != nil {
		return nil, err
	}
	defer fw.h.release()
	c, err := catalog.acquire()
	if err != nil {
		return nil, err
	}
	defer catalog.h.release()
	frame, err := newOwnFrame(nil, nil)
	if err != nil {
		return nil, err
	}
	k := &simCore{frame: frame, texts: simTexts{by: map[uint32]*verdictTexts{}}}
	var failure *C.libsched_error
	if rc := C.lsgo_sim_create(f, c, frame.c, &k.c, &failure); rc != C.LIBSCHED_OK {
		frame.free()
		return nil, takeError(rc, failure)
	}
	k.plugins = make([]string, C.libsched_sim_plugin_count(k.c.sim))
	for i := range k.plugins {
		k.plugins[i] = goString(C.libsched_sim_plugin(k.c.sim, C.size_t(i)))
	}
	s := &Sim{k, catalog}
	closeWhenUnreachable(s, k)
	return s, nil
}

// Close releases the Sim. A call that runs ends first.
func (s *Sim) Close() {
	if s != nil && s.core != nil {
		s.core.close()
	}
}

func (k *simCore) close() {
	for {
		switch state := k.state.Load(); {
		case state == simIdle:
			if k.state.CompareAndSwap(simIdle, simClosed) {
				k.free()
				return
			}
		case state >= simClosing || k.state.CompareAndSwap(state, simClosing):
			return
		}
	}
}

func (k *simCore) free() {
	k.unwatch()
	C.lsgo_sim_free(k.c)
	k.frame.free()
}

// enter begins a call; leave must follow unless it fails.
func (s *Sim) enter() (*simCore, error) {
	if s == nil || s.core == nil {
		return nil, closedError((*Sim)(nil))
	}
	k := s.core
	if k.state.CompareAndSwap(simIdle, simBusy) || k.state.CompareAndSwap(simLent, simBusy) {
		return k, nil
	}
	if k.state.Load() >= simClosing {
		return nil, closedError(s)
	}
	return nil, &Error{Code: ErrState, Msg: "the Sim is in another call: it is for one goroutine at a time"}
}

func (k *simCore) leave() {
	base := int32(simIdle)
	if k.lent {
		base = simLent
	}
	if !k.state.CompareAndSwap(simBusy, base) && !k.lent {
		k.free()
		k.state.Store(simClosed)
	}
}

// lend lets a callback of a call use the Sim until takeBack. A Close takes effect when the call ends.
func (k *simCore) lend() {
	k.lent = true
	k.state.CompareAndSwap(simBusy, simLent)
}

func (k *simCore) takeBack() {
	for !k.state.CompareAndSwap(simLent, simBusy) && k.state.Load() != simClosing {
		runtime.Gosched() // another goroutine has begun a call
	}
	k.lent = false
}

// ask begins a question, which ends when the context does; leave must follow unless it fails.
func (s *Sim) ask(ctx context.Context) (*simCore, error) {
	if ctx == nil {
		return nil, &Error{Code: ErrMisuse, Msg: "nil Context"}
	}
	k, err := s.enter()
	if err != nil {
		return nil, err
	}
	if err := k.begin(ctx); err != nil {
		k.leave()
		return nil, err
	}
	return k, nil
}

// begin prepares the next questions of a call.
func (k *simCore) begin(ctx context.Context) error {
	k.frame.asker.ctx = ctx
	return k.watch(ctx)
}

// watch makes the next questions end when the context does. Registering with a context costs more than a
// question, so the Sim stays registered for the questions that follow with the same one.
func (k *simCore) watch(ctx context.Context) error {
	k.c.query.deadline_ns, k.c.cancellable = 0, false
	done := ctx.Done()
	if done == nil {
		return nil
	}
	if err := contextError(ctx); err != nil {
		return err
	}
	if deadline, ok := ctx.Deadline(); ok {
		k.until(deadline.UnixNano())
	}
	k.c.cancellable = true
	if k.done == done {
		return nil
	}
	k.unwatch()
	cancel, fired := k.c.frame.cancel, make(chan struct{})
	k.done, k.fired = done, fired
	k.stop = context.AfterFunc(ctx, func() {
		C.libsched_cancel_set(cancel)
		close(fired)
	})
	return nil
}

func (k *simCore) unwatch() {
	if k.done == nil {
		return
	}
	if !k.stop() {
		<-k.fired
		C.libsched_cancel_reset(k.c.frame.cancel)
	}
	k.done, k.stop, k.fired = nil, nil, nil
}

// until adds a deadline to the next question.
func (k *simCore) until(ns int64) {
	if ns == 0 {
		ns = -1 // 0 would mean no deadline, and 1970 has passed
	}
	if at := &k.c.query.deadline_ns; *at == 0 || C.int64_t(ns) < *at {
		*at = C.int64_t(ns)
	}
}

// result returns the error of the last call, if it failed. It panics if a plugin without a Status did.
func (k *simCore) result(rc C.libsched_rc) error {
	asker := k.frame.asker
	if asker.panicked != nil {
		panicked := asker.panicked
		asker.panicked = nil
		panic(panicked)
	}
	if rc == C.LIBSCHED_OK {
		return nil
	}
	err := k.c.error
	k.c.error = nil
	failed := takeError(rc, err)
	if e, ok := failed.(*Error); ok && e.Code == ErrCancelled && asker.ctx != nil {
		if ended := contextError(asker.ctx); ended != nil {
			return ended
		}
	}
	return failed
}

// changed is result for changes.
func (k *simCore) changed(rc C.libsched_rc) error {
	k.changes++
	return k.result(rc)
}

// Plugins returns the names of the framework's plugins, for [Verdict8]. The slice is the Sim's.
func (s *Sim) Plugins() []string {
	k, err := s.enter()
	if err != nil {
		return nil
	}
	defer k.leave()
	return k.plugins
}

// Catalog returns the catalog that NewSim was given.
func (s *Sim) Catalog() *Catalog {
	k, err := s.enter()
	if err != nil {
		return nil
	}
	defer k.leave()
	return s.catalog
}
