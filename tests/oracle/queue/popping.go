// The steps about popped pods: popping them, and returning or binding them.

package queue

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// popResult is the result of Pop.
type popResult struct {
	info *framework.QueuedPodInfo
	err  error
}

// pop pops a pod, if that does not block or the step wants to wait.
func (r *runner) pop(s *cases.QueueStep, res *cases.QueueResult) error {
	if r.waiting != nil {
		res.Popped = "(busy)"
		return nil
	}
	if !r.closed && !s.Wait && !r.view.CanPop() {
		res.Popped = "(blocks)"
		return nil
	}
	c := make(chan popResult, 1)
	r.waiting = c
	go func() {
		info, err := pop(r.pq, r.logger)
		c <- popResult{info, err}
	}()
	if s.Wait && !r.closed && !r.view.CanPop() {
		res.Popped = "(waits)"
	}
	return nil
}

// finishWait notes in a step's result the pod that a waiting Pop has received.
func (r *runner) finishWait(res *cases.QueueResult) {
	select {
	case p := <-r.waiting:
		r.waiting = nil
		r.popped(p, res)
	default:
	}
}

func (r *runner) popped(p popResult, res *cases.QueueResult) {
	switch {
	case p.err != nil:
		res.Error = p.err.Error()
	case p.info == nil:
		res.Popped = "(nil)"
	default:
		res.Popped = judge.PodKey(p.info.Pod)
		res.Info = new(r.view.Info(p.info))
		r.held = append(r.held, p.info)
	}
}

// takeHeld picks one of the popped pods; nil if there is none.
func (r *runner) takeHeld(s *cases.QueueStep, res *cases.QueueResult) *framework.QueuedPodInfo {
	if len(r.held) == 0 {
		return nil
	}
	i := s.Held % len(r.held)
	info := r.held[i]
	r.held = slices.Delete(r.held, i, i+1)
	res.Of = judge.PodKey(info.Pod)
	return info
}

// fail brings a popped pod back as the failure handler does.
func (r *runner) fail(s *cases.QueueStep, res *cases.QueueResult) error {
	info := r.takeHeld(s, res)
	if info == nil {
		return nil
	}
	info.ClearRejectorPlugins()
	if len(s.Unschedulable) > 0 {
		info.UnschedulablePlugins = sets.New(s.Unschedulable...)
	}
	if len(s.Pending) > 0 {
		info.PendingPlugins = sets.New(s.Pending...)
	}
	obj, ok, err := r.lister.GetByKey(judge.PodKey(info.Pod))
	if err != nil {
		return err
	}
	if !ok || obj.(*v1.Pod).Spec.NodeName != "" || obj.(*v1.Pod).UID != info.Pod.UID {
		r.pq.Done(info.Pod.UID)
		return nil
	}
	info.PodInfo, _ = framework.NewPodInfo(obj.(*v1.Pod).DeepCopy())
	if err := fail(r.pq, r.logger, info); err != nil {
		res.Error = err.Error()
	}
	return nil
}

// bound handles a popped pod that reaches its node.
func (r *runner) bound(s *cases.QueueStep, res *cases.QueueResult) error {
	info := r.takeHeld(s, res)
	if info == nil {
		return nil
	}
	r.pq.Done(info.Pod.UID)
	obj, ok, err := r.lister.GetByKey(judge.PodKey(info.Pod))
	if err != nil || !ok || obj.(*v1.Pod).UID != info.Pod.UID {
		return err
	}
	old := obj.(*v1.Pod)
	p := old.DeepCopy()
	p.Spec.NodeName = s.Node
	r.rv++
	p.ResourceVersion = fmt.Sprint(r.rv)
	if err := r.lister.Add(p); err != nil {
		return err
	}
	r.pods[judge.PodKey(p)] = p
	r.pq.MoveAllToActiveOrBackoffQueue(r.logger, framework.EventAssignedPodAdd, nil, p, nil)
	remove(r.pq, r.logger, old)
	return nil
}
