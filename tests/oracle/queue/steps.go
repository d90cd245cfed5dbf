// The steps of a script.

package queue

import (
	"errors"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// step does one step of the script.
func (r *runner) step(s *cases.QueueStep, res *cases.QueueResult) error {
	switch s.Do {
	case "add", "update", "assignedAdd", "assignedUpdate":
		return r.podStep(s)
	case "delete":
		p, err := r.known(s.Name)
		if err != nil {
			return err
		}
		delete(r.pods, s.Name)
		if err := r.lister.Delete(p); err != nil {
			return err
		}
		if !s.Lister {
			remove(r.pq, r.logger, p)
		}
	case "pop":
		return r.pop(s, res)
	case "popSpecific":
		p, err := r.known(s.Name)
		if err != nil {
			return err
		}
		r.popped(popResult{info: popSpecific(r.pq, r.logger, p)}, res)
	case "done":
		if s.Name != "" { // unknown or done before: no effect
			r.pq.Done(types.UID("Pod/" + s.Name))
		} else if info := r.takeHeld(s, res); info != nil {
			r.pq.Done(info.Pod.UID)
		}
	case "bound":
		return r.bound(s, res)
	case "fail":
		return r.fail(s, res)
	case "activate":
		pods := map[string]*v1.Pod{}
		for _, name := range s.Names {
			p, err := r.known(name)
			if err != nil {
				return err
			}
			pods[name] = p
		}
		r.pq.Activate(r.logger, pods)
	case "move":
		return r.move(s)
	case "flushBackoff":
		flushBackoffQ(r.pq, r.logger)
	case "flushUnschedulable":
		flushUnschedulable(r.pq, r.logger)
	case "advance":
		d, err := time.ParseDuration(s.By)
		if err != nil {
			return err
		}
		time.Sleep(d)
	case "nominate":
		p, err := r.known(s.Name)
		if err != nil {
			return err
		}
		info := &fwk.NominatingInfo{NominatedNodeName: s.Node}
		if s.Mode == "override" {
			info.NominatingMode = fwk.ModeOverride
		}
		pi, _ := framework.NewPodInfo(p)
		r.pq.AddNominatedPod(r.logger, pi, info)
	case "deleteNominated":
		p, err := r.known(s.Name)
		if err != nil {
			return err
		}
		r.pq.DeleteNominatedPodIfExists(p)
	case "list":
		pending, summary := r.pq.PendingPods()
		res.Listing = &cases.QueueListing{
			Summary: summary, Pending: sortedKeys(pending), Active: sortedKeys(r.pq.PodsInActiveQ()), Backoff: sortedKeys(r.pq.PodsInBackoffQ()),
			Unschedulable: sortedKeys(r.pq.UnschedulablePods()), InFlight: sortedKeys(r.pq.InFlightPods()),
		}
	case "rules":
		return r.world.SetRules(s.Plugin, s.Point, s.Rules)
	case "run":
		r.pq.Run(r.logger)
	case "close":
		if r.closed {
			return errors.New("closed before")
		}
		r.closed = true
		r.pq.Close()
	default:
		return errors.New("unknown step")
	}
	return nil
}

func sortedKeys(pods []*v1.Pod) []string {
	out := []string{}
	for _, p := range pods {
		out = append(out, judge.PodKey(p))
	}
	slices.Sort(out)
	return out
}
