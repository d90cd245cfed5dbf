package cases

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// hints are calls of TrySchedulePods. Hints and places are "pod:node" in text.
func hints(t *testing.T, factory Factory) {
	two := []*v1.Node{node("n1", 1000, 2000000), node("n2", 1000, 2000000)}
	p1 := pod("p1", 300, 500000, on("n1"))
	for _, c := range []struct {
		name         string
		nodes        []*v1.Node
		there        *v1.Pod
		pods         []*v1.Pod
		hints        string
		only         string
		breaks, dead bool
		want         string
	}{
		{name: "two pods, two nodes", nodes: two, there: p1, pods: []*v1.Pod{pod("p2", 800, 500000), pod("p3", 500, 500000)}, want: "p2:n2 p3:n1"},
		{name: "the hinted node is gone", nodes: two, there: p1, pods: []*v1.Pod{pod("p2", 800, 500000), pod("p3", 500, 500000)},
			hints: "p2:gone", want: "p2:n2 p3:n1"},
		{name: "a pod too many", nodes: two, there: p1, pods: []*v1.Pod{pod("p2", 800, 500000), pod("p3", 500, 500000), pod("p4", 700, 500000)},
			want: "p2:n2 p3:n1"},
		{name: "no pods", nodes: two, there: p1},
		{name: "one acceptable node", nodes: two, there: p1, only: "n2", pods: []*v1.Pod{pod("p2", 500, 500000), pod("p3", 500, 500000)}, want: "p2:n2 p3:n2"},
		{name: "one acceptable node, too small", nodes: two, there: p1, only: "n1", pods: []*v1.Pod{pod("p2", 500, 500000), pod("p3", 500, 500000)},
			want: "p2:n1"},
		{name: "pods with hints come first", nodes: two[:1], pods: []*v1.Pod{pod("p1-high", 1100, 1000000, priority(100)),
			pod("p2-low", 800, 1000000, priority(10)), pod("p2-low-hinted", 800, 1000000, priority(10))}, hints: "p2-low-hinted:n1", want: "p2-low-hinted:n1"},
		{name: "higher priorities come first", nodes: []*v1.Node{two[0], two[1], node("n3", 1500, 2000000)},
			pods:  []*v1.Pod{pod("p1", 800, 1000000), pod("p2", 800, 1000000, priority(100)), pod("p3", 1100, 1000000, priority(1000))},
			hints: "p1:n1 p2:n1 p3:n1", want: "p3:n3 p2:n1 p1:n2"},
		{name: "hints, then the order of the pods", nodes: []*v1.Node{node("n1", 2100, 4000000)}, pods: []*v1.Pod{pod("p1", 500, 1000000),
			pod("p2", 500, 1000000), pod("p3", 500, 1000000), pod("p4", 500, 1000000), pod("p5", 500, 1000000), pod("p6", 500, 1000000)},
			hints: "p2:n1 p5:n1 p6:n2", want: "p2:n1 p5:n1 p1:n1 p3:n1"},
		{name: "an ended context", nodes: two[:1], pods: []*v1.Pod{pod("p1", 800, 500000)}, dead: true},
		{name: "a failure breaks off", nodes: two[:1], pods: []*v1.Pod{pod("p1", 800, 1), pod("p2", 800, 1), pod("p3", 100, 1)}, breaks: true, want: "p1:n1"},
		{name: "a failure does not break off", nodes: two[:1], pods: []*v1.Pod{pod("p1", 800, 1), pod("p2", 800, 1), pod("p3", 100, 1)}, want: "p1:n1 p3:n1"},
		{name: "the hinted node is not acceptable", nodes: two, only: "n2", pods: []*v1.Pod{pod("p1", 100, 1)}, hints: "p1:n1", want: "p1:n2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var there []*v1.Pod
			if c.there != nil {
				there = append(there, c.there)
			}
			snapshot := start(t, factory, c.nodes, there...)
			s := consumers.NewHintingSimulator()
			for _, p := range c.pods {
				for _, hint := range strings.Fields(c.hints) {
					if name, at, _ := strings.Cut(hint, ":"); name == p.Name {
						s.Hints.Set(p, at)
					}
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if c.dead {
				cancel()
			}
			var opts clustersnapshot.SchedulingOptions
			if c.only != "" {
				opts.IsNodeAcceptable = func(info *framework.NodeInfo) bool { return info.Node().Name == c.only }
			}
			result, err := s.TrySchedulePods(ctx, snapshot, c.pods, c.breaks, opts)
			check(t, err)
			var got []string
			for _, status := range result.Statuses {
				got = append(got, status.Pod.Name+":"+status.NodeName)
				s.Hints.DropOld()
				if hint, ok := s.Hints.Get(status.Pod); ok != (len(got) == 1) || ok && hint != status.NodeName {
					t.Errorf("the hint of %s is %q %v", status.Pod.Name, hint, ok)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%v, not %v", got, c.want)
			}
			count := 0
			for _, text := range world(t, snapshot) {
				count += strings.Count(text, "p")
			}
			if count != len(got)+len(there)+strings.Count(c.want, "high") {
				t.Errorf("%d pods", count)
			}
			if wantLeft := c.dead; wantLeft != (len(result.Unprocessed) == len(c.pods) && len(c.pods) > 0) {
				t.Errorf("unprocessed: %v", result.Unprocessed)
			}
		})
	}
	t.Run("equal pods of an owner are not tried again", func(t *testing.T) {
		snapshot := &counting{ClusterSnapshot: start(t, factory, two[:1])}
		var pods []*v1.Pod
		for i := range 30 { // ten different sizes are remembered
			pods = append(pods, pod(fmt.Sprint("p", i), int64(2000+i/2), 1, ownedBy("ReplicaSet", "rs")))
		}
		result, err := consumers.NewHintingSimulator().TrySchedulePods(context.Background(), snapshot, pods, false, clustersnapshot.SchedulingOptions{})
		check(t, err)
		if snapshot.searches != 10+2*5 || result.Overflowing != 1 || len(result.Statuses) != 0 {
			t.Error(snapshot.searches, result.Overflowing, result.Statuses)
		}
	})
}

// counting counts the searches.
type counting struct {
	clustersnapshot.ClusterSnapshot
	searches int
}

func (c *counting) SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts clustersnapshot.SchedulingOptions) (string, clustersnapshot.SchedulingError) {
	c.searches++
	return c.ClusterSnapshot.SchedulePodOnAnyNodeMatching(pod, opts)
}

func times(p *v1.Pod, count int) consumers.Group {
	var group consumers.Group
	for range count {
		group.Pods = append(group.Pods, p)
	}
	return group
}

const mebi = 1 << 20

// estimates are calls of Estimate, beside a small node of another zone that is there already.
func estimates(t *testing.T, factory Factory) {
	small := func(cpu, memory int64, change ...func(*v1.Pod)) *v1.Pod {
		return pod("estimatee", cpu, memory, append([]func(*v1.Pod){label("app", "estimatee")}, change...)...)
	}
	large := times(small(500, 1000), 10)
	for _, c := range []struct {
		name        string
		cpu, memory int64
		groups      []consumers.Group
		limit       int
		fast        bool
		nodes, pods int
		processed   []*v1.Pod
	}{
		{name: "resources", cpu: 1000, memory: 2000, groups: []consumers.Group{times(small(350, 1000), 10)}, nodes: 5, pods: 10},
		{name: "pods of a node", cpu: 10000, memory: 20000, groups: []consumers.Group{times(small(10, 100), 20)}, nodes: 2, pods: 20},
		{name: "host ports", cpu: 1000, memory: 5000, groups: []consumers.Group{times(small(200, 1000, hostPort(5555)), 8)}, nodes: 8, pods: 8},
		{name: "the limiter", cpu: 1000, memory: 5000, groups: []consumers.Group{times(small(500, 1000), 20)}, limit: 5, nodes: 5, pods: 10},
		{name: "the largest first", cpu: 1000, memory: 5000, groups: []consumers.Group{times(small(50, 1000), 10), large}, limit: 5,
			nodes: 5, pods: 10, processed: large.Pods},
		{name: "spread over hostnames", cpu: 1000, memory: 5000, groups: []consumers.Group{times(small(200, 200, spread(2, v1.LabelHostname, minDomains(1))), 8)},
			nodes: 4, pods: 8},
		{name: "spread over zones", cpu: 1000, memory: 5000, groups: []consumers.Group{times(small(20, 100, spread(2, zoneLabel, minDomains(1))), 8)},
			nodes: 1, pods: 2},
		{name: "spread over hostnames goes back to earlier nodes", cpu: 1000, memory: 5000,
			groups: []consumers.Group{times(small(20, 100, spread(1, v1.LabelHostname, minDomains(3))), 12)}, nodes: 3, pods: 12},
		{name: "fast path", cpu: 1000, memory: 2000, groups: []consumers.Group{times(small(350, 1000), 10)}, fast: true, nodes: 5, pods: 10},
		{name: "an empty last node ends a group", cpu: 1000, memory: 5000, groups: []consumers.Group{times(small(2000, 100), 4), times(small(600, 100), 3)},
			nodes: 3, pods: 3},
		{name: "a negative limit", cpu: 1000, memory: 5000, groups: []consumers.Group{times(small(500, 100), 4)}, limit: -1},
		{name: "smaller pods fill the nodes of larger ones", cpu: 1000, memory: 5000,
			groups: []consumers.Group{times(small(100, 100), 6), times(small(700, 100), 2)}, nodes: 2, pods: 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			there := node("oldnode", 100, 100*mebi, zone("zone-jupiter"), podCount(10))
			snapshot := start(t, factory, []*v1.Node{there})
			template := consumers.NewNodeInfo(node("template", c.cpu, c.memory*mebi, zone("zone-mars"), podCount(10)))
			looked := 0
			e := &consumers.Estimator{Snapshot: snapshot, Limiter: &consumers.Limit{Nodes: c.limit}, FastPath: c.fast,
				Look: func(s clustersnapshot.ClusterSnapshot) {
					infos, err := s.ListNodeInfos()
					check(t, err)
					looked = len(infos)
				}}
			got, err := e.Estimate(c.groups, template)
			check(t, err)
			if got.Nodes != c.nodes || len(got.Scheduled) != c.pods || c.processed != nil && !slices.Equal(got.Scheduled, c.processed) {
				t.Error(got.Nodes, len(got.Scheduled))
			}
			if !c.fast && looked < c.nodes {
				t.Errorf("%d nodes before the end", looked)
			}
			same(t, snapshot, []string{"oldnode[]"})
		})
	}
	t.Run("pods of the template", func(t *testing.T) {
		snapshot := start(t, factory, nil)
		template := consumers.NewNodeInfo(node("template", 1000, 1000*mebi), pod("agent", 300, 1, ownedBy("DaemonSet", "agent")))
		got, err := (&consumers.Estimator{Snapshot: snapshot, Limiter: &consumers.Limit{}}).Estimate([]consumers.Group{times(small(500, 1), 3)}, template)
		check(t, err)
		if got.Nodes != 3 || !slices.Equal(got.Places, []string{"template-e-0", "template-e-1", "template-e-2"}) {
			t.Error(got.Nodes, got.Places)
		}
	})
}

// removals are calls of SimulateNodeRemoval.
func removals(t *testing.T, factory Factory) {
	empty, drainable, odd, full := node("n1", 1000, 2000000), node("n2", 1000, 2000000), node("n3", 1000, 2000000), node("n4", 1000, 2000000)
	topo := []*v1.Node{node("topo-n1", 1000, 2000000), node("topo-n2", 1000, 2000000), node("topo-n3", 1000, 2000000)}
	rs := ownedBy("ReplicaSet", "rs")
	a, b := pod("a", 100, 100000, on("n2"), rs), pod("b", 100, 100000, on("n2"), rs)
	alone, large := pod("alone", 100, 100000, on("n3")), pod("large", 1000, 100000, on("n4"))
	spreading := func(node string, change ...func(*v1.TopologySpreadConstraint)) *v1.Pod {
		change = append(change, minDomains(2))
		return pod("on-"+node, 100, 100000, label("app", "topo"), on(node), rs, spread(1, v1.LabelHostname, change...))
	}
	for _, c := range []struct {
		name   string
		nodes  []*v1.Node
		pods   []*v1.Pod
		remove string
		moved  []string // nil and reason NoReason: nothing moves
		reason consumers.UnremovableReason
	}{
		{name: "an empty node", nodes: []*v1.Node{empty}, remove: "n1"},
		{name: "nowhere to go", nodes: []*v1.Node{drainable}, pods: []*v1.Pod{a, b}, remove: "n2", reason: consumers.NoPlaceToMovePods},
		{name: "room elsewhere", nodes: []*v1.Node{drainable, odd}, pods: []*v1.Pod{a, b, alone}, remove: "n2", moved: []string{"a", "b"}},
		{name: "no room elsewhere", nodes: []*v1.Node{drainable, full}, pods: []*v1.Pod{a, b, large}, remove: "n2", reason: consumers.NoPlaceToMovePods},
		{name: "an empty node of four", nodes: []*v1.Node{empty, drainable, full, odd}, pods: []*v1.Pod{a, b, alone, large}, remove: "n1"},
		{name: "a pod without a controller", nodes: []*v1.Node{empty, odd}, pods: []*v1.Pod{alone}, remove: "n3", reason: consumers.BlockedByPod},
		{name: "the removed node still is a domain", nodes: topo, pods: []*v1.Pod{spreading("topo-n1"), spreading("topo-n2"), spreading("topo-n3"),
			pod("blocker-2", 100, 100000, on("topo-n2")), pod("blocker-3", 100, 100000, on("topo-n3"))}, remove: "topo-n1", reason: consumers.NoPlaceToMovePods},
		{name: "the removed node is no domain if taints are honoured", nodes: topo, pods: []*v1.Pod{spreading("topo-n1", honorTaints),
			spreading("topo-n2", honorTaints), spreading("topo-n3", honorTaints)}, remove: "topo-n1", moved: []string{"on-topo-n1"}},
		{name: "an unknown node", remove: "n5", reason: consumers.NoNodeInfo},
	} {
		for _, persist := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", c.name, persist), func(t *testing.T) {
				snapshot := start(t, factory, c.nodes, c.pods...)
				before := world(t, snapshot)
				destinations := map[string]bool{}
				for _, n := range c.nodes {
					destinations[n.Name] = true
				}
				r := consumers.NewRemovalSimulator(snapshot, persist)
				yes, no := r.SimulateNodeRemoval(context.Background(), c.remove, destinations, time.Unix(1700000000, 0))
				if c.reason != consumers.NoReason {
					if yes != nil || no == nil || no.Reason != c.reason || no.Node.Name != c.remove {
						t.Fatal(yes, no)
					}
					same(t, snapshot, before)
					return
				}
				if no != nil || yes.Node.Name != c.remove {
					t.Fatal(no)
				}
				var moved []string
				for i, status := range yes.Statuses {
					moved = append(moved, status.Pod.Name)
					if status.NodeName == c.remove || status.Pod.Name != yes.Pods[i].Name {
						t.Error(status)
					}
				}
				if !slices.Equal(moved, c.moved) {
					t.Error(moved)
				}
				if !persist {
					same(t, snapshot, before)
				} else if after := strings.Join(world(t, snapshot), " "); strings.Contains(after, c.remove+"[") ||
					strings.Count(after, "[") != len(c.nodes)-1 {
					t.Error(after)
				}
			})
		}
	}
	t.Run("spread over hostnames after the taint", func(t *testing.T) {
		for _, honor := range []bool{false, true} {
			var change []func(*v1.TopologySpreadConstraint)
			if honor {
				change = append(change, honorTaints)
			}
			nodes := []*v1.Node{consumers.Ghost(topo[0], time.Unix(1700000000, 0)), topo[1], topo[2]}
			snapshot := start(t, factory, nodes, spreading("topo-n2", change...), spreading("topo-n3", change...))
			_, err := snapshot.SchedulePodOnAnyNodeMatching(pod("p", 100, 100000, label("app", "topo"), spread(1, v1.LabelHostname, change...)),
				clustersnapshot.SchedulingOptions{})
			if (err == nil) != honor {
				t.Error(honor, err)
			}
		}
	})
}
