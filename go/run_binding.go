package libsched

// #include "runtime_bridge.h"
import "C"

import (
	"context"
	"time"
)

// at runs an extension point that sees a pod and its node.
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

// changeAt is statusAt of points that see another pod, too.
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

// errorAt is statusAt of points that say nothing.
func (fw *Framework) errorAt(ctx context.Context, point C.int, state *CycleState, view View, pod *Pod,
	node string) error {
	return fw.statusAt(ctx, point, state, view, pod, node).AsError()
}

// RunPreFilterExtensionAddPod lets what PreFilter found out about a pod follow another one that comes
// to a node. It changes the state alone, never the cluster: Filter then answers with the changed
// counts, but with the pods that are on the node. A failed call (ErrNotFound: node; ErrState:
// PreFilter ran for another pod; ErrStale: the cluster has changed since) is a Status with CodeError.
func (fw *Framework) RunPreFilterExtensionAddPod(ctx context.Context, state *CycleState, view View, pod,
	added *Pod, node string) *Status {
	return fw.changeAt(ctx, C.LSGO_AT_ADD_POD, state, view, pod, added, node)
}

// RunPreFilterExtensionRemovePod is the same for a pod that leaves a node.
func (fw *Framework) RunPreFilterExtensionRemovePod(ctx context.Context, state *CycleState, view View, pod,
	removed *Pod, node string) *Status {
	return fw.changeAt(ctx, C.LSGO_AT_REMOVE_POD, state, view, pod, removed, node)
}

// RunFilterPluginsWithNominatedPods is RunFilterPluginsAt with the nominated pods of the same or a
// higher priority on the node, and if there are any, without them, too.
func (fw *Framework) RunFilterPluginsWithNominatedPods(ctx context.Context, state *CycleState, view View,
	pod *Pod, row Row) *Status {
	l, err := fw.borrowWith(ctx, state, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	defer l.release()
	defer l.share().end()
	return l.answer(C.lsgo_filter_with_nominated(l.e.c, l.state, l.pod, C.uint32_t(row)))
}

// RunPostFilterPlugins lets plugins make room for a pod that no node takes. The nomination is nil if
// they say nothing of it. A failed call is a Status with CodeError.
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

// RunReservePluginsReserve asks the Reserve plugins alone; [Framework.Assume] puts the pod on its node,
// too. If one refuses, all are asked to unreserve. Of a Snapshot it is ErrState.
func (fw *Framework) RunReservePluginsReserve(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_RESERVE, state, view, pod, node)
}

// RunReservePluginsUnreserve asks them to unreserve; [Framework.Forget] takes the pod off its node, too.
func (fw *Framework) RunReservePluginsUnreserve(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) error {
	return fw.errorAt(ctx, C.LSGO_AT_UNRESERVE, state, view, pod, node)
}

// RunPermitPlugins asks whether the pod may be bound. With Wait it gives the plugins that ask to wait,
// for [Services.AddWaitingPod] and then WaitOnPermit. A failed call is a Status with CodeError, also
// ErrLimit if more than 256 plugins want to wait.
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

// WaitOnPermit blocks by the services' clock until the pod is allowed, rejected or out of time; at once
// Success if it does not wait. Meanwhile the view can be used.
func (fw *Framework) WaitOnPermit(ctx context.Context, view View, pod *Pod) *Status {
	l, err := fw.borrow(ctx, view, pod)
	if err != nil {
		return AsStatus(err)
	}
	// The cluster must not be held for the time: the wait has an evaluator of its own, which looks at
	// nothing but the services.
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

// RunPreBindPreFlights asks which plugins have something to do before the pod is bound.
func (fw *Framework) RunPreBindPreFlights(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_PRE_BIND_PRE_FLIGHTS, state, view, pod, node)
}

// RunPreBindPlugins lets them do it.
func (fw *Framework) RunPreBindPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_PRE_BIND, state, view, pod, node)
}

// RunBindPlugins binds the pod; Skip if no plugin does.
func (fw *Framework) RunBindPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) *Status {
	return fw.statusAt(ctx, C.LSGO_AT_BIND, state, view, pod, node)
}

// RunPostBindPlugins tells plugins that the pod was bound.
func (fw *Framework) RunPostBindPlugins(ctx context.Context, state *CycleState, view View, pod *Pod,
	node string) error {
	return fw.errorAt(ctx, C.LSGO_AT_POST_BIND, state, view, pod, node)
}

// SignPod returns the pod's signature, JSON: pods with the same one get the same answers from the same
// nodes. Nil if the pod, or a plugin of the profile, cannot be signed.
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
	return takeText(text), nil // nil of an empty one
}

// Less says by the QueueSort plugin whether a comes before b.
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

// RegisteredEvent is an event for which a pod is tried again that a plugin has rejected.
type RegisteredEvent struct {
	Resource   string     `json:"resource"`
	ActionType ActionType `json:"actions"`
	Label      string     `json:"label"`
	HasHint    bool       `json:"hint"`
}

// Events returns what each plugin that may reject pods has registered for.
func (fw *Framework) Events() (map[string][]RegisteredEvent, error) {
	text, err := readText(fw, fw.h, func(p *C.libsched_framework, text **C.libsched_text,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_framework_events_json(p, text, err)
	})
	return readJSON[map[string][]RegisteredEvent]("events", text, err)
}
