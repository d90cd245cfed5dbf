// The steps add, update, delete and their like: versions of pods.

package queue

import (
	"encoding/json"
	"errors"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// podStep tells the queue about a new version of a pod.
func (r *runner) podStep(s *cases.QueueStep) error {
	p, err := r.nextPod(s.Pod)
	if err != nil {
		return err
	}
	old := r.pods[judge.PodKey(p)]
	if len(s.Old) > 0 {
		obj, err := decode(s.Old)
		if err != nil {
			return err
		}
		old, _ = obj.(*v1.Pod)
	}
	if err := r.lister.Add(p); err != nil {
		return err
	}
	r.pods[judge.PodKey(p)] = p
	if s.Lister {
		return nil
	}
	if old == nil && (s.Do == "update" || s.Do == "assignedUpdate") { // upstream would panic
		return fmt.Errorf("pod %s has no earlier version", judge.PodKey(p))
	}
	switch s.Do {
	case "add":
		r.pq.Add(r.ctx, p)
	case "update":
		r.pq.Update(r.ctx, old, p)
	case "assignedAdd":
		assignedAdded(r.pq, r.logger, p)
	case "assignedUpdate":
		assignedUpdated(r.pq, r.logger, old, p)
	}
	return nil
}

// decode returns nil if there is no object.
func decode(raw json.RawMessage) (runtime.Object, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	return judge.DecodeObject(raw, nil)
}

// nextPod decodes a new version of a pod.
func (r *runner) nextPod(raw json.RawMessage) (*v1.Pod, error) {
	obj, err := decode(raw)
	if err != nil {
		return nil, err
	}
	p, ok := obj.(*v1.Pod)
	if !ok {
		return nil, errors.New("needs a pod")
	}
	r.rv++
	p.ResourceVersion = fmt.Sprint(r.rv)
	return p, nil
}

func (r *runner) known(name string) (*v1.Pod, error) {
	if p := r.pods[name]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("no pod %q", name)
}
