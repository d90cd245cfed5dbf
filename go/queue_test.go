package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"libsched"
)

// newQueue makes a queue of a cluster whose clock it returns.
func newQueue(t *testing.T, options libsched.QueueOptions, frameworks ...*libsched.Framework) (
	*libsched.SchedulingQueue, *libsched.Cluster, *libsched.Clock) {
	t.Helper()
	cluster := fiveNodes(t)
	clock := libsched.VirtualClock(time.Unix(1000, 0))
	services := must(libsched.NewServices(libsched.ServicesOptions{Clock: clock}))(t)
	check(t, cluster.SetServices(services))
	if frameworks == nil {
		frameworks = []*libsched.Framework{newFramework(t)}
	}
	q := must(libsched.NewSchedulingQueue(cluster, frameworks, options))(t)
	t.Cleanup(q.Close)
	return q, cluster, clock
}

// pop pops a pod with that name.
func pop(t *testing.T, q *libsched.SchedulingQueue, name string) *libsched.QueuedPodInfo {
	t.Helper()
	popped := must(q.Pop())(t)
	switch {
	case popped == nil && name != "":
		t.Fatalf("nothing is ready, not %s", name)
	case popped != nil && popped.Pod.Name() != name:
		t.Fatalf("%s is next, not %q", popped.Pod, name)
	}
	return popped
}

func podNames(pods []*libsched.QueuedPodInfo) (names []string) {
	for _, pod := range pods {
		names = append(names, pod.Pod.Name())
	}
	return names
}

func TestQueueOrderAndBackoff(t *testing.T) {
	q, _, clock := newQueue(t, libsched.QueueOptions{InitialBackoff: 2 * time.Second, MaxBackoff: 3 * time.Second,
		MaxInUnschedulable: time.Minute})
	check(t, q.Add(ctx, newPod(t, "low", 1, "")))
	check(t, q.Add(ctx, newPod(t, "high", 1, "priority: 7")))
	check(t, q.Add(ctx, newPod(t, "gone", 1, "")))
	check(t, q.Delete(newPod(t, "gone", 1, "")))
	check(t, q.Update(ctx, newPod(t, "low", 1, ""), newPod(t, "low", 1, "priority: 3")))
	if specific := must(q.PopSpecificPod(newPod(t, "gone", 1, "")))(t); specific != nil {
		t.Error(specific.Pod)
	}
	if active := podNames(must(q.List(libsched.PartActive))(t)); !slices.Equal(active, []string{"high", "low"}) {
		t.Error(active)
	}
	high, low := pop(t, q, "high"), must(q.PopSpecificPod(newPod(t, "low", 1, "")))(t)
	if low.Pod.Priority() != 3 {
		t.Error("not the updated pod")
	}
	pop(t, q, "")
	if high.Attempts != 1 || !high.Timestamp.Equal(time.Unix(1000, 0)) ||
		!high.InitialAttempt.Equal(time.Unix(1000, 0)) || !high.BackoffExpiration.IsZero() {
		t.Errorf("%+v", high)
	}
	flights := must(q.InFlight())(t)
	if len(flights) != 2 || flights[0].Pod.Name() != "high" || flights[1].Pod.Name() != "low" {
		t.Error(flights)
	}

	check(t, q.AddUnschedulableIfNotPresent(ctx, high, nil, []string{"NodeResourcesFit"}, nil))
	waiting := must(q.List(libsched.PartUnschedulable))(t)
	if len(waiting) != 1 || !slices.Equal(waiting[0].UnschedulablePlugins, []string{"NodeResourcesFit"}) ||
		waiting[0].UnschedulableCount != 1 || waiting[0].PendingPlugins != nil {
		t.Errorf("%+v", waiting)
	}
	check(t, q.AddUnschedulableIfNotPresent(ctx, low, newPod(t, "low", 2, ""), nil, nil)) // its cycle failed
	failed := must(q.List(libsched.PartErrorBackoff))(t)
	if len(failed) != 1 || !failed[0].BackoffExpiration.Equal(time.Unix(1002, 0)) ||
		failed[0].ConsecutiveErrorsCount != 1 || failed[0].Pod.Request("cpu") != 2 {
		t.Errorf("%+v", failed)
	}
	counts := must(q.Counts())(t)
	if counts != (libsched.QueueCounts{ErrorBackoff: 1, Unschedulable: 1, SchedulingCycle: 2,
		MoveRequestCycle: -1}) {
		t.Errorf("%+v", counts)
	}

	// The timers: the backoff ends after 2 s; after a minute the rejected pod is tried in any case.
	check(t, q.Start())
	if err := q.Start(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	run := func(until time.Time) {
		t.Helper()
		for due, ok := q.NextDue(); ok && !due.After(until); due, ok = q.NextDue() {
			check(t, clock.AdvanceTo(due))
			check(t, q.RunDue(ctx))
		}
	}
	run(time.Unix(1003, 0))
	check(t, q.Done(pop(t, q, "low").Pod.UID()))
	pop(t, q, "")
	run(time.Unix(1100, 0))
	if flushed := pop(t, q, "high"); !flushed.WasFlushed || flushed.Attempts != 2 {
		t.Errorf("%+v", flushed)
	}
	check(t, q.Stop())
	if err := q.Stop(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	if _, ok := q.NextDue(); ok || !must(q.Counts())(t).Stopped {
		t.Error("it still runs")
	}
	metrics := must(q.Metrics())(t)
	if len(metrics.Incoming) == 0 || metrics.Incoming[0].Queue != "active" || metrics.Incoming[0].Count == 0 {
		t.Errorf("%+v", metrics)
	}
}

func TestQueueEvents(t *testing.T) {
	q, _, _ := newQueue(t, libsched.QueueOptions{NoBackoff: true})
	reject := func(name string, milliCPU int, spec string) {
		t.Helper()
		check(t, q.Add(ctx, newPod(t, name, milliCPU, spec)))
		check(t, q.AddUnschedulableIfNotPresent(ctx, pop(t, q, name), nil, []string{"NodeResourcesFit"}, nil))
	}
	reject("low", 9000, "")
	reject("high", 9000, "priority: 7")
	added := libsched.QueueEvent{ClusterEvent: libsched.ClusterEvent{Resource: "Node", ActionType: libsched.Add}}

	// A hint looks at the object: a small node helps neither pod.
	added.New = newNode(t, "tiny", 1, "a", "")
	check(t, q.MoveAllToActiveOrBackoffQueue(ctx, added, libsched.MoveCheck{}))
	pop(t, q, "")
	added.New = newNode(t, "huge", 32, "a", "")
	most := int32(3)
	check(t, q.MoveAllToActiveOrBackoffQueue(ctx, added, libsched.MoveCheck{MaxPriority: &most}))
	low := pop(t, q, "low")
	pop(t, q, "")
	// An event while the pod is in flight: it is tried again at once.
	check(t, q.MoveAllToActiveOrBackoffQueue(ctx, added, libsched.MoveCheck{Except: newPod(t, "high", 1, "")}))
	if flights := must(q.InFlight())(t); len(flights) != 2 || flights[1].Pod != nil || flights[1].Event == "" {
		t.Errorf("%+v", flights)
	}
	check(t, q.AddUnschedulableIfNotPresent(ctx, low, nil, []string{"NodeResourcesFit"}, nil))
	check(t, q.Done(pop(t, q, "low").Pod.UID()))
	pop(t, q, "")

	check(t, q.NodeUpdated(ctx, newNode(t, "n", 1, "a", ""), newNode(t, "n", 32, "a", ""), libsched.MoveCheck{}))
	check(t, q.AddUnschedulableIfNotPresent(ctx, pop(t, q, "high"), nil, nil, []string{"Waiting"}))
	if waiting := must(q.List(libsched.PartUnschedulable))(t); len(waiting) != 1 ||
		!slices.Equal(waiting[0].PendingPlugins, []string{"Waiting"}) {
		t.Errorf("%+v", waiting)
	}
	check(t, q.Activate(ctx, newPod(t, "high", 1, "")))
	check(t, q.Done(pop(t, q, "high").Pod.UID()))

	// An affinity term that matches the added pod.
	const near = `affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: web}}}]}}`
	check(t, q.Add(ctx, newPod(t, "friend", 1, near)))
	for _, by := range []struct {
		plugin string
		event  func() error
	}{
		{"InterPodAffinity", func() error { return q.AssignedPodAdded(ctx, newPod(t, "web", 1, "nodeName: big")) }},
		{"NodeResourcesFit", func() error {
			return q.AssignedPodUpdated(ctx, newPod(t, "web", 2000, "nodeName: big"), newPod(t, "web", 1, "nodeName: big"))
		}},
	} {
		check(t, q.AddUnschedulableIfNotPresent(ctx, pop(t, q, "friend"), nil, []string{by.plugin}, nil))
		pop(t, q, "")
		check(t, by.event())
	}
	pop(t, q, "friend")

	for what, err := range map[string]error{
		"no resource": q.MoveAllToActiveOrBackoffQueue(ctx, libsched.QueueEvent{}, libsched.MoveCheck{}),
		"wrong kind":  q.MoveAllToActiveOrBackoffQueue(ctx, libsched.QueueEvent{ClusterEvent: added.ClusterEvent, New: newPod(t, "p", 1, "")}, libsched.MoveCheck{}),
		"two checks":  q.MoveAllToActiveOrBackoffQueue(ctx, added, libsched.MoveCheck{MaxPriority: &most, Except: newPod(t, "p", 1, "")}),
		"two objects": q.MoveAllToActiveOrBackoffQueue(ctx, libsched.QueueEvent{ClusterEvent: added.ClusterEvent,
			New: must(libsched.ParseObjects([]byte(exampleCluster)))(t)}, libsched.MoveCheck{}),
	} {
		if !errors.Is(err, libsched.ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	var nobody *libsched.Pod
	if err := q.MoveAllToActiveOrBackoffQueue(ctx, libsched.QueueEvent{ClusterEvent: added.ClusterEvent, New: nobody},
		libsched.MoveCheck{}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
}

func TestQueueErrors(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	for what, test := range map[string]struct {
		frameworks []*libsched.Framework
		options    libsched.QueueOptions
		code       libsched.ErrorCode
	}{
		"no framework": {nil, libsched.QueueOptions{}, libsched.ErrMisuse},
		"a nil one":    {[]*libsched.Framework{nil}, libsched.QueueOptions{}, libsched.ErrMisuse},
		"two profiles": {[]*libsched.Framework{fw, newFramework(t)}, libsched.QueueOptions{}, libsched.ErrMisuse},
		"a time":       {[]*libsched.Framework{fw}, libsched.QueueOptions{MaxBackoff: -1}, libsched.ErrInvalid},
	} {
		if _, err := libsched.NewSchedulingQueue(cluster, test.frameworks, test.options); !errors.Is(err, test.code) {
			t.Errorf("%s: %v", what, err)
		}
	}
	q, cluster, _ := newQueue(t, libsched.QueueOptions{})
	other, _, _ := newQueue(t, libsched.QueueOptions{})
	pod := newPod(t, "p", 1, "")
	check(t, q.Add(ctx, pod))
	listed := must(q.List(libsched.PartActive))(t)[0]
	popped := pop(t, q, "p")
	check(t, q.Add(ctx, newPod(t, "p", 1, "")))
	over, cancel := context.WithCancel(ctx)
	cancel()
	for what, test := range map[string]struct {
		err  error
		code error
	}{
		"a listed pod":    {q.AddUnschedulableIfNotPresent(ctx, listed, nil, nil, nil), libsched.ErrMisuse},
		"no pod":          {q.AddUnschedulableIfNotPresent(ctx, nil, nil, nil, nil), libsched.ErrMisuse},
		"another queue":   {other.AddUnschedulableIfNotPresent(ctx, popped, nil, nil, nil), libsched.ErrMisuse},
		"an ended ctx":    {q.Add(over, pod), context.Canceled},
		"nil pod":         {q.Add(ctx, nil), libsched.ErrMisuse},
		"nil new version": {q.Update(ctx, pod, nil), libsched.ErrMisuse},
		"nil queue":       {(*libsched.SchedulingQueue)(nil).Add(ctx, pod), libsched.ErrMisuse},
	} {
		if !errors.Is(test.err, test.code) {
			t.Errorf("%s: %v", what, test.err)
		}
	}
	if _, err := q.List(9); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	if err := q.AddUnschedulableIfNotPresent(ctx, popped, nil, nil, nil); !errors.Is(err, libsched.ErrExists) {
		t.Error(err)
	}
	if counts := must(q.Counts())(t); counts.InFlightPods != 0 || counts.Active != 1 {
		t.Errorf("%+v", counts)
	}
	last := pop(t, q, "p")
	cluster.Close()
	if _, err := q.Pop(); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
	q.Close()
	q.Close()
	if err := q.AddUnschedulableIfNotPresent(ctx, last, nil, nil, nil); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
	(*libsched.SchedulingQueue)(nil).Close()
}

// gate is a plugin that gates pods, looks at the queue meanwhile, and registers a hint.
type gate struct {
	named
	ask  func(ctx context.Context, pod *libsched.Pod) *libsched.Status
	hint func(ctx context.Context, change *libsched.ObjectChange) (libsched.QueueingHint, error)
}

func (g *gate) PreEnqueue(ctx context.Context, pod *libsched.Pod) *libsched.Status {
	return g.ask(ctx, pod)
}
func (g *gate) Filter(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
	return nil
}
func (g *gate) EventsToRegister(context.Context) ([]libsched.ClusterEventWithHint, error) {
	return []libsched.ClusterEventWithHint{{Event: libsched.ClusterEvent{Resource: "Pod", ActionType: libsched.Delete},
		QueueingHintFn: func(ctx context.Context, _ *libsched.Pod, change *libsched.ObjectChange) (libsched.QueueingHint, error) {
			return g.hint(ctx, change)
		}}}, nil
}

func TestQueueAsksPlugins(t *testing.T) {
	type key struct{}
	with := context.WithValue(ctx, key{}, "mine")
	g := &gate{}
	fw := withPlugin(t, g)
	q, cluster, _ := newQueue(t, libsched.QueueOptions{NoBackoff: true}, fw)
	pod := newPod(t, "p", 100, "")
	g.ask = func(ctx context.Context, asked *libsched.Pod) *libsched.Status {
		if ctx.Value(key{}) != "mine" {
			t.Error("another context")
		}
		if cluster.NodeCount() != 5 || must(q.Counts())(t).Active != 0 {
			t.Error("a plugin may read the queue and its cluster")
		}
		if _, err := must(cluster.Services())(t).NominatedPods(); err != nil {
			t.Error(err)
		}
		if err := q.Add(ctx, asked); !errors.Is(err, libsched.ErrMisuse) {
			t.Error("a plugin changed the queue:", err)
		}
		return libsched.NewStatus(libsched.UnschedulableAndUnresolvable, "closed")
	}
	check(t, q.Add(with, pod))
	if gated := must(q.List(libsched.PartGated))(t); len(gated) != 1 || gated[0].GatingPlugin != "Mine" {
		t.Fatalf("%+v", gated)
	}
	g.ask = func(context.Context, *libsched.Pod) *libsched.Status { return nil }
	check(t, q.Activate(with, pod))
	check(t, q.AddUnschedulableIfNotPresent(ctx, pop(t, q, "p"), nil, []string{"Mine"}, nil))
	asked := 0
	g.hint = func(ctx context.Context, change *libsched.ObjectChange) (libsched.QueueingHint, error) {
		if asked++; ctx.Value(key{}) != "mine" || change.Name() != "old" {
			t.Error(change.Name())
		}
		return libsched.QueueSkip, nil
	}
	deleted := libsched.QueueEvent{ClusterEvent: libsched.ClusterEvent{Resource: "AssignedPod", ActionType: libsched.Delete},
		Old: newPod(t, "old", 1, "nodeName: big")}
	check(t, q.MoveAllToActiveOrBackoffQueue(with, deleted, libsched.MoveCheck{}))
	pop(t, q, "")
	g.hint = func(context.Context, *libsched.ObjectChange) (libsched.QueueingHint, error) {
		asked++
		return libsched.Queue, nil
	}
	check(t, q.MoveAllToActiveOrBackoffQueue(with, deleted, libsched.MoveCheck{}))
	pop(t, q, "p")
	if asked != 2 {
		t.Error(asked, "questions")
	}
}

// sorter is a QueueSort plugin.
type sorter struct {
	named
	less func(a, b libsched.QueuedPod) bool
}

func (s *sorter) Less(a, b libsched.QueuedPod) bool { return s.less(a, b) }

// TestQueueSortPanics checks that a panic of Less, which has no Status, arrives at the caller.
func TestQueueSortPanics(t *testing.T) {
	s := &sorter{less: func(a, b libsched.QueuedPod) bool { return a.Pod.Name() > b.Pod.Name() }}
	fw := ownOrder(t, s)
	q, _, _ := newQueue(t, libsched.QueueOptions{}, fw)
	for _, name := range []string{"b", "c", "a"} {
		check(t, q.Add(ctx, newPod(t, name, 1, "")))
	}
	pop(t, q, "c")
	s.less = func(a, b libsched.QueuedPod) bool { panic("no order") }
	func() {
		defer func() {
			if reason := recover(); fmt.Sprint(reason) != "no order" {
				t.Error(reason)
			}
		}()
		t.Error(q.Add(ctx, newPod(t, "d", 1, "")))
	}()
	s.less = func(a, b libsched.QueuedPod) bool { return a.Pod.Name() > b.Pod.Name() }
	pop(t, q, "b")
	pop(t, q, "d")
}

// ownOrder makes a framework with upstream's plugins, but a plugin's own QueueSort.
func ownOrder[P libsched.Plugin](t *testing.T, plugin P) *libsched.Framework {
	t.Helper()
	r := must(libsched.NewRegistry())(t)
	defer r.Close()
	check(t, libsched.AddPlugin(r, plugin.Name(), func(json.RawMessage) (P, error) { return plugin, nil }))
	return newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {queueSort: {disabled: [{name: "*"}], enabled: [{name: Mine}]}}
`)))
}
