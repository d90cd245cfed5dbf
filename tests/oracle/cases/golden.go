// The golden result of the modes evaluate and schedule.

package cases

// Golden is the output of "oracle run".
type Golden struct {
	Name string      `json:"name,omitempty"`
	Mode string      `json:"mode"`
	Pods []PodResult `json:"pods"`
}

// Failed stands for the result of a case that upstream cannot run.
type Failed struct {
	Name  string `json:"name,omitempty"`
	Error string `json:"error"`
}

// Status mirrors fwk.Status.
type Status struct {
	Code    string   `json:"code"`
	Plugin  string   `json:"plugin,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
}

// PreFilterResult is the outcome of RunPreFilterPlugins.
type PreFilterResult struct {
	Status
	AllNodes     bool     `json:"allNodes"`
	NodeNames    []string `json:"nodeNames,omitempty"`
	RestrictedBy []string `json:"restrictedBy,omitempty"`
	SkipFilter   []string `json:"skipFilter,omitempty"`
}

// NodeResult is the outcome of the Filter plugins for one node.
type NodeResult struct {
	Node string `json:"node"`
	Status
	ExcludedByPreFilter bool `json:"excludedByPreFilter,omitempty"`
}

// PluginScore holds one plugin's score for one node at each stage.
type PluginScore struct {
	Raw        int64 `json:"raw"`
	Normalized int64 `json:"normalized"`
	Weighted   int64 `json:"weighted"`
}

// NodeScore is the score of one feasible node.
type NodeScore struct {
	Node    string                 `json:"node"`
	Total   int64                  `json:"total"`
	Plugins map[string]PluginScore `json:"plugins"`
}

// Victims of preempting on one node, most important first.
type Victims struct {
	Node             string   `json:"node"`
	Pods             []string `json:"pods"`
	NumPDBViolations int64    `json:"numPDBViolations"`
}

// PostFilter is the outcome of DefaultPreemption.
type PostFilter struct {
	Status
	NominatedNode string      `json:"nominatedNode,omitempty"`
	Victims       []string    `json:"victims,omitempty"`
	Tied          []string    `json:"tied,omitempty"`
	Candidates    []Victims   `json:"candidates,omitempty"`
	DryRun        []NodeState `json:"dryRun,omitempty"`
	Clear         bool        `json:"clearsNomination,omitempty"`
}

// NodeState is a node's status after the preemption dry run.
type NodeState struct {
	Node string `json:"node"`
	Status
}

// PodResult holds all answers of the framework about one pod.
type PodResult struct {
	Pod        string           `json:"pod"`
	Profile    string           `json:"profile"`
	Error      string           `json:"error,omitempty"`
	PreEnqueue *Status          `json:"preEnqueue,omitempty"`
	PreFilter  *PreFilterResult `json:"preFilter,omitempty"`
	Nodes      []NodeResult     `json:"nodes,omitempty"`
	Feasible   []string         `json:"feasible"`
	SkipScore  []string         `json:"skipScore,omitempty"`
	ScoreError string           `json:"scoreError,omitempty"`
	Scores     []NodeScore      `json:"scores,omitempty"`
	FitError   string           `json:"fitError,omitempty"`
	FinalError string           `json:"fitErrorWithPostFilter,omitempty"`
	PostFilter *PostFilter      `json:"postFilter,omitempty"`
	Best       []string         `json:"best,omitempty"`
	Chosen     string           `json:"chosen,omitempty"`
	Reserve    *Status          `json:"reserve,omitempty"`
	NodeOrder  []string         `json:"nodeOrder,omitempty"`
	Warnings   []string         `json:"warnings,omitempty"`
}
