package libsched

// #include "loop_bridge.h"
import "C"

import (
	"context"
	"runtime"
	"runtime/cgo"
	"sync"
	"time"
	"unsafe"
)

// Simulation is a whole scheduler with an API server in memory and a workload over time, on a virtual
// clock. Times are durations since its beginning. The same cluster, workload, frameworks and options give
// the same results. Calls on one simulation exclude each other.
type Simulation struct {
	core *simulationCore
}

// simulationCore is the part of a Simulation that the cleanup closes; it must not point to its Simulation.
type simulationCore struct {
	handle[*C.libsched_simulation]
	mu    sync.Mutex
	frame *ownFrame
}

// SimulationOptions says how a simulation schedules and measures. The zero value does as upstream does, but
// judges every node.
type SimulationOptions struct {
	Ties     Ties
	Seed     uint64 // for TiesRandom, and of the node where preemption begins
	Sampling bool   // as CycleOptions.Sampling
	// NoResources leaves out utilisation and fragmentation, which take time.
	NoResources bool
	// NoVolumes leaves PersistentVolumeClaims as they are, and pods do not wait for them. Otherwise a
	// controller binds them and makes volumes, as with APIServerOptions.BindVolumes.
	NoVolumes bool
	// NoClaimsFromTemplates makes no claims that controllers make for arriving pods (MissingClaims). A pod waits
	// if a ResourceClaimTemplate is not there.
	NoClaimsFromTemplates bool

	ProvisionTime  time.Duration // how long it takes to make a volume
	SampleInterval time.Duration // at least so much time is between two samples; 0: by what happens
	Queue          QueueOptions

	// Start is the date of the beginning, by which CronJobs are due. The zero time is 2026-01-01T00:00:00Z.
	Start time.Time
}

// NewSimulation makes a simulation. The frameworks have different profiles; pods of other schedulers are
// counted as ignored. The cluster is copied: its nodes, pods with a node and all other objects. The
// workload, which may be in several simulations, cannot be added to any more. Errors: those of
// NewSchedulingQueue; ErrExists (the cluster and the workload have a pod of one name), ErrInvalid
// (options, a negative time, a start that is not from 1970 to 2149).
func NewSimulation(frameworks []*Framework, cluster View, workload *TimedWorkload,
	options SimulationOptions) (*Simulation, error) {
	if options.Ties > TiesRandom {
		return nil, errTies
	}
	profiles, release, err := acquireFrameworks(frameworks)
	if err != nil {
		return nil, err
	}
	defer release()
	w, err := workload.enter()
	if err != nil {
		return nil, err
	}
	defer workload.leave()
	view, leave, err := enterView(cluster)
	if err != nil {
		return nil, err
	}
	defer leave()
	frame, err := newOwnFrame(nil, nil)
	if err != nil {
		return nil, err
	}
	o := C.libsched_simulation_options{
		struct_size: C.sizeof_libsched_simulation_options, ties: C.uint32_t(options.Ties),
		seed: C.uint64_t(options.Seed), sampling: C.bool(options.Sampling),
		no_resources: C.bool(options.NoResources), sample_interval_ns: C.int64_t(options.SampleInterval),
		no_volumes: C.bool(options.NoVolumes), provision_ns: C.int64_t(options.ProvisionTime),
		no_claims_from_templates: C.bool(options.NoClaimsFromTemplates),
		queue:                    options.Queue.c(),
	}
	// C reads the text that Go holds, so its memory is pinned.
	var pinner runtime.Pinner
	defer pinner.Unpin()
	if !options.Start.IsZero() {
		start := options.Start.Format(time.RFC3339Nano)
		pinner.Pin(unsafe.StringData(start))
		o.start = str(start)
	}
	var ptr *C.libsched_simulation
	frame.run(context.Background(), func() {
		var failure *C.libsched_error
		err = takeError(C.libsched_simulation_create(unsafe.SliceData(profiles), C.size_t(len(profiles)), view, w,
			&o, &ptr, &failure), failure)
	})
	if err != nil {
		frame.free()
		return nil, err
	}
	core := &simulationCore{frame: frame}
	core.ptr = ptr
	core.free = func(p *C.libsched_simulation) {
		C.libsched_simulation_unref(p)
		frame.free()
	}
	s := &Simulation{core}
	closeWhenUnreachable(s, core)
	return s, nil
}

// acquireFrameworks lends frameworks to one call; release must follow unless it fails.
func acquireFrameworks(frameworks []*Framework) (list []*C.libsched_framework, release func(), err error) {
	if len(frameworks) == 0 {
		return nil, nil, &Error{Code: ErrMisuse, Msg: "no Framework is given"}
	}
	release = func() {
		for _, fw := range frameworks[:len(list)] {
			fw.h.release()
		}
	}
	for _, fw := range frameworks {
		if fw == nil {
			release()
			return nil, nil, closedError(fw)
		}
		ptr, ok := fw.h.acquire()
		if !ok {
			release()
			return nil, nil, closedError(fw)
		}
		list = append(list, ptr)
	}
	return list, release, nil
}

// enterView prevents changes and release of a view until leave, which must follow unless it fails.
func enterView(view View) (ptr *C.libsched_view, leave func(), err error) {
	if isNilView(view) {
		return nil, nil, &Error{Code: ErrMisuse, Msg: "nil View"}
	}
	var r *reader
	switch v := view.(type) {
	case *Cluster:
		r, err = &v.reader, closedError(v)
	case *Snapshot:
		r, err = &v.reader, closedError(v)
	case *callView:
		r, err = &v.reader, &Error{Code: ErrMisuse, Msg: "the plugin's call has returned", cause: ErrClosed}
	}
	if ptr = r.enter(); ptr == nil {
		return nil, nil, err
	}
	return ptr, r.leave, nil
}

// Close releases the simulation. Its tables stay valid.
func (s *Simulation) Close() {
	if s != nil {
		s.core.close()
	}
}

// enter locks the simulation; leave must follow unless it fails.
func (s *Simulation) enter() (*C.libsched_simulation, error) {
	if s == nil {
		return nil, closedError(s)
	}
	ptr, ok := s.core.acquire()
	if !ok {
		return nil, closedError(s)
	}
	if !s.core.mu.TryLock() {
		if s.core.frame.inside() {
			s.core.release()
			return nil, &Error{Code: ErrMisuse, Msg: "a plugin or the progress function uses the simulation that calls it"}
		}
		s.core.mu.Lock()
	}
	return ptr, nil
}

func (s *Simulation) leave() {
	s.core.mu.Unlock()
	s.core.release()
}

// Progress says how far a simulation is.
type Progress struct {
	Now     time.Duration
	Total   int // pods of the workload, and of the runs that its CronJobs have started
	Arrived int
	Bound   int // also those that have ended since
	Ended   int // finished or preempted
	Pending int
}

// Run runs until all is quiet: all pods have arrived, none that runs will end, and the pods that are left
// have been tried in vain. It can be called again to continue, also after ErrCancelled. The function, which
// may be nil, is called now and then; an error of it ends the run and is returned. It must not use the
// simulation. Plugins get the context. Errors: ErrCancelled when the context ends, ErrInvalid
// (the workload has a CronJob, which never ends: use RunUntil), ErrState (after ErrNoMemory).
func (s *Simulation) Run(ctx context.Context, progress func(Progress) error) error {
	return s.run(ctx, -1, progress)
}

// RunUntil is Run, but it ends at a time at the latest. Errors: as Run, and ErrInvalid (a negative time).
func (s *Simulation) RunUntil(ctx context.Context, until time.Duration, progress func(Progress) error) error {
	if until < 0 {
		return &Error{Code: ErrInvalid, Msg: "the time to run to is negative"}
	}
	return s.run(ctx, until, progress)
}

func (s *Simulation) run(ctx context.Context, until time.Duration, progress func(Progress) error) (err error) {
	if err := contextError(ctx); err != nil {
		return err
	}
	ptr, err := s.enter()
	if err != nil {
		return err
	}
	defer s.leave()
	t := &trampoline[Progress]{call: progress}
	var tell cgo.Handle
	if progress != nil {
		tell = cgo.NewHandle(t)
		defer tell.Delete()
	}
	k := s.core
	finish := k.frame.asker.watch(ctx)
	func() {
		defer func() { err = finish(err) }() // also after a plugin's panic
		k.frame.run(ctx, func() {
			var failure *C.libsched_error
			err = takeError(C.lsgo_simulation_run(ptr, C.int64_t(until), k.frame.c.cancel, C.uintptr_t(tell),
				&failure), failure)
		})
	}()
	return t.finish(err)
}

//export lsgoProgress
func lsgoProgress(h C.uintptr_t, p *C.libsched_progress) C.bool {
	t := cgo.Handle(h).Value().(*trampoline[Progress])
	return C.bool(t.do("progress function", Progress{time.Duration(p.now_ns), int(p.total), int(p.arrived),
		int(p.bound), int(p.ended), int(p.pending)}))
}

// Now returns how far the simulation is; 0 after Close.
func (s *Simulation) Now() time.Duration {
	ptr, err := s.enter()
	if err != nil {
		return 0
	}
	defer s.leave()
	return time.Duration(C.libsched_simulation_now(ptr))
}
