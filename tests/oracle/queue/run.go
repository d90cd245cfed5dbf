// Package queue drives upstream's PriorityQueue, made by scheduler.New, by a script in
// virtual time.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/synctest"
	"time"
	_ "unsafe" // for linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/bubble"
	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/fakes"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"
)

// The function, like flushUnschedulable, has no body here; link.s makes the compiler accept that.
//
//go:linkname flushBackoffQ k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoffQ(*internalqueue.PriorityQueue, klog.Logger)

// runner runs the steps of one case.
type runner struct {
	ctx     context.Context
	logger  klog.Logger
	pq      *internalqueue.PriorityQueue
	view    *View
	world   *fakes.World
	lister  cache.Indexer
	pods    map[string]*v1.Pod
	held    []*framework.QueuedPodInfo // popped, oldest first
	waiting chan popResult
	rv      int
	closed  bool
}

// Run runs the script of a case.
func Run(ctx context.Context, raw json.RawMessage) (*cases.QueueGolden, error) {
	var c cases.QueueCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	world, err := fakes.NewWorld(c.Plugins)
	if err != nil {
		return nil, err
	}
	g := &cases.QueueGolden{Name: c.Name}
	return g, bubble.WithGates(c.Gates, func() error {
		return bubble.Run(func() error { return run(ctx, &c, world, g) })
	})
}

// noRecorder is the recorder of a scheduler whose events are not recorded.
func noRecorder(string) events.EventRecorderLogger { return &events.FakeRecorder{} }

// options are those of a scheduler with the configuration of the case.
func options(cfg *schedconfig.KubeSchedulerConfiguration, o cases.QueueOptions, world *fakes.World) ([]scheduler.Option, error) {
	initial, limit := cfg.PodInitialBackoffSeconds, cfg.PodMaxBackoffSeconds
	if o.InitialBackoffSeconds != nil {
		initial = *o.InitialBackoffSeconds
	}
	if o.MaxBackoffSeconds != nil {
		limit = *o.MaxBackoffSeconds
	}
	opts := []scheduler.Option{
		scheduler.WithComponentConfigVersion(cfg.TypeMeta.APIVersion),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithParallelism(1),
		scheduler.WithPodInitialBackoffSeconds(initial),
		scheduler.WithPodMaxBackoffSeconds(limit),
		scheduler.WithFrameworkOutOfTreeRegistry(world.Registry()),
	}
	if o.MaxInUnschedulable != "" {
		d, err := time.ParseDuration(o.MaxInUnschedulable)
		if err != nil {
			return nil, err
		}
		opts = append(opts, scheduler.WithPodMaxInUnschedulablePodsDuration(d))
	}
	return opts, nil
}

// newRunner makes the scheduler and fills its listers.
func newRunner(ctx context.Context, c *cases.QueueCase, world *fakes.World, start time.Time) (*runner, error) {
	cfg, err := judge.LoadConfig(c.Config)
	if err != nil {
		return nil, err
	}
	opts, err := options(cfg, c.Options, world)
	if err != nil {
		return nil, err
	}
	factory := kube.NewInformerFactory(fake.NewSimpleClientset())
	sched, err := scheduler.New(ctx, fake.NewSimpleClientset(), factory, nil, noRecorder, opts...)
	if err != nil {
		return nil, err
	}
	for i, raw := range c.Objects {
		obj, err := judge.DecodeObject(raw, nil)
		if err == nil {
			err = addToStore(factory, obj)
		}
		if err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
	}
	pq := sched.SchedulingQueue.(*internalqueue.PriorityQueue)
	return &runner{
		ctx: ctx, logger: klog.FromContext(ctx), pq: pq, world: world, pods: map[string]*v1.Pod{},
		lister: factory.Core().V1().Pods().Informer().GetIndexer(),
		view:   NewView(pq, sched.Profiles[cfg.Profiles[0].SchedulerName].QueueSortFunc(), start),
	}, nil
}

// run runs the script inside a bubble.
func run(parent context.Context, c *cases.QueueCase, world *fakes.World, g *cases.QueueGolden) error {
	start := time.Now()
	time.Sleep(300 * time.Millisecond) // off the full second
	ctx, cancel := context.WithCancel(parent)
	defer func() {
		cancel()
		time.Sleep(2 * time.Second) // the metrics recorders run once a second
	}()
	tick := time.Microsecond
	if c.Options.Tick != "" {
		var err error
		if tick, err = time.ParseDuration(c.Options.Tick); err != nil {
			return err
		}
	}
	r, err := newRunner(ctx, c, world, start)
	if err != nil {
		return err
	}
	defer func() {
		if !r.closed {
			r.pq.Close()
		}
	}()
	for i := range c.Script {
		time.Sleep(tick)
		synctest.Wait()
		res := cases.QueueResult{Do: c.Script[i].Do}
		if err := r.step(&c.Script[i], &res); err != nil {
			return fmt.Errorf("script[%d] %s: %w", i, c.Script[i].Do, err)
		}
		synctest.Wait()
		r.finishWait(&res)
		res.Now = time.Since(start).Nanoseconds()
		res.QueueState, res.Changed = r.view.State()
		g.Steps = append(g.Steps, res)
	}
	return nil
}
