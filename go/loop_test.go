package libsched_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"libsched"
)

// apiServer is an API client in Go that tells its scheduler what it has bound, as a watch would.
type apiServer struct {
	client
	scheduler *libsched.Scheduler
	mu        sync.Mutex
	refusals  int // of the next bindings
	bound     []string
	patches   []string
	events    []libsched.Event
	seen      func(ctx context.Context)
}

func (a *apiServer) Bind(ctx context.Context, pod *libsched.Pod, node string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen != nil {
		a.seen(ctx)
	}
	if a.refusals > 0 {
		a.refusals--
		return errors.New("the server is away")
	}
	after, err := pod.Copy(libsched.WithNodeName(node))
	if err != nil {
		return err
	}
	a.bound = append(a.bound, pod.Name()+" to "+node)
	return a.scheduler.Deliver(pod, after)
}

func (a *apiServer) PatchPodStatus(_ context.Context, _ *libsched.Pod, patch []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.patches = append(a.patches, string(patch))
	return nil
}

func (a *apiServer) Event(_ context.Context, _ *libsched.Pod, event libsched.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.events = append(a.events, event)
}

// watcher is an observer that takes notes.
type watcher struct {
	notes []string
	panic string
	look  func()
}

func (w *watcher) note(what string, pod *libsched.QueuedPodInfo, node, why string) {
	w.notes = append(w.notes, strings.TrimSpace(fmt.Sprint(what, " ", pod.Pod.Name(), " ", node, why)))
	if w.look != nil {
		w.look()
	}
	if w.panic == what {
		panic(what)
	}
}
func (w *watcher) Popped(pod *libsched.QueuedPodInfo)               { w.note("popped", pod, "", "") }
func (w *watcher) Assumed(pod *libsched.QueuedPodInfo, node string) { w.note("assumed", pod, node, "") }
func (w *watcher) Bound(pod *libsched.QueuedPodInfo, node string)   { w.note("bound", pod, node, "") }
func (w *watcher) Failed(pod *libsched.QueuedPodInfo, node string, status *libsched.Status) {
	w.note("failed", pod, node, status.Message())
}

// newScheduler makes a scheduler of fiveNodes.
func newScheduler(t *testing.T, options libsched.SchedulerOptions, frameworks ...*libsched.Framework) (
	*libsched.Scheduler, *libsched.Cluster) {
	t.Helper()
	cluster := fiveNodes(t)
	if frameworks == nil {
		frameworks = []*libsched.Framework{newFramework(t)}
	}
	s := must(libsched.NewScheduler(cluster, frameworks, options))(t)
	t.Cleanup(s.Close)
	if api, ok := options.API.(*apiServer); ok {
		api.scheduler = s
	}
	return s, cluster
}

func TestScheduler(t *testing.T) {
	type key struct{}
	clock, api, w := libsched.VirtualClock(time.Unix(1000, 0)), &apiServer{}, &watcher{}
	s, cluster := newScheduler(t, libsched.SchedulerOptions{Clock: clock, API: api, Observer: w})
	with := context.WithValue(ctx, key{}, "mine")
	api.seen = func(ctx context.Context) {
		if ctx.Value(key{}) != "mine" {
			t.Error("the API client got another context")
		}
		if err := s.Settle(ctx, false, 0); !errors.Is(err, libsched.ErrMisuse) {
			t.Error("the API client ran the scheduler:", err)
		}
	}
	w.look = func() {
		if cluster.NodeCount() == 0 {
			t.Error("the observer cannot read the cluster")
		}
		if _, err := s.RunOne(ctx); !errors.Is(err, libsched.ErrMisuse) {
			t.Error("the observer ran the scheduler:", err)
		}
	}
	check(t, s.Start())
	if err := s.Start(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	check(t, s.Deliver(nil, newPod(t, "web", 2000, "")))
	if acted := must(s.RunOne(with))(t); !acted {
		t.Error("nothing to do")
	}
	check(t, s.Settle(with, false, 0))
	if !slices.Equal(w.notes, []string{"popped web", "assumed web big", "bound web big"}) ||
		!slices.Equal(api.bound, []string{"web to big"}) {
		t.Error(w.notes, api.bound)
	}
	if pod, row := cluster.FindPod("default", "web"); pod == nil || cluster.NodeAt(row).Name() != "big" {
		t.Error("not on its node")
	}

	// It fits nowhere until a node comes.
	huge := newPod(t, "huge", 20000, "")
	check(t, s.Deliver(nil, huge))
	check(t, s.Settle(with, false, 0))
	if last := w.notes[len(w.notes)-1]; !strings.HasPrefix(last, "failed huge") || !strings.Contains(last, "Insufficient cpu") {
		t.Error(last)
	}
	if len(api.patches) != 1 || !strings.Contains(api.patches[0], "Unschedulable") ||
		!slices.ContainsFunc(api.events, func(e libsched.Event) bool { return e.Reason == "FailedScheduling" }) {
		t.Error(api.patches, api.events)
	}
	q := must(s.Queue())(t)
	defer q.Close()
	if waiting := must(q.List(libsched.PartUnschedulable))(t); len(waiting) != 1 || waiting[0].Pod.Name() != "huge" {
		t.Error(waiting)
	}
	check(t, s.Deliver(nil, newNode(t, "huge-node", 64, "a", "")))
	if due, ok := s.NextDue(); !ok || due.Before(clock.Now()) {
		t.Error(due, ok)
	}
	check(t, s.RunUntil(with, time.Unix(1060, 0)))
	if state := must(s.State())(t); state.Now.Before(time.Unix(1060, 0)) || state.InCycle || state.Bindings != 0 {
		t.Errorf("%+v", state)
	}
	if !slices.Equal(api.bound, []string{"web to big", "huge to huge-node"}) {
		t.Error(api.bound)
	}

	// A refused binding is tried again after the backoff.
	api.refusals = 1
	check(t, s.Deliver(nil, newPod(t, "unlucky", 100, "")))
	check(t, s.Settle(with, false, 0))
	if last := w.notes[len(w.notes)-1]; !strings.Contains(last, "the server is away") {
		t.Error(last)
	}
	check(t, s.RunUntil(with, time.Unix(1070, 0)))
	if len(api.bound) != 3 {
		t.Error(api.bound)
	}
	check(t, s.Deliver(newNode(t, "huge-node", 64, "a", ""), nil))
	check(t, s.Deliver(nil, must(libsched.ParseObjects([]byte("{kind: Namespace, apiVersion: v1, metadata: {name: x}}")))(t)))
	check(t, s.Settle(with, true, 0))
	if cluster.Node("huge-node") != nil {
		t.Error("the node has not gone")
	}
	if text := string(must(s.MetricsText())(t)); !strings.Contains(text,
		`scheduler_schedule_attempts_total{profile="default-scheduler",result="scheduled"} 3`) {
		t.Error(text)
	}
	if err := s.Run(ctx); !errors.Is(err, libsched.ErrState) {
		t.Error("Run on a virtual clock:", err)
	}
	check(t, s.Stop())
	if err := s.Stop(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

// gang makes pods wait on Permit until there are two, and looks at PreBind.
type gang struct {
	named
	handle  libsched.Handle
	waiting []string
	pre     []string
}

func (g *gang) Permit(_ context.Context, state *libsched.CycleState, pod *libsched.Pod, _ string) (*libsched.Status, time.Duration) {
	g.waiting = append(g.waiting, pod.UID())
	if len(g.waiting) < 2 {
		return libsched.NewStatus(libsched.Wait), time.Minute
	}
	for _, uid := range g.waiting[:len(g.waiting)-1] {
		if w := state.Services().WaitingPod(uid); w != nil {
			w.Allow("Mine")
		}
	}
	return nil, 0
}

func (g *gang) PreBindPreFlight(context.Context, *libsched.CycleState, *libsched.Pod, string) (*libsched.PreBindPreFlightResult, *libsched.Status) {
	return nil, nil
}

func (g *gang) PreBind(_ context.Context, _ *libsched.CycleState, pod *libsched.Pod, node string) *libsched.Status {
	g.pre = append(g.pre, pod.Name()+" to "+node)
	return nil
}

func TestSchedulerAndAGang(t *testing.T) {
	for _, clock := range []*libsched.Clock{libsched.VirtualClock(time.Unix(1000, 0)), libsched.SystemClock()} {
		g, api := &gang{}, &apiServer{}
		s, _ := newScheduler(t, libsched.SchedulerOptions{Clock: clock, API: api}, withPlugin(t, g))
		check(t, s.Deliver(nil, newPod(t, "first", 100, "")))
		check(t, s.Settle(ctx, false, 0))
		if waiting := s.Services().WaitingPods(); len(waiting) != 1 || len(api.bound) != 0 {
			t.Error(waiting, api.bound)
		}
		check(t, s.Deliver(nil, newPod(t, "second", 100, "")))
		for end := clock.Now().Add(10 * time.Second); len(api.bound) < 2 && clock.Now().Before(end); {
			check(t, s.RunUntil(ctx, clock.Now().Add(10*time.Millisecond)))
		}
		slices.Sort(g.pre)
		if len(api.bound) != 2 || len(g.pre) != 2 || !strings.HasPrefix(g.pre[0], "first to ") {
			t.Error(api.bound, g.pre)
		}
	}
}

func TestSchedulerRuns(t *testing.T) {
	for _, threads := range []int{0, 3} {
		api, w := &apiServer{}, &watcher{}
		s, cluster := newScheduler(t, libsched.SchedulerOptions{API: api, Observer: w, BindingThreads: threads})
		w.look = func() { // also on the library's threads
			if cluster.NodeCount() != 5 {
				t.Error("the observer cannot read the cluster")
			}
		}
		running, cancel := context.WithCancel(ctx)
		done := make(chan error)
		go func() { done <- s.Run(running) }()
		const pods = 30
		for i := range pods {
			check(t, s.Deliver(nil, newPod(t, fmt.Sprint("p", i), 10, "")))
		}
		count := func() int { api.mu.Lock(); defer api.mu.Unlock(); return len(api.bound) }
		for end := time.Now().Add(20 * time.Second); count() < pods && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) || !errors.Is(err, libsched.ErrCancelled) {
			t.Error(err)
		}
		check(t, s.Stop())
		if count() != pods {
			t.Errorf("with %d threads only %d pods were bound", threads, count())
		}
		if err := s.Run(ctx); !errors.Is(err, libsched.ErrState) {
			t.Error("Run after Stop:", err)
		}
		s.Close()
	}
}

func TestSchedulerPanics(t *testing.T) {
	w := &watcher{panic: "popped"}
	s, _ := newScheduler(t, libsched.SchedulerOptions{Clock: libsched.VirtualClock(time.Unix(1000, 0)), Observer: w})
	check(t, s.Deliver(nil, newPod(t, "web", 100, "")))
	func() {
		defer func() {
			if reason := recover(); reason != "popped" {
				t.Error(reason)
			}
		}()
		t.Error(s.Settle(ctx, false, 0))
	}()
	check(t, s.Settle(ctx, false, 0))
	if requests := must(s.Requests())(t); !slices.ContainsFunc(requests, func(r libsched.Request) bool {
		return r.Verb == "bind" && r.Pod == "default/web"
	}) {
		t.Error(requests)
	}
	api := &apiServer{seen: func(context.Context) { panic("no memory for pods") }}
	s, _ = newScheduler(t, libsched.SchedulerOptions{Clock: libsched.VirtualClock(time.Unix(1000, 0)), API: api, Observer: w})
	w.panic = ""
	check(t, s.Deliver(nil, newPod(t, "web", 100, "")))
	check(t, s.Settle(ctx, false, 0))
	if last := w.notes[len(w.notes)-1]; !strings.Contains(last, "no memory for pods") {
		t.Error(last)
	}
	if _, err := s.Requests(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

func TestSchedulerErrors(t *testing.T) {
	fw, cluster, clock := newFramework(t), fiveNodes(t), libsched.VirtualClock(time.Unix(1000, 0))
	one := []*libsched.Framework{fw}
	s := must(libsched.NewScheduler(cluster, one, libsched.SchedulerOptions{Clock: clock}))(t)
	closedClock := libsched.SystemClock()
	closedClock.Close()
	for what, test := range map[string]struct {
		cluster    *libsched.Cluster
		frameworks []*libsched.Framework
		options    libsched.SchedulerOptions
		code       libsched.ErrorCode
	}{
		"no cluster":     {nil, one, libsched.SchedulerOptions{}, libsched.ErrMisuse},
		"no framework":   {cluster, nil, libsched.SchedulerOptions{}, libsched.ErrMisuse},
		"two frameworks": {cluster, []*libsched.Framework{fw, fw}, libsched.SchedulerOptions{}, libsched.ErrMisuse},
		"ties":           {cluster, one, libsched.SchedulerOptions{Ties: 9}, libsched.ErrInvalid},
		"threads":        {cluster, one, libsched.SchedulerOptions{BindingThreads: -1}, libsched.ErrInvalid},
		"a time":         {cluster, one, libsched.SchedulerOptions{Queue: libsched.QueueOptions{MaxBackoff: -1}}, libsched.ErrInvalid},
		"a busy clock":   {cluster, one, libsched.SchedulerOptions{Clock: clock, Observer: &watcher{}}, libsched.ErrState},
		"a closed clock": {cluster, one, libsched.SchedulerOptions{Clock: closedClock}, libsched.ErrMisuse},
	} {
		if _, err := libsched.NewScheduler(test.cluster, test.frameworks, test.options); !errors.Is(err, test.code) {
			t.Errorf("%s: %v", what, err)
		}
	}
	pod, node := newPod(t, "p", 1, ""), newNode(t, "n", 1, "a", "")
	over, cancel := context.WithCancel(ctx)
	cancel()
	for what, test := range map[string]struct {
		err  error
		code error
	}{
		"nothing":     {s.Deliver(nil, nil), libsched.ErrInvalid},
		"two types":   {s.Deliver(pod, node), libsched.ErrInvalid},
		"two names":   {s.Deliver(pod, newPod(t, "q", 1, "")), libsched.ErrInvalid},
		"two objects": {s.Deliver(nil, must(libsched.ParseObjects([]byte(exampleCluster)))(t)), libsched.ErrInvalid},
		"a nil pod":   {s.Deliver(nil, (*libsched.Pod)(nil)), libsched.ErrMisuse},
		"actions":     {s.Settle(ctx, false, -1), libsched.ErrInvalid},
		"context":     {s.Settle(over, false, 0), context.Canceled},
	} {
		if !errors.Is(test.err, test.code) {
			t.Errorf("%s: %v", what, test.err)
		}
	}
	check(t, s.Deliver(nil, pod))
	check(t, s.Deliver(nil, newPod(t, "q", 1, "")))
	if err := s.Settle(ctx, false, 1); !errors.Is(err, libsched.ErrLimit) {
		t.Error(err)
	}
	q := must(s.Queue())(t)
	s.Close()
	s.Close()
	if _, err := q.Counts(); err != nil {
		t.Error("the queue outlives the scheduler:", err)
	}
	_, stateErr := s.State()
	_, metricsErr := s.MetricsText()
	_, queueErr := s.Queue()
	_, oneErr := s.RunOne(ctx)
	_, requestsErr := s.Requests()
	for i, err := range []error{stateErr, metricsErr, queueErr, oneErr, requestsErr, s.Deliver(nil, pod), s.Run(ctx), s.Stop(), s.Start(),
		s.RunUntil(ctx, time.Now())} {
		if !errors.Is(err, libsched.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if _, ok := s.NextDue(); ok {
		t.Error("a closed scheduler is due")
	}
	(*libsched.Scheduler)(nil).Close()
	if err := (*libsched.Scheduler)(nil).Deliver(nil, pod); !errors.Is(err, libsched.ErrMisuse) {
		t.Error(err)
	}
}

// fast is a time source that runs a hundred times as fast as the machine's clock.
type fast struct {
	began time.Time
	mu    sync.Mutex
	slept int
}

func (f *fast) Now() time.Time { return time.Unix(1000, 0).Add(100 * time.Since(f.began)) }
func (f *fast) Sleep(deadline time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.slept++
	return deadline.Sub(f.Now()) / 100
}

func TestCustomClock(t *testing.T) {
	source := &fast{began: time.Now()}
	clock := libsched.CustomClock(source)
	if now := clock.Now(); now.Before(time.Unix(1000, 0)) || now.After(time.Unix(1000+1000, 0)) {
		t.Error(now)
	}
	if err := clock.AdvanceTo(time.Unix(5000, 0)); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	// A backoff of ten seconds takes a tenth of one.
	api := &apiServer{refusals: 1}
	s, _ := newScheduler(t, libsched.SchedulerOptions{Clock: clock, API: api,
		Queue: libsched.QueueOptions{InitialBackoff: 10 * time.Second}})
	check(t, s.Start())
	began, early := clock.Now(), time.Now()
	check(t, s.Deliver(nil, newPod(t, "web", 100, "")))
	check(t, s.RunUntil(ctx, began.Add(20*time.Second)))
	if len(api.bound) != 1 || time.Since(early) > 15*time.Second || source.slept == 0 {
		t.Error(api.bound, time.Since(early), source.slept)
	}
}

func TestSchedulerLogs(t *testing.T) {
	var lines []string
	log := func(r libsched.LogRecord) {
		line := fmt.Sprint(r.Level, " ", r.Error, " ", r.Message)
		for _, f := range r.Fields {
			line += " " + f.Key + "=" + f.Value
		}
		if r.Time.Before(time.Unix(1000, 0)) {
			t.Error("a line has the time", r.Time)
		}
		lines = append(lines, line)
	}
	clock := libsched.VirtualClock(time.Unix(1000, 0))
	s, _ := newScheduler(t, libsched.SchedulerOptions{Clock: clock, Log: log, Verbosity: 3})
	check(t, s.Deliver(nil, newPod(t, "web", 2000, "")))
	check(t, s.Settle(ctx, false, 0))
	want := []string{
		"3 false Add event for unscheduled pod pod=default/web",
		"3 false Attempting to schedule pod pod=default/web",
		"2 false Successfully bound pod to node pod=default/web node=big evaluatedNodes=",
	}
	for i, line := range want {
		if i >= len(lines) || !strings.HasPrefix(lines[i], line) {
			t.Fatal(lines)
		}
	}
	if _, err := libsched.NewScheduler(nil, nil, libsched.SchedulerOptions{Verbosity: -1}); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}
