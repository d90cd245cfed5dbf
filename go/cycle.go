package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"time"
)

// Ties says which of several best nodes a cycle takes.
type Ties uint32

const (
	TiesUpstream Ties = C.LIBSCHED_TIES_UPSTREAM // the first in upstream's heap of scores
	TiesName     Ties = C.LIBSCHED_TIES_NAME     // the smallest name
	TiesRandom   Ties = C.LIBSCHED_TIES_RANDOM   // by CycleOptions.Seed
)

// CycleOptions says how RunCycle looks and chooses. Zero: at all nodes, and as upstream.
type CycleOptions struct {
	Ties Ties
	// Seed is of TiesRandom. Cycles with the same seed choose differently as they follow each other
	// on one view. On a Snapshot that several goroutines ask, which one comes next is not defined.
	Seed uint64
	// Sampling looks at as many nodes as percentageOfNodesToScore says, beginning at Start
	// (CycleResult.NextStart of the cycle before).
	Sampling bool
	Start    int
	Deadline time.Time // as FilterOptions.Deadline
}

// CycleResult is what a cycle chose.
type CycleResult struct {
	Node  string // "": none, and Status says why
	Row   Row    // NoRow: none
	Total int64  // its score; 0 if no other node was feasible, because then nothing is scored
	// Status is nil if there is a node; else PreFilter's words, a plugin's Error, or a bare
	// Unschedulable if no node passed the filters (CheckPodFits gives every reason).
	Status    *Status
	Feasible  int // nodes that passed the filters
	Evaluated int // those, and the ones that did not pass, as far as they were looked at
	NextStart int // where the next sampled cycle begins
}

// RunCycle is a scheduling cycle up to the choice of a node, as upstream's schedulePod: PreFilter,
// the nominated node first, Filter, PreScore, Score, choice. PreEnqueue, PostFilter and Reserve are
// not run, and the view is not changed. The state is filled for what follows, such as Assume. That
// no node is found is no error: Status has upstream's message then ("0/3 nodes are available: ..."),
// and the plugin if only one was in the way. Errors: ErrUnsupported with the plugin that the pod needs,
// ErrCancelled when the context ends, ErrDeadline, ErrInvalid (options).
func (fw *Framework) RunCycle(ctx context.Context, state *CycleState, view View, pod *Pod,
	options CycleOptions) (CycleResult, error) {
	none := CycleResult{Row: NoRow, NextStart: options.Start}
	if options.Ties > TiesRandom {
		return none, &Error{Code: ErrInvalid, Msg: "Ties is TiesUpstream, TiesName or TiesRandom"}
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

// Assume puts a pod on a node of the cluster, then asks the Reserve plugins. The state is that of the
// pod's cycle. If a plugin refuses, the Status is its answer, and the pod was taken off again. Revert
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

// Forget asks the Reserve plugins to unreserve, and takes an assumed pod off its node. For a pod that
// the cluster does not have they are only asked. Errors: ErrState (the pod is there, but not assumed).
func (fw *Framework) Forget(ctx context.Context, state *CycleState, cluster *Cluster, pod *Pod) error {
	l, err := fw.borrowWith(ctx, state, cluster, pod)
	if err != nil {
		return err
	}
	defer l.release()
	return l.e.failure(C.lsgo_forget(l.e.c, l.state, l.pod))
}
