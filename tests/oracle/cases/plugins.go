// The fake plugins of the modes queue and cycles, which answer from tables.

package cases

// PluginSpec describes a fake plugin. The profile decides at which points it runs.
type PluginSpec struct {
	Name string `json:"name"`
	// Events is what EventsToRegister returns. If it is absent, the plugin has no
	// EnqueueExtensions, which stands for all events.
	Events *[]EventSpec `json:"events,omitempty"`
	// Rules are the rules of each point. The first rule that fits gives the answer;
	// without one the answer is success.
	Rules map[string][]Rule `json:"rules,omitempty"`
	Gang  *GangSpec         `json:"gang,omitempty"`
}

// EventSpec is a cluster event that a fake plugin registers for.
type EventSpec struct {
	Resource string   `json:"resource"`
	Actions  []string `json:"actions"`
	// Hint is the table of the hint function, which answers QueueSkip if no rule fits.
	// If it is absent, the event has no hint function.
	Hint *[]Rule `json:"hint,omitempty"`
}

// GangSpec makes Permit wait until enough pods with the same value of Label are
// there; the last one allows the others. Unreserve rejects the waiting ones.
type GangSpec struct {
	Label   string         `json:"label"`
	Sizes   map[string]int `json:"sizes"`
	Timeout string         `json:"timeout"`
}

// Rule is an entry of a fake plugin's table.
type Rule struct {
	Pod    string `json:"pod,omitempty"` // a name without namespace
	Node   string `json:"node,omitempty"`
	Object string `json:"object,omitempty"` // the object of the event, for hints
	Times  int    `json:"times,omitempty"`  // how often the rule fits; 0 means always

	Code    string   `json:"code,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Error   string   `json:"error,omitempty"`

	Hint      string           `json:"hint,omitempty"` // Queue; anything else is QueueSkip
	Score     int64            `json:"score,omitempty"`
	Timeout   string           `json:"timeout,omitempty"` // of permit
	Sleep     string           `json:"sleep,omitempty"`   // of preBind, in virtual time
	Skip      bool             `json:"skip,omitempty"`    // of preBindPreFlight
	Nominated *TraceNomination `json:"nominated,omitempty"`
	Activate  []string         `json:"activate,omitempty"` // keys of pods
}
