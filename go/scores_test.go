package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"libsched"
)

// affine enables only NodeAffinity for scoring, with weight 5, so that it alone decides the best node.
const affine = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    preScore: {disabled: [{name: "*"}], enabled: [{name: NodeAffinity}]}
    score: {disabled: [{name: "*"}], enabled: [{name: NodeAffinity, weight: 5}]}
`

// likes returns the spec of a pod that prefers nodes: "a=10 b=90".
func likes(weights string) string {
	var terms []string
	for _, one := range strings.Fields(weights) {
		name, weight, _ := strings.Cut(one, "=")
		terms = append(terms, fmt.Sprintf("{weight: %s, preference: {matchExpressions: [{key: "+
			"kubernetes.io/hostname, operator: In, values: [%s]}]}}", weight, name))
	}
	return "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" +
		strings.Join(terms, ", ") + "]}}"
}

// affineTrio makes a cluster of nodes a (4 CPU), b (1) and c (4).
func affineTrio(t testing.TB) (*libsched.Framework, *libsched.Cluster) {
	t.Helper()
	c := must(libsched.NewCluster())(t)
	t.Cleanup(c.Close)
	check(t, c.AddNodes([]*libsched.Node{newNode(t, "a", 4, "z", ""), newNode(t, "b", 1, "z", ""),
		newNode(t, "c", 4, "z", "")}))
	return newFramework(t, libsched.WithConfigYAML([]byte(affine))), c
}

func scored(t testing.TB, fw *libsched.Framework, view libsched.View, pod *libsched.Pod) *libsched.Decision {
	t.Helper()
	d := must(fw.CheckPodFits(ctx, view, pod, libsched.CheckOptions{Score: true}))(t)
	t.Cleanup(d.Close)
	return d
}

// checkScores expects 10 points of NodeAffinity for a and 40 for c.
func checkScores(t *testing.T, s *libsched.Scores) {
	t.Helper()
	column := s.Plugin("NodeAffinity")
	if column == nil || len(s.Plugins) != 1 || column.Weight != 5 || s.Plugin("Nonesuch") != nil ||
		!slices.Equal(s.Nodes, []string{"a", "c"}) ||
		!slices.Equal(column.Raw, []int64{10, 40}) ||
		!slices.Equal(column.Normalized, []int64{25, 100}) ||
		!slices.Equal(column.Weighted, []int64{125, 500}) ||
		!slices.Equal(s.Totals, []int64{125, 500}) || !slices.Equal(s.Best(), []string{"c"}) {
		t.Fatalf("%+v", s)
	}
	total, ok := s.Total("c")
	if _, other := s.Total("b"); total != 500 || !ok || other {
		t.Error(total, ok, other)
	}
}

func TestDecisionScores(t *testing.T) {
	fw, cluster := affineTrio(t)
	d := scored(t, fw, cluster, newPod(t, "x", 2000, likes("a=10 b=90 c=40")))
	s := d.Scores()
	checkScores(t, s)
	if s.Rows != nil || !slices.Equal(d.Best(), []string{"c"}) || d.ScoreError() != "" ||
		len(d.SkipScore()) != 0 {
		t.Error(s.Rows, d.Best(), d.ScoreError(), d.SkipScore())
	}
	var told struct {
		Best   []string
		Scores []struct {
			Node    string
			Total   int64
			Plugins map[string]struct{ Raw, Normalized, Weighted int64 }
		}
	}
	check(t, json.Unmarshal(must(d.ExplainJSON())(t), &told))
	if len(told.Scores) != 2 || !slices.Equal(told.Best, d.Best()) {
		t.Fatal(told)
	}
	for i, one := range told.Scores {
		p := one.Plugins["NodeAffinity"]
		if at := slices.Index(s.Nodes, one.Node); at < 0 || one.Total != s.Totals[at] ||
			p.Raw != s.Plugins[0].Raw[at] || p.Normalized != s.Plugins[0].Normalized[at] ||
			p.Weighted != s.Plugins[0].Weighted[at] {
			t.Error(i, one)
		}
	}
	d.Close() // copies stay valid
	checkScores(t, s)
	if d.Scores() != nil || d.Best() != nil || d.ScoreError() != "" || d.SkipScore() != nil {
		t.Error("answers after Close")
	}
}

func TestDecisionWithoutScores(t *testing.T) {
	fw, cluster := affineTrio(t)
	plain := must(fw.CheckPodFits(ctx, cluster, newPod(t, "x", 1, likes("a=1")), libsched.CheckOptions{}))(t)
	defer plain.Close()
	none := scored(t, fw, cluster, newPod(t, "x", 64000, ""))
	for _, d := range []*libsched.Decision{plain, none} {
		if d.Scores() != nil || d.Best() != nil {
			t.Error(d.Scores(), d.Best())
		}
	}
	skipped := scored(t, fw, cluster, newPod(t, "x", 100, ""))
	if s := skipped.Scores(); !slices.Equal(skipped.SkipScore(), []string{"NodeAffinity"}) ||
		len(s.Plugins) != 0 || !slices.Equal(s.Totals, []int64{0, 0, 0}) ||
		!slices.Equal(skipped.Best(), []string{"a", "b", "c"}) {
		t.Errorf("%v %+v", skipped.SkipScore(), s)
	}
	var nothing *libsched.Scores
	if _, ok := nothing.Total("a"); ok || nothing.Best() != nil || nothing.Plugin("p") != nil {
		t.Error("nil Scores")
	}
}

func TestScorePlugins(t *testing.T) {
	fw, cluster := affineTrio(t)
	snapshot := must(cluster.Snapshot())(t)
	defer snapshot.Close()
	pod := newPod(t, "x", 2000, likes("a=10 b=90 c=40"))
	for _, view := range []libsched.View{cluster, snapshot} {
		state := preFiltered(t, fw, view, pod)
		found := must(fw.FilterNodes(ctx, state, view, pod, libsched.FilterOptions{}))(t)
		if s := fw.RunPreScorePlugins(ctx, state, view, pod, found.Nodes); !s.IsSuccess() ||
			state.SkipsScore("NodeAffinity") {
			t.Fatal(s)
		}
		scores, status := fw.RunScorePlugins(ctx, state, view, pod, found.Nodes)
		if !status.IsSuccess() || len(scores.Rows) != 2 {
			t.Fatal(status, scores)
		}
		checkScores(t, scores)
		totals := make([]int64, 64*len(found.Nodes))
		if s := fw.RunScorePluginTotals(ctx, state, view, pod, found.Nodes, totals); !s.IsSuccess() {
			t.Fatal(s)
		}
		for i, row := range scores.Rows {
			if at, _ := view.FindNode(scores.Nodes[i]); at != row || totals[row] != scores.Totals[i] {
				t.Error(row, at, totals[row])
			}
		}
		for _, short := range [][]int64{nil, totals[:len(totals)-1]} {
			if s := fw.RunScorePluginTotals(ctx, state, view, pod, found.Nodes, short); !errors.Is(
				s.AsError(), libsched.ErrBuffer) {
				t.Error(s)
			}
		}
		if s := fw.RunPreScorePlugins(ctx, state, view, pod, nil); !errors.Is(s.AsError(),
			libsched.ErrBuffer) {
			t.Error(s)
		}
		stranger := newPod(t, "z", 100, "")
		if s := fw.RunPreScorePlugins(ctx, state, view, stranger, found.Nodes); !errors.Is(s.AsError(),
			libsched.ErrState) {
			t.Error(s)
		}
		if s, status := fw.RunScorePlugins(ctx, state, view, stranger, found.Nodes); s != nil ||
			!errors.Is(status.AsError(), libsched.ErrState) {
			t.Error(s, status)
		}
	}
	plain := newPod(t, "y", 100, "")
	state := preFiltered(t, fw, cluster, plain)
	all := must(fw.FilterNodes(ctx, state, cluster, plain, libsched.FilterOptions{}))(t)
	if s := fw.RunPreScorePlugins(ctx, state, cluster, plain, all.Nodes); !s.IsSuccess() ||
		!state.SkipsScore("NodeAffinity") {
		t.Error(s)
	}
}

func TestScoringSideBySide(t *testing.T) {
	fw, cluster := affineTrio(t)
	snapshot := must(cluster.Snapshot())(t)
	defer snapshot.Close()
	pod := newPod(t, "x", 2000, likes("a=10 b=90 c=40"))
	var group sync.WaitGroup
	for range 8 {
		group.Add(1)
		go func() {
			defer group.Done()
			state := libsched.NewCycleState()
			defer state.Close()
			for range 50 {
				r, err := fw.RunCycle(ctx, state, snapshot, pod, libsched.CycleOptions{})
				if err != nil || r.Node != "c" || r.Total != 500 {
					t.Error(r, err)
					return
				}
				d, err := fw.CheckPodFits(ctx, snapshot, pod, libsched.CheckOptions{Score: true})
				if err != nil || !slices.Equal(d.Scores().Totals, []int64{125, 500}) {
					t.Error(err)
					return
				}
				d.Close()
			}
		}()
	}
	group.Wait()
}

func TestScoringCancelled(t *testing.T) {
	fw, cluster := affineTrio(t)
	ended, cancel := context.WithCancel(ctx)
	pod, state := newPod(t, "x", 100, ""), libsched.NewCycleState()
	defer state.Close()
	must(fw.RunCycle(ended, state, cluster, pod, libsched.CycleOptions{}))(t)
	cancel()
	if _, err := fw.RunCycle(ended, state, cluster, pod, libsched.CycleOptions{}); !errors.Is(err,
		context.Canceled) || !errors.Is(err, libsched.ErrCancelled) {
		t.Error(err)
	}
	must(fw.RunCycle(ctx, state, cluster, pod, libsched.CycleOptions{}))(t)
}
