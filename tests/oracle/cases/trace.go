// The input of mode trace: scripted plugins and the steps to drive on the framework.

package cases

import (
	"encoding/json"
)

// TraceSpec is the part of a case that only mode "trace" uses.
type TraceSpec struct {
	Profile json.RawMessage `json:"profile,omitempty"`
	Fakes   []FakeSpec      `json:"fakes,omitempty"`
	Steps   []TraceStep     `json:"steps,omitempty"`
}

// TraceStep is one thing to drive on the framework.
type TraceStep struct {
	Do    string       `json:"do"`
	Pod   string       `json:"pod,omitempty"` // only for this pod
	Node  string       `json:"node,omitempty"`
	Other string       `json:"other,omitempty"`
	Wait  []WaitAction `json:"wait,omitempty"`
}

// WaitAction is what happens to a waiting pod: one field is set.
type WaitAction struct {
	Allow   string `json:"allow,omitempty"`
	Reject  string `json:"reject,omitempty"`
	Preempt string `json:"preempt,omitempty"`
	Remove  bool   `json:"remove,omitempty"`
	Message string `json:"message,omitempty"`
}

func (a WaitAction) Decides() bool { return a.Reject != "" || a.Preempt != "" || a.Remove }

// FakeSpec describes one fake plugin of a trace case.
type FakeSpec struct {
	Name string `json:"name"`
	// Points are the extension points that the plugin implements, and the
	// options addRemovePod (PreFilterExtensions) and normalize (ScoreExtensions).
	Points []string `json:"points"`
	// Script holds the rules per call; the first rule that fits applies.
	Script map[string][]FakeRule `json:"script,omitempty"`
	// FactoryError makes the plugin's factory fail.
	FactoryError string `json:"factoryError,omitempty"`
	// InstanceName is the result of the plugin's Name method, if not Name.
	InstanceName string `json:"instanceName,omitempty"`
}

// FakeRule is a rule for the answers of a fake plugin.
type FakeRule struct {
	Pod   string `json:"pod,omitempty"`
	Node  string `json:"node,omitempty"`
	Other string `json:"other,omitempty"`

	Code    string   `json:"code,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Error   string   `json:"error,omitempty"`

	NodeNames     *[]string                  `json:"nodeNames,omitempty"`
	Score         int64                      `json:"score,omitempty"`
	Normalized    map[string]int64           `json:"normalized,omitempty"`
	Timeout       string                     `json:"timeout,omitempty"`
	AllowParallel bool                       `json:"allowParallel,omitempty"`
	Nominated     *TraceNomination           `json:"nominated,omitempty"`
	Fragments     map[string]json.RawMessage `json:"fragments,omitempty"`
}

// TraceNomination mirrors fwk.NominatingInfo.
type TraceNomination struct {
	Mode string `json:"mode"`
	Node string `json:"node,omitempty"`
}
