// Package extender answers cases of mode "extender": upstream's whole scheduler with its own HTTPExtenders, which call
// the server that the configuration names. Pods are scheduled one after the other, in real time.
package extender

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"time"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Outcome tells what became of a pod.
type Outcome struct {
	Pod       string   `json:"pod"`
	Node      string   `json:"node,omitempty"`
	Error     string   `json:"error,omitempty"`
	Nominated string   `json:"nominated,omitempty"`
	Victims   []string `json:"victims,omitempty"`
	Rejectors []string `json:"rejectors,omitempty"`
}

// Golden is the result of a case.
type Golden struct {
	Name string    `json:"name,omitempty"`
	Mode string    `json:"mode"`
	Pods []Outcome `json:"pods"`
	// Refused is the error of a scheduler that cannot be made.
	Refused string `json:"refused,omitempty"`
}

// recorder passes on that a pod was bound.
type recorder struct {
	bound chan string
}

func (r *recorder) Eventf(regarding runtime.Object, _ runtime.Object, _, reason, _, _ string, _ ...interface{}) {
	if pod, ok := regarding.(*v1.Pod); ok && reason == "Scheduled" {
		r.bound <- pod.Spec.NodeName
	}
}

func (r *recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

type failure struct {
	status    *fwk.Status
	nominated string
	rejectors []string
}

// Run schedules the pods of a case.
func Run(parent context.Context, c *cases.Case) (*Golden, error) {
	out := &Golden{Name: c.Name, Mode: c.Mode}
	cfg, _, err := judge.DecodeConfig(c.Config)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	var objects []runtime.Object
	for i, raw := range c.Objects {
		o, err := judge.DecodeObject(raw, nil)
		if err != nil {
			return nil, fmt.Errorf("objects[%d]: %w", i, err)
		}
		objects = append(objects, fromInformer(o))
	}
	client := fake.NewSimpleClientset(objects...)
	factory := scheduler.NewInformerFactory(client, 0)
	rec := &recorder{bound: make(chan string, 4)}
	all := int32(100)
	sched, err := scheduler.New(ctx, client, factory, nil,
		func(string) events.EventRecorderLogger { return rec },
		scheduler.WithComponentConfigVersion(cfg.TypeMeta.APIVersion),
		scheduler.WithProfiles(cfg.Profiles...),
		scheduler.WithParallelism(1),
		scheduler.WithPercentageOfNodesToScore(&all),
		scheduler.WithPodInitialBackoffSeconds(cfg.PodInitialBackoffSeconds),
		scheduler.WithPodMaxBackoffSeconds(cfg.PodMaxBackoffSeconds),
		scheduler.WithExtenders(cfg.Extenders...))
	if err != nil {
		out.Refused = err.Error()
		return out, nil
	}
	failed := make(chan failure, 4)
	handle := sched.FailureHandler
	sched.FailureHandler = func(ctx context.Context, fw framework.Framework, info *framework.QueuedPodInfo, status *fwk.Status, nominating *fwk.NominatingInfo, start time.Time) {
		f := failure{status: status}
		var fit *framework.FitError
		if errors.As(status.AsError(), &fit) { // the queue may add a plugin that gates the pod
			f.rejectors = fit.Diagnosis.UnschedulablePlugins.UnsortedList()
			sort.Strings(f.rejectors)
		}
		handle(ctx, fw, info, status, nominating, start)
		if nominating != nil {
			f.nominated = nominating.NominatedNodeName
		}
		failed <- f
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := sched.WaitForHandlersSync(ctx); err != nil {
		return nil, err
	}
	logger := klog.FromContext(ctx)
	sched.SchedulingQueue.Run(logger)
	if sched.APIDispatcher != nil {
		sched.APIDispatcher.Run(logger)
		defer sched.APIDispatcher.Close()
	}
	defer sched.SchedulingQueue.Close()

	gone := newGone(client)
	for i, raw := range c.Pods {
		o, err := judge.DecodeObject(raw, nil)
		if err != nil {
			return nil, fmt.Errorf("pods[%d]: %w", i, err)
		}
		pod, ok := fromInformer(o).(*v1.Pod)
		if !ok {
			return nil, fmt.Errorf("pods[%d]: no pod", i)
		}
		if _, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
			return nil, err
		}
		gone.begin()
		sched.ScheduleOne(ctx)
		outcome := Outcome{Pod: judge.PodKey(pod)}
		select {
		case outcome.Node = <-rec.bound:
		case f := <-failed:
			outcome.Error, outcome.Nominated, outcome.Rejectors = f.status.Message(), f.nominated, f.rejectors
			if f.nominated != "" {
				outcome.Victims = gone.settle()
			}
			// The next pod begins without it.
			if err := client.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{}); err != nil {
				return nil, err
			}
			if err := forgotten(sched); err != nil {
				return nil, err
			}
		case <-time.After(30 * time.Second):
			return nil, errors.New("the scheduler has decided nothing within 30 seconds")
		}
		out.Pods = append(out.Pods, outcome)
	}
	return out, nil
}

// forgotten waits until a pod that was deleted has left the queue.
func forgotten(sched *scheduler.Scheduler) error {
	for range 2000 {
		if left, _ := sched.SchedulingQueue.PendingPods(); len(left) == 0 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("a deleted pod stays in the queue")
}

// fromInformer takes the kind from an object, as in the caches of informers.
func fromInformer(o runtime.Object) runtime.Object {
	o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return o
}

// gone collects the pods that preemption deletes, which happens in the background.
type gone struct {
	client *fake.Clientset
	seen   int
}

func newGone(client *fake.Clientset) *gone { return &gone{client: client} }

func (g *gone) begin() { g.seen = len(g.client.Actions()) }

// settle waits until nothing has been deleted for a while.
func (g *gone) settle() []string {
	names := func() []string {
		var out []string
		for _, a := range g.client.Actions()[g.seen:] {
			if d, ok := a.(interface{ GetName() string }); ok && a.GetVerb() == "delete" && a.GetResource().Resource == "pods" {
				out = append(out, a.GetNamespace()+"/"+d.GetName())
			}
		}
		sort.Strings(out)
		return out
	}
	last, same := names(), 0
	for i := 0; same < 4 && i < 300; i++ {
		time.Sleep(10 * time.Millisecond)
		now := names()
		if len(now) == len(last) && len(now) > 0 {
			same++
		} else {
			same = 0
		}
		last = now
	}
	return last
}
