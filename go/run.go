package libsched

// #include "bridge.h"
import "C"

import "context"

// PreFilterResult is the result of PreFilter beside its Status.
type PreFilterResult struct {
	NodeNames []string // the remaining nodes, sorted; meaningless if AllNodes
	Plugins   []string // the plugins that narrowed the nodes, sorted
	allNodes  bool
}

// AllNodes reports whether no plugin narrowed the nodes; true for a nil result.
func (r *PreFilterResult) AllNodes() bool { return r == nil || r.allNodes }

// RunPreEnqueuePlugins determines whether the pod may enter the queue.
func (fw *Framework) RunPreEnqueuePlugins(ctx context.Context, view View, pod *Pod) *Status {
	l, err := fw.borrow(ctx, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	return l.answer(C.lsgo_pre_enqueue(l.e.c, l.pod))
}

// RunPreFilterPlugins runs the PreFilter plugins and fills the state for RunFilterPlugins and
// FilterNodes. The result is nil if all nodes remain. A failed call (see Error: closed values,
// ErrUnsupported with the plugin that the pod needs) is a Status with CodeError.
func (fw *Framework) RunPreFilterPlugins(ctx context.Context, state *CycleState, view View,
	pod *Pod) (*PreFilterResult, *Status) {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return nil, AsStatus(err)
	}
	defer l.release()
	if rc := C.lsgo_pre_filter(l.e.c, l.state, l.pod); rc != C.LIBSCHED_OK {
		return nil, AsStatus(l.e.failure(rc))
	}
	return l.e.preFilterResult(), l.e.status()
}

func (e *evaluator) preFilterResult() *PreFilterResult {
	if bool(e.c.all_nodes) && e.c.plugin_count == 0 {
		return nil
	}
	r := &PreFilterResult{
		NodeNames: make([]string, e.c.node_count),
		Plugins:   make([]string, e.c.plugin_count),
		allNodes:  bool(e.c.all_nodes),
	}
	for i := range r.NodeNames {
		r.NodeNames[i] = goString(C.libsched_prefilter_result_node(e.c.result, C.size_t(i)))
	}
	for i := range r.Plugins {
		r.Plugins[i] = e.texts.string(C.libsched_prefilter_result_plugin(e.c.result, C.size_t(i)))
	}
	return r
}

// RunFilterPlugins judges one node. RunPreFilterPlugins must have filled the state for the same pod;
// its PreFilterResult is ignored, as in upstream. After a change to the cluster the answer is
// upstream's for this state and the node as it is now. A failed call (ErrNotFound
// for a missing node) is a Status with CodeError.
func (fw *Framework) RunFilterPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	text, n := textOf(node)
	return l.answer(C.lsgo_filter(l.e.c, l.state, l.pod, text, n))
}

// RunFilterPluginsAt is RunFilterPlugins for a node by its row.
func (fw *Framework) RunFilterPluginsAt(ctx context.Context, state *CycleState, view View, pod *Pod,
	row Row) *Status {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	return l.answer(C.lsgo_filter_at(l.e.c, l.state, l.pod, C.uint32_t(row), false))
}
