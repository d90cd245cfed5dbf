//go:build k137

package cycles

import (
	"context"

	v1 "k8s.io/api/core/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	schedulingclient "k8s.io/client-go/kubernetes/typed/scheduling/v1beta1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
)

// groupVersion is that of PodGroups.
const groupVersion = "scheduling.k8s.io/v1beta1"

func (c client) SchedulingV1beta1() schedulingclient.SchedulingV1beta1Interface {
	return schedulingClient{c.Interface.SchedulingV1beta1(), c.s}
}

type schedulingClient struct {
	schedulingclient.SchedulingV1beta1Interface
	s *server
}

func (c schedulingClient) PodGroups(ns string) schedulingclient.PodGroupInterface {
	return groupClient{c.SchedulingV1beta1Interface.PodGroups(ns), c.s, ns}
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

// onPop calls f with each pod that the scheduler pops, and with the first pod of a group.
func onPop(s *scheduler.Scheduler, f func(*framework.QueuedPodInfo)) {
	pop := s.NextEntity
	s.NextEntity = func(l klog.Logger) (framework.QueuedEntityInfo, error) {
		entity, err := pop(l)
		if entity == nil {
			return entity, err
		}
		first := true
		entity.ForEachPodInfo(func(p *framework.QueuedPodInfo) bool {
			if first {
				f(p)
			}
			first = false
			return false
		})
		return entity, err
	}
}

// beforeEviction calls f before each eviction of a victim.
func beforeEviction(d *defaultpreemption.DefaultPreemption, f func(p preemption.ExecutorPreemptor, victim *v1.Pod)) {
	evict := d.Executor.PreemptPod
	d.Executor.PreemptPod = func(ctx context.Context, c preemption.Candidate, p preemption.ExecutorPreemptor, victim *v1.Pod, plugin string) (bool, error) {
		f(p, victim)
		return evict(ctx, c, p, victim, plugin)
	}
}
