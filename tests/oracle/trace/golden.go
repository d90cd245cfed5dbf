// The golden result of mode trace.

package trace

import (
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// TraceGolden is the result of a trace case.
type TraceGolden struct {
	Name              string                          `json:"name,omitempty"`
	Mode              string                          `json:"mode"`
	ConstructionError string                          `json:"constructionError,omitempty"`
	Plugins           map[string][]judge.PluginWeight `json:"plugins,omitempty"`
	Initialized       []string                        `json:"initialized,omitempty"`
	Pods              []TracePod                      `json:"pods,omitempty"`
}

// TracePod holds the results of all steps of one pod.
type TracePod struct {
	Pod   string         `json:"pod"`
	Steps []*TraceResult `json:"steps"`
}

// TraceStatus mirrors fwk.Status.
type TraceStatus struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Error   *string  `json:"error,omitempty"`
}

// TraceNode is the outcome of Filter on a node.
type TraceNode struct {
	Node string `json:"node"`
	TraceStatus
}

// TraceResult is the outcome of a step, or of a phase of the step "cycle".
type TraceResult struct {
	Step    string       `json:"step"`
	Node    string       `json:"node,omitempty"`
	Other   string       `json:"other,omitempty"`
	Skipped string       `json:"skipped,omitempty"`
	Panic   bool         `json:"panic,omitempty"`
	Calls   []any        `json:"calls,omitempty"`
	Status  *TraceStatus `json:"status,omitempty"`
	// PreFilter
	AllNodes     bool     `json:"allNodes,omitempty"`
	NodeNames    []string `json:"nodeNames,omitempty"`
	RestrictedBy []string `json:"restrictedBy,omitempty"`
	SkipFilter   []string `json:"skipFilter,omitempty"`
	// Filter
	Nodes    []TraceNode `json:"nodes,omitempty"`
	Feasible []string    `json:"feasible,omitempty"`
	// PostFilter
	Nominated *cases.TraceNomination `json:"nominated,omitempty"`
	// PreScore, Score
	SkipScore []string          `json:"skipScore,omitempty"`
	Scores    []cases.NodeScore `json:"scores,omitempty"`
	// Permit
	WaitTimes map[string]string `json:"waitTimes,omitempty"`
	Waiting   bool              `json:"waiting,omitempty"`
	Pending   []string          `json:"pending,omitempty"`
	Returned  []bool            `json:"returned,omitempty"`
	Removed   bool              `json:"removed,omitempty"`
	// PreBind
	SkipPreBind     []string `json:"skipPreBind,omitempty"`
	ParallelPreBind []string `json:"parallelPreBind,omitempty"`
	// Sign
	Signature string `json:"signature,omitempty"`
	// Cycle
	Phases               []*TraceResult `json:"phases,omitempty"`
	Chosen               string         `json:"chosen,omitempty"`
	UnschedulablePlugins []string       `json:"unschedulablePlugins,omitempty"`
	PendingPlugins       []string       `json:"pendingPlugins,omitempty"`
}

// TraceCall is one call that reached a fake plugin.
type TraceCall struct {
	Point    string            `json:"point"`
	Plugin   string            `json:"plugin"`
	Node     string            `json:"node,omitempty"`
	Other    string            `json:"other,omitempty"`
	Code     string            `json:"code,omitempty"`
	State    *int              `json:"state,omitempty"`
	Pods     []string          `json:"pods,omitempty"`
	Nodes    []string          `json:"nodes,omitempty"`
	Scores   []int64           `json:"scores,omitempty"`
	Statuses map[string]string `json:"statuses,omitempty"`
}

func traceStatus(s *fwk.Status) *TraceStatus {
	out := &TraceStatus{Code: s.Code().String()}
	if s != nil {
		out.Plugin, out.Reasons = s.Plugin(), s.Reasons()
	}
	if err := s.AsError(); err != nil {
		text := err.Error()
		out.Error = &text
	}
	return out
}

func nomination(i *fwk.NominatingInfo) *cases.TraceNomination {
	if i == nil {
		return nil
	}
	mode := "noop"
	if i.NominatingMode == fwk.ModeOverride {
		mode = "override"
	}
	return &cases.TraceNomination{Mode: mode, Node: i.NominatedNodeName}
}
