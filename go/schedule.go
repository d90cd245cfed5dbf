package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Outcome is the outcome of placing a pod.
type Outcome uint32

const (
	OutcomePlaced        Outcome = C.LIBSCHED_OUTCOME_PLACED        // assumed on its node
	OutcomeUnschedulable Outcome = C.LIBSCHED_OUTCOME_UNSCHEDULABLE // no node takes it
	OutcomeGated         Outcome = C.LIBSCHED_OUTCOME_GATED         // PreEnqueue holds it back
	OutcomeRefused       Outcome = C.LIBSCHED_OUTCOME_REFUSED       // Reserve refused; the pod was taken off again
	OutcomeBound         Outcome = C.LIBSCHED_OUTCOME_BOUND         // had a nodeName already, and was put there
	OutcomeKept          Outcome = C.LIBSCHED_OUTCOME_KEPT          // was in the cluster already
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

// ScheduleOptions says how Schedule places pods. The zero value places one of each, as upstream does.
type ScheduleOptions struct {
	Ties     Ties
	Seed     uint64 // for TiesRandom; the same seed gives the same placements
	Sampling bool   // as CycleOptions.Sampling; the start moves on from pod to pod
	// Replicas is the number of replicas of each pod; nil means one. Replicas of a pod with more than one
	// are named like those of a StatefulSet ("name-0"), and made when their turn comes.
	Replicas      []int
	StopAtFailure bool      // stop at the first pod that is not placed, bound, kept or ended
	Deadline      time.Time // as FilterOptions.Deadline
}

// Placement is the outcome of a pod, or of several replicas with the same outcome.
type Placement struct {
	Pod             int // index of the pod
	Replica         int // the first replica
	Namespace, Name string
	Outcome         Outcome
	Node            string // the node of a placed, bound or kept pod
	Scored          bool   // false if the node is the only feasible one, because then nothing is scored
	Score           int64
	Feasible        int    // nodes that passed the filters
	Text            string // why the pod was not placed
	Plugin          string // the plugin that decided, if it was a single one
	// Count is the number of replicas with this outcome. The replicas after one that is not placed would
	// have the same outcome, so they are counted, not tried.
	Count int
}

// Schedule places pods one after the other, as a scheduler with an empty queue would: PreEnqueue, a
// scheduling cycle and Reserve. Placed pods are assumed on their nodes, so each pod sees those before it;
// fork the cluster first for a what-if. This framework judges all pods, whatever their
// schedulerName. Nothing is preempted. A problem with one pod is its Outcome; an error ends the
// call, and the returned placements are those of the pods before it, which stay in the cluster.
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
