// The step move: events of the cluster.

package queue

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/fakes"
	"libsched.dev/tests/oracle/judge"
)

// move tells the queue about an event, or about all events of a change of a node.
func (r *runner) move(s *cases.QueueStep) error {
	oldObj, err := decode(s.Old)
	if err != nil {
		return err
	}
	newObj, err := decode(s.New)
	if err != nil {
		return err
	}
	// An absent object is a nil interface, as in upstream.
	var o, n any
	if oldObj != nil {
		o = oldObj
	}
	if newObj != nil {
		n = newObj
	}
	if s.Resource == "" { // the events that a change of the node stands for
		before, ok1 := o.(*v1.Node)
		after, ok2 := n.(*v1.Node)
		if !ok1 || !ok2 {
			return errors.New("a move without resource needs two nodes")
		}
		for _, ev := range framework.NodeSchedulingPropertiesChange(after, before) {
			r.pq.MoveAllToActiveOrBackoffQueue(r.logger, ev, o, n, preCheck(s))
		}
		return nil
	}
	ev, err := event(s)
	if err != nil {
		return err
	}
	r.pq.MoveAllToActiveOrBackoffQueue(r.logger, ev, o, n, preCheck(s))
	return nil
}

// preCheck returns nil if the step has none.
func preCheck(s *cases.QueueStep) internalqueue.PreEnqueueCheck {
	switch {
	case s.MaxPriority != nil:
		return func(p *v1.Pod) bool {
			return p.Spec.Priority == nil && *s.MaxPriority >= 0 || p.Spec.Priority != nil && *p.Spec.Priority <= *s.MaxPriority
		}
	case s.Except != "":
		return func(p *v1.Pod) bool { return judge.PodKey(p) != s.Except }
	}
	return nil
}

func event(s *cases.QueueStep) (fwk.ClusterEvent, error) {
	ev, err := fakes.ClusterEvent(s.Resource, s.Actions)
	ev.CustomLabel = s.Label
	return ev, err
}
