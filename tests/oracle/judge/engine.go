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
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // the defaults of legacyscheme
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"

	"libsched.dev/tests/oracle/cases"
)

// Kubernetes is the upstream release in go.mod.
const Kubernetes = "v1.36.3"

type profileEnv struct {
	fw      framework.Framework
	plugins map[string]fwk.Plugin
	weights map[string]int32
	preempt *defaultpreemption.DefaultPreemption
}

type engine struct {
	ctx       context.Context
	cancel    context.CancelFunc
	logger    klog.Logger
	client    clientset.Interface
	informers informers.SharedInformerFactory
	cache     internalcache.Cache
	snapshot  *internalcache.Snapshot
	nominator fwk.PodNominator
	profiles  map[string]*profileEnv
	pods      []*v1.Pod
	mode      string
	assumed   int
	world     *world
	defaulter *runtime.Scheme
	// What upstream's map of extended resources follows, if there is such a map.
	classes        classEvents
	followsClasses bool
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
	for _, obj := range objs[:len(c.Objects)] {
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
	e.informers = scheduler.NewInformerFactory(client, 0)
	handlers := recordHandlers(e.informers)
	e.snapshot = internalcache.NewEmptySnapshot()
	e.cache = internalcache.New(ctx, nil, utilfeature.DefaultFeatureGate.Enabled(features.GenericWorkload))

	var draManager fwk.SharedDRAManager
	if utilfeature.DefaultFeatureGate.Enabled(features.DynamicResourceAllocation) {
		claims := assumecache.NewAssumeCache(e.logger, e.informers.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
		opts := resourceslicetracker.Options{
			EnableDeviceTaintRules:   utilfeature.DefaultFeatureGate.Enabled(features.DRADeviceTaintRules),
			EnableConsumableCapacity: utilfeature.DefaultFeatureGate.Enabled(features.DRAConsumableCapacity),
			SliceInformer:            e.informers.Resource().V1().ResourceSlices(),
			KubeClient:               client,
		}
		if opts.EnableDeviceTaintRules {
			opts.TaintInformer = e.informers.Resource().V1beta2().DeviceTaintRules()
			opts.ClassInformer = e.informers.Resource().V1().DeviceClasses()
		}
		slices, err := resourceslicetracker.StartTracker(ctx, opts)
		if err != nil {
			cancel()
			return nil, err
		}
		mgr := dynamicresources.NewDRAManager(ctx, claims, slices, e.informers)
		if utilfeature.DefaultFeatureGate.Enabled(features.DRAExtendedResource) {
			// As in upstream's eventhandlers.go: the cache that maps extended
			// resource names to device classes is fed by an event handler.
			if c, ok := mgr.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache); ok {
				c.AddEventHandler(&e.classes)
				e.followsClasses = true
				if _, err := e.informers.Resource().V1().DeviceClasses().Informer().AddEventHandler(c); err != nil {
					cancel()
					return nil, err
				}
			}
		}
		draManager = mgr
	}
	csiManager := nodevolumelimits.NewCSIManager(e.informers.Storage().V1().CSINodes().Lister())
	waiting := frameworkruntime.NewWaitingPodsMap()
	preBind := frameworkruntime.NewPodsInPreBindMap()

	for i := range cfg.Profiles {
		prof := &cfg.Profiles[i]
		env := &profileEnv{plugins: map[string]fwk.Plugin{}, weights: map[string]int32{}}
		registry := frameworkplugins.NewInTreeRegistry()
		for name, factory := range registry {
			registry[name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
				pl, err := factory(ctx, args, h)
				if err == nil {
					env.plugins[name] = pl
				}
				return pl, err
			}
		}
		env.fw, err = frameworkruntime.NewFramework(ctx, registry, prof,
			frameworkruntime.WithComponentConfigVersion(cfg.TypeMeta.APIVersion),
			frameworkruntime.WithClientSet(client),
			frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
			frameworkruntime.WithInformerFactory(e.informers),
			frameworkruntime.WithSharedDRAManager(draManager),
			frameworkruntime.WithSharedCSIManager(csiManager),
			frameworkruntime.WithSnapshotSharedLister(e.snapshot),
			frameworkruntime.WithParallelism(int(cfg.Parallelism)),
			frameworkruntime.WithWaitingPods(waiting),
			frameworkruntime.WithPodsInPreBind(preBind),
			frameworkruntime.WithPodGroupManager(e.cache),
		)
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
			pl.Executor.PreemptPod = func(context.Context, preemption.Candidate, preemption.ExecutorPreemptor, *v1.Pod, string) error {
				return nil
			}
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
	e.nominator.AddNominatedPod(e.logger, pi, &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride, NominatedNodeName: node})
	return nil
}
