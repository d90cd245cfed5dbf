package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"unsafe"
)

// RunPreScorePlugins runs the PreScore plugins over the feasible nodes, as found by FilterNodes.
// RunPreFilterPlugins must have filled the state for the same pod. A failed call (ErrState if it has
// not, ErrBuffer if the set is smaller than NewNodeSet's) is a Status with CodeError.
func (fw *Framework) RunPreScorePlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	nodes NodeSet) *Status {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	return l.answer(C.lsgo_pre_score(l.e.c, l.state, l.pod, wordsOf(nodes), C.size_t(len(nodes))))
}

// RunScorePlugins runs the Score plugins, after RunPreScorePlugins over the same nodes. The scores
// are nil unless the Status is Success. A failed call (as RunPreScorePlugins, and ErrStale if the
// cluster has changed since a plugin prepared itself) is a Status with CodeError.
func (fw *Framework) RunScorePlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	nodes NodeSet) (*Scores, *Status) {
	return fw.score(ctx, state, view, pod, nodes, nil)
}

// RunScorePluginTotals is RunScorePlugins for the totals alone, without copies: the library writes
// each node's total to `totals` at its row. Numbers of rows that are not in `nodes` have no
// meaning, and no number has one unless the Status is Success. ErrBuffer if `totals` has room for fewer
// than 64*len(nodes) numbers.
func (fw *Framework) RunScorePluginTotals(ctx context.Context, state *CycleState, view View, pod *Pod,
	nodes NodeSet, totals []int64) *Status {
	if len(totals) == 0 {
		if len(nodes) != 0 {
			return AsStatus(&Error{Code: ErrBuffer, Msg: "totals: room for 64*len(nodes) numbers is needed"})
		}
		totals = make([]int64, 1) // NULL would ask for the table
	}
	_, status := fw.score(ctx, state, view, pod, nodes, totals)
	return status
}

// score writes totals, or makes a table if they are nil.
func (fw *Framework) score(ctx context.Context, state *CycleState, view View, pod *Pod, nodes NodeSet,
	totals []int64) (*Scores, *Status) {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return nil, AsStatus(err)
	}
	defer l.release()
	status := l.answer(C.lsgo_score(l.e.c, l.state, l.pod, wordsOf(nodes), C.size_t(len(nodes)),
		(*C.int64_t)(unsafe.Pointer(unsafe.SliceData(totals))), C.size_t(len(totals))))
	if totals != nil || !status.IsSuccess() {
		return nil, status
	}
	return l.scores(), nil
}

// scores copies the table of the last call.
func (l lease) scores() *Scores {
	table, view := l.e.c.scores, l.view
	scores := takeScores(table, func(out *C.libsched_str) { C.lsgo_score_names(view, table, out) })
	rows := C.libsched_score_table_row_count(table)
	scores.Rows = append([]Row(nil), sliceOf[Row](C.libsched_score_table_rows(table), rows)...)
	return scores
}
