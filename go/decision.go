package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"fmt"
	"sort"
	"time"
	"unsafe"
)

// CheckOptions says what CheckPodFits judges.
type CheckOptions struct {
	Node          string // this node only; "": all
	JudgeExcluded bool   // run Filter also on nodes that PreFilter excluded, and mark them
	Score         bool   // run PreScore and Score over the nodes that fit: Decision.Scores
	Facts         bool   // make the facts of rejections: Decision.Facts
	// State is filled for later calls such as Assume; nil uses a state of the call's own.
	State    *CycleState
	Deadline time.Time // as FilterOptions.Deadline
	// ExtenderCalls is for CheckPodsFit: HTTP extenders are asked about up to that many pods at once.
	// 0: 8; at most 1024.
	ExtenderCalls int
}

// Decision is a complete answer with its reasons. It stays valid when the cluster changes or closes.
type Decision struct{ h *handle[*C.libsched_decision] }

// CheckPodFits determines on which nodes the pod fits and why not on the others. It runs PreEnqueue,
// PreFilter, and Filter of every node. A pod that does not fit is no error.
// Nodes are scored relative to the judged nodes; with Node that is only this one.
// Errors: ErrPlugin (a plugin failed, so there is no verdict), ErrNotFound (node), ErrUnsupported with the plugin
// that the pod needs, ErrCancelled, ErrDeadline.
func (fw *Framework) CheckPodFits(ctx context.Context, view View, pod *Pod,
	options CheckOptions) (*Decision, error) {
	var s *C.libsched_cycle_state
	if options.State != nil {
		var err error
		if s, err = options.State.lock(); err != nil {
			return nil, err
		}
		defer options.State.unlock()
	}
	l, err := fw.borrow(ctx, view, pod)
	if err != nil {
		return nil, err
	}
	defer l.release()
	defer l.share().end()
	node, n := textOf(options.Node)
	l.e.until(options.Deadline)
	finish := l.e.watch(ctx)
	rc := C.lsgo_check_pod_fits(l.e.c, s, l.pod, node, n, C.bool(options.JudgeExcluded),
		C.bool(options.Score), C.bool(options.Facts))
	if err := finish(l.e.failure(rc)); err != nil {
		return nil, err
	}
	out := l.e.c.decision
	l.e.c.decision = nil
	d := newDecision(out)
	if err := d.Err(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// CheckPodsFit determines for each of several pods what CheckPodFits does, in their order; nothing is placed
// between them. The calls of HTTP extenders overlap. The options have no Node and no State. A pod about which a
// plugin failed has a Decision whose Err says so.
// Errors: the others of CheckPodFits, where Path names the pod ("pods[3]"); ErrMisuse (Node, State, ExtenderCalls).
func (fw *Framework) CheckPodsFit(ctx context.Context, view View, pods []*Pod,
	options CheckOptions) ([]*Decision, error) {
	if options.Node != "" || options.State != nil {
		return nil, &Error{Code: ErrMisuse, Msg: "CheckPodsFit takes neither a Node nor a State"}
	}
	if options.ExtenderCalls < 0 || options.ExtenderCalls > 1024 {
		return nil, &Error{Code: ErrMisuse, Msg: "ExtenderCalls is a number from 0 to 1024"}
	}
	if len(pods) == 0 {
		return nil, contextError(ctx)
	}
	batch, err := newPodBatch(pods, nil)
	if err != nil {
		return nil, err
	}
	defer batch.release(pods)
	l, err := fw.borrow(ctx, view, pods[0])
	if err != nil {
		return nil, err
	}
	defer l.release()
	defer l.share().end()
	l.e.until(options.Deadline)
	finish := l.e.watch(ctx)
	made := make([]*C.libsched_decision, len(pods))
	rc := C.lsgo_check_pods_fit(l.e.c, batch.list(), C.size_t(len(pods)), C.bool(options.JudgeExcluded),
		C.bool(options.Score), C.bool(options.Facts), C.uint32_t(options.ExtenderCalls), unsafe.SliceData(made))
	err = finish(l.e.failure(rc))
	decisions := make([]*Decision, 0, len(pods))
	for _, d := range made {
		if d != nil {
			decisions = append(decisions, newDecision(d))
		}
	}
	if err != nil {
		for _, d := range decisions {
			d.Close()
		}
		return nil, err
	}
	return decisions, nil
}

// newDecision takes over a reference.
func newDecision(out *C.libsched_decision) *Decision {
	d := &Decision{newHandle(out, func(p *C.libsched_decision) { C.libsched_decision_unref(p) })}
	closeWhenUnreachable(d, d.h)
	return d
}

// Close releases the decision.
func (d *Decision) Close() {
	if d != nil {
		d.h.close()
	}
}

// Fits reports whether any node takes the pod.
func (d *Decision) Fits() bool { return d.FeasibleCount() > 0 }

// FeasibleCount returns the number of nodes that take the pod; 0 after Close.
func (d *Decision) FeasibleCount() int {
	return ask(d.h, func(ptr *C.libsched_decision) int { return int(C.libsched_decision_feasible_count(ptr)) })
}

// Feasible returns the names of the nodes that take the pod, sorted.
func (d *Decision) Feasible() []string {
	return ask(d.h, func(ptr *C.libsched_decision) []string {
		return listed(C.libsched_decision_feasible_count(ptr), func(i C.size_t) string {
			return goString(C.libsched_decision_feasible(ptr, i))
		})
	})
}

// NodeCount returns the number of nodes that have a verdict.
func (d *Decision) NodeCount() int {
	return ask(d.h, func(ptr *C.libsched_decision) int { return int(C.libsched_decision_node_count(ptr)) })
}

// Nodes ranges over nodes and verdicts, sorted by name. The Status is nil if the pod fits.
func (d *Decision) Nodes() func(yield func(node string, status *Status) bool) {
	return func(yield func(string, *Status) bool) {
		ptr, ok := d.h.acquire()
		if !ok {
			return
		}
		defer d.h.release()
		texts := interner{}
		for i := range C.libsched_decision_node_count(ptr) {
			var verdict C.lsgo_verdict
			C.lsgo_decision_get(ptr, i, &verdict)
			if !yield(goString(verdict.node), verdictStatus(ptr, i, &verdict, texts)) {
				return
			}
		}
	}
}

// Status returns the verdict on a node, nil for Success, and whether the node was judged.
func (d *Decision) Status(node string) (*Status, bool) {
	ptr, ok := d.h.acquire()
	if !ok {
		return nil, false
	}
	defer d.h.release()
	i := indexOf(ptr, node)
	if i < 0 {
		return nil, false
	}
	var verdict C.lsgo_verdict
	C.lsgo_decision_get(ptr, C.size_t(i), &verdict)
	return verdictStatus(ptr, C.size_t(i), &verdict, interner{}), true
}

// indexOf finds a node in a decision; -1 if it was not judged.
func indexOf(ptr *C.libsched_decision, node string) int {
	n := int(C.libsched_decision_node_count(ptr))
	i := sort.Search(n, func(i int) bool {
		return string(borrowed(C.libsched_decision_node(ptr, C.size_t(i)))) >= node
	})
	if i == n || string(borrowed(C.libsched_decision_node(ptr, C.size_t(i)))) != node {
		return -1
	}
	return i
}

func verdictStatus(ptr *C.libsched_decision, i C.size_t, verdict *C.lsgo_verdict, texts interner) *Status {
	if verdict.code == C.LIBSCHED_CODE_SUCCESS {
		return nil
	}
	s := &Status{code: Code(verdict.code), plugin: texts.string(verdict.plugin)}
	s.reasons = make([]string, verdict.reason_count)
	for j := range s.reasons {
		if j < C.LSGO_REASONS {
			s.reasons[j] = texts.string(verdict.reasons[j])
		} else {
			s.reasons[j] = texts.string(C.libsched_decision_reason(ptr, i, C.size_t(j)))
		}
	}
	return s
}

// Excluded reports whether PreFilter excluded a node that was judged nevertheless
// (CheckOptions.JudgeExcluded): its Status is the answer that Filter would have given.
func (d *Decision) Excluded(node string) bool {
	ptr, ok := d.h.acquire()
	if !ok {
		return false
	}
	defer d.h.release()
	i := indexOf(ptr, node)
	return i >= 0 && bool(C.libsched_decision_excluded(ptr, C.size_t(i)))
}

// Gate returns PreEnqueue's answer to a gated pod, which is not tried; nil for any other pod.
func (d *Decision) Gate() *Status {
	ptr, ok := d.h.acquire()
	if !ok {
		return nil
	}
	defer d.h.release()
	var said *C.libsched_status
	var failure *C.libsched_error
	if rc := C.libsched_status_create(&said, &failure); rc != C.LIBSCHED_OK {
		return AsStatus(takeError(rc, failure))
	}
	defer C.libsched_status_unref(said)
	if !C.libsched_decision_gate(ptr, said) {
		return nil
	}
	return copyStatus(said)
}

// Err returns why there is no verdict: ErrPlugin, if a plugin failed; nil if there is a verdict.
func (d *Decision) Err() error {
	ptr, ok := d.h.acquire()
	if !ok {
		return closedError(d)
	}
	defer d.h.release()
	text := goString(C.libsched_decision_error(ptr))
	if text == "" {
		return nil
	}
	failed := &Error{Code: ErrPlugin, Msg: text}
	for _, status := range d.Nodes() {
		if status.Code() == CodeError {
			failed.Plugin = status.Plugin()
			break
		}
	}
	return failed
}

// String describes the decision in a line: "fits 3 of 41 nodes", or why it fits none of them ([Decision.FitError]).
func (d *Decision) String() string {
	if err := d.Err(); err != nil {
		return "no answer: " + err.Error()
	}
	if gate := d.Gate(); gate != nil {
		return fmt.Sprintf("kept out of the queue by %s: %s", gate.Plugin(), gate.Message())
	}
	if d.Fits() {
		return fmt.Sprintf("fits %d of %d nodes", d.FeasibleCount(), d.NodeCount())
	}
	return d.FitError()
}

// FitError returns upstream's summary: "0/5 nodes are available: 3 Insufficient cpu, 2 node(s) were
// unschedulable."; "" if the pod fits.
func (d *Decision) FitError() string {
	return ask(d.h, func(ptr *C.libsched_decision) string { return goString(C.libsched_decision_fit_error(ptr)) })
}

// ExplainJSON returns the whole decision: {"pod", "profile", "fits", "error"?, "preEnqueue"?, "preFilter", "nodes":
// [{"node", "code", "plugin"?, "reasons"?, "excludedByPreFilter"?}], "feasible", "fitError"?,
// "skipScore"?, "scoreError"?, "scores"?: [{"node", "total", "plugins": {name: {"raw",
// "normalized", "weighted"}}}], "best"?}.
func (d *Decision) ExplainJSON() ([]byte, error) {
	return readText(d, d.h, func(p *C.libsched_decision, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_decision_explain_json(p, text, err)
	})
}
