// Steps of trace cases.

package generate

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/oracle/cases"
)

func (t *traceState) steps() []cases.TraceStep {
	g := t.gen
	var out []cases.TraceStep
	do := func(name string) { out = append(out, cases.TraceStep{Do: name}) }
	node := func(name string) {
		st := cases.TraceStep{Do: name}
		if len(t.nodeNames) > 0 && g.chance(0.5) {
			st.Node = pick(g, t.nodeNames...)
		}
		out = append(out, st)
	}
	wait := t.actions()
	if g.chance(0.6) && t.focus != "removePod" {
		if g.chance(0.5) || t.focus == "preEnqueue" {
			do("preEnqueue")
		}
		if g.chance(0.4) || t.focus == "sign" {
			do("sign")
		}
		out = append(out, cases.TraceStep{Do: "cycle", Wait: wait})
		return out
	}
	for _, name := range []string{"preEnqueue", "sign", "preFilter", "addPod", "removePod", "filter", "filterAll", "postFilter", "preScore", "score",
		"reserve", "permit", "preBindPreFlight", "waitOnPermit", "preBind", "bind", "postBind", "unreserve"} {
		if name != t.focus && g.chance(0.15) {
			continue
		}
		switch name {
		case "addPod", "removePod":
			if len(t.others) == 0 {
				continue
			}
			for range 1 + g.r.IntN(2) {
				st := cases.TraceStep{Do: name, Other: pick(g, t.others...)}
				if g.chance(0.6) {
					st.Node = pick(g, t.nodeNames...)
				}
				if name == "removePod" { // a bound pod, from its node
					for _, o := range g.objects {
						if p, ok := o.(*v1.Pod); ok && p.Namespace+"/"+p.Name == st.Other && p.Spec.NodeName != "" {
							st.Node = p.Spec.NodeName
						}
					}
				}
				out = append(out, st)
			}
		case "filter", "reserve", "permit", "unreserve":
			node(name)
		case "waitOnPermit":
			out = append(out, cases.TraceStep{Do: name, Wait: wait})
		default:
			do(name)
		}
	}
	if g.chance(0.1) {
		out = shuffled(g, out)
	}
	if g.chance(0.1) {
		out = append(out, cases.TraceStep{Do: "cycle", Wait: wait})
	}
	return out
}

// actions for a waiting pod. Names are those of fakes by number, so that some
// fit and some do not.
func (t *traceState) actions() []cases.WaitAction {
	g := t.gen
	var names []string
	for i := range 5 {
		for _, n := range []string{"alpha", "Beta", "gamma"} {
			names = append(names, fmt.Sprintf("%s%d", n, i))
		}
	}
	var out []cases.WaitAction
	if g.chance(0.5) { // all plugins allow
		for _, n := range shuffled(g, names) {
			out = append(out, cases.WaitAction{Allow: n})
		}
	}
	for range pick(g, 0, 0, 0, 1, 1, 2) {
		n := pick(g, names...)
		out = append(out, pick(g, cases.WaitAction{Allow: n}, cases.WaitAction{Reject: n, Message: "rejected by script"},
			cases.WaitAction{Preempt: n, Message: "preempted by script"}, cases.WaitAction{Remove: true}))
	}
	return out
}
