package libsched

// #include "loop_bridge.h"
import "C"

import (
	"runtime/cgo"
	"time"
	"unsafe"
)

// Deliver delivers a change at the API server, which takes effect before the scheduler's next action. Any
// goroutine may call it, also an API client or a plugin; it does not wait. For an added object `before` is
// nil, for a deleted one `after`. A pod that has ended counts as deleted. Both are of one kind: *Pod, *Node,
// or *Objects with one object. Errors: ErrInvalid (neither is given, or both but of two names or kinds, or
// Objects with more or fewer objects).
func (s *Scheduler) Deliver(before, after EventObject) error {
	a, err := borrowObject(before)
	if err != nil {
		return err
	}
	defer a.release()
	b, err := borrowObject(after)
	if err != nil {
		return err
	}
	defer b.release()
	ptr, err := s.acquire()
	if err != nil {
		return err
	}
	defer s.core.release()
	var failure *C.libsched_error
	var rc C.libsched_rc
	pods, nodes := a.pod != nil || b.pod != nil, a.node != nil || b.node != nil
	objects := a.objects != nil || b.objects != nil
	switch {
	case pods && nodes || pods && objects || nodes && objects:
		return &Error{Code: ErrInvalid, Msg: "the objects before and after a change have different types"}
	case nodes:
		rc = C.libsched_scheduler_deliver_node(ptr, a.node, b.node, &failure)
	case objects:
		rc = C.libsched_scheduler_deliver_object(ptr, a.objects, b.objects, &failure)
	default:
		rc = C.libsched_scheduler_deliver_pod(ptr, a.pod, b.pod, &failure)
	}
	return takeError(rc, failure)
}

// Queue returns the scheduler's queue, to read between two runs. Close it when it is no longer needed.
func (s *Scheduler) Queue() (*SchedulingQueue, error) {
	ptr, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer s.leave()
	k := s.core
	frame, err := newOwnFrame(k.cluster.core.id, k.frame.c.frame.services)
	if err != nil {
		return nil, err
	}
	frame.asker.services = k.services
	return ownQueue(C.libsched_queue_ref(C.libsched_scheduler_queue(ptr)), k.cluster, k.services, frame), nil
}

// Services returns the scheduler's clock, API client, nominations and waiting pods. Any goroutine may decide
// about waiting pods, also during a run.
func (s *Scheduler) Services() *Services {
	if s == nil {
		return nil
	}
	return s.core.services
}

// Requests returns the requests of a scheduler without an API client, which only records them. They can be
// read during a run. Errors: ErrState (it has an API client).
func (s *Scheduler) Requests() ([]Request, error) {
	if _, err := s.acquire(); err != nil {
		return nil, err
	}
	defer s.core.release()
	if s.core.memory == nil {
		return nil, &Error{Code: ErrState, Msg: "the scheduler has another API client, which keeps no requests"}
	}
	return requestsOf(s.core.memory.ptr)
}

// MetricsText returns upstream's metrics in Prometheus' exposition format. Those of features that libsched
// does not have are never observed; loop.h lists them.
func (s *Scheduler) MetricsText() ([]byte, error) {
	ptr, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer s.leave()
	return textOfObject(ptr, func(p *C.libsched_scheduler, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_scheduler_metrics_text(p, text, err)
	})
}

// SchedulerState is what a scheduler has begun but not ended.
type SchedulerState struct {
	InCycle  bool // a scheduling cycle waits for a slow request
	Bindings int  // binding cycles that have not ended
	Now      time.Time
}

// State returns what the scheduler has begun but not ended, and the time of its clock.
func (s *Scheduler) State() (SchedulerState, error) {
	ptr, err := s.enter()
	if err != nil {
		return SchedulerState{}, err
	}
	defer s.leave()
	c := C.libsched_scheduler_state{struct_size: C.sizeof_libsched_scheduler_state}
	var failure *C.libsched_error
	if rc := C.libsched_scheduler_get(ptr, &c, &failure); rc != C.LIBSCHED_OK {
		return SchedulerState{}, takeError(rc, failure)
	}
	return SchedulerState{bool(c.in_cycle), int(c.bindings), time.Unix(0, int64(c.now_ns))}, nil
}

//export lsgoObserve
func lsgoObserve(h, self C.uintptr_t, what C.int, queued *C.libsched_queued_pod, node C.libsched_str,
	status *C.libsched_status) {
	observer, returned := cgo.Handle(h).Value().(*schedulerWatch).observer, false
	defer func() {
		if reason := recover(); reason != nil {
			askers.at(self).panicked = reason // for the end of the run
		} else if !returned {
			exited("observer")
		}
	}()
	pod := queuedPod(queued)
	switch what {
	case C.LSGO_POPPED:
		observer.Popped(pod)
	case C.LSGO_ASSUMED:
		observer.Assumed(pod, goString(node))
	case C.LSGO_BOUND:
		observer.Bound(pod, goString(node))
	case C.LSGO_FAILED:
		observer.Failed(pod, goString(node), copyStatus(status))
	}
	returned = true
}

//export lsgoLog
func lsgoLog(h, self C.uintptr_t, record *C.libsched_log_record) {
	log, returned := cgo.Handle(h).Value().(*schedulerWatch).log, false
	defer func() {
		if reason := recover(); reason != nil {
			askers.at(self).panicked = reason // for the end of the run
		} else if !returned {
			exited("log")
		}
	}()
	fields := make([]LogField, record.field_count)
	for i, f := range unsafe.Slice(record.fields, int(record.field_count)) {
		fields[i] = LogField{goString(f.key), goString(f.value)}
	}
	log(LogRecord{int(record.level), bool(record.error), time.Unix(0, int64(record.time_ns)), goString(record.message), fields})
	returned = true
}
