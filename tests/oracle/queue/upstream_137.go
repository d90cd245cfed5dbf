//go:build k137

package queue

import (
	"reflect"
	_ "unsafe" // for linkname

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/backend/heap"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// flushUnschedulable is what a timer calls.
//
//go:linkname flushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulableEntitiesLeftover
func flushUnschedulable(*internalqueue.PriorityQueue, klog.Logger)

// Names of fields of the backoffQ.
const (
	backoffHeap = "entityBackoffQ"
	errorHeap   = "entityErrorBackoffQ"
)

// podsOf returns the pods of entities, which are pods or groups of pods.
func podsOf(list []framework.QueuedEntityInfo) []*framework.QueuedPodInfo {
	var out []*framework.QueuedPodInfo
	for _, e := range list {
		e.ForEachPodInfo(func(p *framework.QueuedPodInfo) bool {
			out = append(out, p)
			return true
		})
	}
	return out
}

// heap returns the pods of a part of the queue, which fields lead to.
func (q *View) heap(path ...string) []*framework.QueuedPodInfo {
	return podsOf(Hidden(reflect.ValueOf(q.pq), path...).Interface().(*heap.Heap[framework.QueuedEntityInfo]).List())
}

// moveRequest returns what stands for no move: 1.37 does not remember its cycle.
func moveRequest(reflect.Value) int64 { return -1 }

// unschedulableInfos returns the unschedulable pods.
func unschedulableInfos(v reflect.Value) []*framework.QueuedPodInfo {
	var list []framework.QueuedEntityInfo
	for _, e := range Hidden(v, "unschedulableEntities", "entityInfoMap").Interface().(map[string]framework.QueuedEntityInfo) {
		list = append(list, e)
	}
	return podsOf(list)
}

// fail does what the failure handler does at the end.
func fail(pq *internalqueue.PriorityQueue, l klog.Logger, info *framework.QueuedPodInfo) error {
	return pq.AddUnschedulablePodIfNotPresent(l, info, pq.SchedulingCycle())
}

func remove(pq *internalqueue.PriorityQueue, l klog.Logger, p *v1.Pod) { pq.Delete(l, p) }

func pop(pq *internalqueue.PriorityQueue, l klog.Logger) (*framework.QueuedPodInfo, error) {
	e, err := pq.Pop(l)
	info, _ := e.(*framework.QueuedPodInfo)
	return info, err
}

// popSpecific has no effect, because 1.37 has no PopSpecificPod.
func popSpecific(*internalqueue.PriorityQueue, klog.Logger, *v1.Pod) *framework.QueuedPodInfo {
	return nil
}

// assignedAdded and assignedUpdated do what the event handlers do, because 1.37 has no AssignedPodAdded
// and AssignedPodUpdated.
func assignedAdded(pq *internalqueue.PriorityQueue, l klog.Logger, p *v1.Pod) {
	pq.MoveAllToActiveOrBackoffQueue(l, framework.EventAssignedPodAdd, nil, p, nil)
}

func assignedUpdated(pq *internalqueue.PriorityQueue, l klog.Logger, old, p *v1.Pod) {
	for _, ev := range framework.PodSchedulingPropertiesChange(p, old, false) {
		pq.MoveAllToActiveOrBackoffQueue(l, ev, old, p, nil)
	}
}
