package libsched_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"libsched"
)

// newSimulation simulates a workload on one node with four CPUs.
func newSimulation(t *testing.T, workload *libsched.TimedWorkload, frameworks ...*libsched.Framework) *libsched.Simulation {
	t.Helper()
	cluster := must(libsched.NewCluster())(t)
	defer cluster.Close()
	check(t, cluster.AddNode(newNode(t, "n", 4, "a", "")))
	if frameworks == nil {
		frameworks = []*libsched.Framework{newFramework(t)}
	}
	s := must(libsched.NewSimulation(frameworks, cluster, workload, libsched.SimulationOptions{}))(t)
	t.Cleanup(s.Close)
	return s
}

// jobs is a workload of n jobs of three CPUs, which take a minute each.
func jobs(t *testing.T, n int) *libsched.TimedWorkload {
	t.Helper()
	w := libsched.NewTimedWorkload()
	t.Cleanup(w.Close)
	check(t, w.AddReplicas(newPod(t, "job", 3000, ""), n, &libsched.Timing{Arrival: 10 * time.Second,
		Duration: time.Minute, Interval: 1500 * time.Millisecond}))
	return w
}

func TestSimulation(t *testing.T) {
	w := jobs(t, 2)
	check(t, w.Add(newPod(t, "huge", 9000, ""), nil))
	check(t, w.Add(newPod(t, "alien", 1, "schedulerName: another"), nil))
	if w.Len() != 4 {
		t.Error(w.Len())
	}
	s := newSimulation(t, w)
	if err := w.Add(newPod(t, "late", 1, ""), nil); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	check(t, s.RunUntil(ctx, 30*time.Second, nil))
	if s.Now() != 30*time.Second {
		t.Error(s.Now())
	}
	half := must(s.Summary())(t)
	if half.Quiet || half.Running != 1 || half.Pending != 2 || half.Bound != 1 || half.Ignored != 1 {
		t.Errorf("%+v", half)
	}
	check(t, s.Run(ctx, nil))
	all := must(s.Summary())(t)
	if !all.Quiet || all.Pods != 4 || all.Arrived != 4 || all.Finished != 2 || all.Pending != 1 || all.Waiting != 0 ||
		all.Preempted != 0 || all.Preemptions != 0 || all.Attempts < 3 || all.Wait.Longest < 58*time.Second ||
		all.Wait.Median > all.Wait.Longest || len(all.PendingReasons) != 1 || all.PendingReasons[0].Pods != 1 ||
		all.PendingReasons[0].Reason != "NodeResourcesFit" || len(all.IgnoredSchedulers) != 1 ||
		all.IgnoredSchedulers[0].SchedulerName != "another" {
		t.Errorf("%+v", all)
	}
	if use := all.Resources[0]; use.Resource != "cpu" || use.Allocatable != 4000 || use.Used != 0 || use.Free != 4000 ||
		use.Fragmented <= 0 || use.Fragmentation != use.Fragmented/4000 {
		t.Errorf("%+v", use)
	}

	pods := must(s.Pods())(t)
	by := map[string]libsched.SimulatedPod{}
	for _, pod := range pods {
		by[pod.Name] = pod
	}
	first, second, huge := by["job-0"], by["job-1"], by["huge"]
	near := func(a, b time.Duration) bool { return (a - b).Abs() < time.Millisecond } // calls take microseconds
	if !near(first.Bound, 10*time.Second) || !near(first.End, 70*time.Second) {
		t.Errorf("%+v", first)
	}
	first.Bound, first.Wait, first.End = 0, 0, 0
	if first != (libsched.SimulatedPod{Namespace: "default", Name: "job-0", State: "finished", Arrival: 10 * time.Second,
		Node: "n", Attempts: 1}) {
		t.Errorf("%+v", first)
	}
	if second.Arrival != 11500*time.Millisecond || second.Wait != second.Bound-second.Arrival ||
		!near(second.End, second.Bound+time.Minute) || second.Wait != all.Wait.Longest {
		t.Errorf("%+v", second)
	}
	if huge.State != "pending" || huge.Bound != libsched.NoTime || huge.Reason != "NodeResourcesFit" ||
		!strings.Contains(huge.Message, "Insufficient cpu") || huge.Node != "" {
		t.Errorf("%+v", huge)
	}
	series := must(s.Series())(t)
	last := series[len(series)-1]
	if last.Time != s.Now() || last.Arrived != 4 || last.Finished != 2 || last.Pending != 1 || last.Ignored != 1 {
		t.Errorf("%+v", last)
	}
	used := false
	for _, sample := range must(s.Resources())(t) {
		used = used || sample.Resource == "cpu" && sample.Used == 3000 && sample.Utilisation == 0.75 &&
			sample.Time >= 10*time.Second
	}
	if !used {
		t.Error("no sample says that a job used 3 of 4 CPUs")
	}
	reasons := must(s.PendingReasons())(t)
	if len(reasons) == 0 || reasons[0].Reason != "NodeResourcesFit" || reasons[0].Pods == 0 {
		t.Errorf("%+v", reasons)
	}

	table := must(s.Table("pods"))(t)
	s.Close()
	if table.Len() != 4 {
		t.Error(table.Len())
	}
	var text strings.Builder
	check(t, table.WriteCSV(&text))
	rows := must(csv.NewReader(strings.NewReader(text.String())).ReadAll())(t)
	if len(rows) != 5 || rows[0][1] != "pod" || !slices.ContainsFunc(rows, func(row []string) bool {
		return row[1] == "job-0" && row[3] == "10.000000000"
	}) {
		t.Error(rows)
	}
	text.Reset()
	check(t, table.WriteJSON(&text))
	var objects []map[string]any
	check(t, json.Unmarshal([]byte(text.String()), &objects))
	if len(objects) != 4 {
		t.Error(objects)
	}
}

func TestSimulatedPreemption(t *testing.T) {
	w := libsched.NewTimedWorkload()
	objects := must(libsched.ParseObjects([]byte(`
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: {name: low}
  spec: {containers: [{name: c, resources: {requests: {cpu: 3}}}]}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: high}
  spec:
    replicas: 1
    selector: {matchLabels: {a: b}}
    template:
      metadata: {labels: {a: b}, annotations: {libsched/arrival: 1m30s, libsched/duration: 5s}}
      spec: {priority: 9, containers: [{name: c, resources: {requests: {cpu: 3}}}]}
`), libsched.KeepAnnotations()))(t)
	check(t, w.AddObjects(objects))
	s := newSimulation(t, w)
	check(t, s.Run(ctx, nil))
	preempted := must(s.Preemptions())(t)
	if len(preempted) != 1 || preempted[0].Pod != "low" || preempted[0].Node != "n" || preempted[0].Namespace != "default" ||
		preempted[0].Time < 90*time.Second || !strings.HasPrefix(preempted[0].Preemptor, "default/high") {
		t.Errorf("%+v", preempted)
	}
	if all := must(s.Summary())(t); all.Preempted != 1 || all.Finished != 1 || all.Preemptions != 1 {
		t.Errorf("%+v", all)
	}
}

func TestSimulatedVolumes(t *testing.T) {
	cluster := must(libsched.NewCluster())(t)
	defer cluster.Close()
	check(t, cluster.AddNode(newNode(t, "n", 4, "a", "")))
	check(t, cluster.Apply([]byte(`
kind: StorageClass
apiVersion: storage.k8s.io/v1
metadata: {name: wait}
provisioner: csi.example.com
volumeBindingMode: WaitForFirstConsumer
---
kind: PersistentVolumeClaim
apiVersion: v1
metadata: {name: data, namespace: default}
spec: {storageClassName: wait, resources: {requests: {storage: 1Gi}}}
`)))
	w := libsched.NewTimedWorkload()
	defer w.Close()
	check(t, w.Add(newPod(t, "p", 1000, "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]"), nil))
	frameworks := []*libsched.Framework{newFramework(t)}
	s := must(libsched.NewSimulation(frameworks, cluster, w, libsched.SimulationOptions{ProvisionTime: time.Minute}))(t)
	defer s.Close()
	check(t, s.Run(ctx, nil))
	if all := must(s.Summary())(t); all.Running != 1 || all.Wait.Longest < time.Minute || all.Wait.Longest > 62*time.Second {
		t.Errorf("%+v", all)
	}
	volumes := must(s.Volumes())(t)
	if len(volumes) != 2 || volumes[0].Action != "provisioned" || volumes[1].Action != "bound" ||
		volumes[1].Claim != "data" || volumes[1].Node != "n" || !strings.HasPrefix(volumes[1].Volume, "pvc-") {
		t.Errorf("%+v", volumes)
	}
	alone := must(libsched.NewSimulation(frameworks, cluster, w, libsched.SimulationOptions{NoVolumes: true}))(t)
	defer alone.Close()
	check(t, alone.Run(ctx, nil))
	if none := must(alone.Volumes())(t); len(none) != 0 {
		t.Errorf("%+v", none)
	}
}

func TestJobsInASimulation(t *testing.T) {
	objects := must(libsched.ParseObjects([]byte(`
kind: Job
apiVersion: batch/v1
metadata: {name: j, annotations: {libsched/duration: 10m, libsched/durations: 10m}}
spec: {completions: 3, template: {spec: {containers: [{name: c}]}}}
---
kind: CronJob
apiVersion: batch/v1
metadata: {name: c, annotations: {libsched/duration: 10m}}
spec: {schedule: "@hourly", jobTemplate: {spec: {template: {spec: {containers: [{name: c}]}}}}}
`), libsched.KeepAnnotations()))(t)
	defer objects.Close()
	w := libsched.NewTimedWorkload()
	defer w.Close()
	check(t, w.AddObjects(objects))
	if warnings := must(w.Warnings())(t); w.Len() != 3 || len(warnings) != 1 ||
		warnings[0].Path != "workload default/j: metadata.annotations[libsched/durations]" {
		t.Errorf("%+v %d", warnings, w.Len())
	}
	cluster := must(libsched.NewCluster())(t)
	defer cluster.Close()
	check(t, cluster.AddNode(newNode(t, "n", 4, "a", "")))
	frameworks := []*libsched.Framework{newFramework(t)}
	begin := time.Date(2026, 3, 1, 12, 30, 0, 0, time.FixedZone("", 2*3600))
	s := must(libsched.NewSimulation(frameworks, cluster, w, libsched.SimulationOptions{Start: begin}))(t)
	defer s.Close()
	if err := s.Run(ctx, nil); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	check(t, s.RunUntil(ctx, time.Hour, nil))
	all := must(s.Summary())(t)
	if pods := must(s.Pods())(t); all.Finished != 4 || all.Pods != 4 || len(pods) != 4 ||
		!slices.ContainsFunc(pods, func(p libsched.SimulatedPod) bool { return p.Name == "c-29539380-0" }) {
		t.Errorf("%+v %+v", all, pods)
	}
	late := libsched.SimulationOptions{Start: time.Date(2150, 1, 1, 0, 0, 0, 0, time.UTC)}
	if _, err := libsched.NewSimulation(frameworks, cluster, w, late); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}

func TestTrace(t *testing.T) {
	w := libsched.NewTimedWorkload()
	check(t, w.AddTrace(ctx, []byte("name,cpu_milli,memory_mib,creation_time,deletion_time\na,1000,1024,5,9\nb,1,1,0,\n"),
		libsched.TraceOptions{Namespace: "trace"}))
	err := w.AddTrace(ctx, []byte("name,cpu_milli,memory_mib\nc,much,1\n"), libsched.TraceOptions{File: "bad.csv"})
	if !errors.Is(err, libsched.ErrInvalid) || !strings.HasPrefix(err.Error(), "bad.csv:2: cpu_milli: ") || w.Len() != 2 {
		t.Error(err, w.Len())
	}
	s := newSimulation(t, w)
	check(t, s.Run(ctx, nil))
	pods := must(s.Pods())(t)
	if len(pods) != 2 || pods[1].Name != "a" || pods[1].Namespace != "trace" || pods[1].End.Truncate(time.Millisecond) != 9*time.Second ||
		pods[0].End != libsched.NoTime {
		t.Errorf("%+v", pods)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	if err := libsched.NewTimedWorkload().AddTrace(over, nil, libsched.TraceOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestSimulationEnds(t *testing.T) {
	enough := errors.New("enough")
	w := libsched.NewTimedWorkload() // long enough to be asked a few times
	check(t, w.AddReplicas(newPod(t, "job", 3000, ""), 3000, &libsched.Timing{Duration: time.Second, Interval: time.Minute}))
	check(t, w.Add(newPod(t, "huge", 9000, ""), nil))
	s := newSimulation(t, w)
	var told libsched.Progress
	if err := s.Run(ctx, func(p libsched.Progress) error {
		told = p
		if _, err := s.Summary(); !errors.Is(err, libsched.ErrMisuse) {
			t.Error("the progress function used the simulation:", err)
		}
		return enough
	}); err != enough {
		t.Error(err)
	}
	if told.Now != s.Now() || told.Total != 3001 || told.Bound == 0 || told.Ended == 0 || told.Bound < told.Ended ||
		told.Pending != told.Arrived-told.Bound {
		t.Errorf("%+v at %v", told, s.Now())
	}
	func() {
		defer func() {
			if reason := recover(); reason != "no more" {
				t.Error(reason)
			}
		}()
		t.Error(s.Run(ctx, func(libsched.Progress) error { panic("no more") }))
	}()
	running, cancel := context.WithCancelCause(ctx)
	if err := s.Run(running, func(libsched.Progress) error { cancel(enough); return nil }); !errors.Is(err, libsched.ErrCancelled) ||
		!errors.Is(err, context.Canceled) || err.Error() != "enough" {
		t.Error(err)
	}
	if err := s.Run(running, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := s.RunUntil(ctx, -1, nil); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
	check(t, s.Run(ctx, nil)) // continues
	if all := must(s.Summary())(t); all.Finished != 3000 || !all.Quiet {
		t.Errorf("%+v", all)
	}
	table := must(s.Table("series"))(t)
	if err := table.WriteCSV(failing{}); err != errFull {
		t.Error(err)
	}
	if err := table.WriteJSON(short{}); err != io.ErrShortWrite {
		t.Error(err)
	}
}

var errFull = errors.New("the disk is full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

type short struct{}

func (short) Write(p []byte) (int, error) { return len(p) - 1, nil }

func TestSimulationErrors(t *testing.T) {
	fw, cluster, w := newFramework(t), fiveNodes(t), jobs(t, 1)
	clash := libsched.NewTimedWorkload()
	check(t, clash.Add(newPod(t, "hog", 1, ""), nil))
	for what, test := range map[string]struct {
		frameworks []*libsched.Framework
		cluster    libsched.View
		workload   *libsched.TimedWorkload
		options    libsched.SimulationOptions
		code       libsched.ErrorCode
	}{
		"no framework":   {nil, cluster, w, libsched.SimulationOptions{}, libsched.ErrMisuse},
		"a nil one":      {[]*libsched.Framework{fw, nil}, cluster, w, libsched.SimulationOptions{}, libsched.ErrMisuse},
		"no cluster":     {[]*libsched.Framework{fw}, nil, w, libsched.SimulationOptions{}, libsched.ErrMisuse},
		"no workload":    {[]*libsched.Framework{fw}, cluster, nil, libsched.SimulationOptions{}, libsched.ErrMisuse},
		"ties":           {[]*libsched.Framework{fw}, cluster, w, libsched.SimulationOptions{Ties: 9}, libsched.ErrInvalid},
		"a time":         {[]*libsched.Framework{fw}, cluster, w, libsched.SimulationOptions{SampleInterval: -1}, libsched.ErrInvalid},
		"a pod's name":   {[]*libsched.Framework{fw}, cluster, clash, libsched.SimulationOptions{}, libsched.ErrExists},
		"two frameworks": {[]*libsched.Framework{fw, newFramework(t)}, cluster, w, libsched.SimulationOptions{}, libsched.ErrMisuse},
	} {
		if _, err := libsched.NewSimulation(test.frameworks, test.cluster, test.workload, test.options); !errors.Is(err, test.code) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, test := range map[string]struct {
		err  error
		code libsched.ErrorCode
	}{
		"replicas":  {w.AddReplicas(newPod(t, "p", 1, ""), 0, nil), libsched.ErrInvalid},
		"negative":  {w.Add(newPod(t, "p", 1, ""), &libsched.Timing{Duration: -1}), libsched.ErrInvalid},
		"too long":  {w.Add(newPod(t, "p", 1, ""), &libsched.Timing{Arrival: 51 * 366 * 24 * time.Hour}), libsched.ErrInvalid},
		"name":      {w.Add(newPod(t, "job-0", 1, ""), nil), libsched.ErrExists},
		"nil pod":   {w.Add(nil, nil), libsched.ErrMisuse},
		"no object": {w.AddObjects(nil), libsched.ErrMisuse},
	} {
		if !errors.Is(test.err, test.code) {
			t.Errorf("%s: %v", what, test.err)
		}
	}
	s := newSimulation(t, w)
	if _, err := s.Table("nodes"); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
	table := must(s.Table("pods"))(t)
	for _, closeIt := range []func(){table.Close, s.Close, w.Close} {
		closeIt()
		closeIt()
	}
	_, summaryErr := s.Summary()
	_, tableErr := s.Table("pods")
	_, podsErr := s.Pods()
	for i, err := range []error{summaryErr, tableErr, podsErr, s.Run(ctx, nil), table.WriteCSV(io.Discard),
		w.Add(newPod(t, "p", 1, ""), nil)} {
		if !errors.Is(err, libsched.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if s.Now() != 0 || table.Len() != 0 || w.Len() != 0 {
		t.Error("a closed value says something")
	}
	if err := (*libsched.ResultTable)(nil).WriteCSV(io.Discard); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
	(*libsched.Simulation)(nil).Close()
	(*libsched.TimedWorkload)(nil).Close()
	(*libsched.ResultTable)(nil).Close()
}

// asker is a plugin that asks back in a simulation, whose evaluators are the library's own.
type asker struct {
	named
	filter   func(ctx context.Context, state *libsched.CycleState, pod *libsched.Pod, node *libsched.NodeInfo) *libsched.Status
	postBind func()
	onEvent  func(view libsched.View)
}

func (a *asker) Filter(ctx context.Context, state *libsched.CycleState, pod *libsched.Pod, node *libsched.NodeInfo) *libsched.Status {
	return a.filter(ctx, state, pod, node)
}
func (a *asker) PostBind(context.Context, *libsched.CycleState, *libsched.Pod, string) { a.postBind() }
func (a *asker) OnEvent(_ *libsched.Services, view libsched.View, _ *libsched.ObjectChange) {
	if a.onEvent != nil {
		a.onEvent(view)
	}
}

func TestPluginsInASimulation(t *testing.T) {
	type key struct{}
	a := &asker{}
	fw := withPlugin(t, a)
	filters, binds, events, asking := 0, 0, 0, false
	a.filter = func(ctx context.Context, state *libsched.CycleState, pod *libsched.Pod, node *libsched.NodeInfo) *libsched.Status {
		filters++
		if ctx.Value(key{}) != "mine" || state.Framework().Profile() != fw.Profile() {
			t.Error("context or framework")
		}
		view := state.View()
		if view.NodeCount() != 1 || view.NodeAt(0).Name() != node.Name() {
			t.Error("view", view.NodeCount())
		}
		if now := state.Services().Clock().Now(); now.IsZero() {
			t.Error("services")
		}
		if asking {
			return nil
		}
		asking = true
		defer func() { asking = false }()
		return state.Framework().RunFilterPlugins(ctx, state, view, pod, node.Name())
	}
	a.postBind = func() { binds++ }
	a.onEvent = func(view libsched.View) { events += view.NodeCount() }
	s := newSimulation(t, jobs(t, 3), fw)
	check(t, s.Run(context.WithValue(ctx, key{}, "mine"), nil))
	if all := must(s.Summary())(t); all.Finished != 3 || filters < 6 || binds != 3 || events == 0 {
		t.Errorf("%+v: %d, %d, %d", all, filters, binds, events)
	}
}

// TestPanicsInASimulation checks that panics of slots without a Status arrive at the caller.
func TestPanicsInASimulation(t *testing.T) {
	a := &asker{postBind: func() {}}
	a.filter = func(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
		panic("a Status has it")
	}
	s := newSimulation(t, jobs(t, 1), withPlugin(t, a))
	check(t, s.Run(ctx, nil))
	if pods := must(s.Pods())(t); pods[0].State != "pending" || !strings.Contains(pods[0].Message, "a Status has it") {
		t.Errorf("%+v", pods)
	}
	a.filter = func(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
		return nil
	}
	for what, set := range map[string]func(panics func()){
		"PostBind": func(panics func()) { a.postBind, a.onEvent = panics, nil },
		"OnEvent":  func(panics func()) { a.postBind, a.onEvent = func() {}, func(libsched.View) { panics() } },
	} {
		s := newSimulation(t, jobs(t, 1), withPlugin(t, a))
		set(func() { panic(what) })
		func() {
			defer func() {
				if reason := recover(); fmt.Sprint(reason) != what {
					t.Errorf("%s: %v", what, reason)
				}
			}()
			t.Errorf("%s: %v", what, s.Run(ctx, nil))
		}()
	}
}
