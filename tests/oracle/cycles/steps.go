// The steps of a script.

package cycles

import (
	"encoding/json"
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// step does one step of the script. An error of the API server is part of the result.
func (r *runner) step(s *cases.CyclesStep, res *cases.CyclesResult) error {
	switch s.Do {
	case "start":
	case "create":
		return r.create(s.Object)
	case "patch":
		return r.patch(s, res)
	case "delete":
		gvr, err := resourceNamed(s.Kind)
		if err != nil {
			return err
		}
		ns, name := splitKey(s.Name)
		if gvr == podsResource {
			err = r.api.deletePod(ns, name)
		} else {
			err = r.api.tracker.Delete(gvr, ns, name)
		}
		if err != nil {
			res.Error = err.Error()
		}
	case "advance":
		d, err := time.ParseDuration(s.By)
		if err != nil {
			return err
		}
		if err := r.settle(false); err != nil {
			return err
		}
		return r.advance(d)
	case "fault":
		if s.Fault == nil {
			return errors.New("no fault")
		}
		r.api.mu.Lock()
		r.api.faults = append(r.api.faults, s.Fault)
		r.api.mu.Unlock()
	case "clearFaults":
		r.api.mu.Lock()
		r.api.faults = nil
		r.api.mu.Unlock()
	case "assign":
		return r.assign(s, res)
	case "bindClaims":
		return r.bindClaims()
	case "rules":
		return r.world.SetRules(s.Plugin, s.Point, s.Rules)
	case "allow", "reject":
		r.decide(s, res)
	default:
		return errors.New("unknown step")
	}
	return nil
}

// decide allows or rejects a pod that waits on permit.
func (r *runner) decide(s *cases.CyclesStep, res *cases.CyclesResult) {
	found := false
	r.first.IterateOverWaitingPods(func(w fwk.WaitingPod) {
		if judge.PodKey(w.GetPod()) != s.Name {
			return
		}
		found = true
		if s.Do == "allow" {
			w.Allow(s.Plugin)
		} else {
			w.Reject(s.Plugin, "rejected by the script")
		}
	})
	if !found {
		res.Error = "not waiting"
	}
}

// assign binds a pod as another client of the API server would.
func (r *runner) assign(s *cases.CyclesStep, res *cases.CyclesResult) error {
	var to struct{ NodeName string }
	if err := json.Unmarshal(s.Object, &to); err != nil {
		return err
	}
	ns, name := splitKey(s.Name)
	p, err := r.api.pod(ns, name)
	if err == nil && p.Spec.NodeName != "" {
		err = errors.New("bound before")
	}
	if err != nil {
		res.Error = err.Error()
		return nil
	}
	b := &v1.Binding{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: ns}, Target: v1.ObjectReference{Kind: "Node", Name: to.NodeName}}
	if err := r.api.bind(ns, b); err != nil {
		res.Error = err.Error()
	}
	return nil
}
