package libsched

// #include "loop_bridge.h"
import "C"

import (
	"context"
	"time"
)

// SchedulingQueue decides in which order pods are tried, and when rejected pods are tried again. It is
// upstream's PriorityQueue without its own goroutines: no call blocks, and time is that of the clock of the
// [Services]. It belongs to its cluster: calls on both exclude each other. A plugin that the queue asks may
// read it; a change is ErrMisuse. All methods may fail with ErrClosed, also if the cluster is closed.
//
// Methods with a context pass it to plugins; if it has ended they return its error and change nothing.
type SchedulingQueue struct {
	core *queueCore
}

// queueCore is the part of a SchedulingQueue that the cleanup closes; it must not point to its queue.
type queueCore struct {
	handle[*C.libsched_queue]
	cluster  *Cluster
	services *Services
	frame    *ownFrame
}

// QueueOptions are the times of a queue. Zero is upstream's default.
type QueueOptions struct {
	InitialBackoff     time.Duration // after the first failure; doubled by each further one. 1 s
	MaxBackoff         time.Duration // its upper limit. 10 s
	NoBackoff          bool          // pods do not back off, whatever the times
	MaxInUnschedulable time.Duration // after which a rejected pod is tried again in any case. 5 min
}

func (o QueueOptions) c() C.libsched_queue_options {
	or := func(given, otherwise time.Duration) C.int64_t {
		if given == 0 {
			given = otherwise
		}
		return C.int64_t(given)
	}
	c := C.libsched_queue_options{
		struct_size:             C.sizeof_libsched_queue_options,
		initial_backoff_ns:      or(o.InitialBackoff, time.Second),
		max_backoff_ns:          or(o.MaxBackoff, 10*time.Second),
		max_in_unschedulable_ns: or(o.MaxInUnschedulable, 5*time.Minute),
	}
	if o.NoBackoff {
		c.max_backoff_ns = 0
	}
	return c
}

// NewSchedulingQueue makes an empty queue. A pod's schedulerName chooses the framework whose PreEnqueue
// plugins and queueing hints run. The order is that of the first framework's QueueSort, which all must
// have; the feature gates are the first framework's. The queue uses the services that the cluster has now.
// Errors: ErrMisuse (no framework, or two of one profile), ErrInvalid (a negative time, different QueueSort
// plugins, or a plugin whose EventsToRegister fails).
func NewSchedulingQueue(cluster *Cluster, frameworks []*Framework, options QueueOptions) (*SchedulingQueue, error) {
	j, err := borrowJudges(context.Background(), cluster, frameworks)
	if err != nil {
		return nil, err
	}
	defer j.release()
	services := j.list[0].services
	ptr, err := services.acquire()
	if err != nil {
		return nil, err
	}
	defer services.core.release()
	frame, err := newOwnFrame(cluster.core.id, ptr)
	if err != nil {
		return nil, err
	}
	frame.asker.services = services
	o := options.c()
	var queue *C.libsched_queue
	var failure *C.libsched_error
	frame.run(context.Background(), func() {
		err = takeError(C.lsgo_queue_create(j.array(), j.count(), &o, &queue, &failure), failure)
	})
	if err != nil {
		frame.free()
		return nil, err
	}
	return ownQueue(queue, cluster, services, frame), nil
}

func ownQueue(ptr *C.libsched_queue, cluster *Cluster, services *Services, frame *ownFrame) *SchedulingQueue {
	core := &queueCore{cluster: cluster, services: services, frame: frame}
	core.ptr = ptr
	core.free = func(p *C.libsched_queue) {
		cluster.core.lock()
		defer cluster.core.unlock()
		C.libsched_queue_unref(p)
		frame.free()
	}
	q := &SchedulingQueue{core}
	closeWhenUnreachable(q, core)
	return q
}

// Close releases the queue. [SchedulingQueue.Stop] is upstream's Close.
func (q *SchedulingQueue) Close() {
	if q != nil {
		q.core.close()
	}
}

type queueFunc func(queue *C.libsched_queue, err **C.libsched_error) C.libsched_rc

// enter locks the cluster; leave must follow unless it fails.
func (q *SchedulingQueue) enter() (*C.libsched_queue, error) {
	if q == nil {
		return nil, closedError(q)
	}
	ptr, ok := q.core.acquire()
	if !ok {
		return nil, closedError(q)
	}
	k := q.core.cluster.core
	k.lock()
	if k.cluster == nil {
		q.leave()
		return nil, closedError(q.core.cluster)
	}
	return ptr, nil
}

func (q *SchedulingQueue) leave() {
	q.core.cluster.core.unlock()
	q.core.release() // may free the queue, which locks the cluster
}

// read makes a call that asks no plugin.
func (q *SchedulingQueue) read(call queueFunc) error {
	ptr, err := q.enter()
	if err != nil {
		return err
	}
	defer q.leave()
	var failure *C.libsched_error
	return takeError(call(ptr, &failure), failure)
}

// change makes a call that may ask plugins and change nominations.
func (q *SchedulingQueue) change(ctx context.Context, call queueFunc) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	ptr, err := q.enter()
	if err != nil {
		return err
	}
	defer q.leave()
	held, err := q.core.services.core.have(&q.core.frame.c.frame)
	if err != nil {
		return err
	}
	defer held.end()
	var failure *C.libsched_error
	q.core.frame.run(ctx, func() { err = takeError(call(ptr, &failure), failure) })
	return err
}

// withPod is change for one pod.
func (q *SchedulingQueue) withPod(ctx context.Context, pod *Pod, call func(*C.libsched_queue, *C.libsched_pod,
	**C.libsched_error) C.libsched_rc) error {
	p, ok := pod.acquire()
	if !ok {
		return closedError(pod)
	}
	defer pod.h.release()
	return q.change(ctx, func(queue *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return call(queue, p, err)
	})
}

// withPods is change for two versions of a pod.
func (q *SchedulingQueue) withPods(ctx context.Context, a, b *Pod, call func(_ *C.libsched_queue,
	a, b *C.libsched_pod, err **C.libsched_error) C.libsched_rc) error {
	p, ok := b.acquire()
	if !ok {
		return closedError(b)
	}
	defer b.h.release()
	return q.withPod(ctx, a, func(queue *C.libsched_queue, o *C.libsched_pod, err **C.libsched_error) C.libsched_rc {
		return call(queue, o, p, err)
	})
}

// Add adds a new pod without a node. It is tried soon, unless a PreEnqueue plugin gates it.
func (q *SchedulingQueue) Add(ctx context.Context, pod *Pod) error {
	return q.withPod(ctx, pod, func(q *C.libsched_queue, p *C.libsched_pod, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_add(q, p, err)
	})
}

// Update replaces a pod without a node. A pod that is neither queued nor in flight is new.
func (q *SchedulingQueue) Update(ctx context.Context, before, after *Pod) error {
	return q.withPods(ctx, before, after, func(q *C.libsched_queue, a, b *C.libsched_pod,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_update(q, a, b, err)
	})
}

// Delete removes a pod that was deleted or has a node. A pod in flight stays there until it is done.
func (q *SchedulingQueue) Delete(pod *Pod) error {
	return q.withPod(context.Background(), pod, func(q *C.libsched_queue, p *C.libsched_pod,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_delete(q, p, err)
	})
}

// Pop takes the next pod to try, which is in flight afterwards; nil if no pod is ready. With the feature
// gate SchedulerPopFromBackoffQ (the default) pods that back off after a rejection follow when no other
// pod is ready.
func (q *SchedulingQueue) Pop() (*QueuedPodInfo, error) {
	return q.pop(func(queue *C.libsched_queue, out **C.libsched_queued_pod, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_pop(queue, out, err)
	})
}

// PopSpecificPod takes this pod as if it were next; nil if it is not queued, or is gated.
func (q *SchedulingQueue) PopSpecificPod(pod *Pod) (*QueuedPodInfo, error) {
	p, ok := pod.acquire()
	if !ok {
		return nil, closedError(pod)
	}
	defer pod.h.release()
	return q.pop(func(queue *C.libsched_queue, out **C.libsched_queued_pod, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_pop_specific(queue, p, out, err)
	})
}

// Done ends the flight of a pod, by its uid, or "namespace/name" if its document has none. It does nothing
// if the pod is not in flight.
func (q *SchedulingQueue) Done(uid string) error {
	return q.change(context.Background(), func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_done(q, str(uid), err)
	})
}

// AddUnschedulableIfNotPresent returns a popped pod to the queue, and ends its flight. The pod waits for an
// event that may help it. If such an event occurred while it was in flight, or no plugin rejected it
// because its cycle failed, it waits only for the end of its backoff. `pod` is its current version (nil: as
// it was popped). The plugins are those of [Attempt]: Rejectors, of which `pending` are Pending. Errors:
// ErrExists (a pod of this name is in the queue; the flight has ended), ErrMisuse (not popped of this queue).
func (q *SchedulingQueue) AddUnschedulableIfNotPresent(ctx context.Context, popped *QueuedPodInfo, pod *Pod,
	unschedulable, pending []string) error {
	if popped == nil || popped.popped == nil {
		return &Error{Code: ErrMisuse, Msg: "a pod returns to the queue that it was popped of"}
	}
	queued, ok := popped.popped.acquire()
	if !ok {
		return closedError(popped)
	}
	defer popped.popped.release()
	var p *C.libsched_pod
	if pod != nil {
		if p, ok = pod.acquire(); !ok {
			return closedError(pod)
		}
		defer pod.h.release()
	}
	var pin pinned
	defer pin.Unpin()
	rejection := C.libsched_rejection{
		struct_size:   C.sizeof_libsched_rejection,
		unschedulable: pin.strs(unschedulable), unschedulable_count: C.size_t(len(unschedulable)),
		pending: pin.strs(pending), pending_count: C.size_t(len(pending)),
	}
	return q.change(ctx, func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_add_unschedulable(q, queued, p, &rejection, err)
	})
}

// Activate makes pods be tried again at once, unless they are gated.
func (q *SchedulingQueue) Activate(ctx context.Context, pods ...*Pod) error {
	batch, err := newPodBatch(pods, nil)
	if err != nil {
		return err
	}
	defer batch.release(pods)
	return q.change(ctx, func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_activate(q, batch.list(), C.size_t(len(pods)), err)
	})
}

// FlushBackoff retries the pods whose backoff is over.
func (q *SchedulingQueue) FlushBackoff(ctx context.Context) error {
	return q.change(ctx, func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_flush_backoff(q, err)
	})
}

// FlushUnschedulable retries the pods that were rejected too long ago.
func (q *SchedulingQueue) FlushUnschedulable(ctx context.Context) error {
	return q.change(ctx, func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_flush_unschedulable(q, err)
	})
}

// Start starts upstream's timers, which flush the backoff every second and unschedulable pods every 30
// seconds; it is upstream's Run. The timers run in RunDue. Errors: ErrState (started or stopped before).
func (q *SchedulingQueue) Start() error {
	return q.change(context.Background(), func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_run(q, err)
	})
}

// NextDue returns the time at which the next timer is due; false: never. A virtual clock may be advanced to
// that time at once:
//
//	for due, ok := queue.NextDue(); ok && !due.After(end); due, ok = queue.NextDue() {
//		err := clock.AdvanceTo(due)
//		err = queue.RunDue(ctx)
//	}
func (q *SchedulingQueue) NextDue() (time.Time, bool) {
	var due C.int64_t
	var ok C.bool
	err := q.read(func(q *C.libsched_queue, _ **C.libsched_error) C.libsched_rc {
		ok = C.libsched_queue_next_due(q, &due)
		return C.LIBSCHED_OK
	})
	if err != nil || !bool(ok) {
		return time.Time{}, false
	}
	return time.Unix(0, int64(due)), true
}

// RunDue runs the timers that are due, each once.
func (q *SchedulingQueue) RunDue(ctx context.Context) error {
	return q.change(ctx, func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_run_due(q, err)
	})
}

// Stop ends timers and flights. The remaining pods can still be popped. Errors: ErrState (stopped before).
func (q *SchedulingQueue) Stop() error {
	return q.change(context.Background(), func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_close(q, err)
	})
}
