// Package judge runs the upstream scheduler framework on a case. Plugins, framework, cache
// and snapshot are upstream's; only the loop over the nodes, the nominator and the list of
// tied preemption candidates are written here. Everything that upstream leaves to chance is
// made deterministic: reasons are sorted, ties go to the smallest node name.
package judge

import (
	"context"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // the defaults of legacyscheme
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/kube"
)

type profileEnv struct {
	fw      framework.Framework
	plugins map[string]kube.Plugin
	weights map[string]int32
	preempt *defaultpreemption.DefaultPreemption
}

type engine struct {
	ctx       context.Context
	cancel    context.CancelFunc
	logger    klog.Logger
	client    clientset.Interface
	informers informers.SharedInformerFactory
	cache     kube.Cache
	snapshot  *kube.Snapshot
	nominator kube.PodNominator
	profiles  map[string]*profileEnv
	pods      []*v1.Pod
	mode      string
	assumed   int
	world     *world
	defaulter *runtime.Scheme
	classes   classEvents
}

func newEngine(parent context.Context, c *cases.Case) (*engine, error) {
	cfg, err := LoadConfig(c.Config)
	if err != nil {
		return nil, err
	}
	return newEngineWith(parent, c, cfg)
}

// newEngineWith builds the frameworks of a decoded configuration (extenders in
// it are left out) and fills caches and informers with the case's objects.
func newEngineWith(parent context.Context, c *cases.Case, cfg *schedconfig.KubeSchedulerConfiguration) (*engine, error) {
	var err error
	var defaulter *runtime.Scheme
	if c.Defaults {
		defaulter = legacyscheme.Scheme
	}
	var objs []runtime.Object
	var nodes []*v1.Node
	var bound, nominated, pending []*v1.Pod
	var classes []*schedulingv1.PriorityClass
	for i, raw := range c.Objects {
		obj, err := DecodeObject(raw, defaulter)
		if err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
		if obj == nil {
			continue
		}
		objs = append(objs, obj)
		if pc, ok := obj.(*schedulingv1.PriorityClass); ok {
			classes = append(classes, pc)
		}
	}
	for i, raw := range c.Pods {
		obj, err := DecodeObject(raw, defaulter)
		if err != nil {
			return nil, fmt.Errorf("pods[%d]: %w", i, err)
		}
		p, ok := obj.(*v1.Pod)
		if !ok {
			return nil, fmt.Errorf("pods[%d]: not a Pod", i)
		}
		pending = append(pending, p)
		objs = append(objs, obj)
	}
	for _, obj := range objs {
		p, ok := obj.(*v1.Pod)
		if ok && c.Defaults {
			admitPriority(p, classes)
		}
	}
	for _, obj := range objs[:len(objs)-len(pending)] {
		switch o := obj.(type) {
		case *v1.Node:
			nodes = append(nodes, o)
		case *v1.Pod:
			if terminated(o) {
				continue // the scheduler's informer does not deliver terminated pods
			}
			if o.Spec.NodeName != "" {
				bound = append(bound, o)
			} else if o.Status.NominatedNodeName != "" {
				nominated = append(nominated, o)
			}
		}
	}

	metrics.Register()
	ctx, cancel := context.WithCancel(parent)
	e := &engine{ctx: ctx, cancel: cancel, logger: klog.FromContext(ctx), pods: pending, mode: c.Mode, profiles: map[string]*profileEnv{}, nominator: NewNominator()}
	client := fake.NewSimpleClientset(objs...)
	e.client = client
	kube.KeepPods(client)
	e.informers = kube.NewInformerFactory(client)
	handlers := recordHandlers(e.informers)
	e.snapshot = kube.NewSnapshot()
	e.cache = kube.NewCache(ctx)

	managers, err := kube.Parts{Ctx: ctx, Logger: e.logger, Client: client, Informers: e.informers, Cache: e.cache, Snapshot: e.snapshot, Classes: &e.classes}.Managers()
	if err != nil {
		cancel()
		return nil, err
	}
	waiting := frameworkruntime.NewWaitingPodsMap()

	for i := range cfg.Profiles {
		prof := &cfg.Profiles[i]
		env := &profileEnv{plugins: map[string]kube.Plugin{}, weights: map[string]int32{}}
		registry := frameworkplugins.NewInTreeRegistry()
		for name, factory := range registry {
			registry[name] = func(ctx context.Context, args runtime.Object, h kube.Handle) (kube.Plugin, error) {
				pl, err := factory(ctx, args, h)
				if err == nil {
					env.plugins[name] = pl
				}
				return pl, err
			}
		}
		env.fw, err = frameworkruntime.NewFramework(ctx, registry, prof, append(managers,
			frameworkruntime.WithComponentConfigVersion(cfg.TypeMeta.APIVersion),
			frameworkruntime.WithClientSet(client),
			frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
			frameworkruntime.WithInformerFactory(e.informers),
			frameworkruntime.WithSnapshotSharedLister(e.snapshot),
			frameworkruntime.WithParallelism(int(cfg.Parallelism)),
			frameworkruntime.WithWaitingPods(waiting),
		)...)
		if err != nil {
			cancel()
			return nil, &ProfileError{prof.SchedulerName, err}
		}
		for _, s := range env.fw.ListPlugins().Score.Enabled {
			env.weights[s.Name] = s.Weight
		}
		if pl, ok := env.plugins[defaultpreemption.Name].(*defaultpreemption.DefaultPreemption); ok {
			env.preempt = pl
			// Dry: no victim is ever deleted through the API.
			kube.KeepVictims(pl)
		}
		env.fw.SetPodNominator(e.nominator)
		e.profiles[prof.SchedulerName] = env
	}

	e.informers.Start(ctx.Done())
	syncCtx, done := context.WithTimeout(ctx, 30*time.Second)
	defer done()
	for t, ok := range e.informers.WaitForCacheSync(syncCtx.Done()) {
		if !ok {
			cancel()
			return nil, fmt.Errorf("informer %v did not sync", t)
		}
	}
	if err := waitForHandlers(syncCtx, *handlers); err != nil {
		cancel()
		return nil, err
	}
	for _, n := range nodes {
		e.cache.AddNode(e.logger, n)
	}
	for _, p := range bound {
		if err := e.cache.AddPod(e.logger, p); err != nil {
			cancel()
			return nil, err
		}
	}
	for _, p := range nominated {
		if err := e.nominate(p, p.Status.NominatedNodeName); err != nil {
			cancel()
			return nil, err
		}
	}
	e.world, e.defaulter = newWorld(nodes, bound), defaulter
	return e, e.cache.UpdateSnapshot(e.logger, e.snapshot)
}

func terminated(p *v1.Pod) bool {
	return p.Status.Phase == v1.PodSucceeded || p.Status.Phase == v1.PodFailed
}

func (e *engine) nominate(p *v1.Pod, node string) error {
	pi, _ := framework.NewPodInfo(p) // the queue ignores the error, too
	if pi == nil {
		return fmt.Errorf("no pod info for %s", PodKey(p))
	}
	e.nominator.AddNominatedPod(e.logger, pi, &kube.NominatingInfo{NominatingMode: kube.ModeOverride, NominatedNodeName: node})
	return nil
}
