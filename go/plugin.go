package libsched

import "context"

// Plugin is what every plugin has. Its further methods are the extension points that it implements:
// those of the interfaces below, which are upstream's. See [AddPlugin].
//
// Pods that a plugin gets are like any others. A CycleState, NodeInfo or Nodes is lent: it is empty
// when the call has returned, and is for the goroutine of the call. A plugin may read the cluster
// ([CycleState.View]) and ask the framework that asks it about one node ([CycleState.Framework]);
// changing the cluster is ErrMisuse. What it panics with becomes a Status with CodeError and the
// stack; where there is no Status to return, the call that asked panics with it.
//
// A plugin must return, or panic. runtime.Goexit, which Fatal, FailNow and Skip of a test call, ends
// the program with a panic that names the plugin: it would end the goroutine in the middle of a call
// of the library, and no Go program can prevent that. In a test, call Error and return a Status.
type Plugin interface {
	// Name is upstream's: it stands in statuses.
	Name() string
}

// PreFilterPlugin looks at a pod before its nodes are judged. A result that is not nil narrows the
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

// FilterBatchPlugin judges many nodes in one call, by writing to the verdicts. It is asked instead of
// FilterPlugin where both are there. A Status that is not Success fails all nodes: it must be of
// CodeError.
type FilterBatchPlugin interface {
	Plugin
	FilterBatch(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes, verdicts *Verdicts) *Status
}

// PreScorePlugin looks at the nodes that fit before they are scored. Skip skips the plugin's Score.
type PreScorePlugin interface {
	Plugin
	PreScore(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes) *Status
}

// ScorePlugin scores one node: 0 to 100, if the plugin does not normalise.
type ScorePlugin interface {
	Plugin
	Score(ctx context.Context, state *CycleState, pod *Pod, node *NodeInfo) (int64, *Status)
}

// ScoreBatchPlugin scores many nodes in one call, by writing to scores, which are 0 at first. It is
// asked instead of ScorePlugin where both are there.
type ScoreBatchPlugin interface {
	Plugin
	ScoreBatch(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes, scores []int64) *Status
}

// ScoreExtensions changes the scores of all nodes in place, to 0 to 100. Plugins have it beside Score
// or ScoreBatch.
type ScoreExtensions interface {
	NormalizeScore(ctx context.Context, state *CycleState, pod *Pod, nodes *Nodes, scores []int64) *Status
}

// ReservePlugin keeps something of a node for a pod, until it is bound or unreserved. Unreserve must
// be idempotent, and is called of plugins whose Reserve was not, too. The name of the node is "" if
// the node has gone.
type ReservePlugin interface {
	Plugin
	Reserve(ctx context.Context, state *CycleState, pod *Pod, node string) *Status
	Unreserve(ctx context.Context, state *CycleState, pod *Pod, node string)
}
