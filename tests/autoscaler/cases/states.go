package cases

import (
	"errors"
	"fmt"
	"math/rand"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
)

// states are about whole states, and about nodes that are missing or there already.
func states(t *testing.T, factory Factory) {
	t.Run("SetClusterState", func(t *testing.T) { setClusterState(t, factory) })
	t.Run("Missing", func(t *testing.T) { missing(t, factory) })
	t.Run("Exists", func(t *testing.T) {
		for _, forked := range []bool{false, true} {
			s := start(t, factory, []*v1.Node{node("n", 10, 10)})
			if forked {
				s.Fork()
			}
			if err := s.AddNodeInfo(consumers.NewNodeInfo(node("n", 10, 10), pod("p", 1, 1))); err == nil {
				t.Error("added twice")
			}
			same(t, s, []string{"n[]"})
			// A node that is added in a fork is there as well.
			check(t, s.AddNodeInfo(consumers.NewNodeInfo(node("m", 10, 10))))
			s.Fork()
			if err := s.AddNodeInfo(consumers.NewNodeInfo(node("m", 10, 10))); err == nil {
				t.Error("added twice")
			}
		}
	})
}

func randomState(r *rand.Rand, prefix string, nodeCount, podCount int) (nodes []*v1.Node, pods []*v1.Pod, want []string) {
	names := make([][]string, nodeCount)
	for i := range nodeCount {
		nodes = append(nodes, node(fmt.Sprint(prefix, "node-", i), 2000, 4000000))
	}
	for i := range podCount {
		at := r.Intn(nodeCount)
		pods = append(pods, pod(fmt.Sprint(prefix, "pod-", i), 10, 100, on(nodes[at].Name)))
		names[at] = append(names[at], pods[i].Name)
	}
	for i := range nodes {
		slices.Sort(names[i])
		want = append(want, fmt.Sprint(nodes[i].Name, names[i]))
	}
	slices.Sort(want)
	return nodes, pods, want
}

func setClusterState(t *testing.T, factory Factory) {
	r := rand.New(rand.NewSource(7))
	nodes, pods, want := randomState(r, "", 57, 600)
	others, otherPods, otherWant := randomState(r, "other-", 13, 37)
	s := start(t, factory, nodes, pods...)
	same(t, s, want)
	infos, err := s.ListNodeInfos()
	check(t, err)
	for i, info := range infos {
		if info.Node().Name != nodes[i].Name {
			t.Errorf("%s is at place %d of the list", info.Node().Name, i)
		}
	}
	for _, p := range otherPods { // nominated pods count as if they were there
		p.Status.NominatedNodeName, p.Spec.NodeName = p.Spec.NodeName, ""
	}
	lost := pod("lost", 1, 1, on("nowhere"))
	s.Fork()
	s.Fork()
	check(t, s.SetClusterState(others, append(otherPods, lost), nil, nil))
	same(t, s, otherWant)
	s.Revert() // the forks have ended
	same(t, s, otherWant)
	check(t, s.SetClusterState(nil, nil, nil, nil))
	same(t, s, []string{})
	check(t, s.SetClusterState(nodes, pods, nil, nil))
	s.Fork()
	s.Clear()
	s.Revert()
	same(t, s, []string{})
}

// missing calls everything that needs a node when that is not there, for different reasons.
func missing(t *testing.T, factory Factory) {
	p := pod("p", 0, 0)
	for _, op := range []struct {
		name string
		do   func(clustersnapshot.ClusterSnapshot) error
	}{
		{"ForceAddPod", func(s clustersnapshot.ClusterSnapshot) error { return s.ForceAddPod(p, "n") }},
		{"ForceRemovePod", func(s clustersnapshot.ClusterSnapshot) error { return s.ForceRemovePod("default", "p", "n") }},
		{"SchedulePod", func(s clustersnapshot.ClusterSnapshot) error {
			err := s.SchedulePod(p, "n")
			if err == nil || err.Type() != clustersnapshot.SchedulingInternalError {
				return nil
			}
			return clustersnapshot.ErrNodeNotFound
		}},
		{"UnschedulePod", func(s clustersnapshot.ClusterSnapshot) error { return s.UnschedulePod("default", "p", "n") }},
		{"GetNodeInfo", func(s clustersnapshot.ClusterSnapshot) error { _, err := s.GetNodeInfo("n"); return err }},
		{"RemoveNodeInfo", func(s clustersnapshot.ClusterSnapshot) error { return s.RemoveNodeInfo("n") }},
	} {
		wants404 := func(t *testing.T, s clustersnapshot.ClusterSnapshot) {
			t.Helper()
			if err := op.do(s); !errors.Is(err, clustersnapshot.ErrNodeNotFound) {
				t.Error(err)
			}
		}
		t.Run(op.name, func(t *testing.T) {
			s := factory(t, Setup{})
			wants404(t, s)
			check(t, s.SetClusterState([]*v1.Node{node("n", 10, 100)}, nil, nil, nil))
			s.Fork()
			check(t, s.RemoveNodeInfo("n"))
			wants404(t, s)
			check(t, s.Commit())
			wants404(t, s)
			check(t, s.SetClusterState([]*v1.Node{node("n", 10, 100)}, nil, nil, nil))
			check(t, s.RemoveNodeInfo("n"))
			wants404(t, s)
		})
	}
	t.Run("a pod", func(t *testing.T) {
		s := start(t, factory, []*v1.Node{node("n", 10, 100)}, pod("q", 1, 1, on("n")))
		if s.ForceRemovePod("default", "p", "n") == nil || s.UnschedulePod("other", "q", "n") == nil {
			t.Error("removed")
		}
		same(t, s, []string{"n[q]"})
	})
}
