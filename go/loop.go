package libsched

// #include <stdlib.h>
// #include "loop_bridge.h"
import "C"

import (
	"context"
	"math"
	"runtime/cgo"
	"sync/atomic"
	"time"
	"unsafe"
)

// Scheduler is the queue, the cycles and the handlers of events around a cluster: upstream's scheduler. What
// changes at an API server is delivered to it; it keeps the cluster and its queue up to date, and sends
// bindings, status patches and events to its API client. It runs only in Run, RunUntil, RunOne and Settle,
// which exclude each other and calls on the cluster. Plugins, the API client and the observer must not run it.
//
// On a virtual clock one action happens at a time, in an order that the input alone determines, and each
// takes a microsecond.
type Scheduler struct {
	core *schedulerCore
}

// schedulerCore is the part of a Scheduler that the cleanup closes; it must not point to its Scheduler.
type schedulerCore struct {
	handle[*C.libsched_scheduler]
	cluster  *Cluster
	services *Services // the scheduler's own
	frame    *ownFrame
	started  atomic.Bool
	memory   *handle[*C.libsched_memory_api] // nil: another client
}

// SchedulerOptions says how a scheduler works. The zero value schedules as upstream does, but judges every
// node, by the machine's clock, and its requests are only recorded ([Scheduler.Requests]).
type SchedulerOptions struct {
	Ties     Ties
	Seed     uint64 // for TiesRandom
	Sampling bool   // as CycleOptions.Sampling
	// NodeByNode filters one node after the other, as ScheduleOneOptions.NodeByNode.
	NodeByNode bool
	Queue      QueueOptions
	Clock      *Clock // nil: the machine's
	// API gets the requests, with the context of the run. On a clock that is not virtual, BindingThreads
	// threads of the library call it, several at once and with a background context; 0: it is called in
	// line. Frameworks with plugins in Go, which stay on the goroutine of the run, bind in line.
	API            APIClient
	BindingThreads int
	// Server is watched and asked instead of API, and its grace periods are run. Its clock is the default.
	Server *APIServer
	// Observer is told what becomes of pods; nil: nobody is.
	Observer SchedulerObserver
	// Log gets the lines that kube-scheduler would log, up to the level Verbosity, as its -v: at 2 what
	// becomes of pods, at 3 and 4 also what is delivered, at 5 the moves in the queue. Plugins may be
	// running, so it must not use the scheduler, its cluster or its queue. nil: nothing is logged.
	Log       func(LogRecord)
	Verbosity int
}

// LogRecord is a line of a scheduler's log: upstream's message, with keys and values in upstream's order.
type LogRecord struct {
	Level   int // the verbosity at which it appears; 0 for errors
	Error   bool
	Time    time.Time
	Message string
	Fields  []LogField
}

// LogField is a key and a value of a line; objects are "namespace/name", lists are JSON arrays.
type LogField struct {
	Key, Value string
}

// schedulerWatch is the value of the handle of lsgo_observer.
type schedulerWatch struct {
	observer SchedulerObserver
	log      func(LogRecord)
}

// SchedulerObserver is told what becomes of pods, one call at a time. It may read the cluster and the queue.
type SchedulerObserver interface {
	Popped(pod *QueuedPodInfo)
	// Assumed is called for a pod that binding is next for.
	Assumed(pod *QueuedPodInfo, node string)
	Bound(pod *QueuedPodInfo, node string)
	// Failed is called after a failed cycle; node is "" unless the pod was assumed there.
	Failed(pod *QueuedPodInfo, node string, status *Status)
}

// NewScheduler makes a scheduler. The frameworks have different profiles; pods of other schedulers are left
// alone. The cluster may have nodes, pods and other objects already; pods without a node are delivered.
// Errors: those of NewSchedulingQueue, ErrInvalid (both API and Server; another clock than the server's), ErrState (the virtual clock drives another scheduler), ErrLimit (the
// system provides no thread).
func NewScheduler(cluster *Cluster, frameworks []*Framework, options SchedulerOptions) (*Scheduler, error) {
	switch {
	case options.Ties > TiesRandom:
		return nil, errTies
	case options.API != nil && options.Server != nil:
		return nil, &Error{Code: ErrInvalid, Msg: "a scheduler has an API client or an API server, not both"}
	case options.Verbosity < 0 || options.Verbosity > math.MaxInt32:
		return nil, &Error{Code: ErrInvalid, Msg: "a verbosity is from 0 to 2147483647"}
	case options.BindingThreads < 0 || options.BindingThreads > math.MaxUint16:
		return nil, &Error{Code: ErrInvalid, Msg: "a number of threads is from 0 to 65535"}
	}
	profiles, release, err := acquireFrameworks(frameworks)
	if err != nil {
		return nil, err
	}
	defer release()
	var clock *C.libsched_clock
	if options.Clock != nil {
		ptr, ok := options.Clock.h.acquire()
		if !ok {
			return nil, closedError(options.Clock)
		}
		defer options.Clock.h.release()
		clock = ptr
	}
	var server *C.libsched_api_server
	if options.Server != nil {
		ptr, ok := options.Server.h.acquire()
		if !ok {
			return nil, closedError(options.Server)
		}
		defer options.Server.h.release()
		server = ptr
	}
	if cluster == nil {
		return nil, closedError(cluster)
	}
	k := cluster.core
	k.lock()
	defer k.unlock()
	if k.cluster == nil {
		return nil, closedError(cluster)
	}
	frame, err := newOwnFrame(k.id, nil)
	if err != nil {
		return nil, err
	}
	var api cgo.Handle
	var memory *handle[*C.libsched_memory_api]
	if options.API != nil {
		api = cgo.NewHandle(options.API)
	} else if server == nil {
		var made *C.libsched_memory_api
		if rc := C.libsched_memory_api_create(&made, nil); rc != C.LIBSCHED_OK {
			panic(ErrorCode(rc)) // out of memory
		}
		memory = newHandle(made, func(p *C.libsched_memory_api) { C.libsched_memory_api_unref(p) })
	}
	var observer *C.lsgo_observer
	if options.Observer != nil || options.Log != nil {
		observer = (*C.lsgo_observer)(C.calloc(1, C.sizeof_lsgo_observer)) // cgo's never returns NULL
		observer.handle = C.uintptr_t(cgo.NewHandle(&schedulerWatch{options.Observer, options.Log}))
		observer.frame = frame.c
		observer.observes = C.bool(options.Observer != nil)
		observer.logs = C.bool(options.Log != nil)
		observer.verbosity = C.uint32_t(options.Verbosity)
	}
	forget := func() {
		frame.free()
		memory.close()
		if observer != nil {
			cgo.Handle(observer.handle).Delete()
			C.free(unsafe.Pointer(observer))
		}
	}
	o := C.libsched_scheduler_options{
		struct_size: C.sizeof_libsched_scheduler_options, ties: C.uint32_t(options.Ties),
		seed: C.uint64_t(options.Seed), sampling: C.bool(options.Sampling),
		node_by_node: C.bool(options.NodeByNode), binding_threads: C.uint32_t(options.BindingThreads),
		queue: options.Queue.c(), clock: clock, api_server: server,
	}
	if memory != nil {
		o.memory_api = memory.ptr
	}
	var ptr *C.libsched_scheduler
	frame.run(context.Background(), func() {
		var failure *C.libsched_error
		err = takeError(C.lsgo_scheduler_create(&profiles[0], C.size_t(len(profiles)), k.cluster, &o,
			C.uintptr_t(api), observer, &ptr, &failure), failure)
	})
	if err != nil {
		forget()
		return nil, err
	}
	services := C.libsched_scheduler_services(ptr)
	frame.c.frame.services = services
	core := &schedulerCore{cluster: cluster, services: refServices(services), frame: frame, memory: memory}
	frame.asker.services = core.services
	core.ptr = ptr
	core.free = func(p *C.libsched_scheduler) {
		k.lock()
		defer k.unlock()
		C.libsched_scheduler_unref(p)
		forget()
	}
	s := &Scheduler{core}
	closeWhenUnreachable(s, core)
	return s, nil
}

// Close releases the scheduler, after the binding cycles on threads have ended.
func (s *Scheduler) Close() {
	if s != nil {
		s.core.close()
	}
}

// acquire begins a call that any goroutine may make.
func (s *Scheduler) acquire() (*C.libsched_scheduler, error) {
	if s == nil {
		return nil, closedError(s)
	}
	return acquired(s, &s.core.handle)
}

// enter locks the cluster; leave must follow unless it fails.
func (s *Scheduler) enter() (*C.libsched_scheduler, error) {
	ptr, err := s.acquire()
	if err != nil {
		return nil, err
	}
	k := s.core.cluster.core
	k.lock()
	if k.cluster == nil {
		s.leave()
		return nil, closedError(s.core.cluster)
	}
	return ptr, nil
}

func (s *Scheduler) leave() {
	s.core.cluster.core.unlock()
	s.core.release() // may free the scheduler, which locks the cluster
}

type schedulerFunc func(scheduler *C.libsched_scheduler, err **C.libsched_error) C.libsched_rc

// run makes a call that may ask plugins and change nominations.
func (s *Scheduler) run(ctx context.Context, call schedulerFunc) (err error) {
	if err := contextError(ctx); err != nil {
		return err
	}
	ptr, err := s.enter()
	if err != nil {
		return err
	}
	defer s.leave()
	k := s.core
	held, err := k.services.core.have(&k.frame.c.frame)
	if err != nil {
		return err
	}
	defer held.end()
	if k.frame.inside() { // the library refuses it
		var failure *C.libsched_error
		return takeError(call(ptr, &failure), failure)
	}
	finish := k.frame.asker.watch(ctx)
	defer func() { err = finish(err) }()
	k.frame.run(ctx, func() {
		var failure *C.libsched_error
		err = takeError(call(ptr, &failure), failure)
	})
	return err
}

// Start starts the timers of the queue. Run does it as well. Errors: ErrState (started before, or stopped).
func (s *Scheduler) Start() error {
	err := s.run(context.Background(), func(s *C.libsched_scheduler, err **C.libsched_error) C.libsched_rc {
		return C.libsched_scheduler_start(s, err)
	})
	if err == nil {
		s.core.started.Store(true)
	}
	return err
}

// RunOne handles what has been delivered and does one action. It returns whether there was one that needs no
// more time. Errors of all runs: ErrMisuse (in a plugin, API client or observer of the scheduler), and
// ErrInvalid or ErrLimit for a delivered object that the cluster cannot hold, which has no effect. Runs may
// be called again after an error.
func (s *Scheduler) RunOne(ctx context.Context) (acted bool, err error) {
	var did C.bool
	err = s.run(ctx, func(s *C.libsched_scheduler, err **C.libsched_error) C.libsched_rc {
		return C.libsched_scheduler_run_one(s, &did, err)
	})
	return bool(did), err
}

// Settle does actions until none is left, at most maxActions of them; 0 is no limit. It does not wait for
// threads. With hold it begins no scheduling cycle. Errors: as RunOne, and ErrLimit (there is more to do).
func (s *Scheduler) Settle(ctx context.Context, hold bool, maxActions int) error {
	if maxActions < 0 {
		return &Error{Code: ErrInvalid, Msg: "a number of actions is negative"}
	}
	return s.run(ctx, func(s *C.libsched_scheduler, err **C.libsched_error) C.libsched_rc {
		return C.libsched_scheduler_settle(s, C.bool(hold), C.size_t(maxActions), err)
	})
}

// RunUntil lets time pass until `until`, by the scheduler's clock, and does all that happens meanwhile. On a
// clock that is not virtual it waits, and ends with the action under way at that time: there may be more to do
// then. Errors: as RunOne, and ErrCancelled when the context ends.
func (s *Scheduler) RunUntil(ctx context.Context, until time.Time) error {
	return s.runUntil(ctx, C.int64_t(until.UnixNano()))
}

func (s *Scheduler) runUntil(ctx context.Context, until C.int64_t) error {
	return s.run(ctx, func(ptr *C.libsched_scheduler, err **C.libsched_error) C.libsched_rc {
		return C.libsched_scheduler_run_until(ptr, until, s.core.frame.c.cancel, err)
	})
}

// Run is upstream's Run: it starts the queue unless that has been done, and schedules until the context ends
// or an error occurs. It locks the cluster all the time, so what changes comes by delivery. The clock must
// not be virtual (ErrState): use RunUntil. Errors: ErrCancelled when the context ends, as a *Error whose
// cause is the context's error, and those of RunOne.
func (s *Scheduler) Run(ctx context.Context) error {
	ptr, err := s.acquire()
	if err != nil {
		return err
	}
	clock := C.libsched_services_clock(C.libsched_scheduler_services(ptr))
	virtual := C.libsched_clock_advance_to(clock, math.MinInt64, nil) == C.LIBSCHED_OK // which changes nothing
	s.core.release()
	if virtual {
		return &Error{Code: ErrState, Msg: "on a virtual clock a scheduler runs until a time"}
	}
	if !s.core.started.Load() {
		if err := s.Start(); err != nil {
			return err
		}
	}
	return s.runUntil(ctx, math.MaxInt64)
}

// Stop stops the queue: no further pod is tried. Pods that wait on Permit are rejected, and binding cycles
// end; on threads those fail that have not come to Bind. Errors: ErrState (stopped before).
func (s *Scheduler) Stop() error {
	err := s.run(context.Background(), func(s *C.libsched_scheduler, err **C.libsched_error) C.libsched_rc {
		return C.libsched_scheduler_stop(s, err)
	})
	if err == nil {
		s.core.started.Store(false) // Run says then that the queue is closed
	}
	return err
}

// NextDue returns the next time at which something happens by itself; false: never.
func (s *Scheduler) NextDue() (time.Time, bool) {
	ptr, err := s.enter()
	if err != nil {
		return time.Time{}, false
	}
	defer s.leave()
	var due C.int64_t
	if !C.libsched_scheduler_next_due(ptr, &due) {
		return time.Time{}, false
	}
	return time.Unix(0, int64(due)), true
}
