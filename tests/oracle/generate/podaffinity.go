// Label selectors, pod affinity and spreading over topologies.

package generate

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (g *gen) labelSelector() *metav1.LabelSelector {
	if g.chance(0.05) {
		return nil
	}
	s := &metav1.LabelSelector{}
	if g.chance(0.7) {
		s.MatchLabels = map[string]string{"app": pick(g, apps...)}
	}
	if g.chance(0.25) {
		e := metav1.LabelSelectorRequirement{Key: pick(g, "tier", "app", "missing"), Operator: pick(g, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist)}
		if e.Operator == metav1.LabelSelectorOpIn || e.Operator == metav1.LabelSelectorOpNotIn {
			e.Values = []string{pick(g, "front", "back", "web"), pick(g, "db", "cache")}
		}
		if g.chance(g.nasty) {
			e.Operator = "Bogus"
		}
		s.MatchExpressions = []metav1.LabelSelectorRequirement{e}
	}
	return s
}

func (g *gen) podTerm() v1.PodAffinityTerm {
	t := v1.PodAffinityTerm{LabelSelector: g.labelSelector(), TopologyKey: pick(g, topoKeys...)}
	if g.chance(0.3) {
		t.Namespaces = []string{pick(g, namespaces...)}
		if g.chance(0.3) {
			t.Namespaces = append(t.Namespaces, pick(g, namespaces...))
		}
	}
	if g.chance(0.3) {
		t.NamespaceSelector = pick(g, &metav1.LabelSelector{}, &metav1.LabelSelector{MatchLabels: map[string]string{"env": "prod"}},
			&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "env", Operator: metav1.LabelSelectorOpDoesNotExist}}})
	}
	if g.chance(0.1) {
		t.MatchLabelKeys = []string{"pod-template-hash"}
	}
	if g.chance(0.05) {
		t.MismatchLabelKeys = []string{"tier"}
	}
	return t
}

func (g *gen) podAffinity(p *v1.Pod) {
	terms := func(max int) (out []v1.PodAffinityTerm) {
		for range g.r.IntN(max + 1) {
			out = append(out, g.podTerm())
		}
		return out
	}
	weighted := func(max int) (out []v1.WeightedPodAffinityTerm) {
		for range g.r.IntN(max + 1) {
			out = append(out, v1.WeightedPodAffinityTerm{Weight: 1 + g.r.Int32N(100), PodAffinityTerm: g.podTerm()})
		}
		return out
	}
	if g.chance(0.6) {
		p.Spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(2), PreferredDuringSchedulingIgnoredDuringExecution: weighted(3)}
	}
	if g.chance(0.6) {
		p.Spec.Affinity.PodAntiAffinity = &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms(2), PreferredDuringSchedulingIgnoredDuringExecution: weighted(3)}
	}
}

func (g *gen) shapePodAffinity(p *v1.Pod) {
	if g.chance(0.2) {
		g.resources(p)
	}
	if g.chance(0.9) {
		p.Spec.Affinity = &v1.Affinity{}
		g.podAffinity(p)
		// The first pod of a group with affinity to itself.
		if g.chance(0.15) {
			p.Labels = map[string]string{"app": "self"}
			p.Spec.Affinity.PodAffinity = &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "self"}}, TopologyKey: pick(g, topoKeys[:3]...)}}}
		}
	}
}

func (g *gen) shapeSpread(p *v1.Pod) {
	if g.chance(0.2) {
		g.resources(p)
	}
	if g.chance(0.3) {
		p.Spec.Affinity = &v1.Affinity{NodeAffinity: g.nodeAffinity()}
	}
	if g.chance(0.3) {
		g.shapeTolerations(p)
	}
	for range 1 + g.r.IntN(3) {
		c := v1.TopologySpreadConstraint{
			MaxSkew: 1 + g.r.Int32N(3), TopologyKey: pick(g, topoKeys...), LabelSelector: g.labelSelector(),
			WhenUnsatisfiable: pick(g, v1.DoNotSchedule, v1.ScheduleAnyway),
		}
		if c.WhenUnsatisfiable == v1.DoNotSchedule && g.chance(0.3) {
			c.MinDomains = ptr(1 + g.r.Int32N(5))
		}
		if g.chance(0.3) {
			c.NodeAffinityPolicy = ptr(pick(g, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
		}
		if g.chance(0.3) {
			c.NodeTaintsPolicy = ptr(pick(g, v1.NodeInclusionPolicyHonor, v1.NodeInclusionPolicyIgnore))
		}
		if g.chance(0.2) {
			c.MatchLabelKeys = []string{"pod-template-hash"}
		}
		p.Spec.TopologySpreadConstraints = append(p.Spec.TopologySpreadConstraints, c)
	}
}

func (g *gen) shapeOwned(p *v1.Pod) {
	app := pick(g, apps...)
	p.Labels = map[string]string{"app": app}
	if g.chance(0.5) {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app, UID: types.UID("ReplicaSet/" + p.Namespace + "/" + app), Controller: ptr(true)}}
	}
	if g.chance(0.3) {
		g.resources(p)
	}
}
