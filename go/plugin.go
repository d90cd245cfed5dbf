package libsched

import "context"

// Plugin is the interface of every plugin. A plugin implements an extension point if it has the methods
// of one of the interfaces below, which are upstream's. See [AddPlugin].
//
// Pods passed to a plugin are ordinary Pods. A CycleState, NodeInfo or Nodes is lent: it is for the
// goroutine of the call, and is empty after the call returns. A plugin may read the cluster
// ([CycleState.View]) and ask the calling framework about one node ([CycleState.Framework]);
// changing the cluster is ErrMisuse. A panic becomes a Status with CodeError and the
// stack; in a method without a Status, the call of the library panics with the same value.
//
// A plugin must return, or panic. runtime.Goexit, which Fatal, FailNow and Skip of a test call, ends
// the program with a panic that names the plugin: it would end the goroutine in the middle of a call
// of the library, and no Go program can prevent that. In a test, call Error and return a Status.
type Plugin interface {
	// Name returns the name of the plugin in statuses, as upstream's Name.
	Name() string
}

// PreFilterPlugin examines a pod before its nodes are judged. A non-nil result narrows the
// nodes to its NodeNames, unless that is nil. Skip skips the plugin's Filter.
type PreFilterPlugin interface {
	Plugin
	PreFilter(ctx context.Context, state *CycleState, pod *Pod) (*PreFilterResult, *Status)
}

// FilterPlugin judges one node.
type FilterPlugin interface {
	Plugin
	Filter(ctx context.Context, state *CycleState, pod *Pod, node *NodeInfo) *Status
}

// FilterBatchPlugin judges many nodes in one call, by writing to the verdicts. If a plugin implements
// both, FilterBatch is called instead of Filter. A Status other than Success fails all nodes and must
// have CodeError.
type FilterBatchPlugin interface {
	Plugin
	FilterBatch(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes, verdicts *Verdicts) *Status
}

// PreScorePlugin examines the feasible nodes before they are scored. Skip skips the plugin's Score.
type PreScorePlugin interface {
	Plugin
	PreScore(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes) *Status
}

// ScorePlugin scores one node, from 0 to 100 unless the plugin normalises its scores.
type ScorePlugin interface {
	Plugin
	Score(ctx context.Context, state *CycleState, pod *Pod, node *NodeInfo) (int64, *Status)
}

// ScoreBatchPlugin scores many nodes in one call, by writing to scores, which are 0 at first. If a
// plugin implements both, ScoreBatch is called instead of Score.
type ScoreBatchPlugin interface {
	Plugin
	ScoreBatch(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes, scores []int64) *Status
}

// ScoreExtensions normalises the scores of all nodes in place, to 0 to 100. Plugins implement it in
// addition to Score or ScoreBatch.
type ScoreExtensions interface {
	NormalizeScore(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes, scores []int64) *Status
}

// ReservePlugin reserves resources of a node for a pod, until it is bound or unreserved. Unreserve must
// be idempotent, and is also called if Reserve of the plugin was not. The name of the node is "" if
// the node has been removed.
type ReservePlugin interface {
	Plugin
	Reserve(ctx context.Context, state *CycleState, pod *Pod, node string) *Status
	Unreserve(ctx context.Context, state *CycleState, pod *Pod, node string)
}
