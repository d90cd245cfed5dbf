// The driver: which goroutine runs next, and when time passes.

package cycles

import (
	"fmt"
	"reflect"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"

	"libsched.dev/tests/oracle/judge"
	"libsched.dev/tests/oracle/queue"
)

// maxTurns is the number of turns allowed at one time: more are a livelock.
const maxTurns = 2000

// turn is the duration of each action that is done one at a time.
const turn = time.Microsecond

// tick lets one turn of time pass.
func tick() {
	time.Sleep(turn)
	synctest.Wait()
}

// settle runs everything that needs no time: first the parked calls, one by one, then one
// scheduling cycle, and so on.
func (r *runner) settle(hold bool) error {
	for range maxTurns {
		synctest.Wait()
		if r.turns.waiting() {
			tick()
			if r.turns.waiting() {
				r.turns.next()
			}
			continue
		}
		if p := r.api.gone(time.Now()); p != nil {
			tick()
			if err := r.api.tracker.Delete(podsResource, p.Namespace, p.Name); err != nil {
				return err
			}
			continue
		}
		if r.inCycle() || hold || !r.view.CanPop() {
			return nil
		}
		tick()
		if !r.turns.waiting() && r.view.CanPop() {
			r.startCycle()
		}
	}
	var pods []string
	for _, c := range r.cycles[max(0, len(r.cycles)-6):] {
		pods = append(pods, c.Pod)
	}
	return fmt.Errorf("does not settle in %d turns; last cycles: %v", maxTurns, pods)
}

// inCycle reports whether a scheduling cycle has begun and not ended, because it
// waits for a slow API call.
func (r *runner) inCycle() bool {
	if r.cycle == nil {
		return false
	}
	select {
	case <-r.cycle:
		r.cycle = nil
		return false
	default:
		return true
	}
}

func (r *runner) startCycle() {
	done := make(chan struct{})
	r.cycle = done
	go func() {
		defer close(done)
		defer r.turns.wake()
		r.sched.ScheduleOne(r.ctx)
	}()
}

// advance lets time pass. It checks ten times a second, at the full tenth, and whenever a call is
// parked.
func (r *runner) advance(d time.Duration) error {
	const step = 100 * time.Millisecond
	end := time.Now().Add(d).Truncate(step)
	for time.Now().Before(end) {
		timer := time.NewTimer(time.Until(time.Now().Truncate(step).Add(step)))
		select {
		case <-timer.C:
		case <-r.turns.woken:
		}
		timer.Stop()
		if err := r.settle(false); err != nil {
			return err
		}
	}
	return nil
}

// turnPreemption makes the eviction of every victim wait for its turn, so that
// it comes after the failure handling of the preemptor. Without an API call, as
// for victims on permit, nothing else would decide which of the two is first.
func (r *runner) turnPreemption() {
	for _, fw := range r.sched.Profiles {
		for _, pl := range queue.Hidden(reflect.ValueOf(fw), "postFilterPlugins").Interface().([]fwk.PostFilterPlugin) {
			if d, ok := pl.(*defaultpreemption.DefaultPreemption); ok {
				beforeEviction(d, func(p preemption.ExecutorPreemptor, victim *v1.Pod) {
					r.turns.park(rankPlugin, "evict for "+p.GetNamespace()+"/"+p.GetName(), judge.PodKey(victim))
				})
			}
		}
	}
}
