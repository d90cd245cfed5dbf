package libsched_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"libsched"
)

func TestCapacityIsWhatSchedulePlaces(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	web := newPod(t, "web", 500, "nodeName: small")
	before := cluster.PodCount()
	found := must(fw.CountCapacity(ctx, cluster, []*libsched.Pod{web}, libsched.CapacityOptions{}))(t)
	if cluster.PodCount() != before {
		t.Errorf("there are %d pods now, there were %d", cluster.PodCount(), before)
	}
	copies := must(fw.Schedule(ctx, cluster, []*libsched.Pod{newPod(t, "copy", 500, "")},
		libsched.ScheduleOptions{Replicas: []int{1_000_000}}))(t)
	on := map[string]int{}
	for _, p := range copies {
		if p.Outcome == libsched.OutcomePlaced {
			on[p.Node]++
		}
	}
	if found.Count != len(copies)-1 || found.Count < 2 || found.End != libsched.CapacityStopped || found.End.String() != "stopped" {
		t.Fatalf("%+v of %d", found, len(copies)-1)
	}
	if len(found.Counts) != 1 || found.Counts[0] != found.Count || len(found.Nodes) != 5 || found.Nodes[0].Node != "big" {
		t.Errorf("%+v", found)
	}
	for _, node := range found.Nodes {
		if node.Pods != on[node.Node] {
			t.Errorf("%d on %s, not %d", on[node.Node], node.Node, node.Pods)
		}
	}
	last := copies[len(copies)-1]
	if found.Next == nil || found.Next.Text != last.Text || found.Next.Replica != found.Count || found.Next.Count != 1 {
		t.Errorf("%+v, not %+v", found.Next, last)
	}
	if found.Decision == nil || found.Decision.Fits() || found.Decision.NodeCount() != 5 {
		t.Errorf("%v", found.Decision)
	}
	if facts := found.Decision.Facts(found.Nodes[0].Node); len(facts) == 0 {
		t.Error("no facts")
	}
}

func TestCapacityOfSeveralPods(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	pods := []*libsched.Pod{newPod(t, "a", 100, ""), newPod(t, "b", 100, "")}
	found := must(fw.CountCapacity(ctx, cluster, pods, libsched.CapacityOptions{Max: 5}))(t)
	if found.Count != 5 || found.End != libsched.CapacityMaximum || found.Counts[0] != 3 || found.Counts[1] != 2 {
		t.Errorf("%+v", found)
	}
	if found.Next != nil || found.Decision != nil {
		t.Errorf("%+v", found)
	}
}

func TestCapacityEnds(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	pods := []*libsched.Pod{newPod(t, "a", 100, "")}
	found := must(fw.CountCapacity(ctx, cluster, pods, libsched.CapacityOptions{Deadline: time.Unix(1, 0)}))(t)
	if found.Count != 0 || found.End != libsched.CapacityDeadline {
		t.Errorf("%+v", found)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := fw.CountCapacity(ended, cluster, pods, libsched.CapacityOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, options := range []libsched.CapacityOptions{{Ties: 9}, {Max: -1}} {
		if _, err := fw.CountCapacity(ctx, cluster, pods, options); !errors.Is(err, libsched.ErrInvalid) {
			t.Errorf("%+v: %v", options, err)
		}
	}
	if _, err := fw.CountCapacity(ctx, cluster, nil, libsched.CapacityOptions{}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if _, err := libsched.CountCapacity(ctx, cluster, pods, nil, libsched.CapacityOptions{}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
}
