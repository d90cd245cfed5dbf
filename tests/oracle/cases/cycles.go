// The input and the golden result of mode cycles.

package cases

import (
	"encoding/json"
)

// CyclesCase is a script for the whole scheduler in virtual time.
type CyclesCase struct {
	Name    string          `json:"name,omitempty"`
	Mode    string          `json:"mode"`
	Config  json.RawMessage `json:"config,omitempty"`
	Gates   map[string]bool `json:"gates,omitempty"`
	Options CyclesOptions   `json:"options"`
	Plugins []PluginSpec    `json:"plugins,omitempty"`
	// Objects exist before the scheduler starts.
	Objects []json.RawMessage `json:"objects,omitempty"`
	Script  []CyclesStep      `json:"script"`
	// Metrics adds the metrics at the end of the script to the result.
	Metrics bool `json:"metrics,omitempty"`
}

// CyclesOptions are properties of the scheduler and of the API server.
type CyclesOptions struct {
	MaxInUnschedulable string `json:"maxInUnschedulable,omitempty"`
	// Grace is how long deleted bound pods stay.
	Grace string `json:"grace,omitempty"`
}

// CyclesStep is one thing that happens in the cluster.
type CyclesStep struct {
	Do string `json:"do"`
	// Hold means that no scheduling cycle begins before the next step.
	Hold   bool            `json:"hold,omitempty"`
	Object json.RawMessage `json:"object,omitempty"` // for create and assign
	Kind   string          `json:"kind,omitempty"`   // for patch and delete
	Name   string          `json:"name,omitempty"`   // namespace/name, or a name
	Patch  json.RawMessage `json:"patch,omitempty"`  // a JSON merge patch
	By     string          `json:"by,omitempty"`     // a duration
	Fault  *APIFault       `json:"fault,omitempty"`
	Plugin string          `json:"plugin,omitempty"` // for rules, allow and reject
	Point  string          `json:"point,omitempty"`
	Rules  []Rule          `json:"rules,omitempty"`
}

// APIFault makes write calls of the scheduler fail or take time.
type APIFault struct {
	Verb  string `json:"verb"` // bind, patchStatus, delete, updatePV or updatePVC
	Name  string `json:"name,omitempty"`
	Times int    `json:"times,omitempty"` // 0 means always
	// Error is conflict, notFound, timeout or any text; absent means success.
	Error string `json:"error,omitempty"`
	Slow  string `json:"slow,omitempty"` // how long the call takes before it has its effect
}

// CyclesGolden is the result of a CyclesCase.
type CyclesGolden struct {
	Name  string         `json:"name,omitempty"`
	Steps []CyclesResult `json:"steps"`
	// Metrics are numbers of the scheduler's metrics, by the name of the family and the values of the
	// labels. Those that are 0 are absent.
	Metrics map[string]float64 `json:"metrics,omitempty"`
}

// CyclesResult is the observed state after a step has settled.
type CyclesResult struct {
	Do      string                `json:"do"`
	Now     int64                 `json:"now"`
	Error   string                `json:"error,omitempty"`
	Cycles  []Cycle               `json:"cycles,omitempty"`
	Calls   map[string][]string   `json:"calls,omitempty"` // of fake plugins, by pod
	API     []*APICall            `json:"api,omitempty"`
	Events  []EventRecord         `json:"events,omitempty"`
	Pods    map[string]PodView    `json:"pods,omitempty"` // those that changed
	Assumed []string              `json:"assumed,omitempty"`
	Waiting map[string][]string   `json:"waiting,omitempty"` // pods and their pending plugins
	Busy    bool                  `json:"busy,omitempty"`    // a cycle waits for the API server
	Queue   QueueState            `json:"queue"`
	Changed map[string]QueuedInfo `json:"changed,omitempty"`
}

// Cycle is a pod that was popped.
type Cycle struct {
	At   int64      `json:"at"`
	Pod  string     `json:"pod"`
	Info QueuedInfo `json:"info"`
}

// APICall is one write call of the scheduler.
type APICall struct {
	At        int64      `json:"at"` // the time of its turn
	Verb      string     `json:"verb"`
	Name      string     `json:"name"`
	Node      string     `json:"node,omitempty"`      // of bind
	Condition *Condition `json:"condition,omitempty"` // of patchStatus
	Nominated *string    `json:"nominated,omitempty"` // of patchStatus
	Error     string     `json:"error,omitempty"`
	Done      int64      `json:"done,omitempty"` // of a slow call
}

// Condition is a pod condition without its times. In a patch it has only the
// fields that change.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// EventRecord is an event that the scheduler recorded.
type EventRecord struct {
	At      int64  `json:"at"`
	About   string `json:"about"`
	Type    string `json:"type"`
	Reason  string `json:"reason"`
	Action  string `json:"action"`
	Note    string `json:"note"`
	Related string `json:"related,omitempty"`
}

// PodView is the state of a pod in the API server.
type PodView struct {
	Node      string     `json:"node,omitempty"`
	Nominated string     `json:"nominated,omitempty"`
	Deleting  bool       `json:"deleting,omitempty"`
	Gone      bool       `json:"gone,omitempty"`
	Condition *Condition `json:"condition,omitempty"` // PodScheduled
	Disrupted *Condition `json:"disrupted,omitempty"` // DisruptionTarget
}
