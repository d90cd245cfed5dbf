// Cases of mode trace: the cluster, the scripted plugins and their rules.

package generate

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched.dev/tests/oracle/cases"
)

func init() { kinds["trace"] = func(g *gen, o Options) { g.traceCase(o) } }

var (
	allCodes   = []string{"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"}
	tracePoint = []string{"preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind", "bind", "postBind"}
	// traceCalls are the calls with an outcome, and the point they belong to.
	traceCalls = [][2]string{{"preEnqueue", "preEnqueue"}, {"preFilter", "preFilter"}, {"addPod", "preFilter"}, {"removePod", "preFilter"},
		{"filter", "filter"}, {"postFilter", "postFilter"}, {"preScore", "preScore"}, {"score", "score"}, {"normalizeScore", "score"},
		{"reserve", "reserve"}, {"permit", "permit"}, {"preBindPreFlight", "preBind"}, {"preBind", "preBind"}, {"bind", "bind"}, {"sign", "sign"}}
)

func shuffled[T any](g *gen, list []T) []T {
	out := slices.Clone(list)
	g.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// traceState is the state of the generator of one trace case.
type traceState struct {
	*gen
	nodeNames []string
	podNames  []string
	others    []string // bound and nominated pods: keys
	badness   float64  // chance that a rule is not a success
	focus     string   // the call that fails on purpose
	focusCode string
	aimed     *cases.FakeSpec
	short     bool // a short timer was used
}

func (g *gen) traceCase(o Options) {
	t := &traceState{gen: g, badness: pick(g, 0, 0, 0.03, 0.1, 0.3)}
	t.world()
	if g.chance(0.7) {
		t.focus, t.focusCode = pick(g, traceCalls...)[0], pick(g, allCodes[1:]...)
		if t.focus == "postFilter" && (t.focusCode == "Wait" || t.focusCode == "Skip") {
			t.focusCode = "Unschedulable" // upstream's framework panics
		}
	}
	n := 1 + g.r.IntN(5)
	var fakes []cases.FakeSpec
	for i := range n {
		fakes = append(fakes, t.fake(fmt.Sprintf("%s%d", pick(g, "alpha", "Beta", "gamma"), i)))
	}
	if t.focus != "" {
		t.aimed = &fakes[g.r.IntN(n)]
		t.aim(t.aimed)
	}
	// Fakes are registered in an order of their own.
	profile := t.profile(shuffled(g, fakes))
	if g.chance(0.12) {
		fakes = t.spoil(profile, fakes)
	}
	raw, err := json.Marshal(profile)
	if err != nil {
		panic(err)
	}
	g.trace = &cases.TraceSpec{Profile: raw, Fakes: fakes, Steps: t.steps()}
}

func (t *traceState) world() {
	g := t.gen
	pod := func(name string, prio int) *v1.Pod {
		p := &v1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec: v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: "i"}}}}
		if prio != 0 {
			v := int32(prio)
			p.Spec.Priority = &v
		}
		return p
	}
	for i := range pick(g, 0, 1, 2, 2, 3, 3, 4, 5, 6) {
		t.nodeNames = append(t.nodeNames, fmt.Sprintf("n%d", i))
	}
	for _, name := range shuffled(g, t.nodeNames) {
		g.nodes = append(g.nodes, &v1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	if len(t.nodeNames) > 0 {
		for i := range g.r.IntN(4) {
			p := pod(fmt.Sprintf("bound%d", i), 0)
			p.Spec.NodeName = pick(g, t.nodeNames...)
			g.objects = append(g.objects, p)
			t.others = append(t.others, p.Namespace+"/"+p.Name)
		}
		if g.chance(0.5) {
			for i := range 1 + g.r.IntN(3) {
				p := pod(fmt.Sprintf("nominated%d", i), pick(g, 0, 0, 5, 10))
				p.Status.NominatedNodeName = pick(g, t.nodeNames...)
				g.objects = append(g.objects, p)
				t.others = append(t.others, p.Namespace+"/"+p.Name)
			}
		}
	}
	for i := range 1 + g.r.IntN(3) {
		p := pod(fmt.Sprintf("p%d", i), pick(g, 0, 0, 0, 5, 10))
		if g.chance(0.25) {
			p.Status.NominatedNodeName = pick(g, append([]string{"gone"}, t.nodeNames...)...)
		}
		g.pods = append(g.pods, p)
		t.podNames = append(t.podNames, p.Name)
	}
}

func (t *traceState) fake(name string) cases.FakeSpec {
	g := t.gen
	f := cases.FakeSpec{Name: name, Script: map[string][]cases.FakeRule{}}
	density := pick(g, 0.2, 0.5, 0.8, 1)
	for _, p := range tracePoint {
		if g.chance(density) {
			f.Points = append(f.Points, p)
		}
	}
	if len(f.Points) == 0 {
		f.Points = append(f.Points, pick(g, tracePoint...))
	}
	if g.chance(0.7) {
		f.Points = append(f.Points, "sign")
	}
	if slices.Contains(f.Points, "preFilter") && g.chance(0.6) {
		f.Points = append(f.Points, "addRemovePod")
	}
	if slices.Contains(f.Points, "score") && g.chance(0.6) {
		f.Points = append(f.Points, "normalize")
	}
	for _, c := range traceCalls {
		if !slices.Contains(f.Points, c[1]) {
			continue
		}
		for range g.r.IntN(3) {
			f.Script[c[0]] = append(f.Script[c[0]], t.rule(c[0], ""))
		}
		if c[0] == "score" { // scores for every node
			for _, n := range t.nodeNames {
				r := cases.FakeRule{Node: n, Score: int64(g.r.IntN(101))}
				if g.chance(0.01) {
					r.Score = pick(g, int64(-1), 101, 1000)
				}
				f.Script["score"] = append(f.Script["score"], r)
			}
		}
		if c[0] == "permit" && g.chance(0.2) {
			f.Script["permit"] = append(f.Script["permit"], t.rule("permit", "Wait"))
		}
	}
	return f
}

// aim makes the fake fail at the focus.
func (t *traceState) aim(f *cases.FakeSpec) {
	add := func(p string) {
		if !slices.Contains(f.Points, p) {
			f.Points = append(f.Points, p)
		}
	}
	for _, c := range traceCalls {
		if c[0] == t.focus {
			add(c[1])
		}
	}
	switch t.focus {
	case "addPod", "removePod":
		add("addRemovePod")
	case "normalizeScore":
		add("normalize")
	}
	r := t.rule(t.focus, t.focusCode)
	r.Other = ""
	if t.focus != "filter" && t.focus != "score" && t.focus != "addPod" {
		r.Node = ""
	}
	f.Script[t.focus] = append([]cases.FakeRule{r}, f.Script[t.focus]...)
}

func (t *traceState) rule(call, code string) cases.FakeRule {
	g := t.gen
	r := cases.FakeRule{Code: code}
	forced := code != ""
	if !forced {
		r.Code = pick(g, "", "Success")
		if g.chance(t.badness) {
			r.Code = pick(g, allCodes...)
		}
		if g.chance(0.08) && (call == "preFilter" || call == "preScore" || call == "preBindPreFlight" || call == "bind") {
			r.Code = "Skip"
		}
		if call == "postFilter" {
			r.Code = pick(g, "", "Success", "Unschedulable", "Unschedulable", "Unschedulable", "UnschedulableAndUnresolvable", "Pending", "Error")
		}
	}
	if g.chance(0.4) || len(t.podNames) == 1 {
		r.Pod = pick(g, t.podNames...)
	}
	onNode := call != "preEnqueue" && call != "preFilter" && call != "postFilter" && call != "preScore" && call != "normalizeScore" && call != "sign"
	if onNode && len(t.nodeNames) > 0 && g.chance(0.5) {
		r.Node = pick(g, t.nodeNames...)
	}
	if (call == "addPod" || call == "removePod") && len(t.others) > 0 && g.chance(0.3) {
		r.Other = pick(g, t.others...)[len("default/"):]
	}
	if r.Code != "" && (r.Code != "Success" || g.chance(0.1)) {
		for range pick(g, 0, 1, 1, 1, 2) {
			r.Reasons = append(r.Reasons, fmt.Sprintf("%s says %s", call, pick(g, "no", "later", "\"quoted\" <b>", "ünïcode")))
		}
		if r.Code != "Success" && (r.Code == "Error" && g.chance(0.7) || g.chance(0.15)) {
			r.Error = pick(g, "boom", "broken: disk on fire", "100%d")
		}
	}
	switch call {
	case "preFilter":
		if g.chance(0.35) {
			list := []string{}
			for _, n := range append(slices.Clone(t.nodeNames), "elsewhere") {
				if g.chance(0.6) {
					list = append(list, n)
				}
			}
			r.NodeNames = &list
		}
	case "score":
		r.Score = int64(g.r.IntN(101))
	case "normalizeScore":
		r.Normalized = map[string]int64{}
		for _, n := range t.nodeNames {
			if g.chance(0.8) {
				r.Normalized[n] = int64(g.r.IntN(101))
			}
			if g.chance(0.02) {
				r.Normalized[n] = pick(g, int64(-5), 101, 1<<40)
			}
		}
	case "permit":
		if r.Code == "Wait" || g.chance(0.1) {
			r.Timeout = pick(g, "10m", "1h", "15m0.5s", "90s", "14m59.999s")
			if !t.short && g.chance(0.5) {
				t.short = true
				r.Timeout = pick(g, "20ms", "35ms", "1.5ms", "0s", "-1s")
			}
		}
	case "preBindPreFlight":
		r.AllowParallel = g.chance(0.5)
	case "postFilter":
		if g.chance(0.5) {
			r.Nominated = &cases.TraceNomination{Mode: pick(g, "noop", "override", "override"), Node: pick(g, append([]string{""}, t.nodeNames...)...)}
		}
	case "sign":
		r.Fragments = map[string]json.RawMessage{}
		for range g.r.IntN(3) {
			r.Fragments[pick(g, "k1", "k2", "v1.Pod.Spec.NodeName")] = json.RawMessage(pick(g, `"x"`, `"y"`, `7`, `["a","b"]`, `null`, `{"z":1,"a":true}`))
		}
	}
	return r
}
