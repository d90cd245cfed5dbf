package queue

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

func run1(t *testing.T, text string) (*cases.QueueGolden, error) {
	t.Helper()
	judge.Quiet()
	return Run(context.Background(), json.RawMessage(text))
}

const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}`

// A pod that fails waits for its backoff. Pop takes it from the backoffQ before
// that, and its end is at a full second, unless the gate is off.
func TestBackoff(t *testing.T) {
	const script = `"script": [{"do": "add", "pod": ` + pod + `}, {"do": "pop"}, {"do": "fail", "unschedulable": ["NodeName"]},
		{"do": "move", "resource": "*", "actions": ["All"], "label": "ForceActivate"}, {"do": "pop"}, {"do": "advance", "by": "3s"}, {"do": "flushBackoff"}]`
	for gates, want := range map[string]struct {
		popped string
		expiry int64
	}{
		`{}`: {"default/p", 1_000_000_000}, `{"SchedulerPopFromBackoffQ": false}`: {"(blocks)", 1_300_003_000},
	} {
		g, err := run1(t, `{"gates": `+gates+`, `+script+`}`)
		if err != nil {
			t.Fatal(err)
		}
		moved := g.Steps[3]
		if moved.Now != 300_004_000 || len(moved.Backoff) != 1 || *moved.Changed["default/p"].BackoffExpiration != want.expiry {
			t.Errorf("moved: %+v", moved)
		}
		if g.Steps[4].Popped != want.popped {
			t.Errorf("%s: popped %s", gates, g.Steps[4].Popped)
		}
		if last := g.Steps[6]; (want.popped == "(blocks)") != (len(last.Active) == 1) {
			t.Errorf("%s: %+v", gates, last.Active)
		}
	}
}

// A Pop that waits gets its pod in the step that brings the pod.
func TestPopWaits(t *testing.T) {
	g, err := run1(t, `{"script": [{"do": "pop", "wait": true}, {"do": "pop"}, {"do": "add", "pod": `+pod+`}, {"do": "close"}, {"do": "pop"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	var popped []string
	for _, s := range g.Steps {
		popped = append(popped, s.Popped)
	}
	if got := strings.Join(popped, " "); got != "(waits) (busy) default/p  (nil)" {
		t.Error(got)
	}
}

func TestBadCases(t *testing.T) {
	for text, want := range map[string]string{
		`{"script": [{"do": "dance"}]}`:                       "script[0] dance: unknown step",
		`{"script": [{"do": "delete", "name": "default/x"}]}`: `no pod "default/x"`,
		`{"script": [{"do": "update", "pod": ` + pod + `}]}`:  "has no earlier version",
		`{"plugins": [{"name": "x", "rules": {"sing": []}}]}`: `unknown point "sing"`,
		`{"plugins": [{"name": "x"}], "script": [{"do": "rules", "plugin": "x", "point": "permit", "rules": [{"code": "No"}]}]}`: `unknown code "No"`,
		`{"objects": [` + pod + `]}`: "no lister for *v1.Pod",
		`{"script": [{"do": "move", "resource": "Node", "actions": ["Fly"]}]}`: `unknown action "Fly"`,
	} {
		if _, err := run1(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
