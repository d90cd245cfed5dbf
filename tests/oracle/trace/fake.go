// The scripted plugin: it answers by its rules and records the calls.

package trace

import (
	"context"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

type tracer struct {
	mu    sync.Mutex
	calls []TraceCall
	raw   map[string]map[string]int64 // plugin, node
	norm  map[string]map[string]int64
	nodes []string
}

func (t *tracer) add(c TraceCall, s *fwk.Status) {
	if !s.IsSuccess() {
		c.Code = s.Code().String()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c)
}

func (t *tracer) note(m map[string]map[string]int64, plugin, node string, score int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m[plugin] == nil {
		m[plugin] = map[string]int64{}
	}
	m[plugin][node] = score
}

// counter is a fake's value in the CycleState: the number of pods added (removed) since its
// PreFilter.
type counter int

func (c counter) Clone() fwk.StateData { return c }

// FakeAll implements every extension point; maskedFake hides those that a
// plugin does not have. It has exported pointer methods only.
type FakeAll struct {
	spec *cases.FakeSpec
	t    *tracer
}

func ruleFor(f *FakeAll, point, pod, node, other string) cases.FakeRule {
	for _, r := range f.spec.Script[point] {
		if (r.Pod == "" || r.Pod == pod) && (r.Node == "" || r.Node == node) && (r.Other == "" || r.Other == other) {
			return r
		}
	}
	return cases.FakeRule{}
}

func ruleStatus(r cases.FakeRule) *fwk.Status {
	return judge.NewStatus(r.Code, r.Reasons, r.Error)
}

func nodeName(n fwk.NodeInfo) string {
	if n == nil || n.Node() == nil {
		return ""
	}
	return n.Node().Name
}

func nodeNames(nodes []fwk.NodeInfo) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, nodeName(n))
	}
	return out
}

func podsOn(n fwk.NodeInfo) []string {
	var out []string
	for _, p := range n.GetPods() {
		out = append(out, judge.PodKey(p.GetPod()))
	}
	sort.Strings(out)
	return out
}

func readCounter(f *FakeAll, state fwk.CycleState) *int {
	d, err := state.Read(fwk.StateKey(f.spec.Name))
	if err != nil {
		return nil
	}
	n := int(d.(counter))
	return &n
}

func (f *FakeAll) Name() string {
	if f.spec.InstanceName != "" {
		return f.spec.InstanceName
	}
	return f.spec.Name
}

func (f *FakeAll) Less(a, b queued) bool { return false }

func (f *FakeAll) PreEnqueue(_ context.Context, p *v1.Pod) *fwk.Status {
	s := ruleStatus(ruleFor(f, "preEnqueue", p.Name, "", ""))
	f.t.add(TraceCall{Point: "preEnqueue", Plugin: f.spec.Name}, s)
	return s
}

func (f *FakeAll) PreFilter(_ context.Context, state fwk.CycleState, p *v1.Pod, nodes []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	r := ruleFor(f, "preFilter", p.Name, "", "")
	s := ruleStatus(r)
	state.Write(fwk.StateKey(f.spec.Name), counter(0))
	names := nodeNames(nodes)
	sort.Strings(names)
	f.t.add(TraceCall{Point: "preFilter", Plugin: f.spec.Name, Nodes: names}, s)
	if r.NodeNames == nil {
		return nil, s
	}
	return &fwk.PreFilterResult{NodeNames: sets.New(*r.NodeNames...)}, s
}

func (f *FakeAll) PreFilterExtensions() fwk.PreFilterExtensions {
	if slices.Contains(f.spec.Points, "addRemovePod") {
		return &fakePreFilterExtensions{f}
	}
	return nil
}

type fakePreFilterExtensions struct{ f *FakeAll }

func (e *fakePreFilterExtensions) AddPod(_ context.Context, state fwk.CycleState, p *v1.Pod, other fwk.PodInfo, n fwk.NodeInfo) *fwk.Status {
	return e.change("addPod", 1, state, p, other, n)
}

func (e *fakePreFilterExtensions) RemovePod(_ context.Context, state fwk.CycleState, p *v1.Pod, other fwk.PodInfo, n fwk.NodeInfo) *fwk.Status {
	return e.change("removePod", -1, state, p, other, n)
}

func (e *fakePreFilterExtensions) change(point string, by int, state fwk.CycleState, p *v1.Pod, other fwk.PodInfo, n fwk.NodeInfo) *fwk.Status {
	s := ruleStatus(ruleFor(e.f, point, p.Name, nodeName(n), other.GetPod().Name))
	c := TraceCall{Point: point, Plugin: e.f.spec.Name, Node: nodeName(n), Other: judge.PodKey(other.GetPod()), Pods: podsOn(n)}
	if c.State = readCounter(e.f, state); c.State != nil {
		*c.State += by
		state.Write(fwk.StateKey(e.f.spec.Name), counter(*c.State))
	}
	e.f.t.add(c, s)
	return s
}

func (f *FakeAll) Filter(_ context.Context, state fwk.CycleState, p *v1.Pod, n fwk.NodeInfo) *fwk.Status {
	s := ruleStatus(ruleFor(f, "filter", p.Name, nodeName(n), ""))
	f.t.add(TraceCall{Point: "filter", Plugin: f.spec.Name, Node: nodeName(n), State: readCounter(f, state), Pods: podsOn(n)}, s)
	return s
}

func (f *FakeAll) PostFilter(_ context.Context, _ fwk.CycleState, p *v1.Pod, m fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	r := ruleFor(f, "postFilter", p.Name, "", "")
	s := ruleStatus(r)
	c := TraceCall{Point: "postFilter", Plugin: f.spec.Name, Statuses: map[string]string{}}
	for _, n := range f.t.nodes {
		c.Statuses[n] = m.Get(n).Code().String()
	}
	f.t.add(c, s)
	if r.Nominated == nil {
		return nil, s
	}
	info := &fwk.NominatingInfo{NominatedNodeName: r.Nominated.Node}
	if r.Nominated.Mode == "override" {
		info.NominatingMode = fwk.ModeOverride
	}
	return &fwk.PostFilterResult{NominatingInfo: info}, s
}

func (f *FakeAll) PreScore(_ context.Context, _ fwk.CycleState, p *v1.Pod, nodes []fwk.NodeInfo) *fwk.Status {
	s := ruleStatus(ruleFor(f, "preScore", p.Name, "", ""))
	f.t.add(TraceCall{Point: "preScore", Plugin: f.spec.Name, Nodes: nodeNames(nodes)}, s)
	return s
}

func (f *FakeAll) Score(_ context.Context, _ fwk.CycleState, p *v1.Pod, n fwk.NodeInfo) (int64, *fwk.Status) {
	r := ruleFor(f, "score", p.Name, nodeName(n), "")
	s := ruleStatus(r)
	f.t.add(TraceCall{Point: "score", Plugin: f.spec.Name, Node: nodeName(n)}, s)
	f.t.note(f.t.raw, f.Name(), nodeName(n), r.Score)
	f.t.note(f.t.norm, f.Name(), nodeName(n), r.Score)
	return r.Score, s
}

func (f *FakeAll) ScoreExtensions() fwk.ScoreExtensions {
	if slices.Contains(f.spec.Points, "normalize") {
		return &fakeScoreExtensions{f}
	}
	return nil
}

type fakeScoreExtensions struct{ f *FakeAll }

func (e *fakeScoreExtensions) NormalizeScore(_ context.Context, _ fwk.CycleState, p *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	r := ruleFor(e.f, "normalizeScore", p.Name, "", "")
	s := ruleStatus(r)
	c := TraceCall{Point: "normalizeScore", Plugin: e.f.spec.Name}
	for i := range scores {
		c.Nodes = append(c.Nodes, scores[i].Name)
		c.Scores = append(c.Scores, scores[i].Score)
		if v, ok := r.Normalized[scores[i].Name]; ok {
			scores[i].Score = v
		}
		e.f.t.note(e.f.t.norm, e.f.Name(), scores[i].Name, scores[i].Score)
	}
	e.f.t.add(c, s)
	return s
}

func (f *FakeAll) Reserve(_ context.Context, _ fwk.CycleState, p *v1.Pod, node string) *fwk.Status {
	s := ruleStatus(ruleFor(f, "reserve", p.Name, node, ""))
	f.t.add(TraceCall{Point: "reserve", Plugin: f.spec.Name, Node: node}, s)
	return s
}

func (f *FakeAll) Unreserve(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node string) {
	f.t.add(TraceCall{Point: "unreserve", Plugin: f.spec.Name, Node: node}, nil)
}

func (f *FakeAll) Permit(_ context.Context, _ fwk.CycleState, p *v1.Pod, node string) (*fwk.Status, time.Duration) {
	r := ruleFor(f, "permit", p.Name, node, "")
	s := ruleStatus(r)
	f.t.add(TraceCall{Point: "permit", Plugin: f.spec.Name, Node: node}, s)
	d, _ := time.ParseDuration(r.Timeout) // checked when the case is read
	return s, d
}

func (f *FakeAll) PreBindPreFlight(_ context.Context, _ fwk.CycleState, p *v1.Pod, node string) (*fwk.PreBindPreFlightResult, *fwk.Status) {
	r := ruleFor(f, "preBindPreFlight", p.Name, node, "")
	s := ruleStatus(r)
	f.t.add(TraceCall{Point: "preBindPreFlight", Plugin: f.spec.Name, Node: node}, s)
	if !r.AllowParallel {
		return nil, s
	}
	return &fwk.PreBindPreFlightResult{AllowParallel: true}, s
}

func (f *FakeAll) PreBind(_ context.Context, _ fwk.CycleState, p *v1.Pod, node string) *fwk.Status {
	s := ruleStatus(ruleFor(f, "preBind", p.Name, node, ""))
	f.t.add(TraceCall{Point: "preBind", Plugin: f.spec.Name, Node: node}, s)
	return s
}

func (f *FakeAll) Bind(_ context.Context, _ fwk.CycleState, p *v1.Pod, node string) *fwk.Status {
	s := ruleStatus(ruleFor(f, "bind", p.Name, node, ""))
	f.t.add(TraceCall{Point: "bind", Plugin: f.spec.Name, Node: node}, s)
	return s
}

func (f *FakeAll) PostBind(_ context.Context, _ fwk.CycleState, _ *v1.Pod, node string) {
	f.t.add(TraceCall{Point: "postBind", Plugin: f.spec.Name, Node: node}, nil)
}

func (f *FakeAll) SignPod(_ context.Context, p *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	r := ruleFor(f, "sign", p.Name, "", "")
	s := ruleStatus(r)
	f.t.add(TraceCall{Point: "sign", Plugin: f.spec.Name}, s)
	var out []fwk.SignFragment
	for _, k := range slices.Sorted(maps.Keys(r.Fragments)) {
		out = append(out, fwk.SignFragment{Key: k, Value: r.Fragments[k]})
	}
	return out, s
}
