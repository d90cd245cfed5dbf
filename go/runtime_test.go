package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"libsched"
)

// everything implements every extension point around Filter and Score, and records its calls.
type everything struct {
	named
	said    []string
	permit  *libsched.Status
	preBind *libsched.Status
	bind    *libsched.Status
	sign    []libsched.SignFragment
	signs   *libsched.Status
	post    func(state *libsched.CycleState, statuses *libsched.NodeStatuses) (*libsched.Nomination, *libsched.Status)
}

func (e *everything) say(what ...any) {
	e.said = append(e.said, strings.TrimSpace(fmt.Sprintln(what...)))
}

func (e *everything) take(t *testing.T, wanted ...string) {
	t.Helper()
	if !slices.Equal(e.said, wanted) {
		t.Errorf("%q, not %q", e.said, wanted)
	}
	e.said = nil
}

func (e *everything) Less(a, b libsched.QueuedPod) bool { return a.Since.Before(b.Since) }

func (e *everything) PreEnqueue(_ context.Context, pod *libsched.Pod) *libsched.Status {
	e.say("PreEnqueue", pod)
	return nil
}

func (e *everything) PreFilter(context.Context, *libsched.CycleState, *libsched.Pod) (*libsched.PreFilterResult,
	*libsched.Status) {
	return nil, nil
}

func (e *everything) PreFilterExtensions() libsched.PreFilterExtensions { return e }

func (e *everything) AddPod(_ context.Context, _ *libsched.CycleState, pod, added *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	e.say("AddPod", pod, added, node.Name())
	return nil
}

func (e *everything) RemovePod(_ context.Context, _ *libsched.CycleState, pod, removed *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	e.say("RemovePod", pod, removed, node.Name())
	return libsched.NewStatus(libsched.CodeError, "not today")
}

func (e *everything) PostFilter(_ context.Context, state *libsched.CycleState, _ *libsched.Pod,
	statuses *libsched.NodeStatuses) (*libsched.Nomination, *libsched.Status) {
	return e.post(state, statuses)
}

func (e *everything) Reserve(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	node string) *libsched.Status {
	e.say("Reserve", node)
	return nil
}

func (e *everything) Unreserve(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod, node string) {
	e.say("Unreserve", node)
}

func (e *everything) Permit(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	node string) (*libsched.Status, time.Duration) {
	e.say("Permit", node)
	return e.permit, 90 * time.Second
}

func (e *everything) PreBindPreFlight(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	node string) (*libsched.PreBindPreFlightResult, *libsched.Status) {
	e.say("PreBindPreFlight", node)
	return &libsched.PreBindPreFlightResult{AllowParallel: true}, nil
}

func (e *everything) PreBind(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	node string) *libsched.Status {
	e.say("PreBind", node)
	return e.preBind
}

func (e *everything) Bind(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	node string) *libsched.Status {
	e.say("Bind", node)
	return e.bind
}

func (e *everything) PostBind(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod, node string) {
	e.say("PostBind", node)
}

func (e *everything) SignPod(context.Context, *libsched.Pod) ([]libsched.SignFragment, *libsched.Status) {
	return e.sign, e.signs
}

const onlyMine = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    multiPoint: {disabled: [{name: "*"}], enabled: [{name: Mine}]}
`

func onlyEverything(t *testing.T) (*everything, *libsched.Framework) {
	e := &everything{}
	r := must(libsched.NewRegistry())(t)
	defer r.Close()
	check(t, libsched.AddPlugin(r, "Mine", func(json.RawMessage) (*everything, error) { return e, nil }))
	return e, newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML([]byte(onlyMine)))
}

func TestCycleToTheEnd(t *testing.T) {
	e, fw := onlyEverything(t)
	cluster, pod := fiveNodes(t), newPod(t, "p", 100, "")
	if s := fw.RunPreEnqueuePlugins(ctx, cluster, pod); s != nil {
		t.Error(s)
	}
	state := preFiltered(t, fw, cluster, pod)
	if s := fw.RunPreFilterExtensionAddPod(ctx, state, cluster, pod, newPod(t, "q", 1, ""), "big"); s != nil {
		t.Error(s)
	}
	if s := fw.RunPreFilterExtensionRemovePod(ctx, state, cluster, pod, newPod(t, "q", 1, ""),
		"big"); s.Code() != libsched.CodeError || !strings.Contains(s.Message(), "not today") {
		t.Error(s)
	}
	e.take(t, "PreEnqueue default/p", "AddPod default/p default/q big", "RemovePod default/p default/q big")

	if s := fw.RunReservePluginsReserve(ctx, state, cluster, pod, "big"); s != nil {
		t.Error(s)
	}
	if waits, s := fw.RunPermitPlugins(ctx, state, cluster, pod, "big"); s != nil || waits != nil {
		t.Error(waits, s)
	}
	if s := fw.WaitOnPermit(ctx, cluster, pod); s != nil {
		t.Error(s)
	}
	if s := fw.RunPreBindPreFlights(ctx, state, cluster, pod, "big"); s != nil {
		t.Error(s)
	}
	if state.SkipsPreBind("Mine") || !state.ParallelPreBind("Mine") {
		t.Error("pre-flight")
	}
	if s := fw.RunPreBindPlugins(ctx, state, cluster, pod, "big"); s != nil {
		t.Error(s)
	}
	e.bind = libsched.NewStatus(libsched.Skip)
	if s := fw.RunBindPlugins(ctx, state, cluster, pod, "big"); !s.IsSkip() {
		t.Error(s)
	}
	check(t, fw.RunPostBindPlugins(ctx, state, cluster, pod, "big"))
	check(t, fw.RunReservePluginsUnreserve(ctx, state, cluster, pod, "big"))
	e.take(t, "Reserve big", "Permit big", "PreBindPreFlight big", "PreBind big", "Bind big", "PostBind big",
		"Unreserve big")

	e.preBind = libsched.AsStatus(errors.New("no disk"))
	if s := fw.RunPreBindPlugins(ctx, state, cluster, pod, "big"); s.Code() != libsched.CodeError ||
		s.Message() != `running PreBind plugin "Mine": no disk` {
		t.Error(s)
	}
	now := time.Now()
	first := must(fw.Less(libsched.QueuedPod{pod, now}, libsched.QueuedPod{pod, now.Add(1)}))(t)
	if second := must(fw.Less(libsched.QueuedPod{pod, now}, libsched.QueuedPod{pod, now}))(t); !first || second {
		t.Error(first, second)
	}
}

func TestPermitWaits(t *testing.T) {
	e, fw := onlyEverything(t)
	cluster := fiveNodes(t)
	clock := libsched.VirtualClock(time.Unix(1000, 0))
	services := must(libsched.NewServices(libsched.ServicesOptions{Clock: clock}))(t)
	check(t, cluster.SetServices(services))
	if own := must(cluster.Services())(t); own != services || !services.Clock().Now().Equal(time.Unix(1000, 0)) {
		t.Error(own.Clock().Now())
	}
	e.permit = libsched.NewStatus(libsched.Wait)
	wait := func(name string) (*libsched.Pod, *libsched.WaitingPod) {
		pod := newPod(t, name, 100, "")
		waits, s := fw.RunPermitPlugins(ctx, preFiltered(t, fw, cluster, pod), cluster, pod, "big")
		if !s.IsWait() || !slices.Equal(waits, []libsched.PermitWait{{Plugin: "Mine", Timeout: 90 * time.Second}}) {
			t.Fatal(waits, s)
		}
		check(t, services.AddWaitingPod(pod, waits))
		w := services.WaitingPod(pod.UID())
		if w.Pod().Name() != name || !slices.Equal(w.PendingPlugins(), []string{"Mine"}) {
			t.Fatal(w.Pod(), w.PendingPlugins())
		}
		if _, decided := w.Decided(); decided {
			t.Fatal("decided")
		}
		return pod, w
	}
	pod, w := wait("allowed")
	if len(services.WaitingPods()) != 1 {
		t.Error(services.WaitingPods())
	}
	w.Allow("Mine")
	if s := fw.WaitOnPermit(ctx, cluster, pod); s != nil || services.WaitingPod(pod.UID()) != nil {
		t.Error(s)
	}
	pod, w = wait("rejected")
	if !w.Reject("Mine", "too late") || w.Reject("Mine", "again") {
		t.Error("rejected twice")
	}
	if s, decided := w.Decided(); !decided || s.Code() != libsched.Unschedulable || s.Plugin() != "Mine" {
		t.Error(s, decided)
	}
	if s := fw.WaitOnPermit(ctx, cluster, pod); s.Code() != libsched.Unschedulable || s.Message() != "too late" {
		t.Error(s)
	}
	pod, _ = wait("late")
	if s := fw.WaitOnPermit(ctx, cluster, pod); s.Code() != libsched.Unschedulable ||
		!strings.Contains(s.Message(), "timeout") || clock.Now().Before(time.Unix(1090, 0)) {
		t.Error(s, clock.Now())
	}
	pod, w = wait("removed")
	if !services.RejectWaitingPod(pod.UID()) || services.RejectWaitingPod("nobody") || w.Preempt("Mine", "x") {
		t.Error("removed")
	}
	if err := clock.AdvanceTo(time.Unix(5000, 0)); err != nil || !clock.Now().Equal(time.Unix(5000, 0)) {
		t.Error(err, clock.Now())
	}
	if err := libsched.SystemClock().AdvanceTo(time.Now()); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
}

// TestWaitOnPermitBesideOthers waits on one goroutine while another uses the cluster and decides.
func TestWaitOnPermitBesideOthers(t *testing.T) {
	e, fw := onlyEverything(t)
	cluster, pod := fiveNodes(t), newPod(t, "p", 100, "")
	services := must(libsched.NewServices(libsched.ServicesOptions{Clock: libsched.SystemClock()}))(t)
	check(t, cluster.SetServices(services))
	e.permit = libsched.NewStatus(libsched.Wait)
	waits, _ := fw.RunPermitPlugins(ctx, preFiltered(t, fw, cluster, pod), cluster, pod, "big")
	check(t, services.AddWaitingPod(pod, waits))
	done := make(chan *libsched.Status)
	go func() { done <- fw.WaitOnPermit(ctx, cluster, pod) }()
	time.Sleep(5 * time.Millisecond)
	check(t, cluster.RemoveNode("small"))
	services.WaitingPod(pod.UID()).Allow("Mine")
	if s := <-done; s != nil {
		t.Error(s)
	}
}

func TestPostFilterAndNominations(t *testing.T) {
	e, fw := onlyEverything(t)
	cluster, pod := fiveNodes(t), newPod(t, "p", 100, "")
	services := must(cluster.Services())(t)
	row, _ := cluster.FindNode("big")
	var seen *libsched.NodeStatuses
	e.post = func(state *libsched.CycleState, statuses *libsched.NodeStatuses) (*libsched.Nomination,
		*libsched.Status) {
		seen = statuses
		e.say(describe(statuses.Get(row)), statuses.Code(0))
		if err := statuses.Set(row, nil); !errors.Is(err, libsched.ErrMisuse) {
			t.Error(err)
		}
		check(t, state.Services().Nominate(newPod(t, "q", 1, ""), &libsched.Nomination{
			Mode: libsched.NominationOverride, Node: "small"}))
		return &libsched.Nomination{Mode: libsched.NominationOverride, Node: "big"}, nil
	}
	statuses := libsched.NewNodeStatuses()
	defer statuses.Close()
	check(t, statuses.Set(row, libsched.NewStatus(libsched.Unschedulable, "full").WithPlugin("NodeResourcesFit")))
	check(t, statuses.SetAbsent(libsched.NewStatus(libsched.Pending).WithPlugin("Other")))
	if got := statuses.Get(row); describe(got) != "Unschedulable NodeResourcesFit [full]" {
		t.Error(got)
	}
	if got := statuses.Get(row + 1); describe(got) != "Pending Other []" {
		t.Error(got)
	}
	state := preFiltered(t, fw, cluster, pod)
	nomination, s := fw.RunPostFilterPlugins(ctx, state, cluster, pod, statuses)
	if s != nil || nomination == nil || *nomination != (libsched.Nomination{
		Mode: libsched.NominationOverride, Node: "big"}) {
		t.Error(nomination, s)
	}
	e.take(t, "Unschedulable NodeResourcesFit [full] Pending")
	if seen.Code(row) != libsched.CodeError || services.NominatedNode(newPod(t, "q", 1, "")) != "small" {
		t.Error("nominated", services.NominatedNode(newPod(t, "q", 1, "")))
	}
	check(t, services.Nominate(pod, nomination))
	if services.NominatedNode(pod) != "big" {
		t.Error(services.NominatedNode(pod))
	}
	check(t, services.RemoveNomination(pod))
	if services.NominatedNode(pod) != "" {
		t.Error(services.NominatedNode(pod))
	}
	if err := services.Nominate(pod, &libsched.Nomination{Mode: 9}); !errors.Is(err, libsched.ErrUnsupported) {
		t.Error(err)
	}
}

// TestSignPod compares a signature with that of a C plugin with the same fragments. A plugin that
// refuses, has a value without JSON, or cannot sign leaves no signature.
func TestSignPod(t *testing.T) {
	e, fw := onlyEverything(t)
	cluster, pod := fiveNodes(t), newPod(t, "p", 100, "")
	sign := func(fw *libsched.Framework) string {
		t.Helper()
		return string(must(fw.SignPod(ctx, cluster, pod))(t))
	}
	e.sign = []libsched.SignFragment{{Key: "example.com/name", Value: []string{"p", "<"}},
		{Key: "a<", Value: json.RawMessage(`{"n":1.50}`)}}
	c := newFramework(t, libsched.WithRegistry(pluginsInC(t)), libsched.WithConfigYAML([]byte(strings.NewReplacer(
		"{name: Mine}", "{name: Signs}, {name: PrioritySort}, {name: DefaultBinder}",
		`{name: "*"}`, `{name: "*"}, {name: AcceptAll}, {name: RejectHalf}, {name: ScoreNone}`).Replace(onlyMine))))
	const signature = `{"a\u003c":{"n":1.50},"example.com/name":["p","\u003c"],` +
		`"v1.Pod.Spec.SchedulerName":"default-scheduler"}`
	if inGo, inC := sign(fw), sign(c); inGo != signature || inC != signature {
		t.Errorf("%s in Go, %s in C", inGo, inC)
	}
	e.sign[0].Value = func() {}
	if s := sign(fw); s != "" {
		t.Error("a function has a signature:", s)
	}
	e.sign, e.signs = nil, libsched.NewStatus(libsched.Unschedulable, "not this one")
	if s := sign(fw); s != "" {
		t.Error("refused, and yet:", s)
	}
	e.signs = nil
	if s := sign(fw); s != `{"v1.Pod.Spec.SchedulerName":"default-scheduler"}` {
		t.Error(s)
	}
	if s := sign(withPlugin(t, &drained{})); s != "" {
		t.Error("a plugin of the profile cannot sign, and yet:", s)
	}
}

func TestActivations(t *testing.T) {
	state := libsched.NewCycleState()
	defer state.Close()
	check(t, state.Activate(newPod(t, "b", 1, "")))
	check(t, state.Activate(newPod(t, "a", 1, "")))
	if pods := must(state.TakeActivations())(t); !slices.Equal(pods, []string{"default/a", "default/b"}) {
		t.Error(pods)
	}
	if pods := must(state.TakeActivations())(t); len(pods) != 0 {
		t.Error(pods)
	}
}

// client is an API client in Go.
type client struct {
	said []string
	err  error
}

func (c *client) Bind(_ context.Context, pod *libsched.Pod, node string) error {
	c.said = append(c.said, "bind "+pod.Name()+" to "+node)
	return c.err
}
func (c *client) DeletePod(context.Context, *libsched.Pod) error              { return c.err }
func (c *client) PatchPodStatus(context.Context, *libsched.Pod, []byte) error { return c.err }
func (c *client) PatchObject(context.Context, string, string, string, []byte) error {
	return c.err
}
func (c *client) Event(context.Context, *libsched.Pod, libsched.Event) {}

func TestAPIClient(t *testing.T) {
	fw, cluster, pod := newFramework(t), fiveNodes(t), newPod(t, "p", 100, "")
	api := &client{}
	services := must(libsched.NewServices(libsched.ServicesOptions{API: api}))(t)
	bind := func(cluster *libsched.Cluster) *libsched.Status {
		return fw.RunBindPlugins(ctx, preFiltered(t, fw, cluster, pod), cluster, pod, "big")
	}
	kept := must(cluster.Services())(t)
	if s := bind(cluster); s.IsSkip() {
		t.Skip("DefaultBinder of this version does not bind")
	} else if s != nil {
		t.Fatal(s)
	}
	if requests := must(kept.Requests())(t); len(requests) != 1 || requests[0].Verb != "bind" ||
		requests[0].Pod != "default/p" || requests[0].Node != "big" {
		t.Errorf("%+v", requests)
	}
	check(t, kept.Deliver(cluster))
	if bound, row := cluster.FindPod("default", "p"); bound == nil || cluster.NodeAt(row).Name() != "big" ||
		len(must(kept.Requests())(t)) != 0 {
		t.Error(bound)
	}
	check(t, cluster.RemovePod("default", "p"))

	check(t, cluster.SetServices(services))
	if s := bind(cluster); s != nil || !slices.Equal(api.said, []string{"bind p to big"}) {
		t.Error(s, api.said)
	}
	api.err = errors.New("the server is away")
	if s := bind(cluster); s.Code() != libsched.CodeError || !strings.Contains(s.Message(), "the server is away") {
		t.Error(s)
	}
	if _, err := services.Requests(); !errors.Is(err, libsched.ErrState) {
		t.Error(err)
	}
	if err := services.Deliver(cluster); err == nil {
		t.Error("delivered")
	}
	services.Close()
	if err := cluster.SetServices(services); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
	if err := services.Nominate(pod, nil); !errors.Is(err, libsched.ErrClosed) {
		t.Error(err)
	}
}

// creator is an API client that also creates and deletes objects.
type creator struct{ client }

func (c *creator) CreateObject(_ context.Context, kind, namespace string, object []byte) ([]byte, error) {
	if !strings.Contains(string(object), `"generateName":"p-extended-resources-"`) {
		return nil, errors.New("no prefix")
	}
	c.said = append(c.said, "create "+kind+" in "+namespace)
	made := strings.Replace(string(object), `"generateName":"p-extended-resources-"`, `"name":"made","uid":"made","resourceVersion":"1"`, 1)
	return []byte(made), c.err
}
func (c *creator) DeleteObject(_ context.Context, kind, namespace, name string) error {
	c.said = append(c.said, "delete "+kind+" "+namespace+"/"+name)
	return nil
}

func TestObjectClient(t *testing.T) {
	const objects = `{"kind": "List", "apiVersion": "v1", "items": [
		{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "9"}}},
		{"kind": "DeviceClass", "apiVersion": "resource.k8s.io/v1", "metadata": {"name": "gpu"}, "spec": {"extendedResourceName": "x.io/gpu"}},
		{"kind": "ResourceSlice", "apiVersion": "resource.k8s.io/v1", "metadata": {"name": "s"}, "spec": {"driver": "d", "nodeName": "n",
			"pool": {"name": "n", "resourceSliceCount": 1}, "devices": [{"name": "x"}]}}]}`
	fw := newFramework(t)
	pod := must(libsched.ParsePod([]byte(`{"metadata": {"name": "p", "namespace": "default", "uid": "u"}, "spec": {"containers": [
		{"name": "c", "resources": {"requests": {"x.io/gpu": 1}}}]}}`)))(t)
	preBind := func(api libsched.APIClient) (*libsched.Cluster, *libsched.CycleState, *libsched.Status) {
		cluster := must(libsched.NewCluster())(t)
		check(t, cluster.Apply([]byte(objects)))
		check(t, cluster.SetServices(must(libsched.NewServices(libsched.ServicesOptions{API: api}))(t)))
		state := preFiltered(t, fw, cluster, pod)
		if s := fw.RunFilterPlugins(ctx, state, cluster, pod, "n"); s != nil {
			t.Fatal(s)
		}
		if s := fw.RunReservePluginsReserve(ctx, state, cluster, pod, "n"); s != nil {
			t.Fatal(s)
		}
		return cluster, state, fw.RunPreBindPlugins(ctx, state, cluster, pod, "n")
	}
	api := &creator{}
	cluster, state, s := preBind(api)
	if s != nil || !slices.Equal(api.said, []string{"create ResourceClaim in default"}) {
		t.Fatal(s, api.said)
	}
	fw.RunReservePluginsUnreserve(ctx, state, cluster, pod, "n")
	if !slices.Equal(api.said[1:], []string{"delete ResourceClaim default/made"}) {
		t.Error(api.said)
	}
	if _, _, s := preBind(&creator{client{err: errors.New("quota exceeded")}}); s.Code() != libsched.CodeError ||
		!strings.Contains(s.Message(), "quota exceeded") {
		t.Error(s)
	}
	if _, _, s := preBind(&client{}); s.Code() != libsched.CodeError || !strings.Contains(s.Message(), "no method CreateObject") {
		t.Error(s)
	}
}
