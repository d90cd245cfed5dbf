package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"libsched"
)

// Picky is a plugin in Go that takes nodes whose name ends as it says.
type Picky struct {
	End   string
	calls int
	ctx   context.Context
	act   func(*libsched.CycleState)
}

func (*Picky) Name() string { return "Picky" }

func (p *Picky) Filter(ctx context.Context, state *libsched.CycleState, _ *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	p.calls++
	p.ctx = ctx
	if p.act != nil {
		p.act(state)
	}
	if strings.HasSuffix(node.Name(), p.End) {
		return nil
	}
	return libsched.NewStatus(libsched.Unschedulable, "the name ends differently")
}

func pickySim(t *testing.T) (*libsched.Sim, *Picky) {
	t.Helper()
	picky := &Picky{End: "1"}
	registry := must(libsched.NewRegistry())(t)
	check(t, registry.Register("Picky", func(context.Context, json.RawMessage, libsched.Handle) (libsched.Plugin, error) {
		return picky, nil
	}, (*Picky)(nil)))
	return newSim(t, newCatalog(t), libsched.WithRegistry(registry), libsched.WithConfigYAML([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles: [{plugins: {multiPoint: {enabled: [{name: Picky}]}}}]`))), picky
}

func TestASimAsksPluginsInGo(t *testing.T) {
	s, picky := pickySim(t)
	c := s.Catalog()
	shape := nodeRef(t, c, nodeText("n", 4, "a", ""))
	ids := make([]libsched.NodeID, 3)
	check(t, s.AddNodes(shape, []string{"n0", "n1", "n2"}, ids))
	pod := podRefs(t, c, libsched.ContentOptions{}, podText("p", 100, ""))[0]
	type key struct{}
	with := context.WithValue(ctx, key{}, "value")
	var why libsched.Verdict
	if fits := must(s.Check(with, pod, ids[0], &why))(t); fits || why.Plugin != "Picky" ||
		why.Reasons[0] != "the name ends differently" || picky.ctx.Value(key{}) != "value" {
		t.Errorf("%v %+v", fits, why)
	}
	for i := range 3 {
		before := picky.calls
		if hit, ok, err := s.First(ctx, pod, nil, nil); err != nil || !ok || hit.Node != ids[1] || picky.calls == before {
			t.Error(i, hit, ok, err, picky.calls)
		}
	}
	picky.End = "2" // nothing of its answers is kept
	if hit, ok, err := s.First(ctx, pod, nil, nil); err != nil || !ok || hit.Node != ids[2] {
		t.Error(hit, ok, err)
	}
	var inner error
	picky.act = func(state *libsched.CycleState) {
		inner = s.Fork()
		if view := state.View(); view == nil || view.NodeCount() != 3 {
			t.Error("the plugin does not see the cluster")
		}
	}
	must(s.Check(ctx, pod, ids[2], nil))(t)
	if !errors.Is(inner, libsched.ErrState) {
		t.Error("a plugin changed the Sim that asks it:", inner)
	}
	picky.act = func(*libsched.CycleState) { panic("broken") }
	if fits, err := s.Check(ctx, pod, ids[2], &why); fits || err != nil || why.Code != libsched.CodeError ||
		!strings.Contains(why.Reasons[0], "broken") {
		t.Error(fits, err, why)
	}
}

func TestSimContexts(t *testing.T) {
	s, n, pods := threeNodes(t)
	ended, cancel := context.WithCancel(ctx)
	must(s.Check(ended, pods.small, n[0], nil))(t)
	cancel()
	for range 2 {
		if _, err := s.Check(ended, pods.small, n[0], nil); !errors.Is(err, context.Canceled) || !errors.Is(err, libsched.ErrCancelled) {
			t.Error(err)
		}
		must(s.Check(ctx, pods.small, n[0], nil))(t)
		other, cancelOther := context.WithCancel(ctx)
		must(s.Check(other, pods.small, n[0], nil))(t) // the flag of the ended one is gone
		cancelOther()
	}
	past, cancelPast := context.WithDeadline(ctx, time.Unix(1, 0))
	defer cancelPast()
	if _, _, err := s.First(past, pods.small, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if _, err := s.Check(nil, pods.small, n[0], nil); !errors.Is(err, libsched.ErrMisuse) { //nolint:staticcheck
		t.Error(err)
	}
}

// TestAContextEndsACall ends a call while it runs.
func TestAContextEndsACall(t *testing.T) {
	s, picky := pickySim(t)
	c := s.Catalog()
	node := must(s.AddNode(nodeRef(t, c, nodeText("n", 4, "a", "")), "n0"))(t)
	pods := make([]libsched.PodRef, 1000)
	for i := range pods {
		pods[i] = podRefs(t, c, libsched.ContentOptions{}, podText("p", 1, ""))[0]
	}
	picky.End = "0"
	ending, cancel := context.WithCancel(ctx)
	picky.act = func(*libsched.CycleState) {
		if picky.calls == 5 {
			cancel()
			time.Sleep(50 * time.Millisecond) // until the library knows
		}
	}
	hits := make([]libsched.Hit, len(pods))
	placed, err := s.PlaceMany(ending, pods, nil, libsched.PlaceOptions{RetryFailed: true}, hits)
	if !errors.Is(err, context.Canceled) || placed == 0 || placed >= 100 || placed != len(s.PodsOn(node, nil)) {
		t.Error(placed, err, len(s.PodsOn(node, nil)))
	}
}

func TestUseOfAClosedSim(t *testing.T) {
	s, n, pods := threeNodes(t)
	open, _, _ := threeNodes(t)
	objects := must(libsched.ParseObjects([]byte(documents)))(t)
	s.Close()
	s.Close()
	var none *libsched.Sim
	none.Close()
	(&libsched.Sim{}).Close()
	hits := make([]libsched.Hit, 1)
	for name, x := range map[string]struct {
		s    *libsched.Sim
		want error
	}{"closed": {s, libsched.ErrClosed}, "nil": {none, libsched.ErrMisuse}, "zero": {&libsched.Sim{}, libsched.ErrMisuse}} {
		s := x.s
		_, addNode := s.AddNode(1, "x")
		_, addPod := s.AddPod(1, 1)
		_, checkErr := s.Check(ctx, pods.small, n[0], nil)
		_, _, firstErr := s.First(ctx, pods.small, nil, nil)
		_, _, feasible := s.Feasible(ctx, pods.small, nil, nil)
		_, place := s.PlaceMany(ctx, []libsched.PodRef{1}, nil, libsched.PlaceOptions{}, hits)
		_, pack := s.BinPack(ctx, nil, 1, libsched.PackOptions{})
		_, remove := s.Remove(ctx, n[0], []libsched.PodID{1}, nil, libsched.RemoveOptions{}, hits)
		_, explain := s.ExplainJSON(1, 1)
		for i, err := range []error{addNode, addPod, checkErr, firstErr, feasible, place, pack, remove, explain,
			s.Reset(nil, nil, nil, nil, nil), s.Load(objects), s.PutObjects(objects), s.RemoveObject("Pod", "", ""),
			s.AddNodes(1, nil, nil), s.RemoveNode(1), s.ReplaceNode(1, 1), s.AddPods(nil, nil, nil), s.RemovePods(),
			s.Fork(), s.Commit(), s.Revert(), s.CheckMany(ctx, nil, nil, nil, nil)} {
			if !errors.Is(err, x.want) {
				t.Errorf("%s, %d: %v", name, i, err)
			}
		}
		_, found := s.Find("n0")
		if found || s.NodeCount()+s.PodCount()+s.Depth()+s.RowCount() != 0 || s.Name(n[0]) != "" || s.Position(n[0]) != -1 ||
			s.Nodes(nil) != nil || s.Plugins() != nil || s.Resources() != nil || s.Catalog() != nil {
			t.Error(name, "says something")
		}
	}
	fw, catalog := newFramework(t), newCatalog(t)
	fw.Close()
	_, closedFramework := libsched.NewSim(fw, open.Catalog())
	catalog.Close()
	_, closedCatalog := libsched.NewSim(newFramework(t), catalog)
	_, nilFramework := libsched.NewSim(nil, open.Catalog())
	_, nilCatalog := libsched.NewSim(newFramework(t), nil)
	if !errors.Is(closedFramework, libsched.ErrClosed) || !errors.Is(closedCatalog, libsched.ErrClosed) ||
		!errors.Is(nilFramework, libsched.ErrMisuse) || !errors.Is(nilCatalog, libsched.ErrMisuse) {
		t.Error(closedFramework, closedCatalog, nilFramework, nilCatalog)
	}
}

// TestASimKeepsItsCatalog closes the catalog and the framework first.
func TestASimKeepsItsCatalog(t *testing.T) {
	c := must(libsched.NewCatalog())(t)
	fw := must(libsched.NewFramework())(t)
	s := must(libsched.NewSim(fw, c))(t)
	defer s.Close()
	shape := nodeRef(t, c, nodeText("n", 4, "a", ""))
	pod := podRefs(t, c, libsched.ContentOptions{}, podText("p", 100, ""))[0]
	c.Close()
	fw.Close()
	node := must(s.AddNode(shape, "n0"))(t)
	if fits := must(s.Check(ctx, pod, node, nil))(t); !fits {
		t.Error("the pod does not fit")
	}
}

// TestForgottenSims leaves Sims to the garbage collector.
func TestForgottenSims(t *testing.T) {
	ending, cancel := context.WithCancel(ctx)
	defer cancel()
	for range 50 {
		s := must(libsched.NewSim(newFramework(t), newCatalog(t)))(t)
		s.Check(ending, 1, 1, nil)
	}
	for range 3 {
		runtime.GC()
		time.Sleep(5 * time.Millisecond)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	s, n, pods := threeNodes(t)
	var why libsched.Verdict
	ending, cancel := context.WithTimeout(ctx, time.Hour)
	defer cancel()
	q := &libsched.Query{Accept: s.NodeSet(func(id libsched.NodeID) bool { return id != n[0] }), Ring: &libsched.Ring{}}
	node := n[1]
	shape := s.NodeRef(n[1])
	into, amounts := make([]libsched.PodID, 0, 8), make([]int64, 0, 16)
	for name, f := range map[string]func(){
		"Check":                func() { s.Check(ctx, pods.small, n[0], &why) },
		"Check, rejected":      func() { s.Check(ctx, pods.large, n[0], &why) },
		"Check with a context": func() { s.Check(ending, pods.large, n[0], &why) },
		"First":                func() { s.First(ctx, pods.small, q, &why) },
		"First without a node": func() { s.First(ctx, pods.huge, nil, &why) },
		"First, place, RemovePod": func() {
			hit, _, _ := s.First(ctx, pods.small, &libsched.Query{Place: true}, nil)
			s.RemovePods(hit.Pod)
		},
		"Fork, AddNode, Check, Revert": func() {
			s.Fork()
			id, _ := s.AddNode(shape, "new")
			s.Check(ctx, pods.small, id, &why)
			s.Revert()
		},
		"Name":      func() { s.Name(node) },
		"Find":      func() { s.Find("n1") },
		"Position":  func() { s.Position(node) },
		"PodsOn":    func() { into = s.PodsOn(node, into) },
		"Requested": func() { amounts = s.Requested(node, amounts) },
	} {
		f()
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
