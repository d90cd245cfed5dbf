package libsched

// #include "plugin_bridge.h"
import "C"

import "context"

// ActionType is a set of bits for the changes to an object. The numbers are those of upstream's 1.36.
type ActionType int64

const (
	Add ActionType = 1 << iota
	Delete
	UpdateNodeAllocatable
	UpdateNodeLabel
	UpdateNodeTaint
	UpdateNodeCondition
	UpdateNodeAnnotation
	UpdateNodeDeclaredFeature
	UpdatePodLabel
	UpdatePodScaleDown
	UpdatePodToleration
	UpdatePodSchedulingGatesEliminated
	UpdatePodGeneratedResourceClaim

	AllActions = 1<<iota - 1
	Update     = AllActions &^ (Add | Delete)

	// UpdatePodScaleUp and UpdateNodePreemptionPolicy are of the semantics of 1.37, where they are part
	// of Update and AllActions.
	UpdatePodScaleUp           ActionType = AllActions + 1
	UpdateNodePreemptionPolicy ActionType = UpdatePodScaleUp << 1
)

// ClusterEvent is an event that may make a pod schedulable. Resource is upstream's name: "Pod",
// "Node", "storage.k8s.io/CSINode", "*".
type ClusterEvent struct {
	Resource   string
	ActionType ActionType
}

// QueueingHint says whether to retry a pod.
type QueueingHint int

const (
	QueueSkip QueueingHint = iota
	Queue
)

// QueueingHintFn decides whether to retry a pod that the plugin has rejected, after a change. An
// error counts as Queue.
type QueueingHintFn func(ctx context.Context, pod *Pod, change *ObjectChange) (QueueingHint, error)

// ClusterEventWithHint is an event that a plugin registers for. Without a function the event always
// causes a retry.
type ClusterEventWithHint struct {
	Event          ClusterEvent
	QueueingHintFn QueueingHintFn
}

// EnqueueExtensions returns the events that may make a pod schedulable that the plugin has rejected.
// Plugins without it get upstream's default events.
type EnqueueExtensions interface {
	Plugin
	EventsToRegister(ctx context.Context) ([]ClusterEventWithHint, error)
}

// EventSubscriber is notified of objects that are added, changed or removed in a cluster used with its
// framework, except inside forks. The view and the change are lent, the services are not.
type EventSubscriber interface {
	Plugin
	OnEvent(services *Services, view View, change *ObjectChange)
}

// ForkFollower is notified of the forks of a cluster, so that the plugin's own state can follow them.
// Reverted and Committed end the latest fork.
type ForkFollower interface {
	Plugin
	Forked(view View)
	Reverted(view View)
	Committed(view View)
}

// ObjectChange is an object that was added, changed or removed. It is empty after the plugin's call
// returns.
type ObjectChange struct {
	call *call
	ptr  *C.libsched_object_change
}

func (c *ObjectChange) text(get func(*C.libsched_object_change) C.libsched_str) string {
	if _, ok := c.call.h.acquire(); !ok {
		return ""
	}
	defer c.call.h.release()
	return goString(get(c.ptr))
}

// Resource returns the object's kind as in ClusterEvent.
func (c *ObjectChange) Resource() string {
	return c.text(func(p *C.libsched_object_change) C.libsched_str {
		return C.libsched_object_change_resource(p)
	})
}

func (c *ObjectChange) Namespace() string {
	return c.text(func(p *C.libsched_object_change) C.libsched_str {
		return C.libsched_object_change_namespace(p)
	})
}

func (c *ObjectChange) Name() string {
	return c.text(func(p *C.libsched_object_change) C.libsched_str { return C.libsched_object_change_name(p) })
}

// Actions returns the change in the terms of upstream's queue: Add, Delete, or the bits for the
// differences between two versions of a pod (Update if none has a bit) or node (0 if none
// has a bit); Update for other kinds. It assumes the default feature gates.
func (c *ObjectChange) Actions() ActionType {
	if _, ok := c.call.h.acquire(); !ok {
		return 0
	}
	defer c.call.h.release()
	return ActionType(C.libsched_object_change_actions(c.ptr))
}

// Side selects one of the two versions of a changed object.
type Side bool

const (
	Before Side = false
	After  Side = true
)

// Has reports whether the version exists: an added object has no Before, a removed object no After.
func (c *ObjectChange) Has(side Side) bool {
	if _, ok := c.call.h.acquire(); !ok {
		return false
	}
	defer c.call.h.release()
	if side == After {
		return bool(C.libsched_object_change_has_after(c.ptr))
	}
	return bool(C.libsched_object_change_has_before(c.ptr))
}

// Pod returns the pod; nil if it does not exist or the object has another kind. It stays valid after the
// call returns.
func (c *ObjectChange) Pod(side Side) *Pod {
	if _, ok := c.call.h.acquire(); !ok {
		return nil
	}
	defer c.call.h.release()
	return refPod(C.libsched_object_change_pod(c.ptr, C.bool(side)))
}

// Node returns the node, under the same rules as Pod.
func (c *ObjectChange) Node(side Side) *Node {
	if _, ok := c.call.h.acquire(); !ok {
		return nil
	}
	defer c.call.h.release()
	return refNode(C.libsched_object_change_node(c.ptr, C.bool(side)))
}

// Raw returns the JSON document. Errors: ErrState unless it was parsed with KeepRaw, ErrNotFound.
func (c *ObjectChange) Raw(side Side) ([]byte, error) {
	if _, ok := c.call.h.acquire(); !ok {
		return nil, closedError(c)
	}
	defer c.call.h.release()
	var out C.libsched_str
	var failure *C.libsched_error
	if rc := C.libsched_object_change_raw(c.ptr, C.bool(side), &out, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return []byte(goString(out)), nil
}
