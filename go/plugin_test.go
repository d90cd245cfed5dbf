package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"libsched"
)

// enabled returns a configuration with upstream's plugins and one more.
func enabled(name, args string) []byte {
	config := `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: ` + name + `}]}}
`
	if args != "" {
		config += "  pluginConfig: [{name: " + name + ", args: " + args + "}]\n"
	}
	return []byte(config)
}

// withPlugin makes a framework with upstream's plugins and one more.
func withPlugin[P libsched.Plugin](t testing.TB, plugin P, options ...libsched.PluginOption) *libsched.Framework {
	t.Helper()
	r := must(libsched.NewRegistry())(t)
	defer r.Close()
	check(t, libsched.AddPlugin(r, plugin.Name(),
		func(json.RawMessage) (P, error) { return plugin, nil }, options...))
	return newFramework(t, libsched.WithConfigYAML(enabled(plugin.Name(), "")), libsched.WithRegistry(r))
}

type named struct{}

func (named) Name() string { return "Mine" }

// drained keeps pods out of a zone.
type drained struct {
	named
	Zone string
}

func (d *drained) Filter(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	if zone, _ := node.Label("topology.kubernetes.io/zone"); zone == d.Zone {
		return libsched.NewStatus(libsched.Unschedulable, "zone is being drained", "of "+node.Name())
	}
	return nil
}

func TestPluginWithArguments(t *testing.T) {
	r := must(libsched.NewRegistry())(t)
	check(t, libsched.AddPlugin(r, "Mine", func(args json.RawMessage) (*drained, error) {
		d := &drained{}
		if err := json.Unmarshal(args, d); err != nil || d.Zone == "" {
			return nil, fmt.Errorf("no zone in %s", args)
		}
		return d, nil
	}))
	fw := newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Mine", "{zone: b}")))
	_, err := libsched.NewFramework(libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Mine", "")))
	var failed *libsched.Error
	if !errors.As(err, &failed) || failed.Code != libsched.ErrInvalid || failed.Plugin != "Mine" ||
		!strings.Contains(failed.Msg, "no zone in null") {
		t.Errorf("%#v", err)
	}
	r.Close()
	cluster := fiveNodes(t)
	d := must(fw.CheckPodFits(ctx, cluster, newPod(t, "p", 500, ""), libsched.CheckOptions{}))(t)
	defer d.Close()
	if status, _ := d.Status("big"); describe(status) !=
		"Unschedulable Mine [zone is being drained, of big]" || !slices.Equal(d.Feasible(), []string{"small"}) {
		t.Error(status, d.Feasible())
	}
}

// halves rejects every second node by its row, and scores the others by name, all in batches.
type halves struct {
	named
	nodes, again *libsched.Nodes
}

func (h *halves) FilterBatch(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	nodes *libsched.Nodes, verdicts *libsched.Verdicts) *libsched.Status {
	h.nodes = nodes
	for i, row := range nodes.Rows() {
		if nodes.At(i).Row() != row || nodes.Names()[i] != nodes.At(i).Name() {
			return libsched.NewStatus(libsched.CodeError, "rows and names")
		}
		if row%2 == 0 {
			verdicts.Reject(i, libsched.UnschedulableAndUnresolvable, 1)
		}
	}
	return nil
}

func (h *halves) PreScore(_ context.Context, state *libsched.CycleState, pod *libsched.Pod,
	nodes *libsched.Nodes) *libsched.Status {
	return libsched.AsStatus(state.Write("names", nodes.Names()))
}

func (h *halves) ScoreBatch(_ context.Context, state *libsched.CycleState, _ *libsched.Pod,
	nodes *libsched.Nodes, scores []int64) *libsched.Status {
	names, err := state.Read("names")
	if err != nil {
		return libsched.AsStatus(err)
	}
	for i, name := range names.([]string) {
		scores[i] = int64(len(name)) * 1000
	}
	if free := nodes.Allocatable("cpu"); free[0]-nodes.Requested("cpu")[0] != 8000 {
		return libsched.NewStatus(libsched.CodeError, fmt.Sprint(free))
	}
	return nil
}

func (h *halves) NormalizeScore(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod,
	nodes *libsched.Nodes, scores []int64) *libsched.Status {
	for i := range scores {
		scores[i] /= 100
	}
	return nil
}

// much returns a score that is out of range.
type much struct{ named }

func (much) Score(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) (int64, *libsched.Status) {
	return 1000, nil
}

// TestScoreOutOfRange checks that the whole extension point fails, as upstream, and that ScoreError or
// the cycle's status says so.
func TestScoreOutOfRange(t *testing.T) {
	fw, cluster := withPlugin(t, much{}), fiveNodes(t)
	pod := newPod(t, "p", 500, "")
	d := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{Score: true}))(t)
	defer d.Close()
	const want = `plugin "Mine" returns an invalid score 1000, it should in the range of [0, 100]`
	if d.Scores() != nil || d.Best() != nil || !strings.Contains(d.ScoreError(), want) {
		t.Error(d.Scores(), d.Best(), d.ScoreError())
	}
	state := libsched.NewCycleState()
	defer state.Close()
	r := must(fw.RunCycle(ctx, state, cluster, pod, libsched.CycleOptions{}))(t)
	if r.Node != "" || r.Status.Code() != libsched.CodeError || !strings.Contains(r.Status.Message(), want) {
		t.Errorf("%+v %v", r, r.Status)
	}
}

func TestBatchPlugin(t *testing.T) {
	h := &halves{}
	fw := withPlugin(t, h, libsched.WithReasons("one", "row is even"), libsched.Concurrent())
	cluster := fiveNodes(t)
	pod := newPod(t, "p", 500, "tolerations: [{operator: Exists}]")
	d := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{Score: true}))(t)
	defer d.Close()
	if status, _ := d.Status("small"); describe(status) !=
		"UnschedulableAndUnresolvable Mine [row is even]" {
		t.Error(status)
	}
	if !slices.Equal(d.Feasible(), []string{"big", "tainted"}) {
		t.Error(d.Feasible(), d.ScoreError())
	}
	if mine := d.Scores().Plugin("Mine"); mine == nil || !slices.Equal(mine.Raw, []int64{3000, 7000}) ||
		!slices.Equal(mine.Normalized, []int64{30, 70}) {
		t.Errorf("%+v, %s", mine, d.ScoreError())
	}
	if h.nodes.Len() != 0 || h.nodes.Names() != nil {
		t.Error("what was lent is still there")
	}
}

// curious uses everything available to a plugin: its view, the calling framework, the cluster itself.
type curious struct {
	named
	cluster *libsched.Cluster
	state   *libsched.CycleState
	node    *libsched.NodeInfo
	view    libsched.View
	ctx     context.Context
	pod     *libsched.Pod
	saw     []string
}

func (c *curious) PreFilter(ctx context.Context, state *libsched.CycleState, pod *libsched.Pod) (
	*libsched.PreFilterResult, *libsched.Status) {
	c.ctx, c.state, c.pod, c.view = ctx, state, pod, state.View()
	return &libsched.PreFilterResult{NodeNames: []string{"big", "full"}}, nil
}

func (c *curious) Filter(ctx context.Context, state *libsched.CycleState, pod *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	c.node = node
	var on []string
	for _, pod := range node.Pods() {
		on = append(on, pod.Name())
	}
	row, _ := c.cluster.FindNode(node.Name())
	if row != node.Row() || state.View().NodeAt(row).Name() != node.Name() || c.cluster.NodeCount() != 5 ||
		node.PodCount() != len(on) || node.Node().Name() != node.Name() {
		return libsched.NewStatus(libsched.CodeError, "the view differs")
	}
	if err := c.cluster.RemoveNode("small"); !errors.Is(err, libsched.ErrMisuse) {
		return libsched.NewStatus(libsched.CodeError, "removed a node: "+fmt.Sprint(err))
	}
	d, err := libsched.NewFramework()
	if err != nil {
		return libsched.AsStatus(err)
	}
	defer d.Close()
	fit, err := d.CheckPodFits(ctx, c.cluster, pod, libsched.CheckOptions{})
	if err != nil {
		return libsched.AsStatus(err)
	}
	defer fit.Close()
	c.saw = append(c.saw, fmt.Sprint(node.Name(), on, node.Allocatable("cpu"), node.Requested("cpu"),
		fit.FeasibleCount()))
	return nil
}

func TestWhatAPluginMayUse(t *testing.T) {
	cluster := fiveNodes(t)
	c := &curious{cluster: cluster}
	fw := withPlugin(t, c)
	type key struct{}
	d := must(fw.CheckPodFits(context.WithValue(ctx, key{}, "mine"), cluster, newPod(t, "p", 500, ""),
		libsched.CheckOptions{}))(t)
	defer d.Close()
	slices.Sort(c.saw)
	if fmt.Sprint(c.saw) != "[big[] 8000 0 2]" {
		t.Errorf("%q", c.saw)
	}
	if !slices.Equal(d.Feasible(), []string{"big"}) {
		t.Error(d.Feasible())
	}
	if c.ctx.Value(key{}) != "mine" || c.pod.Name() != "p" {
		t.Error("the context or pod did not arrive")
	}
	// Lent values are empty now, the plugin's own values stay valid.
	if c.node.Name() != "" || c.node.Row() != libsched.NoRow || c.view.NodeCount() != 0 || c.state.View() == nil ||
		!errors.Is(c.state.Write("k", 1), libsched.ErrClosed) {
		t.Error("used after the call")
	}
	if _, status := fw.RunPreFilterPlugins(ctx, libsched.NewCycleState(), c.view,
		c.pod); !errors.Is(status.AsError(), libsched.ErrClosed) {
		t.Error(status)
	}
}

// recursive asks the calling framework about another node.
type recursive struct {
	named
	other string
}

func (r *recursive) Filter(ctx context.Context, state *libsched.CycleState, pod *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	if node.Name() == r.other {
		return nil
	}
	if s := state.Framework().RunFilterPlugins(ctx, state, state.View(), pod, r.other); !s.IsSuccess() {
		return libsched.NewStatus(libsched.Unschedulable, "the other says "+s.Message())
	}
	_, err := state.Framework().CheckPodFits(ctx, state.View(), pod, libsched.CheckOptions{})
	if !errors.Is(err, libsched.ErrMisuse) {
		return libsched.NewStatus(libsched.CodeError, fmt.Sprint(err))
	}
	return nil
}

func TestPluginAsksItsFramework(t *testing.T) {
	fw, cluster := withPlugin(t, &recursive{other: "full"}), fiveNodes(t)
	pod := newPod(t, "p", 500, "")
	state := preFiltered(t, fw, cluster, pod)
	if s := fw.RunFilterPlugins(ctx, state, cluster, pod, "big"); describe(s) !=
		"Unschedulable Mine [the other says Insufficient cpu]" {
		t.Error(s)
	}
	fw = withPlugin(t, &recursive{other: "small"})
	d := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t)
	defer d.Close()
	if !slices.Equal(d.Feasible(), []string{"big", "small"}) {
		t.Error(d.Feasible(), d.FitError())
	}
}

type panicking struct {
	named
	at string
}

func (p *panicking) PreFilter(context.Context, *libsched.CycleState, *libsched.Pod) (
	*libsched.PreFilterResult, *libsched.Status) {
	if p.at == "PreFilter" {
		panic("boom")
	}
	return nil, nil
}

func (p *panicking) Reserve(context.Context, *libsched.CycleState, *libsched.Pod, string) *libsched.Status {
	return libsched.NewStatus(libsched.Unschedulable, "no")
}

func (p *panicking) Unreserve(_ context.Context, _ *libsched.CycleState, _ *libsched.Pod, node string) {
	panic("unreserve " + node)
}

func TestPanics(t *testing.T) {
	cluster := fiveNodes(t)
	pod := newPod(t, "p", 500, "")
	fw := withPlugin(t, &panicking{at: "PreFilter"})
	_, s := fw.RunPreFilterPlugins(ctx, libsched.NewCycleState(), cluster, pod)
	if s.Code() != libsched.CodeError || !strings.Contains(s.Message(), `plugin "Mine" panicked: boom`) ||
		!strings.Contains(s.Message(), "plugin_test.go") {
		t.Error(s)
	}
	fw = withPlugin(t, &panicking{})
	func() {
		defer func() {
			if reason := recover(); reason != "unreserve big" {
				t.Errorf("recovered %v", reason)
			}
		}()
		t.Error("no panic:", fw.Assume(ctx, preFiltered(t, fw, cluster, pod), cluster, pod, "big"))
	}()
	if cluster.PodCount() != 1 || fw.RunPreEnqueuePlugins(ctx, cluster, pod) != nil {
		t.Error("the cluster is not as it was")
	}
}

type wrongFilter struct{ named }

func (wrongFilter) Filter(*libsched.Pod) bool { return true }

type halfReserve struct{ named }

func (halfReserve) Reserve(context.Context, *libsched.CycleState, *libsched.Pod, string) *libsched.Status {
	return nil
}

type onlyNormalize struct{ named }

func (onlyNormalize) NormalizeScore(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.Nodes,
	[]int64) *libsched.Status {
	return nil
}

func TestAddPluginErrors(t *testing.T) {
	r := must(libsched.NewRegistry())(t)
	adding := func(err error, kind libsched.ErrorCode, text string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v", err)
		}
	}
	adding(libsched.AddPlugin(r, "X", func(json.RawMessage) (wrongFilter, error) { return wrongFilter{}, nil }),
		libsched.ErrInvalid, "Filter is func(*libsched.Pod) bool, not func(context.Context")
	adding(libsched.AddPlugin(r, "X", func(json.RawMessage) (halfReserve, error) { return halfReserve{}, nil }),
		libsched.ErrInvalid, "Unreserve(context.Context")
	adding(libsched.AddPlugin(r, "X", func(json.RawMessage) (onlyNormalize, error) { return onlyNormalize{}, nil }),
		libsched.ErrInvalid, "ScoreExtensions")
	adding(libsched.AddPlugin(r, "X", func(json.RawMessage) (libsched.Plugin, error) { return named{}, nil }),
		libsched.ErrInvalid, "the plugin's own type")
	adding(libsched.AddPlugin(r, "", func(json.RawMessage) (much, error) { return much{}, nil }),
		libsched.ErrInvalid, "a plugin needs a name")
	adding(libsched.AddPlugin(r, "NodePorts", func(json.RawMessage) (much, error) { return much{}, nil }),
		libsched.ErrExists, "NodePorts")
	check(t, libsched.AddPlugin(r, "Nil", func(json.RawMessage) (*drained, error) { return nil, nil }))
	_, err := libsched.NewFramework(libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Nil", "")))
	adding(err, libsched.ErrInvalid, "gave nil")
	check(t, libsched.AddPlugin(r, "Boom", func(json.RawMessage) (*drained, error) { panic("boom") }))
	_, err = libsched.NewFramework(libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Boom", "")))
	adding(err, libsched.ErrInvalid, "panicked: boom")
	r.Close()
	adding(libsched.AddPlugin(r, "X", func(json.RawMessage) (much, error) { return much{}, nil }),
		libsched.ErrMisuse, "closed")
	_, err = libsched.NewFramework(libsched.WithRegistry(r))
	adding(err, libsched.ErrMisuse, "closed")
}

// TestExamplePlugin builds and runs the example program with a plugin as a user would.
func TestExamplePlugin(t *testing.T) {
	program := filepath.Join(t.TempDir(), "plugin")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("..", "examples", "plugins", "go")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	clusters := filepath.Join("..", "examples", "clusters")
	out, err := exec.Command(program, filepath.Join(clusters, "shop.yaml"),
		filepath.Join(clusters, "pods", "web.yaml"), "eu-north-1a").Output()
	if err != nil || !strings.Contains(string(out), "DrainedZone Unschedulable: node(s) were in a zone") ||
		!strings.Contains(string(out), "Success") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestExampleLicenses runs the example that binds a custom cluster resource at PreBind: the second pod
// gets the second license, and there is none for the third.
func TestExampleLicenses(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "licenses")
	build := exec.Command("go", "build", "-o", program, "./licenses")
	build.Dir = filepath.Join("..", "examples", "plugins", "go")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	args := []string{filepath.Join("..", "examples", "clusters", "shop.yaml"), write("licenses.json",
		`[{"name": "l0", "product": "cad"}, {"name": "l1", "product": "cad"}, {"name": "l2", "product": "cfd"}]`)}
	for _, name := range []string{"a", "b", "c"} {
		args = append(args, write(name+".yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: "+name+
			", namespace: shop, labels: {example.com/product: cad}}\nspec: {containers: [{name: c, resources: {requests: {cpu: 100m}}}]}\n"))
	}
	out, err := exec.Command(program, args...).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%v", err)
	}
	const want = "shop/a is bound\nshop/b is bound\nshop/c is not bound: "
	const end = "license l0: \"shop/a\"\nlicense l1: \"shop/b\"\nlicense l2: \"\"\n"
	if said := string(out); !strings.HasPrefix(said, want) || !strings.HasSuffix(said, end) ||
		!strings.Contains(said, "no free license of cad") {
		t.Errorf("%s", said)
	}
}

// reader reads the pod and node of each call, and counts calls.
type reader struct {
	named
	asked atomic.Int64
}

func (r *reader) Filter(_ context.Context, state *libsched.CycleState, pod *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	r.asked.Add(1)
	if state.View().NodeCount() != 5 || pod.Name() != "p" || state.Services().NominatedNode(pod) != "" {
		return libsched.NewStatus(libsched.CodeError, "the view differs")
	}
	if err := state.Services().Nominate(pod, nil); !errors.Is(err, libsched.ErrMisuse) {
		return libsched.NewStatus(libsched.CodeError, "nominated in Filter: "+fmt.Sprint(err))
	}
	return nil
}

// TestPluginOnManyGoroutines queries a snapshot from several goroutines, with a concurrent and a
// non-concurrent plugin, while another goroutine nominates.
func TestPluginOnManyGoroutines(t *testing.T) {
	for name, options := range map[string][]libsched.PluginOption{
		"concurrent": {libsched.Concurrent()}, "serialised": nil} {
		r := &reader{}
		fw, cluster := withPlugin(t, r, options...), fiveNodes(t)
		snapshot := must(cluster.Snapshot())(t)
		var group sync.WaitGroup
		for range 8 {
			group.Add(1)
			go func() {
				defer group.Done()
				pod := newPod(t, "p", 500, "")
				for range 20 {
					d, err := fw.CheckPodFits(ctx, snapshot, pod, libsched.CheckOptions{})
					if err != nil || !slices.Equal(d.Feasible(), []string{"big", "small"}) {
						t.Error(name, err)
						return
					}
					d.Close()
				}
			}()
		}
		for range 20 {
			check(t, snapshot.Services().Nominate(newPod(t, "other", 1, ""), &libsched.Nomination{
				Mode: libsched.NominationOverride, Node: "closed"}))
		}
		group.Wait()
		if r.asked.Load() < 8*20*2 {
			t.Error(name, r.asked.Load())
		}
		snapshot.Close()
	}
}
