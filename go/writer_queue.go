package libsched

// #include "scheduling_bridge.h"
import "C"

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

// WriterQueue collects what binding cycles, on any goroutine, want changed by the goroutine that changes
// a cluster. It is safe for concurrent use.
type WriterQueue struct {
	h *handle[*C.libsched_writer_queue]
	// The services of the clusters that pods were scheduled on: Apply may take back nominations.
	mu       sync.Mutex
	services []*Services
}

// NewWriterQueue returns an empty queue.
func NewWriterQueue() *WriterQueue {
	var ptr *C.libsched_writer_queue
	if rc := C.libsched_writer_queue_create(&ptr, nil); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc)) // out of memory
	}
	q := &WriterQueue{h: newHandle(ptr, func(p *C.libsched_writer_queue) { C.libsched_writer_queue_unref(p) })}
	closeWhenUnreachable(q, q.h)
	return q
}

// Close releases the queue. Binding cycles that know it keep it alive.
func (q *WriterQueue) Close() {
	if q != nil {
		q.h.close()
	}
}

func (q *WriterQueue) acquire() (*C.libsched_writer_queue, error) {
	if q == nil {
		return nil, closedError(q)
	}
	return acquired(q, q.h)
}

// Pending returns the number of messages that wait; 0 after Close.
func (q *WriterQueue) Pending() int {
	ptr, err := q.acquire()
	if err != nil {
		return 0
	}
	defer q.h.release()
	return int(C.libsched_writer_queue_pending(ptr))
}

// Apply applies the messages in their order: pods that were bound are no longer only assumed, and
// others are unreserved and taken off their nodes. A message changes nothing if its pod has gone, or
// the cluster has learnt something newer of it. Apply returns how many messages were applied, and how
// many came too late. After an error that message and those behind it are kept.
func (q *WriterQueue) Apply(cluster *Cluster) (applied, dropped int, err error) {
	ptr, err := q.acquire()
	if err != nil {
		return 0, 0, err
	}
	defer q.h.release()
	var done, late C.size_t
	var refused error
	err = cluster.change(func(k *C.libsched_cluster, failure **C.libsched_error) C.libsched_rc {
		held, release, failed := q.hold()
		if failed != nil {
			refused = failed
			return C.LIBSCHED_ERR_MISUSE
		}
		defer release()
		return C.lsgo_apply(ptr, k, unsafe.SliceData(held), C.size_t(len(held)), &done, &late, failure)
	})
	if refused != nil {
		err = refused
	}
	return int(done), int(late), err
}

// knows notes the services of a pod that was scheduled.
func (q *WriterQueue) knows(services *Services) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.ContainsFunc(q.services, func(s *Services) bool { return s.core == services.core }) {
		q.services = append(q.services, services)
	}
}

// hold locks all services, always in the same order.
func (q *WriterQueue) hold() (held []*C.libsched_services, release func(), err error) {
	q.mu.Lock()
	services := slices.Clone(q.services)
	q.mu.Unlock()
	slices.SortFunc(services, func(a, b *Services) int {
		return cmp.Compare(uintptr(unsafe.Pointer(a.core.ptr)), uintptr(unsafe.Pointer(b.core.ptr)))
	})
	var ends []func()
	release = func() {
		for _, end := range ends {
			end()
		}
	}
	for _, s := range services {
		if s.core.closed() {
			continue
		}
		ptr, end, err := s.alone()
		if err != nil {
			release()
			return nil, nil, err
		}
		held, ends = append(held, ptr), append(ends, end)
	}
	return held, release, nil
}
