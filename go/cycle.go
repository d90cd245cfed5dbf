package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"time"
)

// Ties says which of several best nodes a cycle chooses.
type Ties uint32

const (
	TiesUpstream Ties = C.LIBSCHED_TIES_UPSTREAM // the first in upstream's heap of scores
	TiesName     Ties = C.LIBSCHED_TIES_NAME     // the smallest name
	TiesRandom   Ties = C.LIBSCHED_TIES_RANDOM   // by CycleOptions.Seed
)

var errTies = &Error{Code: ErrInvalid, Msg: "Ties is TiesUpstream, TiesName or TiesRandom"}

// CycleOptions says how RunCycle searches and chooses. The zero value searches all nodes and chooses as
// upstream does.
type CycleOptions struct {
	Ties Ties
	// Seed is the seed of TiesRandom. Successive cycles with the same seed on one view choose
	// differently. On a Snapshot used by several goroutines the order of cycles is not defined.
	Seed uint64
	// Sampling limits the search to the number of nodes that percentageOfNodesToScore implies, from
	// Start on (CycleResult.NextStart of the previous cycle).
	Sampling bool
	Start    int
	Deadline time.Time // as FilterOptions.Deadline
}

// CycleResult is the choice of a cycle.
type CycleResult struct {
	Node  string // "": none, and Status says why
	Row   Row    // NoRow: none
	Total int64  // its score; 0 if it is the only feasible node, because then nothing is scored
	// Status is nil if there is a node. Otherwise it is PreFilter's status, a plugin's Error, or
	// Unschedulable if no node passed the filters (CheckPodFits gives every reason).
	Status    *Status
	Feasible  int // nodes that passed the filters
	Evaluated int // feasible nodes, and the rejected nodes that were judged
	NextStart int // where the next sampled cycle starts
}

// RunCycle runs a scheduling cycle up to the choice of a node, as upstream's schedulePod: PreFilter,
// Filter (the nominated node first), PreScore, Score and the choice. It does not run PreEnqueue,
// PostFilter or Reserve, and does not change the view. It fills the state for later calls such as
// Assume. Finding no node is no error: Status then has upstream's message ("0/3 nodes are available: ..."),
// and the plugin if a single one rejected the pod. Errors: ErrUnsupported with the plugin that the pod
// needs, ErrCancelled when the context ends, ErrDeadline, ErrInvalid (options).
func (fw *Framework) RunCycle(ctx context.Context, state *CycleState, view View, pod *Pod,
	options CycleOptions) (CycleResult, error) {
	none := CycleResult{Row: NoRow, NextStart: options.Start}
	if options.Ties > TiesRandom {
		return none, errTies
	}
	if err := checkCount("Start", options.Start); err != nil {
		return none, err
	}
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return none, err
	}
	defer l.release()
	defer l.share().end()
	l.e.until(options.Deadline)
	finish := l.e.watch(ctx)
	e := l.e.c
	rc := C.lsgo_cycle(e, l.state, l.pod, C.uint32_t(options.Ties), C.uint64_t(options.Seed),
		C.bool(options.Sampling), C.size_t(options.Start))
	if err := finish(l.e.failure(rc)); err != nil {
		return none, err
	}
	return CycleResult{
		Node:      l.e.texts.string(e.outcome.node_name),
		Row:       Row(e.outcome.row),
		Total:     int64(e.outcome.total),
		Status:    l.e.status(),
		Feasible:  int(e.outcome.feasible),
		Evaluated: int(e.outcome.evaluated),
		NextStart: int(e.next_start),
	}, nil
}

// Assume puts a pod on a node of the cluster, then calls the Reserve plugins. The state is that of the
// pod's cycle. If a plugin refuses, Assume takes the pod off again and returns the plugin's Status. Revert
// undoes it like any other change. A failed call (ErrExists: the cluster has the pod; ErrNotFound:
// node; ErrState: another pod's state) is a Status with CodeError.
func (fw *Framework) Assume(ctx context.Context, state *CycleState, cluster *Cluster, pod *Pod,
	node string) *Status {
	l, err := fw.borrowWith(ctx, state, cluster, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	text, n := textOf(node)
	return l.answer(C.lsgo_assume(l.e.c, l.state, l.view, l.pod, text, n))
}

// Forget calls Unreserve of the Reserve plugins, and takes an assumed pod off its node. If the cluster
// does not have the pod, it only calls Unreserve. Errors: ErrState (the pod exists, but is not assumed).
func (fw *Framework) Forget(ctx context.Context, state *CycleState, cluster *Cluster, pod *Pod) error {
	l, err := fw.borrowWith(ctx, state, cluster, pod)
	if err != nil {
		return err
	}
	defer l.release()
	return l.e.failure(C.lsgo_forget(l.e.c, l.state, l.pod))
}
