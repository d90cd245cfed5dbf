// Tolerations, node selectors and node affinity.

package generate

import (
	v1 "k8s.io/api/core/v1"
)

func (g *gen) shapeTolerations(p *v1.Pod) {
	if g.chance(0.3) {
		g.resources(p)
	}
	for range g.r.IntN(5) {
		t := v1.Toleration{Key: pick(g, "dedicated", "gpu", "spot", v1.TaintNodeNotReady, v1.TaintNodeUnschedulable, ""), Operator: pick(g, v1.TolerationOpEqual, v1.TolerationOpExists, "")}
		if t.Key == "" {
			t.Operator = v1.TolerationOpExists
		}
		if t.Operator != v1.TolerationOpExists {
			t.Value = pick(g, "", "a", "b", "10")
		}
		t.Effect = pick(g, "", v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute)
		if t.Effect == v1.TaintEffectNoExecute && g.chance(0.3) {
			t.TolerationSeconds = ptr(int64(30))
		}
		if g.chance(g.nasty) {
			t.Operator, t.Value = pick(g, v1.TolerationOperator("Gt"), "Lt"), "5"
		}
		p.Spec.Tolerations = append(p.Spec.Tolerations, t)
	}
}

func (g *gen) nodeRequirement() v1.NodeSelectorRequirement {
	key := pick(g, "disktype", "generation", "topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack", "missing")
	op := pick(g, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn, v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist)
	if key == "generation" {
		op = pick(g, op, v1.NodeSelectorOpGt, v1.NodeSelectorOpLt)
	}
	r := v1.NodeSelectorRequirement{Key: key, Operator: op}
	values := map[string][]string{
		"disktype": {"ssd", "hdd", "nvme", ""}, "generation": {"1", "2", "3", "7"}, "topology.kubernetes.io/zone": zones,
		"kubernetes.io/hostname": {"node-000", "node-001", "node-002", "node-003", "node-099"}, "rack": {"rack-0", "rack-1", "rack-2"}, "missing": {"x"},
	}[key]
	switch op {
	case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn:
		for range 1 + g.r.IntN(3) {
			r.Values = append(r.Values, pick(g, values...))
		}
	case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
		r.Values = []string{pick(g, "0", "2", "5", "-3")}
	}
	if g.chance(g.nasty) {
		// Invalid on purpose, to test parse errors.
		r = pick(g,
			v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpIn},
			v1.NodeSelectorRequirement{Key: "generation", Operator: v1.NodeSelectorOpGt, Values: []string{"abc"}},
			v1.NodeSelectorRequirement{Key: key, Operator: v1.NodeSelectorOpExists, Values: []string{"a"}},
			v1.NodeSelectorRequirement{Key: key, Operator: "Bogus", Values: []string{"a"}},
			v1.NodeSelectorRequirement{Key: "bad key!", Operator: v1.NodeSelectorOpExists},
		)
	}
	return r
}

func (g *gen) nodeTerm() v1.NodeSelectorTerm {
	var t v1.NodeSelectorTerm
	for range g.r.IntN(3) {
		t.MatchExpressions = append(t.MatchExpressions, g.nodeRequirement())
	}
	if g.chance(0.25) {
		op := pick(g, v1.NodeSelectorOpIn, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn)
		t.MatchFields = []v1.NodeSelectorRequirement{{Key: "metadata.name", Operator: op, Values: []string{pick(g, pick(g, g.nodes...).Name, "node-404")}}}
	}
	return t
}

func (g *gen) shapeNodeAffinity(p *v1.Pod) {
	if g.chance(0.3) {
		g.resources(p)
	}
	if g.chance(0.3) {
		p.Spec.NodeSelector = map[string]string{"disktype": pick(g, "ssd", "hdd", "")}
	}
	if g.chance(0.9) {
		p.Spec.Affinity = &v1.Affinity{NodeAffinity: g.nodeAffinity()}
	}
}

func (g *gen) nodeAffinity() *v1.NodeAffinity {
	a := &v1.NodeAffinity{}
	if g.chance(0.7) {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{}}
		for range 1 + g.r.IntN(3) {
			a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms = append(a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms, g.nodeTerm())
		}
		if g.chance(g.nasty) {
			a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms = []v1.NodeSelectorTerm{}
		}
	}
	for range g.r.IntN(4) {
		a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution, v1.PreferredSchedulingTerm{Weight: 1 + g.r.Int32N(100), Preference: g.nodeTerm()})
	}
	return a
}
