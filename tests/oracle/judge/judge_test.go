package judge

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"libsched.dev/tests/oracle/cases"
)

const (
	node   = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"zone": "a"}}, "status": {"allocatable": {"cpu": "1", "pods": "9"}}}`
	victim = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "v"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
		"status": {"startTime": "2026-01-01T00:00:00Z"}}`
	urgent = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"priority": 9, "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}`
)

func run(t *testing.T, text string) *cases.Golden {
	t.Helper()
	Quiet()
	var c cases.Case
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	g, err := Run(context.Background(), &c)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A profile without DefaultPreemption at postFilter does not preempt, even if it
// makes the plugin.
func TestPreemptionOnlyAtPostFilter(t *testing.T) {
	const world = `"objects": [` + node + `,` + victim + `], "pods": [` + urgent + `]`
	if p := run(t, `{`+world+`}`).Pods[0]; p.PostFilter == nil || p.PostFilter.NominatedNode != "n" {
		t.Errorf("by default: %+v", p.PostFilter)
	}
	const off = `"config": {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
		"profiles": [{"plugins": {"postFilter": {"disabled": [{"name": "DefaultPreemption"}]}}}]}`
	if p := run(t, `{`+off+`,`+world+`}`).Pods[0]; p.PostFilter != nil || p.FinalError != "" || p.FitError == "" {
		t.Errorf("disabled: %+v, %q", p.PostFilter, p.FinalError)
	}
}

// Defaults are those of all kinds: a StorageClass without a mode binds at once, so
// its unbound claim keeps the pod from every node.
func TestDefaultsOfAllKinds(t *testing.T) {
	const world = `"objects": [` + node + `,
		{"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "s"}, "provisioner": "x"},
		{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": {"storageClassName": "s"}}],
		"pods": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}],
			"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}}]`
	p := run(t, `{"defaults": true, `+world+`}`).Pods[0]
	if !strings.Contains(p.FitError, "pod has unbound immediate PersistentVolumeClaims") {
		t.Errorf("got %q, %q", p.Error, p.FitError)
	}
}

// The API server merges matchLabelKeys into the selector of a pod affinity term.
func TestDefaultsMergeLabelKeys(t *testing.T) {
	const world = `"objects": [` + node + `,
		{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"app": "x", "v": "1"}}, "spec": {"nodeName": "n"}}],
		"pods": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {"v": "2"}}, "spec": {"affinity": {"podAntiAffinity": {
			"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "matchLabelKeys": ["v"],
				"labelSelector": {"matchLabels": {"app": "x"}}}]}}}}]`
	for defaults, fits := range map[string]int{"false": 0, "true": 1} {
		if p := run(t, `{"defaults": `+defaults+`, `+world+`}`).Pods[0]; len(p.Feasible) != fits {
			t.Errorf("defaults %s: feasible %v, %s", defaults, p.Feasible, p.FitError)
		}
	}
}

// Applying an unchanged object again has no effect, because informers would not deliver it: the nodes
// with an image are not counted again.
func TestChangesOfNothing(t *testing.T) {
	const image = `"status": {"allocatable": {"pods": "9"}, "images": [{"names": ["i:latest"], "sizeBytes": 900000000}]}`
	const first = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}, ` + image + `}`
	const second = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "b"}, ` + image + `}`
	const wanted = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}`
	score := func(again string) int64 {
		g := run(t, `{"objects": [`+first+`], "pods": [`+wanted+`], "changes": [{"apply": [`+second+`,`+again+`]}]}`)
		return g.Pods[0].Scores[0].Plugins["ImageLocality"].Raw
	}
	changed := strings.Replace(first, `"name": "a"`, `"name": "a", "annotations": {"x": "y"}`, 1)
	if one, other := score(first), score(changed); one >= other {
		t.Errorf("applied again: %d, changed: %d", one, other)
	}
}

// The scheduler does not see a terminated pod, whatever ended it.
func TestChangesOfEndedPods(t *testing.T) {
	ended := strings.Replace(victim, `"status": {`, `"status": {"phase": "Succeeded", `, 1)
	for _, bound := range []string{victim, `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "x"}}`} {
		g := run(t, `{"objects": [`+node+`,`+bound+`], "pods": [`+urgent+`], "changes": [{"apply": [`+ended+`]}]}`)
		if len(g.Pods[0].Feasible) != 1 {
			t.Errorf("feasible %v, %s", g.Pods[0].Feasible, g.Pods[0].FitError)
		}
	}
}
