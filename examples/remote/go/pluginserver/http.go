package pluginserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"sync"
)

// posts answers questions over HTTP. Each holds everything that it is about.
type posts struct {
	plugin    Plugin
	mu        sync.Mutex
	instances map[string]Handler // by arguments
	states    states
}

func newPosts(plugin Plugin) *posts {
	return &posts{plugin: plugin, instances: map[string]Handler{}, states: states{}}
}

// question is the body of a request.
type question struct {
	Args       json.RawMessage   `json:"args"`
	StateID    string            `json:"state"`
	To         string            `json:"to"`
	States     []string          `json:"states"`
	Pod, Other json.RawMessage   // "pod", "other"
	Nodes      []json.RawMessage `json:"nodes"`
	Scores     []int64           `json:"scores"`
	Body
}

// told is an answer with its numbers as lists.
type told struct {
	*Answer
	Codes         []int8   `json:"codes,omitempty"`
	ReasonIndexes []uint16 `json:"reasonIndexes,omitempty"`
	Scores        []int64  `json:"scores,omitempty"`
}

func (p *posts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q question
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	point := path.Base(r.URL.Path)
	said, err := p.answer(r, point, &q)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	text, err := json.Marshal(said)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text)
}

func (p *posts) answer(r *http.Request, point string, q *question) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch point {
	case "health":
		return struct{}{}, nil
	case "clone":
		p.states.clone(q.StateID, q.To)
		return struct{}{}, nil
	case "drop":
		p.states.drop(q.States)
		return struct{}{}, nil
	case "describe":
		if q.Args == nil {
			return p.plugin.Description, nil
		}
	}
	handler := p.instances[string(q.Args)]
	if handler == nil || point == "describe" {
		made, err := p.plugin.New(q.Args)
		if err != nil {
			return refusal(err), nil
		}
		handler = made
		p.instances[string(q.Args)] = made
	}
	if point == "describe" {
		return p.plugin.Description, nil
	}
	if q.Pod == nil {
		return nil, fmt.Errorf("no call %q", point)
	}
	call := &Call{Point: point, State: p.states.of(q.StateID), Pod: q.Pod, Other: q.Other, Scores: q.Scores,
		Body: &q.Body, Nodes: make([]*Node, len(q.Nodes))}
	for i, text := range q.Nodes {
		call.Nodes[i] = &Node{}
		into := any(call.Nodes[i])
		if text[0] == '"' {
			into = &call.Nodes[i].Name
		}
		if err := json.Unmarshal(text, into); err != nil {
			return nil, err
		}
	}
	answer := ask(r.Context(), handler, call)
	return told{answer, answer.Codes, answer.ReasonIndexes, answer.Scores}, nil
}
