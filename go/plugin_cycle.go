package libsched

import (
	"context"
	"time"
)

// This file has the extension points around Filter and Score. The rules in plugin.go apply to them too.

// QueuedPod is a pod in the queue, for QueueSort.
type QueuedPod struct {
	Pod   *Pod
	Since time.Time // when it entered the queue
}

// QueueSortPlugin orders the queue: Less reports whether a comes before b.
type QueueSortPlugin interface {
	Plugin
	Less(a, b QueuedPod) bool
}

// PreEnqueuePlugin decides whether a pod may enter the queue.
type PreEnqueuePlugin interface {
	Plugin
	PreEnqueue(ctx context.Context, pod *Pod) *Status
}

// PreFilterExtensions updates PreFilter's results for a pod when another pod is added to or
// removed from a node; the node is in its state after the change. A PreFilterPlugin has these methods
// itself, or as upstream a method PreFilterExtensions that returns a value with them, or nil.
type PreFilterExtensions interface {
	AddPod(ctx context.Context, state *CycleState, pod, added *Pod, node *NodeInfo) *Status
	RemovePod(ctx context.Context, state *CycleState, pod, removed *Pod, node *NodeInfo) *Status
}

type preFilterExtended interface {
	PreFilterExtensions() PreFilterExtensions
}

type scoreExtended interface {
	ScoreExtensions() ScoreExtensions
}

// PostFilterPlugin tries to make room for a pod that no node takes, and returns Success if it did. It may
// nominate ([CycleState.Services]). A nil Nomination leaves the pod's nomination unchanged.
type PostFilterPlugin interface {
	Plugin
	PostFilter(ctx context.Context, state *CycleState, pod *Pod, statuses *NodeStatuses) (*Nomination, *Status)
}

// PermitPlugin allows a pod to be bound, rejects it, or with Wait makes it wait for the returned time, at
// most 15 minutes.
type PermitPlugin interface {
	Plugin
	Permit(ctx context.Context, state *CycleState, pod *Pod, node string) (*Status, time.Duration)
}

// PreBindPreFlightResult is the result of PreBindPreFlight beside its Status.
type PreBindPreFlightResult struct {
	AllowParallel bool // PreBind may run concurrently with other plugins' PreBind
}

// PreBindPlugin prepares the binding of a pod. Skip of PreBindPreFlight skips PreBind.
type PreBindPlugin interface {
	Plugin
	PreBindPreFlight(ctx context.Context, state *CycleState, pod *Pod, node string) (*PreBindPreFlightResult,
		*Status)
	PreBind(ctx context.Context, state *CycleState, pod *Pod, node string) *Status
}

// BindPlugin binds a pod; Skip leaves that to the next plugin.
type BindPlugin interface {
	Plugin
	Bind(ctx context.Context, state *CycleState, pod *Pod, node string) *Status
}

// PostBindPlugin is notified that a pod was bound.
type PostBindPlugin interface {
	Plugin
	PostBind(ctx context.Context, state *CycleState, pod *Pod, node string)
}

// SignFragment is one part of a pod's signature. Fragments with the same key have the same value.
type SignFragment struct {
	Key   string
	Value any // encoded by json.Marshal
}

// SignPlugin returns the parts of a pod that its answers depend on. With any Status other than Success
// the pod cannot be signed.
type SignPlugin interface {
	Plugin
	SignPod(ctx context.Context, pod *Pod) ([]SignFragment, *Status)
}
