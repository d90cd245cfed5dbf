package libsched_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"libsched"
)

// told formats placements as "name outcome node xcount".
func told(placements []libsched.Placement) []string {
	var out []string
	for _, p := range placements {
		out = append(out, fmt.Sprintf("%s %v %s x%d", p.Name, p.Outcome, p.Node, p.Count))
	}
	return out
}

func TestSchedulePlacesOneAfterTheOther(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	pods := []*libsched.Pod{
		newPod(t, "x", 7000, ""), newPod(t, "y", 7000, ""), newPod(t, "hog", 1, ""),
		newPod(t, "z", 1, "nodeName: small"), newPod(t, "g", 1, "schedulingGates: [{name: a/b}]"),
	}
	placements := must(fw.Schedule(ctx, cluster, pods, libsched.ScheduleOptions{}))(t)
	wanted := []string{"x placed big x1", "y unschedulable  x1", "hog kept full x1", "z bound small x1", "g gated  x1"}
	if fmt.Sprint(told(placements)) != fmt.Sprint(wanted) {
		t.Fatalf("%q", told(placements))
	}
	if p := placements[1]; p.Text == "" || p.Pod != 1 || p.Namespace != "default" {
		t.Errorf("%+v", p)
	}
	if p := placements[4]; p.Plugin != "SchedulingGates" {
		t.Errorf("%+v", p)
	}
	if fit, ok, err := fw.FirstFit(ctx, cluster, pods[1], libsched.FirstFitOptions{}); ok || err != nil {
		t.Errorf("there is room for y beside x: %v %v", fit, err)
	}
}

func TestScheduleReplicas(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	pods := []*libsched.Pod{newPod(t, "none", 1, ""), newPod(t, "web", 4000, ""), newPod(t, "p", 1, "")}
	placements := must(fw.Schedule(ctx, cluster, pods, libsched.ScheduleOptions{Replicas: []int{0, 1_000_000_000, 1}}))(t)
	wanted := []string{"web-0 placed big x1", "web-1 placed big x1", "web-2 unschedulable  x999999998"}
	if fmt.Sprint(told(placements[:3])) != fmt.Sprint(wanted) || len(placements) != 4 {
		t.Fatalf("%q", told(placements))
	}
	for i, at := range [][2]int{{1, 0}, {1, 1}, {1, 2}, {2, 0}} {
		if p := placements[i]; p.Pod != at[0] || p.Replica != at[1] {
			t.Errorf("%d: %+v", i, p)
		}
	}
}

func TestScheduleEnds(t *testing.T) {
	cluster, fw := fiveNodes(t), newFramework(t)
	pods := []*libsched.Pod{newPod(t, "x", 64000, ""), newPod(t, "y", 1, "")}
	placements := must(fw.Schedule(ctx, cluster, pods, libsched.ScheduleOptions{StopAtFailure: true}))(t)
	if len(placements) != 1 || placements[0].Outcome != libsched.OutcomeUnschedulable {
		t.Errorf("%q", told(placements))
	}
	_, err := fw.Schedule(ctx, cluster, pods, libsched.ScheduleOptions{Deadline: time.Unix(1, 0)})
	if !errors.Is(err, libsched.ErrDeadline) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := fw.Schedule(ended, cluster, pods, libsched.ScheduleOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, options := range []libsched.ScheduleOptions{{Ties: 9}, {Replicas: []int{1}}, {Replicas: []int{1, -1}}} {
		if _, err := fw.Schedule(ctx, cluster, pods, options); !errors.Is(err, libsched.ErrInvalid) {
			t.Errorf("%+v: %v", options, err)
		}
	}
	if placements, err := fw.Schedule(ctx, cluster, nil, libsched.ScheduleOptions{}); err != nil || len(placements) != 0 {
		t.Error(placements, err)
	}
}
