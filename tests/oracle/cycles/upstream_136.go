//go:build !k137

package cycles

import (
	"context"

	v1 "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1alpha2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingclient "k8s.io/client-go/kubernetes/typed/scheduling/v1alpha2"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// groupVersion is that of PodGroups.
const groupVersion = "scheduling.k8s.io/v1alpha2"

func (c client) SchedulingV1alpha2() schedulingclient.SchedulingV1alpha2Interface {
	return schedulingClient{c.Interface.SchedulingV1alpha2(), c.s}
}

type schedulingClient struct {
	schedulingclient.SchedulingV1alpha2Interface
	s *server
}

func (c schedulingClient) PodGroups(ns string) schedulingclient.PodGroupInterface {
	return groupClient{c.SchedulingV1alpha2Interface.PodGroups(ns), c.s, ns}
}

type groupClient struct {
	schedulingclient.PodGroupInterface
	s  *server
	ns string
}

func (g groupClient) Patch(ctx context.Context, name string, pt types.PatchType, data []byte, o metav1.PatchOptions, sub ...string) (*schedulingapi.PodGroup, error) {
	c, err := g.s.patchGroup(ctx, g.ns+"/"+name, data)
	if err != nil {
		return nil, err
	}
	pg, err := g.PodGroupInterface.Patch(ctx, name, pt, data, o, sub...)
	return pg, c.end(err)
}

// onPop calls f with each pod that the scheduler pops.
func onPop(s *scheduler.Scheduler, f func(*framework.QueuedPodInfo)) {
	pop := s.NextPod
	s.NextPod = func(l klog.Logger) (*framework.QueuedPodInfo, error) {
		info, err := pop(l)
		if info != nil {
			f(info)
		}
		return info, err
	}
}

// beforeEviction calls f before each eviction of a victim.
func beforeEviction(d *defaultpreemption.DefaultPreemption, f func(p preemption.ExecutorPreemptor, victim *v1.Pod)) {
	evict := d.Executor.PreemptPod
	d.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate, p preemption.ExecutorPreemptor, victim *v1.Pod, plugin string) error {
		f(p, victim)
		return evict(ctx, c, p, victim, plugin)
	}
}
