package libsched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"libsched"
)

// listener receives the events of a cluster, and registers for events.
type listener struct {
	named
	said    []string
	panicAt string
	err     error
}

func (l *listener) say(view libsched.View, what ...any) {
	text := strings.TrimSpace(fmt.Sprintln(append(what, view.NodeCount())...))
	l.said = append(l.said, text)
	if l.panicAt != "" && strings.HasPrefix(text, l.panicAt) {
		panic(l.panicAt)
	}
}

func (l *listener) OnEvent(services *libsched.Services, view libsched.View, change *libsched.ObjectChange) {
	if services.WaitingPod("nobody") != nil {
		panic("services")
	}
	after := change.Node(libsched.After)
	if change.Has(libsched.After) != (after != nil || change.Pod(libsched.After) != nil) {
		panic("after")
	}
	l.say(view, change.Resource(), change.Namespace()+"/"+change.Name(), change.Has(libsched.Before),
		change.Has(libsched.After), change.Actions())
}
func (l *listener) Forked(view libsched.View)    { l.say(view, "forked") }
func (l *listener) Reverted(view libsched.View)  { l.say(view, "reverted") }
func (l *listener) Committed(view libsched.View) { l.say(view, "committed") }

func (l *listener) Filter(context.Context, *libsched.CycleState, *libsched.Pod, *libsched.NodeInfo) *libsched.Status {
	return nil
}

func (l *listener) EventsToRegister(context.Context) ([]libsched.ClusterEventWithHint, error) {
	return []libsched.ClusterEventWithHint{
		{Event: libsched.ClusterEvent{Resource: "Pod", ActionType: libsched.Delete}},
		{Event: libsched.ClusterEvent{Resource: "Node", ActionType: libsched.Add | libsched.UpdateNodeLabel},
			QueueingHintFn: func(context.Context, *libsched.Pod, *libsched.ObjectChange) (libsched.QueueingHint, error) {
				return libsched.QueueSkip, nil
			}},
	}, l.err
}

func TestRegisteredEvents(t *testing.T) {
	l := &listener{}
	events, err := withPlugin(t, l).Events()
	check(t, err)
	mine := events["Mine"]
	// Up to 1.36 a plugin that registers for added nodes also gets changes of taints.
	if len(mine) != 2 || mine[0].Resource != "Pod" || mine[0].HasHint || mine[1].ActionType&libsched.Add == 0 ||
		!mine[1].HasHint {
		t.Errorf("%+v", mine)
	}
	if len(events["NodeResourcesFit"]) == 0 {
		t.Error(events)
	}
}

func TestEventsOfACluster(t *testing.T) {
	l := &listener{}
	fw, cluster := withPlugin(t, l), fiveNodes(t)
	pod := newPod(t, "p", 100, "")
	must(fw.CheckPodFits(ctx, cluster, pod, libsched.CheckOptions{}))(t).Close() // the framework now has an evaluator on the cluster
	check(t, cluster.AddPod(pod, "big"))
	annotated := must(libsched.ParseNode([]byte(`{"metadata": {"name": "big", "annotations": {"a": "b"}}}`)))(t)
	check(t, cluster.UpdateNode(annotated))
	check(t, cluster.RemoveNode("small"))
	check(t, cluster.Fork())
	check(t, cluster.RemovePod("default", "p"))
	check(t, cluster.Fork())
	check(t, cluster.Commit())
	check(t, cluster.Revert())
	if !slices.Equal(l.said, []string{"Pod default/p false true 1 5",
		"Node /big true true 76 5", "Node /small true false 2 4", "forked 4",
		"forked 4", "committed 4", "reverted 4"}) {
		t.Errorf("%q", l.said)
	}
	l.panicAt = "forked"
	func() {
		defer func() {
			if reason := recover(); reason != "forked" {
				t.Error("recovered", reason)
			}
		}()
		t.Error("no panic", cluster.Fork())
	}()
	check(t, cluster.Revert())
}

func TestSeveralQueueSorts(t *testing.T) {
	config := []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Mine}]}}
`)
	r := must(libsched.NewRegistry())(t)
	check(t, libsched.AddPlugin(r, "Mine", func(json.RawMessage) (*byName, error) { return &byName{}, nil }))
	if _, err := libsched.NewFramework(libsched.WithRegistry(r), libsched.WithConfigYAML(config)); !errors.Is(err,
		libsched.ErrInvalid) {
		t.Error(err)
	}
	fw := newFramework(t, libsched.WithRegistry(r), libsched.WithConfigYAML(config),
		libsched.WithSeveralQueueSorts())
	a, b := libsched.QueuedPod{Pod: newPod(t, "a", 1, "")}, libsched.QueuedPod{Pod: newPod(t, "b", 1, "")}
	if ab, ba := must(fw.Less(a, b))(t), must(fw.Less(b, a))(t); !ab || ba {
		t.Error(ab, ba)
	}

	listed := []byte(`
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    queueSort: {disabled: [{name: "*"}], enabled: [{name: Mine}, {name: PrioritySort}]}
`)
	var failure *libsched.Error
	if _, err := libsched.ParseConfig(listed); !errors.As(err, &failure) || !strings.Contains(failure.Msg,
		"profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can be enabled") {
		t.Error(err)
	}
	if _, err := libsched.NewFramework(libsched.WithRegistry(r), libsched.WithConfigYAML(listed)); !errors.Is(err,
		libsched.ErrInvalid) {
		t.Error(err)
	}
	parsed := must(libsched.ParseConfig(listed, libsched.SeveralQueueSorts()))(t)
	for _, options := range [][]libsched.FrameworkOption{
		{libsched.WithSeveralQueueSorts(), libsched.WithConfigYAML(listed)}, {libsched.WithConfig(parsed)}} {
		fw := newFramework(t, append(options, libsched.WithRegistry(r))...)
		if sorts := must(fw.Plugins())(t)["queueSort"]; len(sorts) != 2 || sorts[0].Name != "Mine" {
			t.Error(sorts)
		}
	}
}

func TestGatesDecideOnDefaults(t *testing.T) {
	gates := map[string]bool{"GenericWorkload": true, "GangScheduling": true}
	document := []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
	for _, option := range []libsched.FrameworkOption{libsched.WithConfigYAML(document),
		libsched.WithConfig(must(libsched.ParseConfig(document))(t)),
		libsched.WithConfig(must(libsched.ParseConfig(nil, libsched.ConfigFeatureGates(gates),
			libsched.ConfigSemantics("1.36")))(t))} {
		fw := newFramework(t, option, libsched.WithFeatureGates(gates), libsched.WithSemantics("1.36"))
		if permit := must(fw.Plugins())(t)["permit"]; len(permit) != 1 || permit[0].Name != "GangScheduling" {
			t.Error(permit)
		}
	}
	if _, err := libsched.ParseConfig(nil, libsched.ConfigFeatureGates(map[string]bool{"NoSuchGate": true})); !errors.Is(
		err, libsched.ErrInvalid) {
		t.Error(err)
	}
}

type byName struct{ named }

func (*byName) Less(a, b libsched.QueuedPod) bool { return a.Pod.Name() < b.Pod.Name() }

func TestParseProfile(t *testing.T) {
	profile := must(libsched.ParseProfile([]byte(`
schedulerName: bare
plugins:
  queueSort: {enabled: [{name: PrioritySort}]}
  bind: {enabled: [{name: DefaultBinder}]}
  filter: {enabled: [{name: NodeUnschedulable}]}
`)))(t)
	fw := newFramework(t, libsched.WithConfig(profile))
	plugins := must(fw.Plugins())(t)
	if fw.Profile() != "bare" || len(plugins["filter"]) != 1 || len(plugins["score"]) != 0 {
		t.Error(fw.Profile(), plugins)
	}
	if _, err := libsched.ParseProfile([]byte("plugins: 5")); !errors.Is(err, libsched.ErrInvalid) {
		t.Error(err)
	}
}
