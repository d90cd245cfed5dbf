package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"libsched"
)

// fits lists the verdicts on the five nodes, which are the same for every kind of query.
var fits = []struct {
	name     string
	milliCPU int
	spec     string
	feasible []string
	fitError string
	verdicts map[string]string // of nodes that reject the pod: plugin and reasons
}{
	{
		name: "plain", milliCPU: 500,
		feasible: []string{"big", "small"},
		verdicts: map[string]string{
			"full":    "Unschedulable NodeResourcesFit [Insufficient cpu]",
			"tainted": "UnschedulableAndUnresolvable TaintToleration [node(s) had untolerated taint(s)]",
			"closed":  "UnschedulableAndUnresolvable NodeUnschedulable [node(s) were unschedulable]",
		},
	},
	{
		name: "too big for one", milliCPU: 2000,
		feasible: []string{"big"},
		verdicts: map[string]string{
			"small": "UnschedulableAndUnresolvable NodeResourcesFit [Insufficient cpu]",
		},
	},
	{
		name: "tolerates", milliCPU: 2000,
		spec:     `tolerations: [{operator: Exists}]`,
		feasible: []string{"big", "closed", "tainted"},
	},
	{
		name: "selects", milliCPU: 100,
		spec:     `nodeSelector: {topology.kubernetes.io/zone: a}`,
		feasible: []string{"small"},
		verdicts: map[string]string{
			"big": "UnschedulableAndUnresolvable NodeAffinity [node(s) didn't match Pod's node affinity/selector]",
		},
	},
	{
		name: "fits nowhere", milliCPU: 64000,
		fitError: "0/5 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were " +
			"unschedulable, 3 Insufficient cpu.",
	},
	{
		name: "names a node", milliCPU: 100,
		spec: `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {` +
			`nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: [full]}]}]}}}`,
		fitError: "0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) " +
			"[NodeAffinity].",
	},
}

func describe(s *libsched.Status) string {
	if s.IsSuccess() {
		return "Success"
	}
	return s.Code().String() + " " + s.Plugin() + " [" + s.Message() + "]"
}

func TestFits(t *testing.T) {
	fw := newFramework(t)
	cluster := fiveNodes(t)
	snapshot := must(cluster.Snapshot())(t)
	defer snapshot.Close()
	for _, view := range []libsched.View{cluster, snapshot} {
		for _, c := range fits {
			t.Run(c.name, func(t *testing.T) {
				pod := newPod(t, "p", c.milliCPU, c.spec)
				d := must(fw.CheckPodFits(ctx, view, pod, libsched.CheckOptions{}))(t)
				defer d.Close()
				if got := d.Feasible(); !slices.Equal(got, c.feasible) {
					t.Errorf("feasible: %v, not %v", got, c.feasible)
				}
				if d.Fits() != (len(c.feasible) > 0) || d.FitError() != c.fitError {
					t.Errorf("fits: %v, %q, not %q", d.Fits(), d.FitError(), c.fitError)
				}
				for node, expected := range c.verdicts {
					status, looked := d.Status(node)
					if got := describe(status); !looked || got != expected {
						t.Errorf("decision on %s: %s, not %s", node, got, expected)
					}
				}

				state := preFiltered(t, fw, view, pod)
				for node, expected := range c.verdicts {
					if got := describe(fw.RunFilterPlugins(ctx, state, view, pod,
						node)); got != expected {
						t.Errorf("filter of %s: %s, not %s", node, got, expected)
					}
					row, _ := view.FindNode(node)
					if got := describe(fw.RunFilterPluginsAt(ctx, state, view, pod,
						row)); got != expected {
						t.Errorf("filter at %d: %s, not %s", row, got, expected)
					}
				}
				found := must(fw.FilterNodes(ctx, state, view, pod, libsched.FilterOptions{}))(t)
				names := view.Names(found.Nodes)
				slices.Sort(names)
				if !slices.Equal(names, c.feasible) || found.Count != len(names) {
					t.Errorf("filter of all: %v (%d), not %v", names, found.Count, c.feasible)
				}
				fit, ok, err := fw.FirstFit(ctx, view, pod, libsched.FirstFitOptions{})
				if err != nil || ok != (len(c.feasible) > 0) || ok &&
					!slices.Contains(c.feasible, fit.Node) {
					t.Errorf("first fit: %v %v %v", fit, ok, err)
				}
			})
		}
	}
}

func TestDecisionOnOneNode(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	pod := newPod(t, "p", 500, "")
	d := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{Node: "full"}))(t)
	if d.Fits() || d.NodeCount() != 1 {
		t.Errorf("fits %v on %d nodes", d.Fits(), d.NodeCount())
	}
	if _, looked := d.Status("big"); looked {
		t.Error("another node was looked at")
	}
	_, err := fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{Node: "nowhere"})
	if !errors.Is(err, libsched.ErrNotFound) {
		t.Errorf("unknown node: %v", err)
	}
}

func TestDecisionOutlivesCluster(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	d := must(fw.CheckPodFits(ctx, cluster, newPod(t, "p", 500, ""), libsched.CheckOptions{}))(t)
	cluster.Close()
	fw.Close()
	var nodes []string
	for node, status := range d.Nodes() {
		nodes = append(nodes, node)
		if status.IsSuccess() != slices.Contains(d.Feasible(), node) {
			t.Errorf("%s: %v", node, status)
		}
	}
	if !slices.Equal(nodes, []string{"big", "closed", "full", "small", "tainted"}) {
		t.Errorf("nodes: %v", nodes)
	}
	var explanation struct {
		Pod      string
		Fits     bool
		Feasible []string
		Nodes    []struct{ Node, Code, Plugin string }
	}
	check(t, json.Unmarshal(must(d.ExplainJSON())(t), &explanation))
	if explanation.Pod != "default/p" || !explanation.Fits || len(explanation.Nodes) != 5 {
		t.Errorf("explanation: %+v", explanation)
	}
	for range d.Nodes() {
		break // leaving early releases the decision: Close below frees it
	}
	d.Close()
	if d.Feasible() != nil || d.FitError() != "" || d.NodeCount() != 0 {
		t.Error("a closed decision says something")
	}
}

func TestPreFilterResult(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	state := libsched.NewCycleState()
	defer state.Close()
	pod := newPod(t, "p", 100, fits[5].spec)
	result, status := fw.RunPreFilterPlugins(ctx, state, cluster, pod)
	if !status.IsSuccess() || result.AllNodes() || !slices.Equal(result.NodeNames,
		[]string{"full"}) ||
		!slices.Equal(result.Plugins, []string{"NodeAffinity"}) {
		t.Errorf("%+v, %v", result, status)
	}
	plain := newPod(t, "q", 100, "")
	result, status = fw.RunPreFilterPlugins(ctx, state, cluster, plain)
	if !result.AllNodes() || !status.IsSuccess() {
		t.Errorf("%+v, %v", result, status)
	}
	if !state.SkipsFilter("NodePorts") || state.SkipsFilter("NodeResourcesFit") {
		t.Error("skipped plugins")
	}
}

func TestPreEnqueue(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	gated := newPod(t, "gated", 100, `schedulingGates: [{name: example.com/wait}]`)
	status := fw.RunPreEnqueuePlugins(ctx, cluster, gated)
	if status.Code() != libsched.UnschedulableAndUnresolvable ||
		status.Plugin() != "SchedulingGates" {
		t.Error(status)
	}
	if status := fw.RunPreEnqueuePlugins(ctx, cluster, newPod(t, "p", 100, "")); status != nil {
		t.Error(status)
	}
}

func TestGateAndExcluded(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	gated := newPod(t, "gated", 100, `schedulingGates: [{name: example.com/wait}]`)
	d := must(fw.CheckPodFits(ctx, cluster, gated, libsched.CheckOptions{}))(t)
	if got := describe(d.Gate()); got != "UnschedulableAndUnresolvable SchedulingGates "+
		"[waiting for scheduling gates: [example.com/wait]]" {
		t.Error(got)
	}
	if d.Excluded("big") || d.Err() != nil {
		t.Error(d.Excluded("big"), d.Err())
	}
	d.Close()
	if d.Gate() != nil || !errors.Is(d.Err(), libsched.ErrClosed) {
		t.Error(d.Gate(), d.Err())
	}
	d = must(fw.CheckPodFits(ctx, cluster, newPod(t, "p", 100, fits[5].spec),
		libsched.CheckOptions{JudgeExcluded: true}))(t)
	defer d.Close()
	if d.Gate() != nil || !d.Excluded("big") || d.Excluded("full") || d.Excluded("nowhere") {
		t.Error(d.Gate(), d.Excluded("big"), d.Excluded("full"))
	}
}

func TestClaimsOfDevices(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	pod := newPod(t, "p", 100, `resourceClaims: [{name: c, resourceClaimName: claim}]`)
	_, status := fw.RunPreFilterPlugins(ctx, libsched.NewCycleState(), cluster, pod)
	if status.Code() != libsched.UnschedulableAndUnresolvable || status.Plugin() != "DynamicResources" {
		t.Errorf("%#v", status)
	}
}

func TestFilterNodesOptions(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	pod := newPod(t, "p", 100, `tolerations: [{operator: Exists}]`) // four nodes
	state := preFiltered(t, fw, cluster, pod)
	into := libsched.NewNodeSet(cluster)
	found := must(fw.FilterNodes(ctx, state, cluster, pod, libsched.FilterOptions{Limit: 2,
		Into: into}))(t)
	if found.Count != 2 || found.Nodes.Len() != 2 || &found.Nodes[0] != &into[0] {
		t.Errorf("limit: %+v", found)
	}
	accept := libsched.NewNodeSet(cluster)
	row, _ := cluster.FindNode("closed")
	accept.Add(row)
	found = must(fw.FilterNodes(ctx, state, cluster, pod,
		libsched.FilterOptions{Accept: accept}))(t)
	if found.Count != 1 || found.First != row || !found.Nodes.Has(row) {
		t.Errorf("accept: %+v", found)
	}
	found = must(fw.FilterNodes(ctx, state, cluster, pod,
		libsched.FilterOptions{Accept: libsched.NodeSet{}}))(t)
	if found.Count != 0 || found.First != libsched.NoRow {
		t.Errorf("accept none: %+v", found)
	}
	if _, err := fw.FilterNodes(ctx, state, cluster, pod,
		libsched.FilterOptions{Limit: -1}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	other := newPod(t, "other", 100, "")
	if _, err := fw.FilterNodes(ctx, state, cluster, other,
		libsched.FilterOptions{}); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

// TestFirstFitGoesRound checks that the search wraps around from any start, as for an autoscaler that
// continues where it stopped.
func TestFirstFitGoesRound(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	pod := newPod(t, "p", 100, "")
	var visited []string
	next := 0
	for range 4 {
		fit, ok, err := fw.FirstFit(ctx, cluster, pod, libsched.FirstFitOptions{Start: next})
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if order := cluster.Order(); order[fit.Position] != fit.Row ||
			cluster.NodeAt(fit.Row).Name() != fit.Node {
			t.Errorf("%+v in order %v", fit, order)
		}
		visited = append(visited, fit.Node)
		next = fit.Position + 1
	}
	if !slices.Equal(visited, []string{"small", "big", "small", "big"}) {
		t.Error(visited)
	}
	only := libsched.NewNodeSet(cluster)
	row, _ := cluster.FindNode("big")
	only.Add(row)
	if fit, ok, err := fw.FirstFit(ctx, cluster, pod,
		libsched.FirstFitOptions{Accept: only}); !ok || fit.Node != "big" {
		t.Error(fit, ok, err)
	}
}

func TestContext(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	pod := newPod(t, "p", 100, "")
	state := preFiltered(t, fw, cluster, pod)
	ended, cancel := context.WithCancel(ctx)
	live, stop := context.WithCancel(ctx)
	defer stop()
	cancel()
	_, filterErr := fw.FilterNodes(ended, state, cluster, pod, libsched.FilterOptions{})
	_, _, fitErr := fw.FirstFit(ended, cluster, pod, libsched.FirstFitOptions{})
	_, checkErr := fw.CheckPodFits(ended, cluster, pod, libsched.CheckOptions{})
	statusErr := fw.RunFilterPlugins(ended, state, cluster, pod, "big").AsError()
	for _, err := range []error{filterErr, fitErr, checkErr, statusErr} {
		if !errors.Is(err, libsched.ErrCancelled) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	}
	// A context that may end, but does not, changes nothing.
	for range 3 {
		if found := must(fw.FilterNodes(live, state, cluster, pod,
			libsched.FilterOptions{}))(t); found.Count != 2 {
			t.Error(found)
		}
	}
}
