//go:build !k131 && !k132 && !k133 && !k134 && !k135

// The events for which plugins register, and the answers of their queueing hints.

package judge

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/cases"
)

// Event is a change of an object; Old or New may be absent.
type Event struct {
	Resource string          `json:"resource"`
	Action   int64           `json:"action"`
	Old      json.RawMessage `json:"old,omitempty"`
	New      json.RawMessage `json:"new,omitempty"`
}

// Registration is one event of a plugin. Answers holds a string per event of
// the case that matches, with its index: a letter per pod, q (Queue), s
// (QueueSkip) or e (an error).
type Registration struct {
	Resource string            `json:"resource"`
	Action   int64             `json:"action"`
	Hint     bool              `json:"hint"`
	Answers  map[int]string    `json:"answers,omitempty"`
	Errors   map[string]string `json:"errors,omitempty"` // by "event,pod"
}

// Hints asks the plugins of the only profile of a case about events.
func Hints(ctx context.Context, c *cases.Case, events []Event) (map[string][]*Registration, error) {
	e, err := newEngine(ctx, c)
	if err != nil {
		return nil, err
	}
	defer e.cancel()
	type pair struct{ old, new any }
	var objects []pair
	for _, ev := range events {
		var p pair
		for raw, to := range map[*json.RawMessage]*any{&ev.Old: &p.old, &ev.New: &p.new} {
			if len(*raw) == 0 {
				continue
			}
			obj, err := DecodeObject(*raw, nil)
			if err != nil {
				return nil, err
			}
			*to = obj
		}
		objects = append(objects, p)
	}
	out := map[string][]*Registration{}
	for _, env := range e.profiles {
		for name, plugin := range env.plugins {
			ext, ok := plugin.(fwk.EnqueueExtensions)
			if !ok {
				continue
			}
			registered, err := ext.EventsToRegister(e.ctx)
			if err != nil {
				return nil, err
			}
			out[name] = []*Registration{}
			for _, r := range registered {
				reg := &Registration{Resource: string(r.Event.Resource), Action: int64(r.Event.ActionType), Hint: r.QueueingHintFn != nil}
				out[name] = append(out[name], reg)
				if r.QueueingHintFn == nil {
					continue
				}
				for i, ev := range events {
					if ev.Resource != reg.Resource || ev.Action&reg.Action == 0 {
						continue
					}
					if reg.Answers == nil {
						reg.Answers = map[int]string{}
					}
					for k, pod := range e.pods {
						letter, text := ask(e, r.QueueingHintFn, pod, objects[i].old, objects[i].new)
						reg.Answers[i] += letter
						if letter == "e" {
							if reg.Errors == nil {
								reg.Errors = map[string]string{}
							}
							reg.Errors[fmt.Sprintf("%d,%d", i, k)] = text
						}
					}
				}
			}
		}
	}
	return out, nil
}

func ask(e *engine, hint fwk.QueueingHintFn, pod *v1.Pod, old, new any) (string, string) {
	answer, err := hint(e.logger, pod, old, new)
	switch {
	case err != nil:
		return "e", err.Error()
	case answer == fwk.Queue:
		return "q", ""
	}
	return "s", ""
}
