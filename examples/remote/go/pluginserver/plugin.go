// Package pluginserver serves plugins to libsched, in both forms of docs/plugin_protocol.md.
//
// A plugin is a [Description] and a function that makes a [Handler] for the arguments of a framework. The handler
// answers calls, whatever form carries them:
//
//	pluginserver.Serve(plugin, "unix:/run/quiet.sock")  // a connection that stays open
//	pluginserver.Serve(plugin, "http://127.0.0.1:9000") // an HTTP POST for each question
package pluginserver

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
)

// Description is what a plugin says of itself.
type Description struct {
	Protocol     int      `json:"protocol"` // set by Serve
	Points       []string `json:"points"`
	Reasons      []string `json:"reasons,omitempty"`
	Wants        []string `json:"wants,omitempty"`
	State        bool     `json:"state,omitempty"`
	Events       []Event  `json:"events,omitempty"`
	InstanceName string   `json:"instanceName,omitempty"`
}

// Event is an event after which a rejected pod is worth another try.
type Event struct {
	Resource string   `json:"resource"`
	Actions  []string `json:"actions"`
	Hint     bool     `json:"hint,omitempty"`
}

// Plugin is a plugin and how its instances are made.
type Plugin struct {
	Description Description
	New         func(args json.RawMessage) (Handler, error)
}

// Handler answers a call. Its context ends when nobody waits for the answer any more. An error becomes a status
// Error.
type Handler func(ctx context.Context, call *Call) (*Answer, error)

// Node is a node with what the plugin wants to know of it.
type Node struct {
	Row         int               `json:"row"`
	Name        string            `json:"name"`
	Node        json.RawMessage   `json:"node,omitempty"`
	Pods        []json.RawMessage `json:"pods,omitempty"`
	PodKeys     []string          `json:"podKeys,omitempty"`
	Allocatable map[string]int64  `json:"allocatable,omitempty"`
	Requested   map[string]int64  `json:"requested,omitempty"`
	// Data is for the plugin, for what it has worked out of the node. On a connection it stays as long as the node
	// does not change.
	Data any `json:"-"`
}

// State is what a plugin keeps for the state of a scheduling cycle. Copies of it are shallow.
type State map[string]any

// Call is a question.
type Call struct {
	Point      string
	State      State
	Pod, Other json.RawMessage
	Nodes      []*Node
	Scores     []int64
	Body       *Body // everything else
}

// Body has the members that only some points have.
type Body struct {
	NodeName string                     `json:"nodeName"`
	Event    int                        `json:"event"`
	Change   json.RawMessage            `json:"change"`
	Statuses map[string]json.RawMessage `json:"statuses"`
}

// Status is upstream's Status. An empty code is Success.
type Status struct {
	Code    string   `json:"code,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// Nomination is upstream's NominatingInfo.
type Nomination struct {
	Mode string `json:"mode"` // "override" or "noop"
	Node string `json:"node"`
}

// Answer is an answer; each point looks at its own members.
type Answer struct {
	Status
	Codes         []int8                     `json:"-"` // of each node
	ReasonIndexes []uint16                   `json:"-"`
	Scores        []int64                    `json:"-"`
	Rejected      map[string]Status          `json:"rejected,omitempty"`
	NodeNames     []string                   `json:"nodeNames,omitempty"`
	Nominated     *Nomination                `json:"nominated,omitempty"`
	TimeoutNs     int64                      `json:"timeoutNs,omitempty"`
	AllowParallel bool                       `json:"allowParallel,omitempty"`
	Key           []any                      `json:"key,omitempty"`
	Queue         *bool                      `json:"queue,omitempty"`
	Fragments     map[string]json.RawMessage `json:"fragments,omitempty"`
}

// states are the states by id.
type states map[string]State

func (s states) of(id string) State {
	if id == "" {
		return nil
	}
	if s[id] == nil {
		s[id] = State{}
	}
	return s[id]
}

func (s states) clone(id, to string) {
	s[to] = maps.Clone(s.of(id))
}

func (s states) drop(ids []string) {
	for _, id := range ids {
		delete(s, id)
	}
}

// ask calls a handler.
func ask(ctx context.Context, handler Handler, call *Call) *Answer {
	answer, err := handler(ctx, call)
	if err != nil {
		return &Answer{Status: Status{Code: "Error", Reasons: []string{err.Error()}}}
	}
	if answer == nil {
		return &Answer{}
	}
	return answer
}

func refusal(err error) *Answer {
	return &Answer{Status: Status{Code: "Error", Reasons: []string{err.Error()}}}
}

// Listen opens a listener at an address of a plugin. A Unix socket has the mode 0600.
func Listen(address string) (net.Listener, error) {
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "unix", "http+unix":
		if err := os.Remove(rest); err != nil && !os.IsNotExist(err) {
			return nil, err
		}
		defer syscall.Umask(syscall.Umask(0o177)) // nobody else may connect, at no time
		return net.Listen("unix", rest)
	case "tcp", "http":
		host, _, _ := strings.Cut(strings.TrimPrefix(rest, "//"), "/")
		return net.Listen("tcp", host)
	}
	return nil, fmt.Errorf("the address %q is none of unix:, http+unix:, tcp: and http:", address)
}

// Serve serves a plugin until an error.
func Serve(plugin Plugin, address string) error {
	listener, err := Listen(address)
	if err != nil {
		return err
	}
	defer listener.Close()
	plugin.Description.Protocol = 1
	fmt.Fprintln(os.Stderr, "listening at", address)
	if strings.HasPrefix(address, "http") {
		return http.Serve(listener, newPosts(plugin))
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			return err
		}
		go newStream(plugin, connection).run()
	}
}
