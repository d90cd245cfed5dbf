//go:build !k137

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
//go:linkname flushUnschedulable k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushUnschedulablePodsLeftover
func flushUnschedulable(*internalqueue.PriorityQueue, klog.Logger)

// Names of fields of the backoffQ.
const (
	backoffHeap = "podBackoffQ"
	errorHeap   = "podErrorBackoffQ"
)

// heap returns the pods of a part of the queue, which fields lead to.
func (q *View) heap(path ...string) []*framework.QueuedPodInfo {
	return Hidden(reflect.ValueOf(q.pq), path...).Interface().(*heap.Heap[*framework.QueuedPodInfo]).List()
}

// moveRequest returns the cycle of the last move.
func moveRequest(v reflect.Value) int64 { return Hidden(v, "moveRequestCycle").Int() }

// unschedulableInfos returns the unschedulable pods.
func unschedulableInfos(v reflect.Value) map[string]*framework.QueuedPodInfo {
	return Hidden(v, "unschedulablePods", "podInfoMap").Interface().(map[string]*framework.QueuedPodInfo)
}

// fail does what the failure handler does at the end.
func fail(pq *internalqueue.PriorityQueue, l klog.Logger, info *framework.QueuedPodInfo) error {
	return pq.AddUnschedulableIfNotPresent(l, info, pq.SchedulingCycle())
}

func remove(pq *internalqueue.PriorityQueue, _ klog.Logger, p *v1.Pod) { pq.Delete(p) }

func pop(pq *internalqueue.PriorityQueue, l klog.Logger) (*framework.QueuedPodInfo, error) {
	return pq.Pop(l)
}

func popSpecific(pq *internalqueue.PriorityQueue, l klog.Logger, p *v1.Pod) *framework.QueuedPodInfo {
	return pq.PopSpecificPod(l, p)
}

func assignedAdded(pq *internalqueue.PriorityQueue, l klog.Logger, p *v1.Pod) {
	pq.AssignedPodAdded(l, p)
}

func assignedUpdated(pq *internalqueue.PriorityQueue, l klog.Logger, old, p *v1.Pod) {
	for _, ev := range framework.PodSchedulingPropertiesChange(p, old) {
		pq.AssignedPodUpdated(l, old, p, ev)
	}
}
