package libsched

// #include "loop_bridge.h"
import "C"

import (
	"context"
	"math"
	"time"
	"unsafe"
)

// QueuedPodInfo is upstream's QueuedPodInfo: a pod in a queue, or popped of it, as it was at that time. A
// zero Time is not set.
type QueuedPodInfo struct {
	Pod                    *Pod
	Attempts               int       // the number of pops
	Timestamp              time.Time // when it was added, or last returned
	InitialAttempt         time.Time // when it was first ready to be popped
	BackoffExpiration      time.Time
	UnschedulableCount     int
	ConsecutiveErrorsCount int
	WasFlushed             bool   // it was rejected too long ago, and no event helped it
	GatingPlugin           string // the PreEnqueue plugin that gates it; "": none
	// UnschedulablePlugins rejected it, and PendingPlugins are those that it waits for; sorted.
	UnschedulablePlugins, PendingPlugins []string

	popped *handle[*C.libsched_queued_pod] // of pops
}

func timeOf(ns C.int64_t) time.Time {
	if ns == math.MinInt64 { // LIBSCHED_NO_TIME
		return time.Time{}
	}
	return time.Unix(0, int64(ns))
}

// queuedPod reads a pod, with the cluster locked.
func queuedPod(ptr *C.libsched_queued_pod) *QueuedPodInfo {
	c := C.libsched_queued_pod_info{struct_size: C.sizeof_libsched_queued_pod_info}
	C.libsched_queued_pod_get(ptr, &c, nil) // cannot fail
	return &QueuedPodInfo{
		Pod: refPod(c.pod), Attempts: int(c.attempts), Timestamp: timeOf(c.timestamp_ns),
		InitialAttempt: timeOf(c.initial_attempt_ns), BackoffExpiration: timeOf(c.backoff_expiration_ns),
		UnschedulableCount: int(c.unschedulable_count), ConsecutiveErrorsCount: int(c.consecutive_errors_count),
		WasFlushed: bool(c.was_flushed), GatingPlugin: goString(c.gating_plugin),
		UnschedulablePlugins: pluginsOf(ptr, false), PendingPlugins: pluginsOf(ptr, true),
	}
}

func pluginsOf(ptr *C.libsched_queued_pod, pending C.bool) []string {
	var count C.size_t
	C.libsched_queued_pod_plugins(ptr, pending, nil, 0, &count, nil)
	if count == 0 {
		return nil
	}
	list := make([]C.libsched_str, count) // of C memory
	C.libsched_queued_pod_plugins(ptr, pending, &list[0], count, &count, nil)
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = goString(name)
	}
	return names
}

func (q *SchedulingQueue) pop(call func(*C.libsched_queue, **C.libsched_queued_pod,
	**C.libsched_error) C.libsched_rc) (*QueuedPodInfo, error) {
	var ptr *C.libsched_queued_pod
	var info *QueuedPodInfo
	err := q.change(context.Background(), func(queue *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		rc := call(queue, &ptr, err)
		if ptr != nil {
			info = queuedPod(ptr)
		}
		return rc
	})
	if info == nil {
		return nil, err
	}
	cluster := q.core.cluster.core
	info.popped = newHandle(ptr, func(p *C.libsched_queued_pod) {
		cluster.lock()
		defer cluster.unlock()
		C.libsched_queued_pod_unref(p)
	})
	closeWhenUnreachable(info, info.popped)
	return info, nil
}

// QueuePart is a part of a queue.
type QueuePart uint32

const (
	PartActive        QueuePart = C.LIBSCHED_QUEUE_ACTIVE        // in the order of Pop
	PartBackoff       QueuePart = C.LIBSCHED_QUEUE_BACKOFF       // rejected pods that back off: by expiry, then QueueSort
	PartErrorBackoff  QueuePart = C.LIBSCHED_QUEUE_ERROR_BACKOFF // pods whose cycle failed: by expiry, then name
	PartUnschedulable QueuePart = C.LIBSCHED_QUEUE_UNSCHEDULABLE // pods that wait for an event or a gate: by name
	PartGated         QueuePart = C.LIBSCHED_QUEUE_GATED         // the unschedulable pods that a plugin gates: by name
)

func (p QueuePart) String() string {
	return nameOf(p, "active", "backoff", "errorBackoff", "unschedulable", "gated")
}

// List returns the pods of a part, in its order. Errors: ErrInvalid (no such part).
func (q *SchedulingQueue) List(part QueuePart) (pods []*QueuedPodInfo, err error) {
	err = q.read(func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		var count C.size_t
		if rc := C.libsched_queue_list(q, C.uint32_t(part), nil, 0, &count, err); rc != C.LIBSCHED_OK {
			return rc
		}
		list := make([]*C.libsched_queued_pod, count)
		rc := C.libsched_queue_list(q, C.uint32_t(part), unsafe.SliceData(list), count, &count, err)
		if rc == C.LIBSCHED_OK {
			for _, ptr := range list {
				pods = append(pods, queuedPod(ptr))
			}
		}
		return rc
	})
	return pods, err
}

// InFlight is an entry of a queue's list of pods and events in flight: a popped pod, or a later event.
type InFlight struct {
	Pod   *Pod   // as it was popped; nil: an event
	Event string // its label
}

// InFlight returns the popped pods that are not done, and the events since, oldest first.
func (q *SchedulingQueue) InFlight() (entries []InFlight, err error) {
	err = q.read(func(q *C.libsched_queue, _ **C.libsched_error) C.libsched_rc {
		list := make([]C.libsched_in_flight, C.libsched_queue_in_flight(q, nil, 0))
		C.libsched_queue_in_flight(q, unsafe.SliceData(list), C.size_t(len(list)))
		for _, entry := range list {
			entries = append(entries, InFlight{refPod(entry.pod), goString(entry.event)})
		}
		return C.LIBSCHED_OK
	})
	return entries, err
}

// QueueCounts says how many pods are where.
type QueueCounts struct {
	Active, Backoff, ErrorBackoff int
	Unschedulable                 int // without those that are gated
	Gated                         int
	InFlightPods, InFlightEvents  int
	SchedulingCycle               int64 // the number of pops
	MoveRequestCycle              int64 // the cycle of the last event that could have moved pods; -1: none
	Stopped                       bool
}

// Counts returns the numbers of pods in each part.
func (q *SchedulingQueue) Counts() (QueueCounts, error) {
	c := C.libsched_queue_counts{struct_size: C.sizeof_libsched_queue_counts}
	err := q.read(func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_get(q, &c, err)
	})
	if err != nil {
		return QueueCounts{}, err
	}
	return QueueCounts{
		Active: int(c.active), Backoff: int(c.backoff), ErrorBackoff: int(c.error_backoff),
		Unschedulable: int(c.unschedulable), Gated: int(c.gated),
		InFlightPods: int(c.in_flight_pods), InFlightEvents: int(c.in_flight_events),
		SchedulingCycle: int64(c.scheduling_cycle), MoveRequestCycle: int64(c.move_request_cycle),
		Stopped: bool(c.closed),
	}, nil
}

// QueueMetrics holds upstream's queue_incoming_pods_total, unschedulable_pods and inflight_events, sorted,
// without those that are 0.
type QueueMetrics struct {
	Incoming []struct {
		Queue string `json:"queue"`
		Event string `json:"event"`
		Count int64  `json:"count"`
	} `json:"incoming"`
	Unschedulable []struct {
		Plugin  string `json:"plugin"`
		Profile string `json:"profile"`
		Count   int64  `json:"count"`
	} `json:"unschedulable"`
	InFlightEvents []struct {
		Event string `json:"event"`
		Count int64  `json:"count"`
	} `json:"inFlightEvents"`
}

// Metrics returns the queue's counters and gauges.
func (q *SchedulingQueue) Metrics() (QueueMetrics, error) {
	var text *C.libsched_text
	err := q.read(func(q *C.libsched_queue, err **C.libsched_error) C.libsched_rc {
		return C.libsched_queue_metrics_json(q, &text, err)
	})
	if err != nil {
		return QueueMetrics{}, err
	}
	return readJSON[QueueMetrics]("metrics of a queue", takeText(text), nil)
}

// NominatedPod is a pod that waits for room on a node.
type NominatedPod struct {
	Node string // "": the nomination was removed
	Pod  *Pod
}

// NominatedPods returns the nominations, by node and then in the order of nomination.
func (s *Services) NominatedPods() ([]NominatedPod, error) {
	ptr, err := s.acquire()
	if err != nil {
		return nil, err
	}
	defer s.core.release()
	defer s.core.read(ptr)()
	list := make([]C.libsched_nominated_pod, C.libsched_services_nominated_pods(ptr, nil, 0))
	C.libsched_services_nominated_pods(ptr, unsafe.SliceData(list), C.size_t(len(list)))
	pods := make([]NominatedPod, len(list))
	for i, entry := range list {
		pods[i] = NominatedPod{goString(entry.node_name), refPod(entry.pod)}
	}
	return pods, nil
}
