package libsched

// #include "loop_bridge.h"
import "C"

import "context"

// EventObject is an object of an event: a *Pod, a *Node, or *Objects with one object of any kind.
type EventObject interface{ lend(o *eventObject) error }

// eventObject is an object that is lent to one call.
type eventObject struct {
	pod     *C.libsched_pod
	node    *C.libsched_node
	objects *C.libsched_objects
	release func()
}

func (p *Pod) lend(o *eventObject) error {
	ptr, ok := p.acquire()
	if !ok {
		return closedError(p)
	}
	o.pod, o.release = ptr, p.h.release
	return nil
}

func (n *Node) lend(o *eventObject) error {
	ptr, ok := n.acquire()
	if !ok {
		return closedError(n)
	}
	o.node, o.release = ptr, n.h.release
	return nil
}

func (o *Objects) lend(to *eventObject) error {
	if o == nil {
		return closedError(o)
	}
	ptr, ok := o.h.acquire()
	if !ok {
		return closedError(o)
	}
	to.objects, to.release = ptr, o.h.release
	return nil
}

// borrowObject lends an object; release must be called unless it fails.
func borrowObject(object EventObject) (eventObject, error) {
	o := eventObject{release: func() {}}
	var err error
	if object != nil {
		err = object.lend(&o)
	}
	return o, err
}

// QueueEvent is a change in the cluster that may help pods. Resource may also be "AssignedPod",
// "UnscheduledPod" or "TargetPod", which are "AssignedPod" and "UnschedulablePod" with semantics before 1.37.
type QueueEvent struct {
	ClusterEvent
	Label    string      // its name in traces and metrics; "": resource and action
	Old, New EventObject // the object before and after; nil: none
}

// MoveCheck is upstream's PreEnqueueCheck: the pods that an event may move. The zero value is all pods; at
// most one field may be set.
type MoveCheck struct {
	MaxPriority *int32 // pods with at most this priority
	Except      *Pod   // all pods but that of this namespace and name
}

// with calls `call` with an event that has the check.
func (m MoveCheck) with(call func(*C.libsched_queue_event) error) error {
	event := C.libsched_queue_event{struct_size: C.sizeof_libsched_queue_event}
	switch {
	case m.MaxPriority != nil && m.Except != nil:
		return &Error{Code: ErrInvalid, Msg: "a MoveCheck has a MaxPriority or an Except, not both"}
	case m.MaxPriority != nil:
		event.check, event.max_priority = C.LIBSCHED_MOVE_MAX_PRIORITY, C.int32_t(*m.MaxPriority)
	case m.Except != nil:
		ptr, ok := m.Except.acquire()
		if !ok {
			return closedError(m.Except)
		}
		defer m.Except.h.release()
		event.check, event.except = C.LIBSCHED_MOVE_EXCEPT, ptr
	}
	return call(&event)
}

// MoveAllToActiveOrBackoffQueue makes the pods be tried again whose rejecting plugins may be helped by the
// event, as their queueing hints say. Errors: ErrInvalid (no resource, Objects with other than one object,
// an object of another kind than the resource, if that is one of Kubernetes' own).
func (q *SchedulingQueue) MoveAllToActiveOrBackoffQueue(ctx context.Context, event QueueEvent, check MoveCheck) error {
	before, err := borrowObject(event.Old)
	if err != nil {
		return err
	}
	defer before.release()
	after, err := borrowObject(event.New)
	if err != nil {
		return err
	}
	defer after.release()
	return check.with(func(c *C.libsched_queue_event) error {
		c.actions = C.int64_t(event.ActionType)
		c.old_pod, c.old_node, c.old_object = before.pod, before.node, before.objects
		c.new_pod, c.new_node, c.new_object = after.pod, after.node, after.objects
		var pin pinned
		defer pin.Unpin()
		c.resource, c.label = pin.str(event.Resource), pin.str(event.Label)
		return q.change(ctx, func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
			return C.libsched_queue_move_all(q, c, err)
		})
	})
}

// NodeUpdated is MoveAllToActiveOrBackoffQueue for each event of a node's update (upstream's
// NodeSchedulingPropertiesChange), in upstream's order. An update without relevant changes has none.
func (q *SchedulingQueue) NodeUpdated(ctx context.Context, before, after *Node, check MoveCheck) error {
	a, ok := before.acquire()
	if !ok {
		return closedError(before)
	}
	defer before.h.release()
	b, ok := after.acquire()
	if !ok {
		return closedError(after)
	}
	defer after.h.release()
	return check.with(func(c *C.libsched_queue_event) error {
		return q.change(ctx, func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
			return C.libsched_queue_node_updated(q, a, b, c, err)
		})
	})
}

// AssignedPodAdded makes pods be tried again that a pod on a node may help: those that PodTopologySpread
// rejected in its namespace, or with a required affinity term that matches it. kube-scheduler 1.36 has
// this method but does not call it.
func (q *SchedulingQueue) AssignedPodAdded(ctx context.Context, pod *Pod) error {
	return q.withPod(ctx, pod, func(q *C.libsched_queue, p *C.libsched_pod, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_assigned_pod_added(q, p, err)
	})
}

// AssignedPodUpdated is AssignedPodAdded for each event of a change; if the pod now requests less, all pods
// may be tried again.
func (q *SchedulingQueue) AssignedPodUpdated(ctx context.Context, before, after *Pod) error {
	return q.withPods(ctx, before, after, func(q *C.libsched_queue, a, b *C.libsched_pod,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_assigned_pod_updated(q, a, b, err)
	})
}
