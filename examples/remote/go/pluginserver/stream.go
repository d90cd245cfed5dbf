package pluginserver

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"net"
	"sync"
)

// stream is a connection: an instance of the plugin, and what libsched has told on it.
type stream struct {
	plugin     Plugin
	connection net.Conn
	handler    Handler
	pods       map[int]json.RawMessage
	nodes      []*Node // by row
	version    int64
	states     states
	out        []byte

	mu      sync.Mutex
	running int64 // the id of the question that is being answered
	cancel  context.CancelFunc
}

// message is the header of a frame to the plugin.
type message struct {
	ID      int64           `json:"id"`
	Call    string          `json:"call"`
	Args    json.RawMessage `json:"args"`
	StateID string          `json:"state"`
	To      string          `json:"to"`
	States  []string        `json:"states"`
	Pod     json.RawMessage `json:"pod"` // a slot, or a document
	Other   *int            `json:"other"`
	Slot    int             `json:"slot"`
	Nodes   *int64          `json:"nodes"`
	Version int64           `json:"version"`
	Base    int64           `json:"base"`
	Records []*Node         `json:"records"`
	Removed []uint32        `json:"removed"`
	Copy    *Node           `json:"copy"`
	Columns []column        `json:"columns"`
	Cancels int64           `json:"cancels"`
	Body
}

func newStream(plugin Plugin, connection net.Conn) *stream {
	return &stream{plugin: plugin, connection: connection, pods: map[int]json.RawMessage{}, states: states{}}
}

// arrived is a message with its columns.
type arrived struct {
	message
	data []byte
}

// run reads messages until the connection ends. They are handled one after the other on another goroutine, so
// that a cancel reaches the question that is being answered.
func (s *stream) run() {
	defer s.connection.Close()
	queue := make(chan *arrived, 64)
	defer close(queue)
	go func() {
		defer s.connection.Close()
		for m := range queue {
			if err := s.handle(m); err != nil {
				return
			}
		}
	}()
	reader := bufio.NewReaderSize(s.connection, 64<<10)
	for {
		header, data, _, err := readFrame(reader, nil)
		if err != nil {
			return
		}
		m := &arrived{data: data}
		if err := json.Unmarshal(header, &m.message); err != nil {
			return
		}
		if m.Call == "cancel" {
			s.mu.Lock()
			if s.running == m.Cancels && s.cancel != nil {
				s.cancel()
			}
			s.mu.Unlock()
			continue
		}
		queue <- m
	}
}

func (s *stream) handle(m *arrived) error {
	switch m.Call {
	case "hello":
		return s.hello(m)
	case "ping":
		return s.send(&Answer{}, m.ID)
	case "pod":
		s.pods[m.Slot] = m.Pod
	case "nodes":
		s.learn(&m.message)
	case "clone":
		s.states.clone(m.StateID, m.To)
	case "drop":
		s.states.drop(m.States)
	default:
		return s.ask(m)
	}
	return nil
}

func (s *stream) hello(m *arrived) error {
	if m.Args != nil {
		handler, err := s.plugin.New(m.Args)
		if err != nil {
			return s.send(refusal(err), m.ID)
		}
		s.handler = handler
	}
	header, err := json.Marshal(struct {
		ID int64 `json:"id"`
		Description
	}{m.ID, s.plugin.Description})
	if err != nil {
		return err
	}
	_, err = s.connection.Write(appendFrame(nil, header, nil))
	return err
}

func (s *stream) send(answer *Answer, id int64) error {
	out, err := appendAnswer(s.out[:0], id, answer)
	if err != nil {
		return err
	}
	s.out = out
	_, err = s.connection.Write(out)
	return err
}

func (s *stream) learn(m *message) {
	switch {
	case m.Base == 0:
		clear(s.nodes)
	case m.Base != s.version:
		s.version = -1 // a message is missing: ask for all
		return
	}
	s.version = m.Version
	for _, node := range m.Records {
		for len(s.nodes) <= node.Row {
			s.nodes = append(s.nodes, nil)
		}
		s.nodes[node.Row] = node
	}
	for _, row := range m.Removed {
		s.nodes[row] = nil
	}
}

func (s *stream) ask(m *arrived) error {
	if s.handler == nil {
		return fmt.Errorf("no instance was made")
	}
	if m.Nodes != nil && *m.Nodes != s.version {
		header := fmt.Sprintf(`{"id":%d,"need":"nodes"}`, m.ID)
		_, err := s.connection.Write(appendFrame(nil, []byte(header), nil))
		return err
	}
	call := &Call{Point: m.Call, State: s.states.of(m.StateID), Body: &m.Body}
	var slot int
	if json.Unmarshal(m.Pod, &slot) == nil {
		call.Pod = s.pods[slot]
	}
	if m.Other != nil {
		call.Other = s.pods[*m.Other]
	}
	err := eachColumn(m.Columns, m.data, func(c column, data []byte) {
		switch c.Name {
		case "rows":
			rows := rowsOf(c, data)
			call.Nodes = make([]*Node, len(rows))
			for i, row := range rows {
				call.Nodes[i] = s.nodes[row]
			}
		case "scores":
			for i := range c.Count {
				call.Scores = append(call.Scores, int64(binary.LittleEndian.Uint64(data[8*i:])))
			}
		}
	})
	if err != nil {
		return err
	}
	if m.Copy != nil {
		call.Nodes = []*Node{m.Copy}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.mu.Lock()
	s.running, s.cancel = m.ID, cancel
	s.mu.Unlock()
	return s.send(ask(ctx, s.handler, call), m.ID)
}
