package libsched

// #include "plugin_bridge.h"
import "C"

import "context"

// ActionType is what happened to an object, as bits. Numbers are upstream's.
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
)

// ClusterEvent is something that may make a pod schedulable. Resource is upstream's name: "Pod",
// "Node", "storage.k8s.io/CSINode", "*".
type ClusterEvent struct {
	Resource   string
	ActionType ActionType
}

// QueueingHint says whether a pod is worth another try.
type QueueingHint int

const (
	QueueSkip QueueingHint = iota
	Queue
)

// QueueingHintFn says whether a change makes a pod worth another try that the plugin has rejected. An
// error counts as Queue.
type QueueingHintFn func(ctx context.Context, pod *Pod, change *ObjectChange) (QueueingHint, error)

// ClusterEventWithHint is an event that a plugin registers for. Without a function it is always worth
// another try.
type ClusterEventWithHint struct {
	Event          ClusterEvent
	QueueingHintFn QueueingHintFn
}

// EnqueueExtensions tells which events may help a pod that the plugin has rejected. Plugins without
// it get upstream's default events.
type EnqueueExtensions interface {
	Plugin
	EventsToRegister(ctx context.Context) ([]ClusterEventWithHint, error)
}

// EventSubscriber hears of objects that came, changed or went in a cluster that is asked with its
// framework; not of those of a fork. The view and the change are lent, the services are not.
type EventSubscriber interface {
	Plugin
	OnEvent(services *Services, view View, change *ObjectChange)
}

// ForkFollower hears of the forks of a cluster, for state of its own that follows them. Reverted and
// Committed end the latest of them.
type ForkFollower interface {
	Plugin
	Forked(view View)
	Reverted(view View)
	Committed(view View)
}

// ObjectChange is an object that came, changed or went. It is empty when the plugin's call has
// returned.
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

// Resource is the object's kind as in ClusterEvent.
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

// Actions returns what happened, as upstream's queue is told of it: Add, Delete, or what differs between
// two versions of a pod (Update if nothing that has a bit of its own) or node (0 if nothing that
// counts); Update for other kinds. With the default feature gates.
func (c *ObjectChange) Actions() ActionType {
	if _, ok := c.call.h.acquire(); !ok {
		return 0
	}
	defer c.call.h.release()
	return ActionType(C.libsched_object_change_actions(c.ptr))
}

// Side is one of the two versions of an object that changed.
type Side bool

const (
	Before Side = false
	After  Side = true
)

// Has says whether there is this version: an object that came has no Before, one that went no After.
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

// Pod returns the pod; nil if there is none, or the object is of another kind. It stays when the call
// has returned.
func (c *ObjectChange) Pod(side Side) *Pod {
	if _, ok := c.call.h.acquire(); !ok {
		return nil
	}
	defer c.call.h.release()
	return refPod(C.libsched_object_change_pod(c.ptr, C.bool(side)))
}

// Node returns the node, as Pod returns the pod.
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
