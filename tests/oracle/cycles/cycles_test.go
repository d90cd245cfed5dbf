package cycles

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

func runSteps(t *testing.T, text string) []cases.CyclesResult {
	t.Helper()
	judge.Quiet()
	g, err := Run(context.Background(), json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return g.Steps
}

const (
	node = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}}`
	one  = `{"do": "create", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}}`
	two  = `{"do": "create", "object": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b"}, "spec": {"priority": 9, "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}}`
)

// A pod is bound in the step that creates it; a more important one preempts it, and
// gets the node when the grace period is over.
func TestPreemption(t *testing.T) {
	steps := runSteps(t, `{"options": {"grace": "2s"}, "objects": [`+node+`], "script": [`+one+`, `+two+`, {"do": "advance", "by": "9s"}]}`)
	if v := steps[1].Pods["default/a"]; v.Node != "n" {
		t.Errorf("first: %+v", steps[1])
	}
	verbs := []string{}
	for _, c := range steps[2].API {
		verbs = append(verbs, c.Verb+" "+c.Name)
	}
	if v := steps[2].Pods["default/a"]; !slices.Contains(verbs, "delete default/a") || !v.Deleting || steps[2].Pods["default/b"].Nominated != "n" {
		t.Errorf("second: %v, %+v", verbs, steps[2].Pods)
	}
	if !steps[3].Pods["default/a"].Gone || steps[3].Pods["default/b"].Node != "n" {
		t.Errorf("in the end: %+v", steps[3].Pods)
	}
}

// A slow call holds its pod in the state assumed until it is done.
func TestSlowBinding(t *testing.T) {
	steps := runSteps(t, `{"objects": [`+node+`], "script": [{"do": "fault", "fault": {"verb": "bind", "slow": "1s", "error": "late"}}, `+one+`,
		{"do": "advance", "by": "1500ms"}]}`)
	if !slices.Equal(steps[2].Assumed, []string{"default/a"}) {
		t.Errorf("assumed: %+v", steps[2].Assumed)
	}
	if len(steps[3].Assumed) != 0 || !slices.Contains(steps[3].Queue.ErrorBackoff, "default/a") || steps[3].Pods["default/a"].Node != "" {
		t.Errorf("after the failure: %+v", steps[3])
	}
}

// No cycle begins in a step that holds.
func TestHold(t *testing.T) {
	held := one[:len(one)-1] + `, "hold": true}`
	steps := runSteps(t, `{"objects": [`+node+`], "script": [`+held+`, {"do": "clearFaults"}]}`)
	if len(steps[1].Cycles) != 0 || len(steps[1].Queue.Active) != 1 || len(steps[2].Cycles) != 1 {
		t.Errorf("%+v, then %+v", steps[1].Cycles, steps[2].Cycles)
	}
}

// Each case has the numbers of its own script, whatever the process has run before.
func TestMetricsAreOfTheCaseAlone(t *testing.T) {
	if err := RegisterMetrics(); err != nil {
		t.Fatal(err)
	}
	judge.Quiet()
	text := `{"metrics": true, "objects": [` + node + `], "script": [` + one + `, ` + two + `]}`
	for range 3 {
		g, err := Run(context.Background(), json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]float64{
			"schedule_attempts_total default-scheduler,scheduled":     2,
			"schedule_attempts_total default-scheduler,unschedulable": 1,
			"preemption_victims": 1, "preemption_victims sum": 1, "preemption_victims le 1": 1,
			"queue_incoming_pods_total UnschedulablePodAdd,active":              2,
			"plugin_evaluation_total Filter,NodeResourcesFit,default-scheduler": 5,
		} {
			if g.Metrics[name] != want {
				t.Errorf("%s is %v, not %v", name, g.Metrics[name], want)
			}
		}
		for name := range g.Metrics {
			if family, _, _ := strings.Cut(name, " "); leftOut[family] != "" {
				t.Errorf("%s is there", name)
			}
		}
	}
	g, err := Run(context.Background(), json.RawMessage(`{"script": []}`))
	if err != nil || g.Metrics != nil {
		t.Errorf("not asked for: %v, %v", g, err)
	}
}
