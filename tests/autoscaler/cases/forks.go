package cases

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"

	"libsched.dev/tests/autoscaler/consumers"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// world is the state of a snapshot as text: each node with its pods, sorted.
func world(t *testing.T, snapshot clustersnapshot.ClusterSnapshot) []string {
	t.Helper()
	infos, err := snapshot.ListNodeInfos()
	check(t, err)
	out := []string{}
	for _, info := range infos {
		var pods []string
		for _, pod := range info.Pods() {
			pods = append(pods, pod.Name)
		}
		slices.Sort(pods)
		out = append(out, fmt.Sprint(info.Node().Name, pods))
		again, err := snapshot.GetNodeInfo(info.Node().Name)
		check(t, err)
		if len(again.Pods()) != len(pods) {
			t.Errorf("%s has %d pods in the list, and %d alone", info.Node().Name, len(pods), len(again.Pods()))
		}
	}
	slices.Sort(out)
	return out
}

func same(t *testing.T, snapshot clustersnapshot.ClusterSnapshot, want []string) {
	t.Helper()
	if got := world(t, snapshot); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}

// change is an operation, with the states before and after.
type change struct {
	name          string
	nodes         []*v1.Node
	pods          []*v1.Pod
	before, after []string
	do            func(clustersnapshot.ClusterSnapshot) error
	wants         error // errors.Is
}

func changes() []change {
	special, other, large := node("special", 10, 100), node("other", 10, 100), node("large", 9999, 9999)
	small, big := pod("small", 1, 1), pod("big", 999, 999)
	asError := func(err clustersnapshot.SchedulingError) error {
		if err == nil {
			return nil
		}
		return err
	}
	any := func(s clustersnapshot.ClusterSnapshot, p *v1.Pod, want string, accept func(*framework.NodeInfo) bool) error {
		got, err := s.SchedulePodOnAnyNodeMatching(p, clustersnapshot.SchedulingOptions{IsNodeAcceptable: accept})
		if got != want {
			return fmt.Errorf("found %q, not %q", got, want)
		}
		return asError(err)
	}
	return []change{
		{name: "add an empty node", after: []string{"special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
			return s.AddNodeInfo(consumers.NewNodeInfo(special))
		}},
		{name: "add a node with a pod", after: []string{"special[small]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
			return s.AddNodeInfo(consumers.NewNodeInfo(special, small))
		}},
		{name: "remove a node", nodes: []*v1.Node{special}, before: []string{"special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
			return s.RemoveNodeInfo("special")
		}},
		{name: "remove a node and add it again", nodes: []*v1.Node{special}, pods: []*v1.Pod{pod("old", 1, 1, on("special"))},
			before: []string{"special[old]"}, after: []string{"special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
				if err := s.RemoveNodeInfo("special"); err != nil {
					return err
				}
				return s.AddNodeInfo(consumers.NewNodeInfo(special))
			}},
		{name: "add a pod and remove the node", nodes: []*v1.Node{special}, before: []string{"special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
			if err := s.ForceAddPod(small, "special"); err != nil {
				return err
			}
			return s.RemoveNodeInfo("special")
		}},
		{name: "schedule", nodes: []*v1.Node{special}, before: []string{"special[]"}, after: []string{"special[small]"},
			do: func(s clustersnapshot.ClusterSnapshot) error { return asError(s.SchedulePod(small, "special")) }},
		{name: "schedule anywhere, one node passes", nodes: []*v1.Node{special, large}, before: []string{"large[]", "special[]"},
			after: []string{"large[big]", "special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error { return any(s, big, "large", nil) }},
		{name: "schedule anywhere, one node is acceptable", nodes: []*v1.Node{special, large}, before: []string{"large[]", "special[]"},
			after: []string{"large[]", "special[small]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
				return any(s, small, "special", func(info *framework.NodeInfo) bool { return info.Node().Name == "special" })
			}},
		{name: "schedule fails", nodes: []*v1.Node{special}, before: []string{"special[]"}, after: []string{"special[]"},
			do:    func(s clustersnapshot.ClusterSnapshot) error { return asError(s.SchedulePod(big, "special")) },
			wants: clustersnapshot.NewFailingPredicateError(nil, "", nil, "", "")},
		{name: "schedule anywhere, no node passes", nodes: []*v1.Node{special, other}, before: []string{"other[]", "special[]"},
			after: []string{"other[]", "special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error { return any(s, big, "", nil) },
			wants: clustersnapshot.NewNoNodesPassingPredicatesFoundError(nil)},
		{name: "schedule anywhere, no node is acceptable", nodes: []*v1.Node{special, large}, before: []string{"large[]", "special[]"},
			after: []string{"large[]", "special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
				return any(s, small, "", func(*framework.NodeInfo) bool { return false })
			}, wants: clustersnapshot.NewNoNodesPassingPredicatesFoundError(nil)},
		{name: "unschedule", nodes: []*v1.Node{special}, pods: []*v1.Pod{pod("small", 1, 1, on("special"))}, before: []string{"special[small]"},
			after: []string{"special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error { return s.UnschedulePod("default", "small", "special") }},
		{name: "move a pod", nodes: []*v1.Node{special, other}, pods: []*v1.Pod{pod("small", 1, 1, on("special"))},
			before: []string{"other[]", "special[small]"}, after: []string{"other[small]", "special[]"}, do: func(s clustersnapshot.ClusterSnapshot) error {
				if err := s.UnschedulePod("default", "small", "special"); err != nil {
					return err
				}
				return asError(s.SchedulePod(small, "other"))
			}},
		{name: "a pod twice", nodes: []*v1.Node{special}, before: []string{"special[]"}, after: []string{"special[small small]"},
			do: func(s clustersnapshot.ClusterSnapshot) error {
				if err := s.SchedulePod(small, "special"); err != nil {
					return err
				}
				return asError(s.SchedulePod(small, "special"))
			}},
	}
}

// forks runs each change with all ways to keep or undo it.
func forks(t *testing.T, factory Factory) {
	for _, c := range changes() {
		do := func(t *testing.T, s clustersnapshot.ClusterSnapshot) {
			t.Helper()
			if err := c.do(s); !errors.Is(err, c.wants) {
				t.Errorf("%v, not %v", err, c.wants)
			}
		}
		extra := func(s clustersnapshot.ClusterSnapshot) {
			check(t, s.AddNodeInfo(consumers.NewNodeInfo(node("extra", 1, 1))))
		}
		for _, way := range []struct {
			name   string
			undone bool
			run    func(*testing.T, clustersnapshot.ClusterSnapshot)
		}{
			{"base", false, do},
			{"fork", false, func(t *testing.T, s clustersnapshot.ClusterSnapshot) { s.Fork(); do(t, s) }},
			{"fork, revert", true, func(t *testing.T, s clustersnapshot.ClusterSnapshot) { s.Fork(); do(t, s); s.Revert() }},
			{"fork, fork, revert, revert", true, func(t *testing.T, s clustersnapshot.ClusterSnapshot) {
				s.Fork()
				do(t, s)
				s.Fork()
				extra(s)
				s.Revert()
				s.Revert()
			}},
			{"fork, commit", false, func(t *testing.T, s clustersnapshot.ClusterSnapshot) { s.Fork(); do(t, s); check(t, s.Commit()) }},
			{"fork, fork, commit, revert", true, func(t *testing.T, s clustersnapshot.ClusterSnapshot) {
				s.Fork()
				s.Fork()
				do(t, s)
				check(t, s.Commit())
				same(t, s, nonNil(c.after))
				s.Revert()
			}},
			{"fork, fork, revert, commit", false, func(t *testing.T, s clustersnapshot.ClusterSnapshot) {
				s.Fork()
				do(t, s)
				s.Fork()
				extra(s)
				s.Revert()
				check(t, s.Commit())
			}},
			{"without a fork, revert and commit do nothing", false, func(t *testing.T, s clustersnapshot.ClusterSnapshot) {
				do(t, s)
				s.Revert()
				check(t, s.Commit())
			}},
		} {
			t.Run(c.name+"/"+way.name, func(t *testing.T) {
				s := start(t, factory, c.nodes, c.pods...)
				same(t, s, nonNil(c.before))
				way.run(t, s)
				if way.undone {
					same(t, s, nonNil(c.before))
				} else {
					same(t, s, nonNil(c.after))
				}
			})
		}
		t.Run(c.name+"/WithForkedSnapshot", func(t *testing.T) {
			failure := errors.New("failure")
			for _, keep := range []bool{false, true} {
				s := start(t, factory, c.nodes, c.pods...)
				result, cleanup := clustersnapshot.WithForkedSnapshot(s, func() (bool, error) { do(t, s); return keep, failure })
				if result != failure || cleanup != nil {
					t.Error(result, cleanup)
				}
				if keep {
					same(t, s, nonNil(c.after))
				} else {
					same(t, s, nonNil(c.before))
				}
			}
		})
	}
}

func nonNil(texts []string) []string { return append([]string{}, texts...) }
