package pluginserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path"
	"strconv"
	"strings"
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
	Args       json.RawMessage `json:"args"`
	StateID    string          `json:"state"`
	To         string          `json:"to"`
	States     []string        `json:"states"`
	Pod, Other json.RawMessage // "pod", "other"
	Scores     []int64         `json:"scores"`
	Body
}

// About nodes: names, unless the plugin wants to know more of them.
type aboutNames struct {
	question
	Nodes names `json:"nodes"`
}
type aboutNodes struct {
	question
	Nodes []*Node `json:"nodes"`
}

// names is a list of texts that is read without reflection, because there are thousands in each question.
type names []string

func (n *names) UnmarshalJSON(text []byte) error {
	if bytes.IndexByte(text, '\\') >= 0 {
		return json.Unmarshal(text, (*[]string)(n))
	}
	parts := strings.Split(string(text), `"`) // names stand between quotes, at odd places
	list := make([]string, 0, len(parts)/2)
	for i := 1; i < len(parts); i += 2 {
		list = append(list, parts[i])
	}
	*n = list
	return nil
}

// numbers is a list that is written without reflection.
type numbers[T int8 | uint16 | int64] []T

func (n numbers[T]) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 2+4*len(n))
	out = append(out, '[')
	for i, number := range n {
		if i != 0 {
			out = append(out, ',')
		}
		out = strconv.AppendInt(out, int64(number), 10)
	}
	return append(out, ']'), nil
}

// read reads the body of a request, and its nodes.
func (p *posts) read(r *http.Request) (*question, []*Node, error) {
	text := make([]byte, max(r.ContentLength, 0))
	if _, err := io.ReadFull(r.Body, text); err != nil {
		return nil, nil, err
	}
	if len(p.plugin.Description.Wants) != 0 {
		var q aboutNodes
		err := json.Unmarshal(text, &q)
		return &q.question, q.Nodes, err
	}
	var q aboutNames
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, nil, err
	}
	nodes, pointers := make([]Node, len(q.Nodes)), make([]*Node, len(q.Nodes))
	for i, name := range q.Nodes {
		nodes[i].Name = name
		pointers[i] = &nodes[i]
	}
	return &q.question, pointers, nil
}

// told is an answer with its numbers as lists.
type told struct {
	*Answer
	Codes         numbers[int8]   `json:"codes,omitempty"`
	ReasonIndexes numbers[uint16] `json:"reasonIndexes,omitempty"`
	Scores        numbers[int64]  `json:"scores,omitempty"`
}

func (p *posts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q, nodes, err := p.read(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	point := path.Base(r.URL.Path)
	said, err := p.answer(r, point, q, nodes)
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

func (p *posts) answer(r *http.Request, point string, q *question, nodes []*Node) (any, error) {
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
		Body: &q.Body, Nodes: nodes}
	answer := ask(r.Context(), handler, call)
	return told{answer, answer.Codes, answer.ReasonIndexes, answer.Scores}, nil
}
