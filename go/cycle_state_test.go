package libsched_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"libsched"
)

// counter counts how often it is cloned.
type counter struct {
	clones *int
	n      int
}

func (c *counter) Clone() libsched.StateData {
	*c.clones++
	return &counter{c.clones, c.n + 100}
}

type explosive struct{}

func (explosive) Clone() libsched.StateData { panic("boom") }

func TestCycleState(t *testing.T) {
	s := libsched.NewCycleState()
	defer s.Close()
	if _, err := s.Read("k"); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
	clones := 0
	check(t, s.Write("k", &counter{&clones, 1}))
	check(t, s.Write("plain", map[string]int{"a": 1}))
	check(t, s.Write("nil", nil))
	check(t, s.Write("k", &counter{&clones, 2}))

	c := must(s.Clone())(t)
	defer c.Close()
	original, copied := must(s.Read("k"))(t).(*counter), must(c.Read("k"))(t).(*counter)
	if original.n != 2 || copied.n != 102 || clones != 1 {
		t.Error(original, copied, clones)
	}
	must(c.Read("plain"))(t).(map[string]int)["a"] = 5 // not StateData: shared
	if must(s.Read("plain"))(t).(map[string]int)["a"] != 5 {
		t.Error("a plain value was copied")
	}
	if value, err := c.Read("nil"); value != nil || err != nil {
		t.Error(value, err)
	}
	s.Delete("k")
	s.Delete("k")
	if _, err := s.Read("k"); !errors.Is(err, libsched.ErrNotFound) {
		t.Error(err)
	}
	if must(c.Read("k"))(t) != copied {
		t.Error("deleted from the clone, too")
	}
}

func TestPanicInClone(t *testing.T) {
	s := libsched.NewCycleState()
	check(t, s.Write("a", explosive{}))
	check(t, s.Write("b", explosive{}))
	func() {
		defer func() {
			if reason := recover(); reason != "boom" {
				t.Errorf("recovered %v", reason)
			}
		}()
		clone, err := s.Clone()
		t.Error("no panic:", clone, err)
	}()
	s.Delete("a")
	s.Delete("b")
	must(s.Clone())(t).Close() // the next one is not affected
	s.Close()
}

// stubborn keeps a value in the state whose Clone panics.
type stubborn struct{ named }

func (stubborn) PreFilter(_ context.Context, state *libsched.CycleState, _ *libsched.Pod) (
	*libsched.PreFilterResult, *libsched.Status) {
	return nil, libsched.AsStatus(state.Write("k", explosive{}))
}

func (stubborn) Filter(_ context.Context, state *libsched.CycleState, _ *libsched.Pod, _ *libsched.NodeInfo) *libsched.Status {
	_, err := state.Read("k")
	return libsched.AsStatus(err)
}

// The library clones the state to count a nominated pod, and a plugin that reads the value finds out.
func TestPanicInCloneByTheLibrary(t *testing.T) {
	fw, cluster := withPlugin(t, stubborn{}), must(libsched.NewCluster())(t)
	defer cluster.Close()
	check(t, cluster.Apply([]byte(nominatedDump)))
	pod := must(libsched.ParsePod([]byte(`{"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}`)))(t)
	_, err := fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{})
	if !errors.Is(err, libsched.ErrPlugin) || !strings.Contains(err.Error(), `plugin "Mine" panicked: boom`) {
		t.Error(err)
	}
}

// TestKeysOfPlugins checks that Go values and plugins' data do not share keys.
func TestKeysOfPlugins(t *testing.T) {
	fw, cluster := newFramework(t), fiveNodes(t)
	pod := newPod(t, "p", 100, "")
	s := preFiltered(t, fw, cluster, pod)
	check(t, s.Write("PreFilterNodeResourcesFit", "mine"))
	if status := fw.RunFilterPlugins(ctx, s, cluster, pod, "big"); !status.IsSuccess() {
		t.Error(status)
	}
	if must(s.Read("PreFilterNodeResourcesFit"))(t) != "mine" {
		t.Error("lost")
	}
	clone := must(s.Clone())(t)
	if status := fw.RunFilterPlugins(ctx, clone, cluster, pod, "small"); !status.IsSuccess() {
		t.Error(status)
	}
}
