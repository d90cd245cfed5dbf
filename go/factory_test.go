package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"libsched"
)

// handled is a plugin that keeps its handle, as upstream's do.
type handled struct {
	named
	zone   string
	handle libsched.Handle
	saw    []string
}

type contextKey struct{}

func newHandled(ctx context.Context, args json.RawMessage, h libsched.Handle) (libsched.Plugin, error) {
	p := &handled{handle: h}
	p.zone, _ = ctx.Value(contextKey{}).(string)
	if p.zone == "" {
		return nil, fmt.Errorf("no zone, arguments %s", args)
	}
	if h.Framework() != nil || h.View() != nil || h.Services() != nil {
		return nil, errors.New("asked before it was made")
	}
	return p, nil
}

func (p *handled) PreEnqueue(context.Context, *libsched.Pod) *libsched.Status {
	p.saw = append(p.saw, fmt.Sprint("PreEnqueue ", p.handle.View().NodeCount()))
	return nil
}

func (p *handled) Filter(ctx context.Context, state *libsched.CycleState, pod *libsched.Pod,
	node *libsched.NodeInfo) *libsched.Status {
	if node.Name() == "full" {
		return nil
	}
	if p.handle.Services() != state.Services() {
		return libsched.NewStatus(libsched.CodeError, "services differ")
	}
	elsewhere := make(chan libsched.View)
	go func() { elsewhere <- p.handle.View() }()
	if <-elsewhere != nil {
		return libsched.NewStatus(libsched.CodeError, "another goroutine is in the call")
	}
	s := p.handle.Framework().RunFilterPlugins(ctx, state, p.handle.View(), pod, "full")
	p.saw = append(p.saw, node.Name()+": "+s.Message())
	if p.handle.View() == nil {
		return libsched.NewStatus(libsched.CodeError, "the call inside ended this one")
	}
	if zone, _ := node.Label("topology.kubernetes.io/zone"); zone == p.zone {
		return libsched.NewStatus(libsched.Unschedulable, "not in zone "+zone)
	}
	return nil
}

func TestRegister(t *testing.T) {
	r := must(libsched.NewRegistry())(t)
	check(t, r.Register("Mine", newHandled, (*handled)(nil)))
	ctx := context.WithValue(ctx, contextKey{}, "b")
	fw := newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Mine", "")),
		libsched.WithContext(ctx))
	if _, err := libsched.NewFramework(libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Mine", "{a: 1}"))); !errors.Is(
		err, libsched.ErrInvalid) || !strings.Contains(err.Error(), `no zone, arguments {"a":1}`) {
		t.Error(err)
	}
	cluster, pod := fiveNodes(t), newPod(t, "p", 500, "")
	if s := fw.RunPreEnqueuePlugins(ctx, cluster, pod); s != nil {
		t.Error(s)
	}
	d := must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t)
	defer d.Close()
	if !slices.Equal(d.Feasible(), []string{"small"}) {
		t.Error(d.FitError())
	}
	if status, _ := d.Status("big"); describe(status) != "Unschedulable Mine [not in zone b]" {
		t.Error(status)
	}
}

func TestHandle(t *testing.T) {
	r := must(libsched.NewRegistry())(t)
	p := &handled{zone: "b"}
	check(t, r.Register("Mine", func(_ context.Context, _ json.RawMessage, h libsched.Handle) (libsched.Plugin, error) {
		p.handle = h
		return p, nil
	}, p))
	fw := newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Mine", "")))
	cluster, pod := fiveNodes(t), newPod(t, "p", 500, "")
	fw.RunPreEnqueuePlugins(ctx, cluster, pod)
	must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t).Close()
	slices.Sort(p.saw)
	if fmt.Sprint(p.saw) != "[PreEnqueue 5 PreEnqueue 5 big: Insufficient cpu small: Insufficient cpu]" {
		t.Errorf("%q", p.saw)
	}
	if p.handle.View() != nil || p.handle.Services() != nil || p.handle.Framework().Profile() != fw.Profile() {
		t.Error("outside of calls")
	}
	p.handle.Framework().Close()
	if fw.Profile() == "" {
		t.Error("a plugin closed its framework")
	}
	fw.Close()
	if p.handle.Framework().Profile() != "" {
		t.Error("a closed framework has a profile")
	}
}

func TestRegisterErrors(t *testing.T) {
	r := must(libsched.NewRegistry())(t)
	other := func(context.Context, json.RawMessage, libsched.Handle) (libsched.Plugin, error) {
		return &drained{}, nil
	}
	failing := func(err error, kind libsched.ErrorCode, text string) {
		t.Helper()
		if !errors.Is(err, kind) || !strings.Contains(err.Error(), text) {
			t.Errorf("%v", err)
		}
	}
	failing(r.Register("X", nil, &drained{}), libsched.ErrMisuse, "PluginFactory")
	failing(r.Register("X", other, nil), libsched.ErrMisuse, "its type")
	failing(r.Register("X", other, wrongFilter{}), libsched.ErrInvalid, "Filter is func(*libsched.Pod) bool")
	failing(r.Register("NodePorts", other, &drained{}), libsched.ErrExists, "NodePorts")
	check(t, r.Register("Other", other, &handled{}))
	_, err := libsched.NewFramework(libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("Other", "")))
	failing(err, libsched.ErrInvalid, "gave a *libsched_test.drained, but it was registered as *libsched_test.handled")
	failing(r.Load(""), libsched.ErrInvalid, "path")
	failing(r.Load("./no-such-plugin.so"), libsched.ErrIO, "no-such-plugin.so")
	r.Close()
	failing(r.Load("./no-such-plugin.so"), libsched.ErrMisuse, "closed")
	failing(r.Register("Y", other, &drained{}), libsched.ErrMisuse, "closed")
}

func TestLoad(t *testing.T) {
	r := pluginsInC(t)
	fw := newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML(enabled("RejectHalf", "")))
	cluster := fiveNodes(t)
	d := must(fw.CheckPodFits(ctx, cluster, newPod(t, "p", 500, ""), libsched.CheckOptions{}))(t)
	defer d.Close()
	if status, _ := d.Status("big"); describe(status) != "Unschedulable RejectHalf [odd]" ||
		!slices.Equal(d.Feasible(), []string{"small"}) {
		t.Error(status, d.Feasible())
	}
}

// exiting ends its goroutine at one extension point.
type exiting struct {
	named
	t  *testing.T
	at string
}

func (e *exiting) exit(point string) {
	if e.at == point {
		e.t.Fatal("not what I want")
	}
}

func (e *exiting) Filter(context.Context, *libsched.CycleState, *libsched.Pod,
	*libsched.NodeInfo) *libsched.Status {
	e.exit("Filter")
	return nil
}

func (e *exiting) Less(a, b libsched.QueuedPod) bool {
	e.exit("Less")
	return false
}

func (e *exiting) Clone() libsched.StateData {
	e.exit("Clone")
	return e
}

// TestGoexit checks that Goexit in a plugin ends the program with a text that names the plugin, even
// with a recover.
func TestGoexit(t *testing.T) {
	if at := os.Getenv("LIBSCHED_TEST_GOEXIT"); at != "" {
		defer func() { recover() }()
		e := &exiting{t: t, at: at}
		r := must(libsched.NewRegistry())(t)
		check(t, libsched.AddPlugin(r, "Mine", func(json.RawMessage) (*exiting, error) {
			e.exit("factory")
			return e, nil
		}))
		fw := newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML([]byte(strings.Replace(onlyMine,
			"{name: Mine}", "{name: Mine}, {name: DefaultBinder}", 1))))
		pod := newPod(t, "p", 1, "")
		fw.Less(libsched.QueuedPod{Pod: pod}, libsched.QueuedPod{Pod: pod})
		cluster, state := fiveNodes(t), libsched.NewCycleState()
		check(t, state.Write("e", e))
		must(state.Clone())(t)
		fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{})
		return
	}
	for _, at := range []string{"factory", "Less", "Clone", "Filter", "nowhere"} {
		test := exec.Command(os.Args[0], "-test.run=^TestGoexit$")
		test.Env = append(os.Environ(), "LIBSCHED_TEST_GOEXIT="+at)
		out, err := test.CombinedOutput()
		plugin := map[bool]string{true: "StateData", false: "Mine"}[at == "Clone"]
		if at == "nowhere" {
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		} else if err == nil || !strings.Contains(string(out),
			fmt.Sprintf("panic: libsched: plugin %q called runtime.Goexit", plugin)) ||
			!strings.Contains(string(out), "factory_test.go") {
			t.Errorf("%s: %v: %s", at, err, out)
		}
	}
}
