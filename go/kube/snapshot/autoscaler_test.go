package snapshot_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"libsched"
	"libsched/kube"
	"libsched/kube/snapshot"
)

// behind is a pod that runs only beside a leader. Its controller is of this kind; "": it has none.
func behind(name, controller string) *v1.Pod {
	p, yes := pod(name, "100m"), true
	p.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"role": "leader"}}, TopologyKey: v1.LabelHostname}}}}
	if controller != "" {
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: controller, Name: "o", UID: "o", Controller: &yes}}
	}
	return p
}

func leader(name string) *v1.Pod {
	p := pod(name, "100m")
	p.Labels = map[string]string{"role": "leader"}
	return p
}

func urgent(p *v1.Pod) *v1.Pod {
	priority := int32(7)
	p.Spec.Priority = &priority
	return p
}

func TestPlaceManyIsTrySchedulePods(t *testing.T) {
	cordoned := node("n2", "1")
	cordoned.Spec.Unschedulable = true
	tolerant := pod("t", "1")
	tolerant.Spec.Tolerations = []v1.Toleration{{Operator: v1.TolerationOpExists}}
	for name, x := range map[string]struct {
		pods    []*v1.Pod
		options snapshot.PlaceOptions
		want    string
	}{
		"hints first":      {[]*v1.Pod{pod("a", "1"), pod("b", "1")}, snapshot.PlaceOptions{Hints: []string{"", "n0"}}, "n1 n0"},
		"priorities first": {[]*v1.Pod{pod("a", "1"), urgent(pod("b", "1")), pod("c", "1")}, snapshot.PlaceOptions{Hints: []string{"n0", "", ""}}, "n1 n0 -"},
		"a failure ends its priority": {[]*v1.Pod{pod("a", "1"), urgent(pod("b", "5")), urgent(pod("c", "1"))},
			snapshot.PlaceOptions{StopAtFailure: true}, "n0 - -"},
		"a hinted node is tried though it is unschedulable": {[]*v1.Pod{tolerant, pod("a", "1")}, snapshot.PlaceOptions{Hints: []string{"n2", "n2"}}, "n2 n0"},
		"again without a controller":                        {[]*v1.Pod{behind("a", ""), leader("b"), behind("c", "")}, snapshot.PlaceOptions{}, "- n0 n0"},
		"not with one":                                      {[]*v1.Pod{behind("a", "ReplicaSet"), leader("b"), behind("c", "ReplicaSet")}, snapshot.PlaceOptions{}, "- n0 -"},
		"unless it is wanted":                               {[]*v1.Pod{behind("a", "ReplicaSet"), leader("b"), behind("c", "ReplicaSet")}, snapshot.PlaceOptions{RetryFailed: true}, "- n0 n0"},
		"a DaemonSet's again":                               {[]*v1.Pod{behind("a", "DaemonSet"), leader("b"), behind("c", "DaemonSet")}, snapshot.PlaceOptions{}, "- n0 n0"},
	} {
		for _, accept := range []func(*snapshot.NodeInfo) bool{nil, func(*snapshot.NodeInfo) bool { return true }} {
			s := start(t, snapshot.Options{}, []*v1.Node{node("n0", "1"), node("n1", "1"), cordoned})
			x.options.Ordering, x.options.Accept = snapshot.NewRing(0), accept
			names, err := s.PlaceMany(x.pods, x.options)
			check(t, err)
			for i := range names {
				if names[i] == "" {
					names[i] = "-"
				}
			}
			if got := strings.Join(names, " "); got != x.want {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// Accept is asked about nodes that are hit, once each, and changes nothing of the answer.
func TestAcceptIsAskedLazily(t *testing.T) {
	var nodes []*v1.Node
	var pods []*v1.Pod
	for i := range 60 {
		nodes = append(nodes, node(fmt.Sprintf("n%02d", i), "2"))
		pods = append(pods, on(nodes[i].Name, pod(fmt.Sprint("p", i), "1")))
	}
	for _, refuses := range []func(string) bool{
		func(string) bool { return false }, func(name string) bool { return name < "n03" },
		func(name string) bool { return name != "n40" && name != "n41" }, func(string) bool { return true }} {
		asked := map[string]int{}
		accept := func(info *snapshot.NodeInfo) bool {
			asked[info.Node().Name]++
			return !refuses(info.Node().Name)
		}
		var answers [2]string
		for way := range answers {
			s := start(t, snapshot.Options{}, nodes, pods...)
			search := snapshot.Search{Accept: accept}
			if way == 1 {
				search = snapshot.Search{AcceptSet: s.NodeSet(func(info *snapshot.NodeInfo) bool { return !refuses(info.Node().Name) })}
			}
			for _, name := range []string{"n50", "n51"} {
				info, err := s.GetNodeInfo(name)
				check(t, err)
				removal := snapshot.Removal{Move: info.Pods(), Ghost: info.Node(), Accept: search.Accept, AcceptSet: search.AcceptSet, Keep: name == "n51"}
				moved, gone, err := s.SimulateRemoval(name, removal)
				check(t, err)
				answers[way] += fmt.Sprint(gone)
				for _, m := range moved {
					answers[way] += " " + m.Node
				}
			}
			names, err := s.PlaceMany([]*v1.Pod{pod("x", "1"), pod("y", "1"), pod("z", "1")}, snapshot.PlaceOptions{Search: search})
			check(t, err)
			answers[way] += fmt.Sprint(names, s.Sim().Depth(), state(t, s))
		}
		if answers[0] != answers[1] {
			t.Errorf("Accept: %s\nAcceptSet: %s", answers[0], answers[1])
		}
		most := 0
		for _, n := range asked {
			most = max(most, n)
		}
		if most > 6 || !refuses("n00") && !refuses("n30") && len(asked) > 6 {
			t.Errorf("asked about %d nodes, about one %d times", len(asked), most)
		}
	}
}

func TestRemovalHints(t *testing.T) {
	a, b := on("a", pod("p", "1")), on("a", urgent(pod("q", "1")))
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "1"), node("c", "1"), node("d", "1")}, a, b)
	moved, gone, err := s.SimulateRemoval("a", snapshot.Removal{Move: []*v1.Pod{a, b}, Hints: []string{"c", "d"}})
	check(t, err)
	if !gone || moved[0].Pod != b || moved[0].Node != "d" || moved[1].Node != "c" {
		t.Error(moved, gone)
	}
	if _, _, err := s.SimulateRemoval("a", snapshot.Removal{Move: []*v1.Pod{a}, Hints: []string{"c", "d"}}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}

func TestPackKeepsOrder(t *testing.T) {
	s := start(t, snapshot.Options{}, nil)
	groups := []snapshot.PackGroup{{Pod: pod("small", "500m"), Count: 1}, {Pod: pod("large", "2"), Count: 1}}
	for keep, want := range map[bool][]int32{false: {1, 0}, true: {0, 1}} {
		packed, err := s.BinPack(groups, node("t", "2"), nil, snapshot.PackOptions{KeepOrder: keep})
		check(t, err)
		if !slices.Equal(packed.OnNode, want) {
			t.Error(keep, packed.OnNode)
		}
	}
}

// A context that ends while pods are looked up ends the call.
func TestContextEndsLookups(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	lookups := 0
	fw, err := libsched.NewFramework()
	check(t, err)
	catalog, err := kube.NewCatalog(kube.CatalogOptions{Extra: func(_ *v1.Pod, key []byte) []byte {
		lookups++
		cancel()
		return key
	}})
	check(t, err)
	s, err := snapshot.New(fw, catalog, snapshot.Options{Context: ctx})
	check(t, err)
	t.Cleanup(func() { s.Close(); catalog.Close(); fw.Close() })
	check(t, s.SetClusterState([]*v1.Node{node("a", "2")}, nil))
	pods := slices.Repeat([]*v1.Pod{pod("p", "1m")}, 50000)
	if _, err := s.PlaceMany(pods, snapshot.PlaceOptions{}); !errors.Is(err, context.Canceled) || lookups > 10000 {
		t.Error(err, lookups)
	}
	groups := slices.Repeat([]snapshot.PackGroup{{Pod: pods[0], Count: 1}}, 50000)
	lookups = 0
	if _, err := s.BinPack(groups, node("t", "2"), nil, snapshot.PackOptions{}); !errors.Is(err, context.Canceled) || lookups > 10000 {
		t.Error(err, lookups)
	}
}

// Reading between the removal of a node and its replacement does not move it.
func TestOrderSurvivesARead(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "2"), node("c", "2")}, on("b", pod("p", "1")))
	old, err := s.GetNodeInfo("b")
	check(t, err)
	s.Fork()
	check(t, s.RemoveNodeInfo("b"))
	if list := s.ListNodeInfos(); len(list) != 2 || list[1].Node().Name != "c" || list[0].Requested().MilliCPU != 0 || old.Requested().MilliCPU != 0 {
		t.Error(list)
	}
	fits(t, s.CheckPredicates(pod("q", "1"), "c"))
	check(t, s.AddNodeInfo(node("b", "4"), pod("r", "3")))
	want(t, s, "a[]0/2000 b[r]3000/4000 c[]0/2000")
	s.Revert()
	want(t, s, "a[]0/2000 b[p]1000/2000 c[]0/2000")
	// What a check sees has no pods of the node that is gone.
	check(t, s.ForceAddPod(leader("l"), "b"))
	fits(t, s.CheckPredicates(behind("f", ""), "b"))
	check(t, s.RemoveNodeInfo("b"))
	if refusal := s.CheckPredicates(behind("f", ""), "a"); refusal == nil || s.Sim().Depth() != 0 {
		t.Error("the leader is gone")
	}
}

// A fork with a new node costs the same however many nodes there are.
func TestForkCopiesNoList(t *testing.T) {
	var nodes []*v1.Node
	for i := range 20000 {
		nodes = append(nodes, node(fmt.Sprint("n", i), "2"))
	}
	s := start(t, snapshot.Options{}, nodes)
	added := node("added", "2")
	round := func() {
		s.Fork()
		check(t, s.AddNodeInfo(added))
		s.Fork()
		check(t, s.ForceAddPod(pod("p", "1"), "added"))
		s.Revert()
		s.Revert()
	}
	list := s.ListNodeInfos()
	for range 3 {
		round()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 20 {
		round()
	}
	runtime.ReadMemStats(&after)
	if bytes := (after.TotalAlloc - before.TotalAlloc) / 20; bytes > 20000 {
		t.Errorf("%d bytes a round", bytes)
	}
	if len(list) != 20000 || list[19999].Node().Name != "n19999" || len(s.ListNodeInfos()) != 20000 {
		t.Error("a list that was handed out has changed")
	}
}

// Versions change with each change of a node, and come back.
func TestVersions(t *testing.T) {
	s := start(t, snapshot.Options{}, []*v1.Node{node("a", "2"), node("b", "2")}, on("a", pod("p", "1")))
	a, err := s.GetNodeInfo("a")
	check(t, err)
	a.Data = "mine"
	first, seen := a.Version(), map[uint64]bool{a.Version(): true}
	b := s.ListNodeInfos()[1].Version()
	s.Fork()
	for _, change := range []func() error{
		func() error { return s.ForceAddPod(pod("q", "1"), "a") },
		func() error { return s.ForceRemovePod("default", "p", "a") },
		func() error { return s.ReplaceNode(node("a", "4")) },
		func() error { return s.RemoveNodeInfo("a") },
	} {
		check(t, change())
		if seen[a.Version()] {
			t.Error("an old version")
		}
		seen[a.Version()] = true
	}
	s.Revert()
	if a.Version() != first || a.Data != "mine" || s.ListNodeInfos()[1].Version() != b {
		t.Error(a.Version(), first, a.Data)
	}
	check(t, s.ForceAddPod(pod("q", "1"), "a"))
	if seen[a.Version()] || b == first {
		t.Error("a version of another state")
	}
}
