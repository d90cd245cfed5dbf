// Inspects upstream's scheduling queue.

package queue

import (
	"cmp"
	"container/list"
	"maps"
	"reflect"
	"slices"
	"sort"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/features"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/oracle/bubble"
	"libsched.dev/tests/oracle/cases"
	"libsched.dev/tests/oracle/judge"
)

// Hidden follows names of fields, exported or not, through pointers and interfaces.
func Hidden(v reflect.Value, names ...string) reflect.Value {
	for _, name := range names {
		for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		f := v.FieldByName(name)
		if f.CanAddr() {
			f = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem()
		}
		v = f
	}
	return v
}

// View inspects a queue that no other goroutine is using.
type View struct {
	pq    *internalqueue.PriorityQueue
	less  fwk.LessFunc
	start time.Time
	last  map[string]cases.QueuedInfo
}

// NewView makes a view with times since start; less orders the pods.
func NewView(q internalqueue.SchedulingQueue, less fwk.LessFunc, start time.Time) *View {
	return &View{q.(*internalqueue.PriorityQueue), less, start, map[string]cases.QueuedInfo{}}
}

// CanPop reports whether Pop would return at once.
func (q *View) CanPop() bool {
	return len(q.heap("activeQ", "queue")) > 0 ||
		bubble.Gate(features.SchedulerPopFromBackoffQ) && len(q.heap("backoffQ", backoffHeap)) > 0
}

func (q *View) since(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	return new(t.Sub(q.start).Nanoseconds())
}

// Info describes a pod of the queue.
func (q *View) Info(p *framework.QueuedPodInfo) cases.QueuedInfo {
	i := cases.QueuedInfo{RV: p.Pod.ResourceVersion, BackoffExpiration: q.since(p.BackoffExpiration), Attempts: p.Attempts,
		Unschedulable: p.UnschedulableCount, Errors: p.ConsecutiveErrorsCount, Flushed: p.WasFlushedFromUnschedulable,
		GatingPlugin: p.GatingPlugin, Plugins: slices.Sorted(maps.Keys(p.UnschedulablePlugins)), Pending: slices.Sorted(maps.Keys(p.PendingPlugins))}
	i.Timestamp = *q.since(p.Timestamp)
	if p.InitialAttemptTimestamp != nil {
		i.InitialAttempt = q.since(*p.InitialAttemptTimestamp)
	}
	return i
}

func keysOf(infos []*framework.QueuedPodInfo) []string {
	var out []string
	for _, i := range infos {
		out = append(out, judge.PodKey(i.Pod))
	}
	return out
}

func (q *View) bySort(a, b *framework.QueuedPodInfo) int {
	switch {
	case q.less(a, b):
		return -1
	case q.less(b, a):
		return 1
	}
	return cmp.Compare(judge.PodKey(a.Pod), judge.PodKey(b.Pod))
}

// State returns the current state of the queue, and the pods in it whose info has changed since the
// last call.
func (q *View) State() (cases.QueueState, map[string]cases.QueuedInfo) {
	v := reflect.ValueOf(q.pq)
	s := cases.QueueState{Cycle: q.pq.SchedulingCycle(), MoveRequest: moveRequest(v)}
	active := q.heap("activeQ", "queue")
	slices.SortFunc(active, q.bySort)
	backoff := q.heap("backoffQ", backoffHeap)
	slices.SortFunc(backoff, func(a, b *framework.QueuedPodInfo) int {
		return cmp.Or(a.BackoffExpiration.Compare(b.BackoffExpiration), q.bySort(a, b))
	})
	errs := q.heap("backoffQ", errorHeap)
	slices.SortFunc(errs, func(a, b *framework.QueuedPodInfo) int {
		return cmp.Or(a.BackoffExpiration.Compare(b.BackoffExpiration), cmp.Compare(judge.PodKey(a.Pod), judge.PodKey(b.Pod)))
	})
	s.Active, s.Backoff, s.ErrorBackoff = keysOf(active), keysOf(backoff), keysOf(errs)
	all := slices.Concat(active, backoff, errs)
	for _, i := range unschedulableInfos(v) {
		all = append(all, i)
		s.Unschedulable = append(s.Unschedulable, judge.PodKey(i.Pod))
		if i.Gated() {
			s.Gated = append(s.Gated, judge.PodKey(i.Pod))
		}
	}
	sort.Strings(s.Unschedulable)
	sort.Strings(s.Gated)
	events := Hidden(v, "activeQ", "inFlightEvents").Interface().(*list.List)
	for e := events.Front(); e != nil; e = e.Next() {
		if p, ok := e.Value.(*v1.Pod); ok {
			s.InFlight = append(s.InFlight, "pod "+judge.PodKey(p))
			continue
		}
		ev := Hidden(reflect.ValueOf(e.Value), "event").Interface().(fwk.ClusterEvent)
		s.InFlight = append(s.InFlight, ev.Label())
	}
	nominated := Hidden(v, "nominator", "nominatedPods")
	for it := nominated.MapRange(); it.Next(); {
		if s.Nominated == nil {
			s.Nominated = map[string][]string{}
		}
		refs := it.Value()
		names := make([]string, refs.Len())
		for i := range refs.Len() {
			names[i] = refs.Index(i).FieldByName("namespace").String() + "/" + refs.Index(i).FieldByName("name").String()
		}
		s.Nominated[it.Key().String()] = names
	}
	now, changed := map[string]cases.QueuedInfo{}, map[string]cases.QueuedInfo{}
	for _, p := range all {
		i := q.Info(p)
		now[judge.PodKey(p.Pod)] = i
		if old, ok := q.last[judge.PodKey(p.Pod)]; !ok || !reflect.DeepEqual(old, i) {
			changed[judge.PodKey(p.Pod)] = i
		}
	}
	q.last = now
	return s, changed
}
