package libsched

// #include "runtime_bridge.h"
import "C"

import (
	"context"
	"time"
)

// at runs an extension point that takes a pod and its node.
func (l *lease) at(point C.int, other *C.libsched_pod, node string) C.libsched_rc {
	text, n := textOf(node)
	return C.lsgo_run_at(l.e.c, point, l.state, l.pod, other, text, n)
}

func (fw *Framework) statusAt(ctx context.Context, point C.int, state *CycleState, view View, pod *Pod,
	node string) *Status {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	return l.answer(l.at(point, nil, node))
}

// changeAt is statusAt for points that take another pod as well.
func (fw *Framework) changeAt(ctx context.Context, point C.int, state *CycleState, view View, pod, other *Pod,
	node string) *Status {
	o, ok := other.acquire()
	if !ok {
		return AsStatus(closedError(other))
	}
	defer other.h.release()
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	return l.answer(l.at(point, o, node))
}

// errorAt is statusAt for points that return no Status.
func (fw *Framework) errorAt(ctx context.Context, point C.int, state *CycleState, view View, pod *Pod,
	node string) error {
	return fw.statusAt(ctx, point, state, view, pod, node).AsError()
}

// RunPreFilterExtensionAddPod updates PreFilter's results for a pod as if another pod were added
// to a node. It changes only the state, never the cluster: Filter then uses the changed
// counts, but the pods that are on the node. A failed call (ErrNotFound: node; ErrState:
// PreFilter ran for another pod; ErrStale: the cluster has changed since) is a Status with CodeError.
func (fw *Framework) RunPreFilterExtensionAddPod(ctx context.Context, state *CycleState, view View, pod,
	added *Pod, node string) *Status {
	return fw.changeAt(ctx, C.LSGO_AT_ADD_POD, state, view, pod, added, node)
}

// RunPreFilterExtensionRemovePod is RunPreFilterExtensionAddPod for a pod removed from a node.
func (fw *Framework) RunPreFilterExtensionRemovePod(ctx context.Context, state *CycleState, view View, pod,
	removed *Pod, node string) *Status {
	return fw.changeAt(ctx, C.LSGO_AT_REMOVE_POD, state, view, pod, removed, node)
}

// RunFilterPluginsWithNominatedPods is RunFilterPluginsAt with the nominated pods of the same or a
// higher priority on the node and, if there are any, once more without them.
func (fw *Framework) RunFilterPluginsWithNominatedPods(ctx context.Context, state *CycleState, view View,
	pod *Pod, row Row) *Status {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	defer l.share().end()
	return l.answer(C.lsgo_filter_at(l.e.c, l.state, l.pod, C.uint32_t(row), true))
}

// RunPostFilterPlugins lets plugins make room for a pod that no node takes. The nomination is nil if
// no plugin returns one. A failed call is a Status with CodeError.
func (fw *Framework) RunPostFilterPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	statuses *NodeStatuses) (*Nomination, *Status) {
	if statuses == nil {
		return nil, AsStatus(closedError(statuses))
	}
	why, ok := statuses.h.acquire()
	if !ok {
		return nil, AsStatus(closedError(statuses))
	}
	defer statuses.h.release()
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return nil, AsStatus(err)
	}
	defer l.release()
	held, err := l.e.services.core.have(&l.e.c.frame)
	if err != nil {
		return nil, AsStatus(err)
	}
	defer held.end()
	if rc := C.lsgo_post_filter(l.e.c, l.state, l.pod, why); rc != C.LIBSCHED_OK {
		return nil, AsStatus(l.e.failure(rc))
	}
	var nomination *Nomination
	if n := l.e.c.nomination; n.mode != C.LIBSCHED_NOMINATION_NONE {
		nomination = &Nomination{NominatingMode(n.mode), goString(n.node)}
	}
	return nomination, l.e.status()
}

// RunReservePluginsReserve calls the Reserve plugins only; [Framework.Assume] also puts the pod on its
// node. If a plugin refuses, Unreserve of all plugins is called. On a Snapshot it is ErrState.
func (fw *Framework) RunReservePluginsReserve(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_RESERVE, state, view, pod, node)
}

// RunReservePluginsUnreserve calls Unreserve of the Reserve plugins; [Framework.Forget] also takes the pod
// off its node.
func (fw *Framework) RunReservePluginsUnreserve(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) error {
	return fw.errorAt(ctx, C.LSGO_AT_UNRESERVE, state, view, pod, node)
}

// RunPermitPlugins asks the Permit plugins whether the pod may be bound. With Wait it returns the plugins
// that ask to wait, for [Services.AddWaitingPod] and then WaitOnPermit. A failed call is a Status with
// CodeError, including ErrLimit if more than 256 plugins ask to wait.
func (fw *Framework) RunPermitPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) ([]PermitWait, *Status) {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return nil, AsStatus(err)
	}
	defer l.release()
	rc := l.at(C.LSGO_AT_PERMIT, nil, node)
	status := l.answer(rc)
	if rc != C.LIBSCHED_OK || l.e.c.wait_count == 0 {
		return nil, status
	}
	waits := make([]PermitWait, l.e.c.wait_count)
	for i, wait := range sliceOf[C.libsched_permit_wait](l.e.c.waits, l.e.c.wait_count) {
		waits[i] = PermitWait{l.e.texts.string(wait.plugin), time.Duration(wait.timeout_ns)}
	}
	return waits, status
}

// WaitOnPermit blocks until the pod is allowed, rejected or out of time by the services' clock. It returns
// Success at once if the pod is not waiting. The view can be used meanwhile.
func (fw *Framework) WaitOnPermit(ctx context.Context, view View, pod *Pod) *Status {
	l, err := fw.borrow(ctx, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	// The wait has its own evaluator, which reads only the services, so that it does not lock the
	// cluster.
	cluster, ok := view.(*Cluster)
	if !ok {
		defer l.release()
		return l.e.wait(l.pod)
	}
	l.release()
	p, ok := pod.acquire()
	if !ok {
		return AsStatus(closedError(pod))
	}
	defer pod.h.release()
	e, err := cluster.core.spare(cluster, fw)
	if err != nil {
		return AsStatus(err)
	}
	defer cluster.core.scrap(e)
	e.ctx = ctx
	return e.wait(p)
}

func (e *evaluator) wait(pod *C.libsched_pod) *Status {
	if rc := C.lsgo_wait_on_permit(e.c, pod); rc != C.LIBSCHED_OK {
		return AsStatus(e.failure(rc))
	}
	return e.status()
}

// RunPreBindPreFlights asks the PreBind plugins whether they have work to do before the pod is bound.
func (fw *Framework) RunPreBindPreFlights(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_PRE_BIND_PRE_FLIGHTS, state, view, pod, node)
}

// RunPreBindPlugins runs the PreBind plugins.
func (fw *Framework) RunPreBindPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_PRE_BIND, state, view, pod, node)
}

// RunBindPlugins binds the pod; it returns Skip if no plugin binds it.
func (fw *Framework) RunBindPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_BIND, state, view, pod, node)
}

// RunPostBindPlugins notifies plugins that the pod was bound.
func (fw *Framework) RunPostBindPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) error {
	return fw.errorAt(ctx, C.LSGO_AT_POST_BIND, state, view, pod, node)
}

// SignPod returns the pod's signature as JSON: pods with the same signature get the same answers from the
// same nodes. It returns nil if the pod cannot be signed or a plugin of the profile cannot sign.
func (fw *Framework) SignPod(ctx context.Context, view View, pod *Pod) ([]byte, error) {
	l, err := fw.borrow(ctx, view, pod)
	if err != nil {
		return nil, err
	}
	defer l.release()
	var text *C.libsched_text
	if rc := C.lsgo_sign_pod(l.e.c, l.pod, &text); rc != C.LIBSCHED_OK {
		return nil, l.e.failure(rc)
	}
	return takeText(text), nil // nil for an empty text
}

// Less reports whether a comes before b, by the QueueSort plugin.
func (fw *Framework) Less(a, b QueuedPod) (bool, error) {
	ptr, ok := fw.h.acquire()
	if !ok {
		return false, closedError(fw)
	}
	defer fw.h.release()
	first, ok := a.Pod.acquire()
	if !ok {
		return false, closedError(a.Pod)
	}
	defer a.Pod.h.release()
	second, ok := b.Pod.acquire()
	if !ok {
		return false, closedError(b.Pod)
	}
	defer b.Pod.h.release()
	var less C.bool
	var failure *C.libsched_error
	rc := C.libsched_framework_queue_less(ptr, first, C.int64_t(a.Since.UnixNano()), second,
		C.int64_t(b.Since.UnixNano()), &less, &failure)
	panicLost(nil)
	return bool(less), takeError(rc, failure)
}

// RegisteredEvent is an event that causes a retry of a pod that a plugin has rejected.
type RegisteredEvent struct {
	Resource   string
	ActionType ActionType
	Label      string
	HasHint    bool
}

// Events returns the registered events of each plugin that may reject pods.
func (fw *Framework) Events() (map[string][]RegisteredEvent, error) {
	ptr, ok := fw.h.acquire()
	if !ok {
		return nil, closedError(fw)
	}
	defer fw.h.release()
	var registered *C.libsched_event_map
	var failure *C.libsched_error
	rc := C.libsched_framework_events(ptr, &registered, &failure)
	panicLost(nil)
	if err := takeError(rc, failure); err != nil {
		return nil, err
	}
	defer C.libsched_event_map_unref(registered)
	events := map[string][]RegisteredEvent{}
	for i := C.size_t(0); i < C.libsched_event_map_count(registered); i++ {
		plugin := goString(C.libsched_event_map_plugin(registered, i))
		events[plugin] = append(events[plugin], RegisteredEvent{
			Resource:   goString(C.libsched_event_map_resource(registered, i)),
			ActionType: ActionType(C.libsched_event_map_actions(registered, i)),
			Label:      goString(C.libsched_event_map_label(registered, i)),
			HasHint:    bool(C.libsched_event_map_has_hint(registered, i)),
		})
	}
	return events, nil
}
