package libsched_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"libsched"
)

func TestRunCycle(t *testing.T) {
	fw, cluster := affineTrio(t)
	state := libsched.NewCycleState()
	defer state.Close()
	run := func(view libsched.View, pod *libsched.Pod, o libsched.CycleOptions) libsched.CycleResult {
		t.Helper()
		return must(fw.RunCycle(ctx, state, view, pod, o))(t)
	}
	r := run(cluster, newPod(t, "x", 2000, likes("a=10 b=90 c=40")), libsched.CycleOptions{})
	row, _ := cluster.FindNode("c")
	if r.Node != "c" || r.Row != row || r.Total != 500 || r.Status != nil || r.Feasible != 2 ||
		r.Evaluated != 3 || r.NextStart != 0 || cluster.PodCount() != 0 {
		t.Errorf("%+v", r)
	}
	snapshot := must(cluster.Snapshot())(t)
	defer snapshot.Close()
	alone := newPod(t, "x", 100, "nodeSelector: {kubernetes.io/hostname: b}")
	if r := run(snapshot, alone, libsched.CycleOptions{}); r.Node != "b" || r.Total != 0 || r.Feasible != 1 {
		t.Errorf("%+v", r)
	}
	any := newPod(t, "x", 100, "")
	if r := run(cluster, any, libsched.CycleOptions{Ties: libsched.TiesName}); r.Node != "a" {
		t.Errorf("%+v", r)
	}
	if r := run(cluster, any, libsched.CycleOptions{Sampling: true, Start: 2}); r.NextStart != 2 {
		t.Errorf("%+v", r) // three nodes are all looked at, so it goes round once
	}
	if r := run(cluster, newPod(t, "x", 64000, ""), libsched.CycleOptions{}); r.Node != "" ||
		r.Row != libsched.NoRow || r.Status.Code() != libsched.Unschedulable ||
		r.Status.Plugin() != "NodeResourcesFit" ||
		r.Status.Message() != "0/3 nodes are available: 3 Insufficient cpu." {
		t.Errorf("%+v %v", r, r.Status)
	}
	for _, wrong := range []libsched.CycleOptions{{Ties: 3}, {Start: -1}} {
		if _, err := fw.RunCycle(ctx, state, cluster, any, wrong); !errors.Is(err, libsched.ErrInvalid) {
			t.Error(wrong, err)
		}
	}
	if _, err := fw.RunCycle(ctx, nil, cluster, any, libsched.CycleOptions{}); !errors.Is(err,
		libsched.ErrMisuse) {
		t.Error(err)
	}
}

// TestRunCycleSampling samples 300 nodes, half of which take the pod: a cycle looks for 100.
func TestRunCycleSampling(t *testing.T) {
	c := must(libsched.NewCluster(libsched.InsertionOrder()))(t)
	defer c.Close()
	for i := range 300 {
		check(t, c.AddNode(newNode(t, fmt.Sprintf("n%03d", i), 1+7*(i%2), "z", "")))
	}
	fw, pod, state := newFramework(t), newPod(t, "x", 2000, ""), libsched.NewCycleState()
	defer state.Close()
	all := must(fw.RunCycle(ctx, state, c, pod, libsched.CycleOptions{}))(t)
	if all.Feasible != 150 || all.Evaluated != 300 || all.NextStart != 0 {
		t.Errorf("%+v", all)
	}
	first := must(fw.RunCycle(ctx, state, c, pod, libsched.CycleOptions{Sampling: true}))(t)
	if first.Feasible < 100 || first.Feasible >= 150 || first.NextStart != first.Evaluated%300 {
		t.Errorf("%+v", first)
	}
	next := must(fw.RunCycle(ctx, state, c, pod, libsched.CycleOptions{Sampling: true,
		Start: first.NextStart}))(t)
	if next.NextStart != (first.NextStart+next.Evaluated)%300 {
		t.Errorf("%+v", next)
	}
}

func TestRandomTies(t *testing.T) {
	run := func(seed uint64, options ...libsched.FrameworkOption) string {
		_, cluster := affineTrio(t) // the first cycle of an evaluator is the seed's alone
		fw := newFramework(t, append(options, libsched.WithConfigYAML([]byte(affine)))...)
		state := libsched.NewCycleState()
		defer state.Close()
		ties := libsched.TiesRandom
		if len(options) != 0 {
			ties = libsched.TiesUpstream
		}
		return must(fw.RunCycle(ctx, state, cluster, newPod(t, "x", 100, ""),
			libsched.CycleOptions{Ties: ties, Seed: seed}))(t).Node
	}
	for name, options := range map[string][]libsched.FrameworkOption{
		"random": nil, "1.31": {libsched.WithSemantics("1.31")}} {
		seen := map[string]bool{}
		for seed := range uint64(32) {
			node := run(seed, options...)
			seen[node] = true
			if run(seed, options...) != node {
				t.Error(name, "seed", seed, "is not reproducible")
			}
		}
		if len(seen) != 3 {
			t.Error(name, seen)
		}
	}
	for seed := range uint64(8) {
		if node := run(seed, libsched.WithSemantics("1.36")); node != run(0, libsched.WithSemantics("1.36")) {
			t.Error("a seed matters to upstream's ties:", node)
		}
	}
}

func TestSemantics(t *testing.T) {
	for release, text := range map[string]string{
		"1.36-eks": `unknown semantics "1.36-eks": choose "1.37", "1.36", "1.35", "1.34", "1.33", "1.32" or "1.31"`,
		"1.30":     `unknown semantics "1.30": choose "1.37", "1.36", "1.35", "1.34", "1.33", "1.32" or "1.31"`,
		"1.38":     `unknown semantics "1.38": choose "1.37", "1.36", "1.35", "1.34", "1.33", "1.32" or "1.31"`} {
		fw, err := libsched.NewFramework(libsched.WithSemantics(release))
		if fw != nil || !errors.Is(err, libsched.ErrUnsupported) || !strings.Contains(err.Error(), text) {
			t.Error(release, fw, err)
		}
	}
	cluster, pod := fiveNodes(t), newPod(t, "x", 100, "")
	reasons := map[string]string{}
	for _, release := range []string{"", "1.36", "v1.36.3-gke.100", "1.31", "v1.31.9-eks-1"} {
		fw := newFramework(t, libsched.WithSemantics(release))
		s := fw.RunFilterPlugins(ctx, preFiltered(t, fw, cluster, pod), cluster, pod, "tainted")
		reasons[release] = s.Message()
	}
	if reasons[""] != reasons["1.36"] || reasons["v1.36.3-gke.100"] != reasons["1.36"] ||
		reasons["v1.31.9-eks-1"] != reasons["1.31"] ||
		reasons["1.31"] != "node(s) had untolerated taint {dedicated: batch}" ||
		reasons["1.36"] == reasons["1.31"] {
		t.Error(reasons)
	}
}

func TestConfigSemantics(t *testing.T) {
	document := []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
		"profiles: [{plugins: {podGroupPostFilter: {disabled: [{name: '*'}]}}}]\n")
	if _, err := libsched.ParseConfig(document, libsched.ConfigSemantics("1.36")); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if _, err := libsched.ParseConfig(nil, libsched.ConfigSemantics("1.30")); !errors.Is(err, libsched.ErrUnsupported) {
		t.Error(err)
	}
	config := must(libsched.ParseConfig(document, libsched.ConfigSemantics("v1.37.1")))(t)
	defer config.Close()
	for _, fw := range []*libsched.Framework{
		newFramework(t, libsched.WithConfig(config)),
		newFramework(t, libsched.WithConfig(config), libsched.WithSemantics("1.37")),
		newFramework(t, libsched.WithConfigYAML(document), libsched.WithSemantics("1.37"))} {
		if first := must(fw.Plugins())(t)["preFilter"][0].Name; first != "NodeName" {
			t.Error("not the plugins of 1.37:", first)
		}
	}
	_, err := libsched.NewFramework(libsched.WithConfig(config), libsched.WithSemantics("1.36"))
	if !errors.Is(err, libsched.ErrInvalid) || !strings.Contains(err.Error(), "read with the semantics of 1.37") {
		t.Error(err)
	}
}

func TestAssumeAndForget(t *testing.T) {
	fw, cluster := affineTrio(t)
	state, pod := libsched.NewCycleState(), newPod(t, "x", 3000, "")
	defer state.Close()
	r := must(fw.RunCycle(ctx, state, cluster, pod, libsched.CycleOptions{Ties: libsched.TiesName}))(t)
	if s := fw.Assume(ctx, state, cluster, pod, r.Node); r.Node != "a" || !s.IsSuccess() {
		t.Fatal(r, s)
	}
	if requested(t, cluster, "a") != 3000 {
		t.Error(requested(t, cluster, "a"))
	}
	if s := fw.Assume(ctx, state, cluster, pod, "c"); !errors.Is(s.AsError(), libsched.ErrExists) {
		t.Error(s)
	}
	check(t, fw.Forget(ctx, state, cluster, pod))
	check(t, fw.Forget(ctx, state, cluster, pod)) // only unreserves
	if cluster.PodCount() != 0 {
		t.Error(cluster.PodCount())
	}
	if s := fw.Assume(ctx, state, cluster, pod, "z"); !errors.Is(s.AsError(), libsched.ErrNotFound) {
		t.Error(s)
	}
	if s := fw.Assume(ctx, state, nil, pod, "a"); !errors.Is(s.AsError(), libsched.ErrMisuse) {
		t.Error(s)
	}
	check(t, cluster.AddPod(pod, "a"))
	if err := fw.Forget(ctx, state, cluster, pod); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

// TestCheckedState uses the state of CheckPodFits for Assume.
func TestCheckedState(t *testing.T) {
	fw, cluster := affineTrio(t)
	state, pod := libsched.NewCycleState(), newPod(t, "x", 3000, "")
	d := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{Score: true, State: state}))(t)
	defer d.Close()
	if !state.SkipsScore("NodeAffinity") {
		t.Error("the state was not filled")
	}
	if s := fw.Assume(ctx, state, cluster, pod, d.Best()[0]); !s.IsSuccess() {
		t.Error(s)
	}
	state.Close()
	if _, err := fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{State: state}); !errors.Is(err,
		libsched.ErrClosed) {
		t.Error(err)
	}
	if state.SkipsScore("NodeAffinity") {
		t.Error("an answer after Close")
	}
}

func TestClusterAssume(t *testing.T) {
	_, cluster := affineTrio(t)
	pod := newPod(t, "x", 1000, "")
	check(t, cluster.Fork())
	check(t, cluster.Assume(pod, "a"))
	if requested(t, cluster, "a") != 1000 {
		t.Error(requested(t, cluster, "a"))
	}
	if err := cluster.Assume(pod, "b"); !errors.Is(err, libsched.ErrExists) {
		t.Error(err)
	}
	check(t, cluster.Forget("default", "x"))
	check(t, cluster.Forget("default", "x"))
	check(t, cluster.Assume(pod, "b"))
	check(t, cluster.Revert())
	if cluster.PodCount() != 0 {
		t.Error(cluster.PodCount())
	}
	if err := cluster.Assume(pod, ""); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	check(t, cluster.AddPod(pod, "a"))
	if err := cluster.Forget("default", "x"); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}
