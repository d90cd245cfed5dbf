package libsched

// #include "scheduling_bridge.h"
import "C"

import (
	"context"
	"sync"
	"time"
	"unsafe"
)

// Stage says how far a pod has come in its scheduling and binding cycle.
type Stage uint32

const (
	StageAssumed Stage = C.LIBSCHED_ATTEMPT_ASSUMED         // on its node; the binding cycle is next
	StageFailed  Stage = C.LIBSCHED_ATTEMPT_FAILED          // Attempt.Status says why
	StageDeleted Stage = C.LIBSCHED_ATTEMPT_SKIPPED_DELETED // not tried: the pod is being deleted
	StageKept    Stage = C.LIBSCHED_ATTEMPT_SKIPPED_ASSUMED // not tried: the pod is assumed already
	StageBound   Stage = C.LIBSCHED_ATTEMPT_BOUND           // by its binding cycle
)

func (s Stage) String() string {
	return nameOf(s, "assumed", "failed", "deleted", "kept", "bound")
}

// ScheduleOneOptions says how ScheduleOne schedules a pod. The zero value schedules as upstream does,
// but judges every node.
type ScheduleOneOptions struct {
	Ties     Ties
	Seed     uint64 // for TiesRandom
	Sampling bool   // as CycleOptions.Sampling
	// NodeByNode filters one node after the other, so that plugins see upstream's calls, once. Slower.
	NodeByNode   bool
	OtherProfile string      // as ScheduleOptions.OtherProfile
	State        *CycleState // is filled, and used until the pod is bound; nil: one of its own
	Deadline     time.Time   // as FilterOptions.Deadline
}

// Attempt is what became of a pod in ScheduleOne, or in its binding cycle.
type Attempt struct {
	Stage     Stage
	Profile   string // the profile that decided
	Node      string // that was chosen, also if the pod was turned away there; "": none
	Total     int64  // as CycleResult
	Feasible  int
	Evaluated int
	Status    *Status // of a failure: upstream's FitError, a plugin's answer, or an Error; else nil
	// Rejectors are the plugins of a FitError, whose events may help the pod, and Pending those of them
	// that only wait.
	Rejectors, Pending []string
	Nomination         *Nomination // of a failure: what becomes of the pod's nomination; or nil
	State              *CycleState

	way *scheduling
}

// scheduling is a pod's way through its cycles.
type scheduling struct {
	h  *handle[*C.libsched_scheduling]
	mu sync.Mutex // one call at a time
}

// ScheduleOne runs one pod's scheduling cycle, as upstream's scheduleOnePod: PreFilter, Filter, PostFilter
// if no node takes the pod, Score, the choice of a node, assume, Reserve and Permit. The pod's
// schedulerName chooses among the frameworks, which have different profiles. A pod that is turned away
// leaves the cluster as it was; its nomination follows in the services, and the API client gets upstream's
// event and condition. The writer queue learns what becomes of the pod in its binding cycle
// ([Attempt.Bind]). Errors: ErrNotFound (no profile is the pod's), ErrMisuse, ErrCancelled when the
// context ends, ErrDeadline, ErrInvalid (options), ErrUnsupported; then nothing has changed.
func ScheduleOne(ctx context.Context, cluster *Cluster, pod *Pod, frameworks []*Framework,
	writer *WriterQueue, options ScheduleOneOptions) (*Attempt, error) {
	if options.Ties > TiesRandom {
		return nil, errTies
	}
	queue, err := writer.acquire()
	if err != nil {
		return nil, err
	}
	defer writer.h.release()
	p, ok := pod.acquire()
	if !ok {
		return nil, closedError(pod)
	}
	defer pod.h.release()
	state := options.State
	if state == nil {
		state = NewCycleState()
	}
	s, err := state.lock()
	if err != nil {
		return nil, err
	}
	defer state.unlock()
	j, err := borrowJudges(ctx, cluster, frameworks)
	if err != nil {
		return nil, err
	}
	defer j.release()
	first := j.list[0]
	held, err := first.services.core.have(&first.c.frame)
	if err != nil {
		return nil, err
	}
	defer held.end()
	writer.knows(first.services)
	first.until(options.Deadline)
	finish := first.watch(ctx)
	o := C.libsched_scheduling_options{
		struct_size: C.sizeof_libsched_scheduling_options, ties: C.uint32_t(options.Ties), seed: C.uint64_t(options.Seed),
		sampling: C.bool(options.Sampling), node_by_node: C.bool(options.NodeByNode), state: s, writer: queue,
	}
	j.share(options.OtherProfile, &o.other_profile, &o.cancel, &o.deadline_ns)
	var ptr *C.libsched_scheduling
	rc := C.lsgo_schedule_one(j.array(), j.count(), p, &o, &ptr)
	if err := finish(first.failure(rc)); err != nil {
		return nil, err
	}
	way := &scheduling{h: newHandle(ptr, func(p *C.libsched_scheduling) { C.libsched_scheduling_unref(p) })}
	closeWhenUnreachable(way, way.h)
	return way.attempt(ptr, state)
}

// attempt reads what became of the pod so far.
func (w *scheduling) attempt(ptr *C.libsched_scheduling, state *CycleState) (*Attempt, error) {
	o := C.libsched_scheduling_outcome{struct_size: C.sizeof_libsched_scheduling_outcome}
	var failure *C.libsched_error
	if rc := C.libsched_scheduling_get(ptr, &o, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	var status *C.libsched_status
	if rc := C.libsched_status_create(&status, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	defer C.libsched_status_unref(status)
	C.libsched_scheduling_status(ptr, status)
	a := &Attempt{
		Stage: Stage(o.attempt), Profile: goString(o.profile), Node: goString(o.node_name),
		Total: int64(o.total), Feasible: int(o.feasible), Evaluated: int(o.evaluated),
		Status: copyStatus(status), Rejectors: rejectors(ptr, false), Pending: rejectors(ptr, true),
		State: state, way: w,
	}
	if o.nomination.mode != C.LIBSCHED_NOMINATION_NONE {
		a.Nomination = &Nomination{NominatingMode(o.nomination.mode), goString(o.nomination.node)}
	}
	return a, nil
}

func rejectors(ptr *C.libsched_scheduling, pending bool) []string {
	names := make([]C.libsched_str, C.libsched_scheduling_rejectors(ptr, C.bool(pending), nil, 0))
	C.libsched_scheduling_rejectors(ptr, C.bool(pending), unsafe.SliceData(names), C.size_t(len(names)))
	var texts []string
	for _, name := range names {
		texts = append(texts, goString(name))
	}
	return texts
}

// Bind runs the binding cycle of an assumed pod, once, and returns what became of it: PreBindPreFlight,
// WaitOnPermit, PreBind, Bind and PostBind. It looks at no cluster, so it may run on any goroutine while
// others change the cluster; its changes go to the writer queue. Plugins get the context. A plugin that
// is not [Concurrent] must not wait there for a cluster whose cycle may be waiting for the plugin. Errors:
// ErrState (the pod is not assumed, or its binding cycle has run).
func (a *Attempt) Bind(ctx context.Context) (*Attempt, error) {
	if a == nil || a.way == nil {
		return nil, &Error{Code: ErrState, Msg: "the pod has no binding cycle to run: it was not scheduled"}
	}
	if err := contextError(ctx); err != nil {
		return nil, err
	}
	ptr, ok := a.way.h.acquire()
	if !ok {
		return nil, closedError(a)
	}
	defer a.way.h.release()
	a.way.mu.Lock()
	defer a.way.mu.Unlock()
	if _, err := a.State.lock(); err != nil {
		return nil, err
	}
	defer a.State.unlock()
	asker := &evaluator{ctx: ctx}
	self := askers.add(asker)
	defer askers.remove(self)
	var failure *C.libsched_error
	rc := C.lsgo_bind(ptr, self, &failure)
	if asker.panicked != nil {
		panic(asker.panicked)
	}
	if rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return a.way.attempt(ptr, a.State)
}
