package cases

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// devices are cases of pods with claims.
func devices(t *testing.T, factory Factory) {
	t.Run("Schedule", func(t *testing.T) { scheduleClaims(t, factory) })
	t.Run("Shared", func(t *testing.T) { sharedClaims(t, factory) })
	t.Run("Nodes", func(t *testing.T) { nodesWithDevices(t, factory) })
	t.Run("Missing", func(t *testing.T) { missingClaims(t, factory) })
	t.Run("Estimate", func(t *testing.T) { estimateDevices(t, factory) })
	t.Run("Removal", func(t *testing.T) { removeDevices(t, factory) })
}

func wantClaims(t *testing.T, s clustersnapshot.ClusterSnapshot, text string) {
	t.Helper()
	if got := claimed(t, s); got != text {
		t.Errorf("%s\nwant %s", got, text)
	}
}

func wantRefused(t *testing.T, err clustersnapshot.SchedulingError, plugin string) {
	t.Helper()
	if err == nil || err.FailingPredicateName() != plugin {
		t.Errorf("%v, want %s", err, plugin)
	}
}

func scheduleClaims(t *testing.T, factory Factory) {
	s := factory(t, Setup{Devices: true})
	p, pc := own(pod("p", 1, 1))
	q, qc := own(pod("q", 1, 1))
	two := []*v1.Node{node("a", 10, 100), node("b", 10, 100)}
	check(t, s.SetClusterState(two, nil, devicesOf([]*resourceapi.ResourceClaim{pc, qc}, cards("a", 1)), nil))
	free := "p-card[] q-card[]"
	wantClaims(t, s, free)
	scheduled(t, s.CheckPredicates(p, "a"))
	wantRefused(t, s.CheckPredicates(p, "b"), "DynamicResources")
	wantRefused(t, s.SchedulePod(p, "b"), "DynamicResources")
	wantClaims(t, s, free)
	s.Fork()
	scheduled(t, s.SchedulePod(p, "a"))
	taken := "p-card:a/card0[p] q-card[]"
	wantClaims(t, s, taken)
	wantRefused(t, s.SchedulePod(q, "a"), "DynamicResources")
	if _, err := s.SchedulePodOnAnyNodeMatching(q, clustersnapshot.SchedulingOptions{}); err == nil || err.Type() != clustersnapshot.NoNodesPassingPredicatesFoundError {
		t.Error(err)
	}
	s.Fork()
	check(t, s.UnschedulePod("default", "p", "a"))
	wantClaims(t, s, free)
	if name, err := s.SchedulePodOnAnyNodeMatching(q, clustersnapshot.SchedulingOptions{}); err != nil || name != "a" {
		t.Error(name, err)
	}
	wantClaims(t, s, "p-card[] q-card:a/card0[q]")
	same(t, s, []string{"a[q]", "b[]"})
	s.Revert()
	wantClaims(t, s, taken)
	// A pod that is only removed keeps its device, and one that is only added gets none.
	check(t, s.ForceRemovePod("default", "p", "a"))
	wantClaims(t, s, taken)
	wantRefused(t, s.CheckPredicates(q, "a"), "DynamicResources")
	check(t, s.ForceAddPod(p, "a"))
	check(t, s.ForceAddPod(q, "a"))
	wantClaims(t, s, taken)
	check(t, s.Commit())
	wantClaims(t, s, taken)
	info, err := s.GetNodeInfo("a")
	check(t, err)
	if len(info.LocalResourceSlices) != 1 || len(info.Pods()) != 2 || len(info.ResourceClaims()) != 2 || info.CSINode != nil {
		t.Error(info)
	}
	s.Clear()
	wantClaims(t, s, "")
}

func sharedClaims(t *testing.T, factory Factory) {
	s := factory(t, Setup{Devices: true})
	there := pod("there", 1, 1, on("b"), uses("team"))
	check(t, s.SetClusterState([]*v1.Node{node("a", 10, 100), node("b", 10, 100)}, []*v1.Pod{there},
		devicesOf([]*resourceapi.ResourceClaim{got(claim("team"), "b", "card0", there)}, cards("a", 1), cards("b", 1)), nil))
	x, y := pod("x", 1, 1, uses("team")), pod("y", 1, 1, uses("team"))
	wantRefused(t, s.CheckPredicates(x, "a"), "DynamicResources")
	scheduled(t, s.SchedulePod(x, "b"))
	wantClaims(t, s, "team:b/card0[there x]")
	check(t, s.UnschedulePod("default", "there", "b"))
	wantClaims(t, s, "team:b/card0[x]")
	check(t, s.UnschedulePod("default", "x", "b")) // the last one
	wantClaims(t, s, "team[]")
	scheduled(t, s.SchedulePod(y, "a"))
	wantClaims(t, s, "team:a/card0[y]")
	// The claim is not the node's: only the reservation goes.
	s.Fork()
	check(t, s.RemoveNodeInfo("a"))
	wantClaims(t, s, "team:a/card0[]")
	s.Revert()
	wantClaims(t, s, "team:a/card0[y]")
}

func nodesWithDevices(t *testing.T, factory Factory) {
	s := factory(t, Setup{Devices: true})
	waiting, wc := own(pod("waiting", 1, 1))
	check(t, s.SetClusterState([]*v1.Node{node("a", 10, 100)}, nil, devicesOf([]*resourceapi.ResourceClaim{wc}), nil))
	p, pc := own(pod("p", 1, 1))
	got(pc, "n", "card0", p)
	info := func() *framework.NodeInfo {
		return framework.NewNodeInfo(node("n", 10, 100), []*resourceapi.ResourceSlice{cards("n", 2)}, framework.NewPodInfo(p, []*resourceapi.ResourceClaim{pc}))
	}
	before := "waiting-card[]"
	s.Fork()
	s.Fork()
	check(t, s.AddNodeInfo(info()))
	wantClaims(t, s, "p-card:n/card0[p] waiting-card[]")
	if s.AddNodeInfo(info()) == nil {
		t.Error("added twice")
	}
	scheduled(t, s.SchedulePod(waiting, "n"))
	wantClaims(t, s, "p-card:n/card0[p] waiting-card:n/card1[waiting]")
	check(t, s.Commit())
	wantClaims(t, s, "p-card:n/card0[p] waiting-card:n/card1[waiting]")
	s.Fork()
	check(t, s.RemoveNodeInfo("n"))
	wantClaims(t, s, "")
	slices, err := s.ResourceSlices().ListWithDeviceTaintRules()
	if err != nil || len(slices) != 0 {
		t.Error(slices, err)
	}
	check(t, s.AddNodeInfo(info()))
	wantClaims(t, s, "p-card:n/card0[p]")
	s.Revert()
	s.Revert()
	wantClaims(t, s, before)
	same(t, s, []string{"a[]"})
	// Claims of pods on new nodes have devices already.
	pc.Status.Allocation = nil
	if s.AddNodeInfo(info()) == nil {
		t.Error("added without devices")
	}
}

func missingClaims(t *testing.T, factory Factory) {
	s := factory(t, Setup{Devices: true})
	p, pc := own(pod("p", 1, 1))
	one := []*v1.Node{node("a", 10, 100)}
	there := p.DeepCopy()
	there.Spec.NodeName = "a"
	if s.SetClusterState(one, []*v1.Pod{there}, devicesOf(nil), nil) == nil {
		t.Error("a pod without its claim")
	}
	check(t, s.SetClusterState(one, nil, devicesOf(nil, cards("a", 1)), nil))
	if s.ForceAddPod(p, "a") == nil {
		t.Error("a pod without its claim")
	}
	if err := s.SchedulePod(p, "a"); err == nil {
		t.Error("a pod without its claim")
	}
	same(t, s, []string{"a[]"})
	// Callers may add claims, also in forks.
	s.Fork()
	check(t, s.DraSnapshot().AddClaims([]*resourceapi.ResourceClaim{pc}))
	if s.DraSnapshot().AddClaims([]*resourceapi.ResourceClaim{pc}) == nil {
		t.Error("added twice")
	}
	s.Fork()
	scheduled(t, s.SchedulePod(p, "a"))
	wantClaims(t, s, "p-card:a/card0[p]")
	s.Revert()
	wantClaims(t, s, "p-card[]")
	s.DraSnapshot().RemoveNodeResourceSlices("a")
	wantRefused(t, s.SchedulePod(p, "a"), "DynamicResources")
	s.Revert()
	wantClaims(t, s, "")
	if err := s.CheckPredicates(p, "a"); err == nil {
		t.Error("a pod without its claim")
	}
}

func estimateDevices(t *testing.T, factory Factory) {
	s := factory(t, Setup{Devices: true})
	var claims []*resourceapi.ResourceClaim
	var group consumers.Group
	for _, name := range []string{"a", "b", "c"} {
		p, c := own(pod(name, 1, 1, ownedBy("Job", "j")))
		claims, group.Pods = append(claims, c), append(group.Pods, p)
	}
	check(t, s.SetClusterState([]*v1.Node{node("other", 10, 100)}, nil, devicesOf(claims), nil))
	agent, ac := own(pod("agent", 1, 1, ownedBy("DaemonSet", "agent")))
	got(ac, "template", "card1", agent)
	template := framework.NewNodeInfo(node("template", 10, 100), []*resourceapi.ResourceSlice{cards("template", 3)},
		framework.NewPodInfo(agent, []*resourceapi.ResourceClaim{ac}))
	e := consumers.Estimator{Snapshot: s, Limiter: &consumers.Limit{}, Look: func(s clustersnapshot.ClusterSnapshot) {
		wantClaims(t, s, "a-card:template-e-0/card0[a] agent-card-e-0:template-e-0/card1[agent-e-0] agent-card-e-1:template-e-1/card1[agent-e-1] "+
			"b-card:template-e-0/card2[b] c-card:template-e-1/card0[c]")
	}}
	estimate, err := e.Estimate([]consumers.Group{group}, template)
	if err != nil || estimate.Nodes != 2 || len(estimate.Scheduled) != 3 {
		t.Error(estimate, err)
	}
	wantClaims(t, s, "a-card[] b-card[] c-card[]")
}

func removeDevices(t *testing.T, factory Factory) {
	for _, room := range []int{2, 1} {
		s := factory(t, Setup{Devices: true})
		p, pc := own(pod("p", 1, 1, on("a"), ownedBy("ReplicaSet", "r")))
		q, qc := own(pod("q", 1, 1, on("a"), ownedBy("ReplicaSet", "r")))
		before := "p-card:a/card0[p] q-card:a/card1[q]"
		check(t, s.SetClusterState([]*v1.Node{node("a", 10, 100), node("b", 10, 100)}, []*v1.Pod{p, q},
			devicesOf([]*resourceapi.ResourceClaim{got(pc, "a", "card0", p), got(qc, "a", "card1", q)}, cards("a", 2), cards("b", room)), nil))
		wantClaims(t, s, before)
		r := consumers.NewRemovalSimulator(s, true)
		gone, _ := r.SimulateNodeRemoval(context.Background(), "a", map[string]bool{"a": true, "b": true}, time.Unix(0, 0))
		if (gone != nil) != (room == 2) {
			t.Error(room, gone)
		}
		if gone == nil {
			wantClaims(t, s, before)
			continue
		}
		same(t, s, []string{"b[p q]"})
		wantClaims(t, s, "p-card:b/card0[p] q-card:b/card1[q]")
	}
}
