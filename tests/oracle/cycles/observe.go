// The result of a step: what has happened, and the state of the world.

package cycles

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// observe notes what has happened since the last step, and the state of the world.
func (r *runner) observe(res *cases.CyclesResult) {
	res.Now = time.Since(r.start).Nanoseconds()
	res.Cycles, r.cycles = r.cycles, nil
	res.Calls = r.world.TakeCalls()
	res.API = r.api.takeCalls()
	res.Events = r.recorder.take()
	res.Pods = r.changedPods()
	for uid := range r.sched.Cache.Dump().AssumedPods {
		res.Assumed = append(res.Assumed, keyOfUID(uid))
	}
	slices.Sort(res.Assumed)
	r.first.IterateOverWaitingPods(func(w fwk.WaitingPod) {
		if res.Waiting == nil {
			res.Waiting = map[string][]string{}
		}
		plugins := w.GetPendingPlugins()
		slices.Sort(plugins)
		res.Waiting[judge.PodKey(w.GetPod())] = plugins
	})
	res.Busy = r.inCycle()
	res.Queue, res.Changed = r.view.State()
	if r.groups {
		sortPopped(res.Queue.InFlight)
	}
}

// keyOfUID returns the key of a pod that create has made.
func keyOfUID(uid string) string {
	key, _, _ := strings.Cut(strings.TrimPrefix(uid, "Pod/"), "#")
	return key
}

// sortPopped sorts neighbouring pods in the list of in-flight pods and events:
// the members of a group are popped in the order of a map.
func sortPopped(list []string) {
	for i := 0; i < len(list); {
		j := i
		for j < len(list) && strings.HasPrefix(list[j], "pod ") {
			j++
		}
		slices.Sort(list[i:j])
		i = max(j, i+1)
	}
}

// changedPods are the pods whose view is not that of the last step.
func (r *runner) changedPods() map[string]cases.PodView {
	out := map[string]cases.PodView{}
	list, err := r.api.tracker.List(podsResource, v1.SchemeGroupVersion.WithKind("Pod"), "")
	if err != nil {
		return nil
	}
	now := map[string]cases.PodView{}
	for _, p := range list.(*v1.PodList).Items {
		key, v := judge.PodKey(&p), viewPod(&p)
		now[key] = v
		if old, ok := r.seen[key]; !ok || !reflect.DeepEqual(old, v) {
			out[key] = v
		}
	}
	for key := range r.seen {
		if _, ok := now[key]; !ok {
			out[key] = cases.PodView{Gone: true}
		}
	}
	r.seen = now
	return out
}

func viewPod(p *v1.Pod) cases.PodView {
	v := cases.PodView{Node: p.Spec.NodeName, Nominated: p.Status.NominatedNodeName, Deleting: p.DeletionTimestamp != nil}
	for _, c := range p.Status.Conditions {
		switch c.Type {
		case v1.PodScheduled:
			v.Condition = condition(c)
		case v1.DisruptionTarget:
			v.Disrupted = condition(c)
		}
	}
	return v
}

func condition(c v1.PodCondition) *cases.Condition {
	return &cases.Condition{Type: string(c.Type), Status: string(c.Status), Reason: c.Reason, Message: c.Message}
}

// recorder keeps events.
type recorder struct {
	mu    sync.Mutex
	start time.Time
	list  []cases.EventRecord
}

func objectKey(o runtime.Object) string {
	if o == nil {
		return ""
	}
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	return m.GetNamespace() + "/" + m.GetName()
}

func (r *recorder) Eventf(about, related runtime.Object, typ, reason, action, note string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, cases.EventRecord{At: time.Since(r.start).Nanoseconds(), About: objectKey(about), Type: typ, Reason: reason,
		Action: action, Note: fmt.Sprintf(note, args...), Related: objectKey(related)})
}

func (r *recorder) WithLogger(klog.Logger) events.EventRecorderLogger { return r }

// take returns the events since the last time, by time and object, and forgets them.
func (r *recorder) take() []cases.EventRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.list
	r.list = nil
	slices.SortStableFunc(out, func(a, b cases.EventRecord) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.About, b.About), cmp.Compare(a.Reason, b.Reason), cmp.Compare(a.Note, b.Note))
	})
	return out
}
