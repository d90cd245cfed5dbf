package libsched_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"libsched"
)

// slow advances a clock by its time in each call.
type slow struct {
	named
	clock *libsched.Clock
	takes time.Duration
}

func (s *slow) Filter(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
	if err := s.clock.AdvanceTo(s.clock.Now().Add(s.takes)); err != nil {
		time.Sleep(s.takes)
	}
	return nil
}

func TestDeadline(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, clock := range []*libsched.Clock{libsched.VirtualClock(now), libsched.SystemClock()} {
		cluster, pod := fiveNodes(t), newPod(t, "p", 100, "")
		check(t, cluster.SetServices(must(libsched.NewServices(libsched.ServicesOptions{Clock: clock}))(t)))
		plugin := &slow{clock: clock}
		fw := withPlugin(t, plugin)
		state := preFiltered(t, fw, cluster, pod)
		calls := map[string]func(time.Time) error{
			"FilterNodes": func(end time.Time) error {
				_, err := fw.FilterNodes(ctx, state, cluster, pod, libsched.FilterOptions{Deadline: end})
				return err
			},
			"FirstFit": func(end time.Time) error {
				_, _, err := fw.FirstFit(ctx, cluster, pod, libsched.FirstFitOptions{Deadline: end})
				return err
			},
			"CheckPodFits": func(end time.Time) error {
				d, err := fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{Deadline: end})
				d.Close()
				return err
			},
			"RunCycle": func(end time.Time) error {
				s := libsched.NewCycleState()
				defer s.Close()
				result, err := fw.RunCycle(ctx, s, cluster, pod, libsched.CycleOptions{Deadline: end, Start: 3})
				if err != nil && result.NextStart != 3 {
					t.Error(result)
				}
				return err
			},
		}
		for name, call := range calls {
			plugin.takes = 100 * time.Millisecond
			for _, end := range []time.Time{clock.Now(), clock.Now().Add(plugin.takes), time.Unix(0, 0)} {
				err := call(end)
				if !errors.Is(err, libsched.ErrDeadline) || !errors.Is(err, context.DeadlineExceeded) {
					t.Error(name, err)
				}
			}
			plugin.takes = 0
			for _, end := range []time.Time{{}, clock.Now().Add(time.Hour), {}} {
				if err := call(end); err != nil {
					t.Error(name, err)
				}
			}
		}
	}
}

// TestDeadlineWithoutAClock checks that without a caller's clock deadlines use the machine's time, and
// everything else a virtual clock.
func TestDeadlineWithoutAClock(t *testing.T) {
	cluster, pod := fiveNodes(t), newPod(t, "p", 100, "")
	own := must(libsched.NewServices(libsched.ServicesOptions{}))(t)
	defer own.Close()
	fw := newFramework(t)
	check(t, cluster.SetServices(own))
	snapshot := must(cluster.Snapshot())(t)
	defer snapshot.Close()
	for _, view := range []libsched.View{cluster, snapshot} {
		try := func(end time.Time) error {
			d, err := fw.CheckPodFits(ctx, view, pod, libsched.CheckOptions{Deadline: end})
			d.Close()
			return err
		}
		if err := try(time.Now()); !errors.Is(err, libsched.ErrDeadline) {
			t.Errorf("%T: %v", view, err)
		}
		check(t, try(time.Now().Add(time.Hour)))
	}
	if year := own.Clock().Now().UTC().Year(); year != 2200 {
		t.Error(year)
	}
}

// preempt returns the outcome and the requests of a preemption on 60 full nodes.
func preempt(t *testing.T, options ...libsched.FrameworkOption) []any {
	cluster := must(libsched.NewCluster())(t)
	t.Cleanup(cluster.Close)
	for i := range 60 {
		name := fmt.Sprintf("n%02d", i)
		check(t, cluster.AddNodes([]*libsched.Node{newNode(t, name, 4, "a", "")}))
		for k := range 4 {
			check(t, cluster.AddPod(newPod(t, fmt.Sprintf("low-%d-%d", i, k), 1000,
				fmt.Sprintf("priority: %d", (i+k)%5)), name))
		}
	}
	fw, pod := newFramework(t, options...), newPod(t, "high", 2500, "priority: 9")
	state, statuses := libsched.NewCycleState(), libsched.NewNodeStatuses()
	defer state.Close()
	defer statuses.Close()
	must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{State: state}))(t).Close()
	check(t, statuses.SetAbsent(libsched.NewStatus(libsched.Unschedulable)))
	nomination, status := fw.RunPostFilterPlugins(ctx, state, cluster, pod, statuses)
	if !status.IsSuccess() || nomination == nil {
		t.Fatal(nomination, status)
	}
	services := must(cluster.Services())(t)
	return []any{*nomination, must(services.Requests())(t)}
}

func TestParallelism(t *testing.T) {
	alone := preempt(t)
	for _, threads := range []int{1, 2, 5} {
		if beside := preempt(t, libsched.WithParallelism(threads)); !reflect.DeepEqual(alone, beside) {
			t.Errorf("%d threads: %v, not %v", threads, beside, alone)
		}
	}
	for _, wrong := range []int{0, -1, 1025} {
		if _, err := libsched.NewFramework(libsched.WithParallelism(wrong)); !errors.Is(err, libsched.ErrInvalid) {
			t.Error(wrong, err)
		}
	}
}
