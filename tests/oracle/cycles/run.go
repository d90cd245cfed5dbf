// Package cycles runs upstream's whole scheduler by a script, in virtual time and against a fake
// API server. Upstream's goroutines run one at a time, in an order that the case alone decides.
package cycles

import (
	"context"
	"encoding/json"
	"fmt"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	schedconfig "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/bubble"
	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/fakes"
	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/kube"
	"libsched.dev/tests/oracle/queue"
)

// runner runs the steps of one case.
type runner struct {
	ctx      context.Context
	start    time.Time
	groups   bool // pod groups are enabled
	api      *server
	turns    *turns
	world    *fakes.World
	recorder *recorder
	factory  informers.SharedInformerFactory
	sched    *scheduler.Scheduler
	first    framework.Framework // of the first profile
	view     *queue.View
	cycle    chan struct{} // closed at the end of the current cycle; nil outside of cycles
	cycles   []cases.Cycle
	seen     map[string]cases.PodView
	created  int // pods
}

// Run runs the script of a case.
func Run(ctx context.Context, raw json.RawMessage) (*cases.CyclesGolden, error) {
	var c cases.CyclesCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	world, err := fakes.NewWorld(c.Plugins)
	if err != nil {
		return nil, err
	}
	g := &cases.CyclesGolden{Name: c.Name}
	within := bubble.WithGates
	if c.Metrics {
		within = bubble.Alone
	}
	return g, within(c.Gates, func() error {
		return bubble.Run(func() error { return run(ctx, &c, world, g) })
	})
}

// options are those of a scheduler with the configuration of the case.
func options(cfg *schedconfig.KubeSchedulerConfiguration, o cases.CyclesOptions, w *fakes.World) ([]scheduler.Option, error) {
	all := int32(100)
	opts := []scheduler.Option{
		scheduler.WithComponentConfigVersion(cfg.TypeMeta.APIVersion),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithParallelism(1),
		scheduler.WithPercentageOfNodesToScore(&all),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithFrameworkOutOfTreeRegistry(w.Registry()),
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

// run runs the script inside a bubble.
func run(parent context.Context, c *cases.CyclesCase, world *fakes.World, g *cases.CyclesGolden) error {
	start := time.Now()
	time.Sleep(300 * time.Millisecond) // off the full second
	r := &runner{start: start, groups: c.Gates["GenericWorkload"], api: newServer(start), turns: newTurns(), world: world,
		recorder: &recorder{start: start}, seen: map[string]cases.PodView{}}
	r.api.park = r.turns.park
	world.Park = func(call string, p *v1.Pod) { r.turns.park(rankPlugin, call, judge.PodKey(p)) }
	world.Pods = func(key string) *v1.Pod {
		p, _ := r.api.pod(splitKey(key))
		return p
	}
	before, err := gather()
	if err != nil {
		return err
	}
	var cancel context.CancelFunc
	r.ctx, cancel = context.WithCancel(parent)
	defer r.shutdown(cancel)
	if err := r.begin(c); err != nil {
		return err
	}
	steps := append([]cases.CyclesStep{{Do: "start"}}, c.Script...)
	for i := range steps {
		res := cases.CyclesResult{Do: steps[i].Do}
		tick()
		err := r.step(&steps[i], &res)
		if err == nil {
			err = r.settle(steps[i].Hold)
		}
		if err != nil {
			return fmt.Errorf("script[%d] %s: %w", i-1, steps[i].Do, err)
		}
		r.observe(&res)
		g.Steps = append(g.Steps, res)
		r.flush()
	}
	if !c.Metrics {
		return nil
	}
	after, err := gather()
	g.Metrics = after.since(before)
	return err
}

// begin makes the scheduler, waits until its informers run, and creates the objects
// of the case. The script begins 0.3 s after a full second.
func (r *runner) begin(c *cases.CyclesCase) error {
	cfg, err := judge.LoadConfig(c.Config)
	if err != nil {
		return err
	}
	opts, err := options(cfg, c.Options, r.world)
	if err != nil {
		return err
	}
	if s := c.Options.Grace; s != "" {
		if r.api.grace, err = time.ParseDuration(s); err != nil {
			return err
		}
	}
	r.factory = kube.NewInformerFactory(r.api.raw)
	recorder := func(string) events.EventRecorderLogger { return r.recorder }
	if r.sched, err = scheduler.New(r.ctx, r.api.client(), r.factory, nil, recorder, opts...); err != nil {
		return err
	}
	r.first = r.sched.Profiles[cfg.Profiles[0].SchedulerName]
	r.view = queue.NewView(r.sched.SchedulingQueue, r.first.QueueSortFunc(), r.start)
	onPop(r.sched, func(info *framework.QueuedPodInfo) {
		r.cycles = append(r.cycles, cases.Cycle{At: time.Since(r.start).Nanoseconds(), Pod: judge.PodKey(info.Pod), Info: r.view.Info(info)})
	})
	sortPlacements(r.first)
	r.turnPreemption()
	r.factory.Start(r.ctx.Done())
	r.factory.WaitForCacheSync(r.ctx.Done())
	if err := r.sched.WaitForHandlersSync(r.ctx); err != nil {
		return err
	}
	synctest.Wait()
	time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(1300 * time.Millisecond)))
	for i, raw := range c.Objects {
		if err := r.create(raw); err != nil {
			return fmt.Errorf("objects[%d]: %w", i, err)
		}
		tick()
	}
	logger := klog.FromContext(r.ctx)
	r.sched.SchedulingQueue.Run(logger)
	if r.sched.APIDispatcher != nil {
		r.sched.APIDispatcher.Run(logger)
	}
	return nil
}

// shutdown ends all goroutines: none of them waits for a turn, on permit or for an
// event any more.
func (r *runner) shutdown(cancel context.CancelFunc) {
	r.turns.close()
	if r.first != nil {
		r.first.IterateOverWaitingPods(func(w fwk.WaitingPod) { w.Reject("oracle", "the end") })
	}
	synctest.Wait()
	cancel()
	if r.sched != nil {
		if r.sched.APIDispatcher != nil {
			r.sched.APIDispatcher.Close()
		}
		r.sched.SchedulingQueue.Close()
	}
	if r.factory != nil {
		r.factory.Shutdown()
	}
	time.Sleep(time.Hour) // slow calls, and loops that poll whether to end
}
