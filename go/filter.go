package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"time"
)

// FilterOptions says which nodes FilterNodes judges. The zero value judges all.
type FilterOptions struct {
	Limit  int     // stop after this many feasible nodes; 0: judge all
	Accept NodeSet // judge only these; nil: all
	Start  int     // first position in the node order, which wraps around; for Limit
	Into   NodeSet // reused for the answer if it is large enough; nil: a new set
	// Deadline ends the call with ErrDeadline once it has passed, by the clock that the services were
	// made with, or by the machine's time if they were made without one. The zero Time is no deadline.
	Deadline time.Time
}

// FilterResult holds the nodes that take the pod.
type FilterResult struct {
	Nodes NodeSet
	Count int
	First Row // the first feasible node in node order; NoRow if none
}

// FilterNodes runs the Filter plugins over many nodes. RunPreFilterPlugins must have filled the state
// for the same pod; its PreFilterResult applies.
// Errors: ErrState (no PreFilter for this pod in the state), ErrCancelled when the context ends,
// ErrDeadline, ErrInternal with the text of a plugin's Error status, ErrUnsupported.
func (fw *Framework) FilterNodes(ctx context.Context, state *CycleState, view View, pod *Pod,
	options FilterOptions) (FilterResult, error) {
	result := FilterResult{First: NoRow}
	if err := checkCount("Limit", options.Limit); err != nil {
		return result, err
	}
	if err := checkCount("Start", options.Start); err != nil {
		return result, err
	}
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return result, err
	}
	defer l.release()
	defer l.share().end()
	nodes := options.Into
	if words := (int(C.libsched_view_row_count(l.view)) + 63) / 64; len(nodes) < words {
		nodes = make(NodeSet, words)
	}
	accept, acceptWords := acceptOf(options.Accept)
	l.e.until(options.Deadline)
	finish := l.e.watch(ctx)
	rc := C.lsgo_filter_nodes(l.e.c, l.state, l.pod, C.uint32_t(options.Limit), accept, acceptWords,
		C.size_t(options.Start), wordsOf(nodes), C.size_t(len(nodes)))
	if err := finish(l.e.failure(rc)); err != nil {
		return result, err
	}
	return FilterResult{nodes, int(l.e.c.found), Row(l.e.c.first)}, nil
}

// FirstFitOptions says where FirstFit searches. The zero value searches all nodes from the first on.
type FirstFitOptions struct {
	Start    int       // first position in the node order, which wraps around
	Accept   NodeSet   // judge only these; nil: all
	Deadline time.Time // as FilterOptions.Deadline
}

// Fit is the node that FirstFit found.
type Fit struct {
	Node     string
	Row      Row
	Position int // in the node order: the next search may start at Position+1
}

// FirstFit finds the first node in node order that takes the pod. It runs PreFilter, then Filter until
// a node is found, and returns false if there is none. Errors: as FilterNodes.
func (fw *Framework) FirstFit(ctx context.Context, view View, pod *Pod,
	options FirstFitOptions) (Fit, bool, error) {
	none := Fit{Row: NoRow}
	if err := checkCount("Start", options.Start); err != nil {
		return none, false, err
	}
	l, err := fw.borrow(ctx, view, pod)
	if err != nil {
		return none, false, err
	}
	defer l.release()
	defer l.share().end()
	accept, acceptWords := acceptOf(options.Accept)
	l.e.until(options.Deadline)
	finish := l.e.watch(ctx)
	e := l.e.c
	rc := C.lsgo_first_fit(e, l.pod, accept, acceptWords, C.size_t(options.Start))
	if err := finish(l.e.failure(rc)); err != nil {
		return none, false, err
	}
	if e.code == C.LIBSCHED_CODE_ERROR {
		status := l.e.status()
		return none, false, &Error{Code: ErrInternal, Msg: status.Message(), Plugin: status.Plugin()}
	}
	if e.fit.row == C.LIBSCHED_NO_ROW {
		return none, false, nil
	}
	return Fit{l.e.texts.string(e.fit.node_name), Row(e.fit.row), int(e.fit.position)}, true, nil
}

var noWords C.uint64_t

// acceptOf converts a set so that an empty set (no node) differs from nil (all nodes).
func acceptOf(s NodeSet) (*C.uint64_t, C.size_t) {
	if s != nil && len(s) == 0 {
		return &noWords, 0
	}
	return wordsOf(s), C.size_t(len(s))
}

func checkCount(name string, n int) error {
	if n < 0 || n > math.MaxInt32 {
		return &Error{Code: ErrInvalid, Msg: fmt.Sprintf("%s %d is out of range", name, n)}
	}
	return nil
}
