package cases

import (
	"errors"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

func onlyOn(names ...string) func(*v1.Pod) {
	return func(p *v1.Pod) {
		var terms []v1.NodeSelectorTerm
		for _, name := range names {
			terms = append(terms, v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{
				{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{name}}}})
		}
		p.Spec.Affinity = &v1.Affinity{NodeAffinity: &v1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms}}}
	}
}

// onTwoAtOnce wants two nodes in one term.
func onTwoAtOnce(p *v1.Pod) {
	onlyOn("n")(p)
	term := &p.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
	term.MatchFields = append(term.MatchFields, v1.NodeSelectorRequirement{
		Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{"other"}})
}

func brokenSelector(p *v1.Pod) {
	p.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Near"}}}}}
}

// checks are questions about one pod and one node: the verdict, and the stage that gives it.
func checks(t *testing.T, factory Factory) {
	tainted := node("n", 1000, 2000000, taint("SomeTaint", "WhyNot?", v1.TaintEffectNoSchedule),
		taint("RandomTaint", "JustBecause", v1.TaintEffectNoExecute))
	for _, c := range []struct {
		name, without string
		node          *v1.Node
		there         []*v1.Pod
		pod           *v1.Pod
		plugin        string // "" fits
		reasons       []string
		text          []string
	}{
		{name: "no room beside a pod", node: node("n", 1000, 2000000), there: []*v1.Pod{pod("p450", 450, 500000)},
			pod: pod("p600", 600, 500000), plugin: "NodeResourcesFit", reasons: []string{"Insufficient cpu"}},
		{name: "room beside a pod", node: node("n", 1000, 2000000), there: []*v1.Pod{pod("p450", 450, 500000)}, pod: pod("p500", 500, 500000)},
		{name: "too large", node: node("n", 1000, 2000000), pod: pod("p8000", 8000, 0), plugin: "NodeResourcesFit", reasons: []string{"Insufficient cpu"}},
		{name: "room", node: node("n", 1000, 2000000), pod: pod("p600", 600, 500000)},
		{name: "too large without the plugin", without: "NodeResourcesFit", node: node("n", 1000, 2000000), pod: pod("p8000", 8000, 0)},
		{name: "a taint", node: tainted, pod: pod("p", 0, 0), plugin: "TaintToleration", reasons: []string{"node(s) had untolerated taint(s)"},
			text: []string{"RandomTaint", "SomeTaint", `nodeName: "n", nodeTaints: `}},
		{name: "a taint without the plugin", without: "TaintToleration", node: tainted, pod: pod("p", 0, 0)},
		{name: "narrowed to other nodes", node: node("n", 1000, 2000000), pod: pod("p", 1, 1, onlyOn("other")), plugin: "NodeAffinity",
			text: []string{`predicate "NodeAffinity" didn't pass (predicateReasons=[]; unexpectedError=PreFilter filtered the Node out)`}},
		{name: "narrowed to the node", node: node("n", 1000, 2000000), pod: pod("p", 1, 1, onlyOn("n", "other"))},
		{name: "PreFilter rejects", node: node("n", 1000, 2000000), pod: pod("p", 1, 1, onTwoAtOnce), plugin: "NodeAffinity",
			reasons: []string{"pod affinity terms conflict"}, text: []string{"unexpectedError=PreFilter failed"}},
		{name: "PreFilter fails", node: node("n", 1000, 2000000), pod: pod("p", 1, 1, brokenSelector), plugin: "PodTopologySpread",
			text: []string{"unexpectedError=PreFilter failed"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration := ""
			if c.without != "" {
				configuration = without(c.without)
			}
			snapshot := factory(t, Setup{Configuration: configuration})
			check(t, snapshot.AddNodeInfo(consumers.NewNodeInfo(c.node, c.there...)))
			err := snapshot.CheckPredicates(c.pod, "n")
			if c.plugin == "" {
				scheduled(t, err)
				return
			}
			if err == nil || err.Type() != clustersnapshot.FailingPredicateError || err.FailingPredicateName() != c.plugin ||
				c.reasons != nil && !slices.Equal(err.FailingPredicateReasons(), c.reasons) {
				t.Fatal(err)
			}
			for _, text := range append(c.text, c.reasons...) {
				if !strings.Contains(err.Error(), text) {
					t.Errorf("%v lacks %s", err, text)
				}
			}
		})
	}
	t.Run("an unknown node", func(t *testing.T) {
		err := factory(t, Setup{}).CheckPredicates(pod("p", 1, 1), "n")
		if err == nil || err.Type() != clustersnapshot.SchedulingInternalError {
			t.Error(err)
		}
	})
}

// searches are questions for a node.
func searches(t *testing.T, factory Factory) {
	two := []*v1.Node{node("n1000", 1000, 2000000), node("n2000", 2000, 2000000)}
	for _, c := range []struct {
		name, without string
		pod           *v1.Pod
		want          []string
	}{
		{"small", "", pod("p900", 900, 1000), []string{"n1000", "n2000"}},
		{"medium", "", pod("p1900", 1900, 1000), []string{"n2000"}},
		{"large", "", pod("p2100", 2100, 1000), nil},
		{"large without the plugin", "NodeResourcesFit", pod("p2100", 2100, 1000), []string{"n1000", "n2000"}},
		{"narrowed", "", pod("p900", 900, 1000, onlyOn("n1000")), []string{"n1000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			configuration := ""
			if c.without != "" {
				configuration = without(c.without)
			}
			snapshot := factory(t, Setup{Configuration: configuration})
			check(t, snapshot.SetClusterState(two, nil, nil, nil))
			got, err := snapshot.SchedulePodOnAnyNodeMatching(c.pod, clustersnapshot.SchedulingOptions{})
			if c.want == nil {
				if err == nil || err.Type() != clustersnapshot.NoNodesPassingPredicatesFoundError || got != "" {
					t.Error(got, err)
				}
				return
			}
			scheduled(t, err)
			if !slices.Contains(c.want, got) {
				t.Error(got)
			}
		})
	}
	t.Run("PreFilter fails", func(t *testing.T) {
		_, err := start(t, factory, two).SchedulePodOnAnyNodeMatching(pod("p", 1, 1, brokenSelector), clustersnapshot.SchedulingOptions{})
		if err == nil || err.Type() != clustersnapshot.FailingPredicateError || err.FailingPredicateName() != "PodTopologySpread" {
			t.Error(err)
		}
	})
	t.Run("Order", func(t *testing.T) { orders(t, factory) })
}

// shortOrder visits the nodes by name, and no more than so many.
type shortOrder struct {
	clustersnapshot.NodeOrderMapping
	steps int
}

func (s *shortOrder) At(i int) int {
	if i >= s.steps {
		return -1
	}
	return s.NodeOrderMapping.At(i)
}

func byName(a, b *framework.NodeInfo) bool { return a.Node().Name < b.Node().Name }

func orders(t *testing.T, factory Factory) {
	four := []*v1.Node{node("n1", 1000, 2000000), node("n2", 1000, 2000000), node("n3", 1000, 2000000), node("n4", 1000, 2000000)}
	var visited []string
	visit := func(want string) func(*framework.NodeInfo) bool {
		visited = nil
		return func(info *framework.NodeInfo) bool {
			visited = append(visited, info.Node().Name)
			return info.Node().Name == want
		}
	}
	t.Run("priority", func(t *testing.T) {
		got, err := start(t, factory, four).SchedulePodOnAnyNodeMatching(pod("p", 100, 1000), clustersnapshot.SchedulingOptions{
			NodeOrdering:     clustersnapshot.NewPriorityNodeOrderMapping(func(a, b *framework.NodeInfo) bool { return byName(b, a) }),
			IsNodeAcceptable: visit("n1")})
		scheduled(t, err)
		if got != "n1" || !slices.Equal(visited, []string{"n4", "n3", "n2", "n1"}) {
			t.Error(got, visited)
		}
	})
	t.Run("the first of several wins", func(t *testing.T) {
		got, err := start(t, factory, four).SchedulePodOnAnyNodeMatching(pod("p", 100, 1000), clustersnapshot.SchedulingOptions{
			NodeOrdering: clustersnapshot.NewPriorityNodeOrderMapping(byName)})
		scheduled(t, err)
		if got != "n1" {
			t.Error(got)
		}
	})
	t.Run("a negative index ends the search", func(t *testing.T) {
		_, err := start(t, factory, four).SchedulePodOnAnyNodeMatching(pod("p", 100, 1000), clustersnapshot.SchedulingOptions{
			NodeOrdering:     &shortOrder{clustersnapshot.NewPriorityNodeOrderMapping(byName), 1},
			IsNodeAcceptable: visit("")})
		if !errors.Is(err, clustersnapshot.NewNoNodesPassingPredicatesFoundError(nil)) || !slices.Equal(visited, []string{"n1"}) {
			t.Error(err, visited)
		}
	})
	t.Run("ring", func(t *testing.T) {
		snapshot := start(t, factory, four)
		var got []string
		for range 6 {
			name, err := snapshot.SchedulePodOnAnyNodeMatching(pod("p", 600, 1000), clustersnapshot.SchedulingOptions{})
			if err != nil {
				name = err.Type().String()
			}
			got = append(got, name)
		}
		none := clustersnapshot.NoNodesPassingPredicatesFoundError.String()
		if !slices.Equal(got, []string{"n2", "n3", "n4", "n1", none, none}) {
			t.Error(got)
		}
	})
	t.Run("unschedulable nodes are passed over even if the pod tolerates them", func(t *testing.T) {
		closed := node("n1", 1000, 2000000, func(n *v1.Node) { n.Spec.Unschedulable = true })
		tolerant := pod("p", 100, 1000, func(p *v1.Pod) { p.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}} })
		snapshot := start(t, factory, []*v1.Node{closed})
		scheduled(t, snapshot.CheckPredicates(tolerant, "n1"))
		if _, err := snapshot.SchedulePodOnAnyNodeMatching(tolerant, clustersnapshot.SchedulingOptions{}); err == nil {
			t.Error("found")
		}
	})
}
