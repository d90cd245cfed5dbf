package libsched

import (
	"context"
	"time"
)

// The extension points around Filter and Score. Those in plugin.go say what holds for all.

// QueuedPod is a pod as QueueSort sees it.
type QueuedPod struct {
	Pod   *Pod
	Since time.Time // when it came into the queue
}

// QueueSortPlugin orders the queue: whether a comes before b.
type QueueSortPlugin interface {
	Plugin
	Less(a, b QueuedPod) bool
}

// PreEnqueuePlugin says whether a pod may enter the queue.
type PreEnqueuePlugin interface {
	Plugin
	PreEnqueue(ctx context.Context, pod *Pod) *Status
}

// PreFilterExtensions lets what PreFilter found out about a pod follow another one that comes to or
// leaves a node; the node is as it is after the change. A PreFilterPlugin has these methods itself,
// or as upstream a method PreFilterExtensions that returns who has them; nil for nobody.
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

// PostFilterPlugin tries to make room for a pod that no node takes: Success if it did. It may
// nominate ([CycleState.Services]). A nil Nomination leaves the pod's as it is.
type PostFilterPlugin interface {
	Plugin
	PostFilter(ctx context.Context, state *CycleState, pod *Pod, statuses *NodeStatuses) (*Nomination, *Status)
}

// PermitPlugin lets a pod be bound, rejects it, or with Wait lets it wait for that time, at most 15
// minutes.
type PermitPlugin interface {
	Plugin
	Permit(ctx context.Context, state *CycleState, pod *Pod, node string) (*Status, time.Duration)
}

// PreBindPreFlightResult is what PreBindPreFlight says beside its status.
type PreBindPreFlightResult struct {
	AllowParallel bool // PreBind may run beside that of its neighbours
}

// PreBindPlugin does what must be done before a pod is bound. Skip of PreBindPreFlight skips PreBind.
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

// PostBindPlugin is told that a pod was bound.
type PostBindPlugin interface {
	Plugin
	PostBind(ctx context.Context, state *CycleState, pod *Pod, node string)
}

// SignFragment is one part of a pod's signature. Fragments with the same key have the same value.
type SignFragment struct {
	Key   string
	Value any // for json.Marshal
}

// SignPlugin says what of a pod its answers depend on. Any other Status than Success: the pod cannot
// be signed.
type SignPlugin interface {
	Plugin
	SignPod(ctx context.Context, pod *Pod) ([]SignFragment, *Status)
}
