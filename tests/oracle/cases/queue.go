// The input and the golden result of mode queue.

package cases

import (
	"encoding/json"
)

// QueueCase is a script for the real scheduling queue.
type QueueCase struct {
	Name    string            `json:"name,omitempty"`
	Mode    string            `json:"mode"`
	Config  json.RawMessage   `json:"config,omitempty"`
	Gates   map[string]bool   `json:"gates,omitempty"`
	Options QueueOptions      `json:"options"`
	Plugins []PluginSpec      `json:"plugins,omitempty"`
	Objects []json.RawMessage `json:"objects,omitempty"`
	Script  []QueueStep       `json:"script"`
}

// QueueOptions override the configuration.
type QueueOptions struct {
	InitialBackoffSeconds *int64 `json:"initialBackoffSeconds,omitempty"`
	MaxBackoffSeconds     *int64 `json:"maxBackoffSeconds,omitempty"`
	MaxInUnschedulable    string `json:"maxInUnschedulable,omitempty"`
	// Tick passes before every step, so that no two pods get the same time.
	Tick string `json:"tick,omitempty"`
}

// QueueStep is one thing that happens to the queue.
type QueueStep struct {
	Do     string          `json:"do"`
	Name   string          `json:"name,omitempty"`  // namespace/name of a pod
	Names  []string        `json:"names,omitempty"` // for activate
	Pod    json.RawMessage `json:"pod,omitempty"`
	Old    json.RawMessage `json:"old,omitempty"`
	New    json.RawMessage `json:"new,omitempty"`
	Lister bool            `json:"listerOnly,omitempty"`
	Wait   bool            `json:"wait,omitempty"`

	Unschedulable []string `json:"unschedulable,omitempty"` // plugins
	Pending       []string `json:"pending,omitempty"`

	Resource string   `json:"resource,omitempty"`
	Actions  []string `json:"actions,omitempty"`
	Label    string   `json:"label,omitempty"` // of special events
	// MaxPriority and Except are checks before a move: only pods up to this priority, or all pods
	// except one.
	MaxPriority *int32 `json:"maxPriority,omitempty"`
	Except      string `json:"except,omitempty"`

	Held   int    `json:"held,omitempty"` // which of the popped pods, modulo their number
	By     string `json:"by,omitempty"`   // a duration
	Node   string `json:"node,omitempty"`
	Mode   string `json:"mode,omitempty"`
	Plugin string `json:"plugin,omitempty"`
	Point  string `json:"point,omitempty"`
	Rules  []Rule `json:"rules,omitempty"`
}

// QueueGolden is the result of a QueueCase.
type QueueGolden struct {
	Name  string        `json:"name,omitempty"`
	Steps []QueueResult `json:"steps"`
}

// QueueResult is the observed state after a step.
type QueueResult struct {
	Do      string                `json:"do"`
	Now     int64                 `json:"now"`
	Error   string                `json:"error,omitempty"`
	Of      string                `json:"of,omitempty"`     // the popped pod that the step is about
	Popped  string                `json:"popped,omitempty"` // a key, "(nil)", "(blocks)", "(busy)" or "(waits)"
	Info    *QueuedInfo           `json:"info,omitempty"`   // of the popped pod
	Changed map[string]QueuedInfo `json:"changed,omitempty"`
	QueueState
	Listing *QueueListing `json:"listing,omitempty"`
}

// QueueListing is the answer of the debugging methods, sorted.
type QueueListing struct {
	Summary       string   `json:"summary"`
	Pending       []string `json:"pending"`
	Active        []string `json:"podsInActiveQ"`
	Backoff       []string `json:"podsInBackoffQ"`
	Unschedulable []string `json:"unschedulablePods"`
	InFlight      []string `json:"inFlightPods"`
}

// QueueState is the visible state of the scheduling queue. Times are nanoseconds since the start of
// the case. Empty fields are absent.
type QueueState struct {
	Active        []string `json:"active,omitempty"`       // in the order of Pop
	Backoff       []string `json:"backoff,omitempty"`      // by expiry, then QueueSort
	ErrorBackoff  []string `json:"errorBackoff,omitempty"` // by expiry; ties by key
	Unschedulable []string `json:"unschedulable,omitempty"`
	Gated         []string `json:"gated,omitempty"` // these are in Unschedulable, too
	// InFlight is the list of in-flight pods and events, oldest first.
	InFlight    []string            `json:"inFlight,omitempty"`
	Nominated   map[string][]string `json:"nominated,omitempty"` // node to pods
	Cycle       int64               `json:"cycle"`
	MoveRequest int64               `json:"moveRequest"` // the cycle of the last move, or -1
}

// QueuedInfo mirrors framework.QueuedPodInfo.
type QueuedInfo struct {
	RV                string   `json:"rv,omitempty"` // resourceVersion of the pod in the queue
	Timestamp         int64    `json:"timestamp"`
	InitialAttempt    *int64   `json:"initialAttempt,omitempty"`
	BackoffExpiration *int64   `json:"backoffExpiration,omitempty"`
	Attempts          int      `json:"attempts,omitempty"`
	Unschedulable     int      `json:"unschedulableCount,omitempty"`
	Errors            int      `json:"consecutiveErrorsCount,omitempty"`
	Flushed           bool     `json:"wasFlushed,omitempty"`
	Plugins           []string `json:"unschedulablePlugins,omitempty"`
	Pending           []string `json:"pendingPlugins,omitempty"`
	GatingPlugin      string   `json:"gatingPlugin,omitempty"`
}
