package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Outcome is what became of a pod.
type Outcome uint32

const (
	OutcomePlaced        Outcome = C.LIBSCHED_OUTCOME_PLACED        // assumed on its node
	OutcomeUnschedulable Outcome = C.LIBSCHED_OUTCOME_UNSCHEDULABLE // no node takes it
	OutcomeGated         Outcome = C.LIBSCHED_OUTCOME_GATED         // PreEnqueue holds it back
	OutcomeRefused       Outcome = C.LIBSCHED_OUTCOME_REFUSED       // Reserve refused; it was taken off again
	OutcomeBound         Outcome = C.LIBSCHED_OUTCOME_BOUND         // has a nodeName already, and was put there
	OutcomeKept          Outcome = C.LIBSCHED_OUTCOME_KEPT          // is in the cluster already
	OutcomeEnded         Outcome = C.LIBSCHED_OUTCOME_ENDED         // has run to its end
	OutcomeError         Outcome = C.LIBSCHED_OUTCOME_ERROR         // a plugin failed or is not available
)

func (o Outcome) String() string {
	names := [...]string{"placed", "unschedulable", "gated", "refused", "bound", "kept", "ended", "error"}
	if int(o) < len(names) {
		return names[o]
	}
	return "unknown"
}

// ScheduleOptions says how Schedule places pods. Zero: one of each, and as upstream.
type ScheduleOptions struct {
	Ties     Ties
	Seed     uint64 // of TiesRandom: the same seed gives the same places
	Sampling bool   // as CycleOptions.Sampling; the start moves on from pod to pod
	// Replicas says how many pods like each there are; nil: one. Of a pod with more than one they are
	// named as a StatefulSet's ("name-0"), and made when their turn comes.
	Replicas      []int
	StopAtFailure bool      // end at the first pod that is not placed, bound, kept or ended
	Deadline      time.Time // as FilterOptions.Deadline
}

// Placement is what became of a pod, or of several replicas that fare the same.
type Placement struct {
	Pod             int // the place among the pods
	Replica         int // the first replica
	Namespace, Name string
	Outcome         Outcome
	Node            string // of a pod that is placed, bound or kept
	Scored          bool   // false: no other node was feasible, because then nothing is scored
	Score           int64
	Feasible        int    // nodes that passed the filters
	Text            string // why the pod was not placed
	Plugin          string // by which plugin, if one alone is to be named
	// Count says for how many replicas this is said: those behind one that is not placed would fare
	// the same. They are counted, not tried.
	Count int
}

// Schedule places pods one after the other, as a scheduler with an empty queue would: PreEnqueue, a
// scheduling cycle and Reserve. Each pod sees those before it, because it is assumed on its node; fork
// the cluster before to only ask. All pods are judged by this framework, whatever their
// schedulerName. Nothing is preempted. What is wrong with one pod is its Outcome; an error ends the
// call, and the placements beside it are those of the pods before, which stay.
// Errors: ErrCancelled when the context ends, ErrDeadline, ErrInvalid (options), ErrMisuse.
func (fw *Framework) Schedule(ctx context.Context, cluster *Cluster, pods []*Pod,
	options ScheduleOptions) ([]Placement, error) {
	if options.Ties > TiesRandom {
		return nil, &Error{Code: ErrInvalid, Msg: "Ties is TiesUpstream, TiesName or TiesRandom"}
	}
	if options.Replicas != nil && len(options.Replicas) != len(pods) {
		return nil, &Error{Code: ErrInvalid, Msg: "as many numbers of replicas as pods are needed, or none"}
	}
	replicas := make([]C.size_t, len(options.Replicas), len(options.Replicas)+1)
	for i, n := range options.Replicas {
		if n < 0 {
			return nil, &Error{Code: ErrInvalid, Msg: "a number of replicas is negative"}
		}
		replicas[i] = C.size_t(n)
	}
	if len(pods) == 0 {
		return nil, contextError(ctx)
	}
	batch, err := newPodBatch(pods, nil)
	if err != nil {
		return nil, err
	}
	defer batch.release(pods)
	l, err := fw.borrow(ctx, cluster, pods[0])
	if err != nil {
		return nil, err
	}
	defer l.release()
	defer l.share().end()
	l.e.until(options.Deadline)
	finish := l.e.watch(ctx)
	profile, n := textOf(fw.Profile())
	var counts *C.size_t
	if options.Replicas != nil {
		counts = unsafe.SliceData(replicas)
	}
	rc := C.lsgo_schedule(l.e.c, batch.list(), counts, C.size_t(len(pods)), profile, n,
		C.uint32_t(options.Ties), C.uint64_t(options.Seed), C.bool(options.Sampling),
		C.bool(options.StopAtFailure))
	err = finish(l.e.failure(rc))
	defer C.lsgo_forget_placements(l.e.c)
	list := unsafe.Slice(l.e.c.placements, int(l.e.c.placement_count))
	placements := make([]Placement, len(list))
	for i, p := range list {
		placements[i] = Placement{
			Pod: int(p.pod), Replica: int(p.replica),
			Namespace: goString(p.name_space), Name: goString(p.name),
			Outcome: Outcome(p.outcome), Node: goString(p.node),
			Scored: bool(p.scored), Score: int64(p.score), Feasible: int(p.feasible),
			Text: goString(p.text), Plugin: goString(p.plugin), Count: int(p.count),
		}
	}
	return placements, err
}
