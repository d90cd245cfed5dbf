// Package trace drives the upstream framework runtime around scripted plugins, one step after
// the other, and records every call that reaches a plugin. Parallelism is 1 and nodes are
// walked by name, so a trace depends on the case alone.
package trace

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	schedconfigv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	schedscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"
)

const shortWait = time.Second // a timer that the runner waits for

// checkTrace refuses cases with typing errors in them.
func checkTrace(c *cases.Case) error {
	for i, f := range c.Fakes {
		if f.Name == "" {
			return fmt.Errorf("fake %d has no name", i)
		}
		for _, p := range f.Points {
			if _, ok := fakePoints[p]; !ok && p != "addRemovePod" && p != "normalize" {
				return fmt.Errorf("fake %s: unknown point %q", f.Name, p)
			}
		}
		for point, rules := range f.Script {
			switch point {
			case "preEnqueue", "preFilter", "addPod", "removePod", "filter", "postFilter", "preScore", "score", "normalizeScore",
				"reserve", "permit", "preBindPreFlight", "preBind", "bind", "sign":
			default:
				return fmt.Errorf("fake %s: script for unknown call %q", f.Name, point)
			}
			for _, r := range rules {
				if !judge.KnownCode(r.Code) {
					return fmt.Errorf("fake %s: unknown code %q", f.Name, r.Code)
				}
				if r.Timeout != "" {
					if _, err := time.ParseDuration(r.Timeout); err != nil {
						return fmt.Errorf("fake %s: %w", f.Name, err)
					}
				}
			}
		}
	}
	return nil
}

type traceEnv struct {
	ctx       context.Context
	logger    klog.Logger
	fw        framework.Framework
	plugins   *schedconfig.Plugins
	t         *tracer
	cache     kube.Cache
	snapshot  *kube.Snapshot
	nominator fwk.PodNominator
	byKey     map[string]*v1.Pod
}

// podRun is the state that the steps of one pod share.
type podRun struct {
	*traceEnv
	pod      *v1.Pod
	state    fwk.CycleState
	diag     framework.Diagnosis
	feasible []fwk.NodeInfo
	chosen   string
	ctx      context.Context
	info     *fwk.NominatingInfo // of PostFilter
	wait     []cases.WaitAction  // of the next waitOnPermit or cycle
	waiting  map[string]time.Duration
}

// Run runs a case of mode "trace".
func Run(parent context.Context, c *cases.Case) (*TraceGolden, error) {
	if c.TraceSpec == nil {
		c.TraceSpec = &cases.TraceSpec{}
	}
	if err := checkTrace(c); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	metrics.Register()
	g := &TraceGolden{Name: c.Name, Mode: "trace"}
	e := &traceEnv{ctx: ctx, logger: klog.FromContext(ctx), nominator: judge.NewNominator(), byKey: map[string]*v1.Pod{},
		t: &tracer{raw: map[string]map[string]int64{}, norm: map[string]map[string]int64{}}}
	e.cache = kube.NewCache(ctx)
	e.snapshot = kube.NewSnapshot()

	var nominated, pending []*v1.Pod
	for i, raw := range append(slices.Clone(c.Objects), c.Pods...) {
		obj, err := judge.DecodeObject(raw, nil)
		if err != nil {
			return nil, fmt.Errorf("object %d: %w", i, err)
		}
		if _, ok := obj.(*v1.Pod); !ok && i >= len(c.Objects) {
			return nil, fmt.Errorf("pods[%d]: not a Pod", i-len(c.Objects))
		}
		switch o := obj.(type) {
		case *v1.Node:
			e.cache.AddNode(e.logger, o)
			e.t.nodes = append(e.t.nodes, o.Name)
		case *v1.Pod:
			e.byKey[judge.PodKey(o)] = o
			switch {
			case i >= len(c.Objects):
				pending = append(pending, o)
			case o.Spec.NodeName != "":
				if err := e.cache.AddPod(e.logger, o); err != nil {
					return nil, err
				}
			case o.Status.NominatedNodeName != "":
				nominated = append(nominated, o)
			}
		default:
			return nil, fmt.Errorf("object %d: only nodes and pods in mode trace", i)
		}
	}
	sort.Strings(e.t.nodes)
	for _, p := range nominated {
		if err := e.nominate(p, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: p.Status.NominatedNodeName}); err != nil {
			return nil, err
		}
	}
	if err := e.cache.UpdateSnapshot(e.logger, e.snapshot); err != nil {
		return nil, err
	}

	var v1profile schedconfigv1.KubeSchedulerProfile
	dec := json.NewDecoder(bytes.NewReader(c.Profile))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v1profile); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	if v1profile.SchedulerName == nil {
		name := v1.DefaultSchedulerName
		v1profile.SchedulerName = &name
	}
	var profile schedconfig.KubeSchedulerProfile
	if err := schedscheme.Scheme.Convert(&v1profile, &profile, nil); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}

	client := fake.NewSimpleClientset()
	client.PrependReactor("create", "pods", func(a clienttesting.Action) (bool, runtime.Object, error) {
		if b, ok := a.(clienttesting.CreateAction).GetObject().(*v1.Binding); ok {
			e.t.add(TraceCall{Point: "bind", Plugin: names.DefaultBinder, Node: b.Target.Name}, nil)
			return true, b, nil
		}
		return false, nil, nil
	})
	registry := frameworkplugins.NewInTreeRegistry()
	var initialized []string
	for i := range c.Fakes {
		f := &FakeAll{&c.Fakes[i], e.t}
		err := registry.Register(f.spec.Name, func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) {
			initialized = append(initialized, f.spec.Name)
			if f.spec.FactoryError != "" {
				return nil, errors.New(f.spec.FactoryError)
			}
			return maskedFake(f)
		})
		if err != nil {
			g.ConstructionError = err.Error()
			return g, nil
		}
	}
	var err error
	e.fw, err = frameworkruntime.NewFramework(ctx, registry, &profile, append(moreOptions(e.snapshot),
		frameworkruntime.WithComponentConfigVersion(schedconfigv1.SchemeGroupVersion.String()),
		frameworkruntime.WithClientSet(client),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithInformerFactory(kube.NewInformerFactory(client)),
		frameworkruntime.WithSnapshotSharedLister(e.snapshot),
		frameworkruntime.WithParallelism(1),
		frameworkruntime.WithPodNominator(e.nominator),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithPodGroupManager(e.cache),
	)...)
	if err != nil {
		g.ConstructionError = err.Error()
		return g, nil
	}
	sort.Strings(initialized)
	g.Initialized = initialized
	e.plugins = e.fw.ListPlugins()
	g.Plugins = judge.PluginLists(e.plugins)

	for _, pod := range pending {
		r := &podRun{traceEnv: e, pod: pod, state: framework.NewCycleState(), ctx: ctx, diag: newDiagnosis()}
		tp := TracePod{Pod: judge.PodKey(pod), Steps: []*TraceResult{}}
		for i, st := range c.Steps {
			if st.Pod != "" && st.Pod != pod.Name {
				continue
			}
			r.wait = st.Wait
			for _, later := range c.Steps[i:] {
				if (later.Do == "waitOnPermit" || later.Do == "cycle") && (later.Pod == "" || later.Pod == pod.Name) {
					r.wait = later.Wait
					break
				}
			}
			res, err := r.step(st)
			if err != nil {
				return nil, fmt.Errorf("pod %s, step %d (%s): %w", judge.PodKey(pod), i, st.Do, err)
			}
			tp.Steps = append(tp.Steps, res)
		}
		e.fw.RejectWaitingPod(pod.UID)
		e.fw.WaitOnPermit(ctx, pod)
		g.Pods = append(g.Pods, tp)
	}
	return g, nil
}

func newDiagnosis() framework.Diagnosis {
	return framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}
}

func (e *traceEnv) nominate(p *v1.Pod, info *fwk.NominatingInfo) error {
	pi, err := framework.NewPodInfo(p)
	if err != nil {
		return err
	}
	e.nominator.AddNominatedPod(e.logger, pi, info)
	return nil
}

func (e *traceEnv) sortedNodes() ([]fwk.NodeInfo, error) {
	infos, err := e.snapshot.NodeInfos().List()
	if err != nil {
		return nil, err
	}
	nodes := slices.Clone(infos)
	sort.Slice(nodes, func(i, j int) bool { return nodeName(nodes[i]) < nodeName(nodes[j]) })
	return nodes, nil
}
