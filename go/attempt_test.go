package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"libsched"
)

// binder records the points of the binding cycle, and refuses to bind if it is told to.
type binder struct {
	named
	log    []string
	refuse bool
	panics string
	inside func(ctx context.Context)
}

func (b *binder) Reserve(context.Context, *libsched.CycleState, *libsched.Pod, string) *libsched.Status {
	b.log = append(b.log, "reserve")
	return nil
}

func (b *binder) Unreserve(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod, node string) {
	b.log = append(b.log, "unreserve "+node)
	if b.inside != nil {
		b.inside(ctx)
	}
	if b.panics == "unreserve" {
		panic("unreserve " + node)
	}
}

func (b *binder) PreBind(ctx context.Context, _ *libsched.CycleState, pod *libsched.Pod, node string) *libsched.Status {
	b.log = append(b.log, "preBind "+pod.Name()+" "+node+" "+pod.NodeName())
	if b.inside != nil {
		b.inside(ctx)
	}
	if b.refuse {
		return libsched.NewStatus(libsched.Unschedulable, "not today")
	}
	return nil
}

func (b *binder) PreBindPreFlight(context.Context, *libsched.CycleState, *libsched.Pod, string) (
	*libsched.PreBindPreFlightResult, *libsched.Status) {
	return nil, nil
}

func (b *binder) PostBind(context.Context, *libsched.CycleState, *libsched.Pod, string) {
	b.log = append(b.log, "postBind")
	if b.panics == "postBind" {
		panic("postBind")
	}
}

type keyed struct{}

func TestScheduleOneAndItsBindingOnAnotherGoroutine(t *testing.T) {
	cluster, plugin := fiveNodes(t), &binder{}
	frameworks := []*libsched.Framework{withPlugin(t, plugin)}
	writer := libsched.NewWriterQueue()
	defer writer.Close()
	pod := newPod(t, "p", 4000, "")
	attempt := must(libsched.ScheduleOne(ctx, cluster, pod, frameworks, writer, libsched.ScheduleOneOptions{}))(t)
	if attempt.Stage != libsched.StageAssumed || attempt.Node != "big" || attempt.Profile != "default-scheduler" ||
		attempt.Feasible != 1 || attempt.Evaluated != 5 || attempt.Status != nil || attempt.Rejectors != nil ||
		attempt.Nomination != nil || attempt.State == nil {
		t.Fatalf("%+v", attempt)
	}
	again := must(libsched.ScheduleOne(ctx, cluster, pod, frameworks, writer, libsched.ScheduleOneOptions{}))(t)
	if again.Stage != libsched.StageKept || again.Stage.String() != "kept" {
		t.Errorf("%+v", again)
	}
	// While PreBind runs the cluster changes, and another pod is scheduled.
	started, changed := make(chan any), make(chan any)
	plugin.inside = func(ctx context.Context) {
		started <- ctx.Value(keyed{})
		<-changed
	}
	bound := make(chan *libsched.Attempt)
	go func() {
		result, err := attempt.Bind(context.WithValue(ctx, keyed{}, 7))
		if err != nil {
			t.Error(err)
		}
		bound <- result
	}()
	if got := <-started; got != 7 {
		t.Error("PreBind has another context", got)
	}
	check(t, cluster.AddNode(newNode(t, "more", 8, "a", "")))
	other := must(libsched.ScheduleOne(ctx, cluster, newPod(t, "q", 6000, ""), []*libsched.Framework{newFramework(t)},
		writer, libsched.ScheduleOneOptions{Ties: libsched.TiesName, NodeByNode: true}))(t)
	if other.Node != "more" || writer.Pending() != 0 {
		t.Errorf("%+v", other)
	}
	close(changed)
	if result := <-bound; result.Stage != libsched.StageBound || result.Node != "big" {
		t.Errorf("%+v", result)
	}
	if !slices.Equal(plugin.log, []string{"reserve", "preBind p big big", "postBind"}) {
		t.Errorf("%q", plugin.log)
	}
	if writer.Pending() != 1 {
		t.Error(writer.Pending())
	}
	if applied, dropped, err := writer.Apply(cluster); applied != 1 || dropped != 0 || err != nil {
		t.Error(applied, dropped, err)
	}
	if _, err := attempt.Bind(ctx); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

func TestScheduleOneThatFails(t *testing.T) {
	cluster, fw, writer := fiveNodes(t), newFramework(t), libsched.NewWriterQueue()
	attempt := must(libsched.ScheduleOne(ctx, cluster, newPod(t, "p", 64000, ""), []*libsched.Framework{fw}, writer,
		libsched.ScheduleOneOptions{}))(t)
	if attempt.Stage != libsched.StageFailed || attempt.Node != "" ||
		!strings.HasPrefix(attempt.Status.Message(), "0/5 nodes are available: ") ||
		!slices.Equal(attempt.Rejectors, []string{"NodeResourcesFit", "NodeUnschedulable", "TaintToleration"}) ||
		attempt.Pending != nil || attempt.Nomination == nil || attempt.Nomination.Mode != libsched.NominationOverride {
		t.Errorf("%+v", attempt)
	}
	if _, err := attempt.Bind(ctx); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	going := must(libsched.ParsePod([]byte("metadata: {name: g, deletionTimestamp: '2026-01-01T00:00:00Z'}")))(t)
	if a := must(libsched.ScheduleOne(ctx, cluster, going, []*libsched.Framework{fw}, writer,
		libsched.ScheduleOneOptions{}))(t); a.Stage != libsched.StageDeleted {
		t.Errorf("%+v", a)
	}
}

func TestABindingThatFailsIsTakenBackByTheWriter(t *testing.T) {
	cluster, plugin, writer := fiveNodes(t), &binder{refuse: true}, libsched.NewWriterQueue()
	fw, pod := withPlugin(t, plugin), newPod(t, "p", 4000, "")
	attempt := must(libsched.ScheduleOne(ctx, cluster, pod, []*libsched.Framework{fw}, writer,
		libsched.ScheduleOneOptions{}))(t)
	result := must(attempt.Bind(ctx))(t)
	if result.Stage != libsched.StageFailed || result.Status.Code() != libsched.Unschedulable ||
		result.Status.Plugin() != "Mine" || attempt.Stage != libsched.StageAssumed {
		t.Errorf("%+v", result)
	}
	if pod, _ := cluster.FindPod("default", "p"); pod == nil {
		t.Error("it stays on its node until the writer applies")
	}
	services := must(cluster.Services())(t)
	plugin.inside = func(context.Context) {
		if cluster.NodeCount() != 5 || services.NominatedNode(pod) != "" { // both are held by Apply
			t.Error(cluster.NodeCount())
		}
	}
	if applied, _, err := writer.Apply(cluster); applied != 1 || err != nil {
		t.Error(applied, err)
	}
	if pod, _ := cluster.FindPod("default", "p"); pod != nil || plugin.log[len(plugin.log)-1] != "unreserve big" {
		t.Errorf("%v %q", pod, plugin.log)
	}
}

func TestPanicsInTheBindingCycle(t *testing.T) {
	cluster, plugin, writer := fiveNodes(t), &binder{panics: "postBind"}, libsched.NewWriterQueue()
	frameworks := []*libsched.Framework{newFramework(t, libsched.WithConfigYAML(profiles("first"))), withPlugin(t, plugin)}
	expect := func(want any, call func()) {
		t.Helper()
		defer func() {
			if got := recover(); got != want {
				t.Errorf("%v, not %v", got, want)
			}
		}()
		call()
	}
	schedule := func(name string) *libsched.Attempt {
		return must(libsched.ScheduleOne(ctx, cluster, newPod(t, name, 100, ""), frameworks, writer,
			libsched.ScheduleOneOptions{}))(t)
	}
	attempt := schedule("p")
	expect("postBind", func() { attempt.Bind(ctx) })
	if writer.Pending() != 1 {
		t.Error("it was bound")
	}
	plugin.panics, plugin.refuse = "unreserve", true
	must(schedule("q").Bind(ctx))(t)
	expect("unreserve big", func() { writer.Apply(cluster) })
	if pod, _ := cluster.FindPod("default", "q"); pod != nil || writer.Pending() != 0 {
		t.Error("it was forgotten")
	}
}

// profiles is a configuration with these profiles.
func profiles(names ...string) []byte {
	var list []map[string]string
	for _, name := range names {
		list = append(list, map[string]string{"schedulerName": name})
	}
	document, err := json.Marshal(map[string]any{"apiVersion": "kubescheduler.config.k8s.io/v1",
		"kind": "KubeSchedulerConfiguration", "profiles": list})
	if err != nil {
		panic(err)
	}
	return document
}

func TestTheSchedulerNameChoosesTheProfile(t *testing.T) {
	cluster, writer := fiveNodes(t), libsched.NewWriterQueue()
	config := must(libsched.ParseConfig(profiles("one", "two")))(t)
	defer config.Close()
	var frameworks []*libsched.Framework
	for _, name := range []string{"one", "two"} {
		frameworks = append(frameworks, newFramework(t, libsched.WithConfig(config), libsched.WithProfile(name)))
	}
	pods := []*libsched.Pod{newPod(t, "a", 100, "schedulerName: two"), newPod(t, "b", 100, "schedulerName: one"),
		newPod(t, "c", 100, "schedulerName: three")}
	check(t, cluster.Fork())
	placements := must(libsched.Schedule(ctx, cluster, pods, frameworks, libsched.ScheduleOptions{}))(t)
	if placements[0].Profile != "two" || placements[1].Profile != "one" || placements[2].Profile != "" ||
		placements[2].Outcome != libsched.OutcomeError || placements[2].Text != `there is no profile "three"` {
		t.Errorf("%+v", placements)
	}
	check(t, cluster.Revert())
	one := func(pod *libsched.Pod, frameworks []*libsched.Framework, options libsched.ScheduleOneOptions) (string, error) {
		attempt, err := libsched.ScheduleOne(ctx, cluster, pod, frameworks, writer, options)
		if err != nil {
			return "", err
		}
		return attempt.Profile, nil
	}
	for i, profile := range []string{"two", "one"} {
		if got := must(one(pods[i], frameworks, libsched.ScheduleOneOptions{}))(t); got != profile {
			t.Error(got)
		}
	}
	if _, err := one(pods[2], frameworks, libsched.ScheduleOneOptions{}); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
	if _, err := one(pods[2], nil, libsched.ScheduleOneOptions{}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
	twice := []*libsched.Framework{frameworks[0], frameworks[0]}
	if _, err := one(pods[2], twice, libsched.ScheduleOneOptions{}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
	if _, err := one(pods[2], []*libsched.Framework{frameworks[0], nil}, libsched.ScheduleOneOptions{}); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
	if got := must(one(pods[2], frameworks, libsched.ScheduleOneOptions{OtherProfile: "two"}))(t); got != "two" {
		t.Error(got)
	}
}

func TestScheduleOneRefuses(t *testing.T) {
	cluster, fw, writer := fiveNodes(t), newFramework(t), libsched.NewWriterQueue()
	pod := newPod(t, "p", 100, "")
	try := func(ctx context.Context, writer *libsched.WriterQueue, options libsched.ScheduleOneOptions) error {
		_, err := libsched.ScheduleOne(ctx, cluster, pod, []*libsched.Framework{fw}, writer, options)
		return err
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	closed := libsched.NewWriterQueue()
	closed.Close()
	for want, err := range map[error]error{
		context.Canceled:     try(ended, writer, libsched.ScheduleOneOptions{}),
		libsched.ErrDeadline: try(ctx, writer, libsched.ScheduleOneOptions{Deadline: time.Unix(1, 0)}),
		libsched.ErrInvalid:  try(ctx, writer, libsched.ScheduleOneOptions{Ties: 9}),
		libsched.ErrMisuse:   try(ctx, nil, libsched.ScheduleOneOptions{}),
		libsched.ErrClosed:   try(ctx, closed, libsched.ScheduleOneOptions{}),
	} {
		if !errors.Is(err, want) {
			t.Errorf("%v, not %v", err, want)
		}
	}
	if found, _ := cluster.FindPod("default", "p"); found != nil {
		t.Error("a call that failed has changed the cluster")
	}
	if _, err := (&libsched.Attempt{}).Bind(ctx); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	if closed.Pending() != 0 {
		t.Error(closed.Pending())
	}
	if _, _, err := closed.Apply(cluster); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
}

func TestPreemptionOffset(t *testing.T) {
	first := newFramework(t, libsched.WithConfigYAML([]byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: DefaultPreemption
    args: {minCandidateNodesPercentage: 1, minCandidateNodesAbsolute: 1}`)))
	var nodes []string
	for offset := range uint64(3) {
		cluster := must(libsched.NewCluster(libsched.InsertionOrder()))(t)
		defer cluster.Close()
		check(t, cluster.SetServices(must(libsched.NewServices(libsched.ServicesOptions{PreemptionOffset: offset}))(t)))
		for _, name := range []string{"a", "b"} {
			check(t, cluster.AddNode(newNode(t, name, 4, "z", "")))
			check(t, cluster.AddPod(newPod(t, "low-"+name, 4000, "priority: 1"), name))
		}
		attempt := must(libsched.ScheduleOne(ctx, cluster, newPod(t, "high", 4000, "priority: 9"),
			[]*libsched.Framework{first}, libsched.NewWriterQueue(), libsched.ScheduleOneOptions{}))(t)
		nodes = append(nodes, attempt.Nomination.Node)
	}
	if !slices.Equal(nodes, []string{"a", "b", "a"}) {
		t.Error(nodes)
	}
}
