package libsched

// #include "loop_bridge.h"
import "C"

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"
)

// TimedWorkload holds pods that arrive over time, for a [Simulation]. A pod is made when it arrives, so
// a million pods take little memory. Methods that add to it add everything or, after an error, nothing.
// Errors of all: ErrExists (a pod of this name), ErrInvalid (a time that is negative or beyond 50 years),
// ErrLimit (more than 1,000,000,000 pods), ErrState (a simulation has the workload).
type TimedWorkload struct {
	h  *handle[*C.libsched_workload]
	mu *sync.Mutex // one call at a time
}

// NewTimedWorkload returns an empty workload.
func NewTimedWorkload() *TimedWorkload {
	var ptr *C.libsched_workload
	if rc := C.libsched_workload_create(&ptr, nil); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc)) // out of memory
	}
	w := &TimedWorkload{newHandle(ptr, func(p *C.libsched_workload) { C.libsched_workload_unref(p) }), &sync.Mutex{}}
	closeWhenUnreachable(w, w.h)
	return w
}

// Close releases the workload. Simulations that have it keep it alive.
func (w *TimedWorkload) Close() {
	if w != nil {
		w.h.close()
	}
}

// enter locks the workload; leave must follow unless it fails.
func (w *TimedWorkload) enter() (*C.libsched_workload, error) {
	if w == nil {
		return nil, closedError(w)
	}
	ptr, ok := w.h.acquire()
	if !ok {
		return nil, closedError(w)
	}
	w.mu.Lock()
	return ptr, nil
}

func (w *TimedWorkload) leave() {
	w.mu.Unlock()
	w.h.release()
}

// Len returns the number of pods, without those of CronJobs; 0 after Close.
func (w *TimedWorkload) Len() int {
	ptr, err := w.enter()
	if err != nil {
		return 0
	}
	defer w.leave()
	return int(C.libsched_workload_pod_count(ptr))
}

// Timing says when pods arrive, since the simulation's beginning, and for how long each runs once it is
// bound.
type Timing struct {
	Arrival  time.Duration
	Duration time.Duration // 0: until the simulation ends
	Interval time.Duration // between the arrivals of two replicas
}

// Add adds a pod. Without a timing (nil) its times are those of its annotations ([TimedWorkload.AddObjects]),
// or without any, it arrives at once and stays.
func (w *TimedWorkload) Add(pod *Pod, timing *Timing) error { return w.add(pod, 0, timing) }

// AddReplicas is Add for replicas of a pod, which are named as a StatefulSet's ("name-0").
func (w *TimedWorkload) AddReplicas(pod *Pod, replicas int, timing *Timing) error {
	if replicas < 1 {
		return &Error{Code: ErrInvalid, Msg: "a number of replicas is positive"}
	}
	return w.add(pod, replicas, timing)
}

func (w *TimedWorkload) add(pod *Pod, replicas int, timing *Timing) error {
	var t *C.libsched_timing
	if timing != nil {
		t = &C.libsched_timing{
			struct_size: C.sizeof_libsched_timing,
			arrival_ns:  C.int64_t(timing.Arrival), duration_ns: C.int64_t(timing.Duration),
			interval_ns: C.int64_t(timing.Interval),
		}
		switch {
		case timing.Duration == 0:
			t.duration_ns = -1
		case timing.Duration < 0:
			return &Error{Code: ErrInvalid, Msg: "the duration of a pod is negative"}
		}
	}
	p, ok := pod.acquire()
	if !ok {
		return closedError(pod)
	}
	defer pod.h.release()
	ptr, err := w.enter()
	if err != nil {
		return err
	}
	defer w.leave()
	var failure *C.libsched_error
	return takeError(C.libsched_workload_add(ptr, p, C.size_t(replicas), t, &failure), failure)
}

// AddObjects adds all pods, and the replicas of all workloads. Annotations of a pod, or of a workload's
// pod template or else of the workload, are their times, as Go durations ("90s"): libsched/arrival,
// libsched/duration and libsched/interval. Parse the objects with [KeepAnnotations] for that. Pods that have
// ended are left out. A Job makes parallelism pods at a time until completions have run for their duration,
// and a CronJob starts such Jobs by its schedule. [TimedWorkload.Warnings] tells what has no effect.
func (w *TimedWorkload) AddObjects(objects *Objects) error {
	if objects == nil {
		return closedError(objects)
	}
	o, ok := objects.h.acquire()
	if !ok {
		return closedError(objects)
	}
	defer objects.h.release()
	ptr, err := w.enter()
	if err != nil {
		return err
	}
	defer w.leave()
	var failure *C.libsched_error
	return takeError(C.libsched_workload_add_objects(ptr, o, &failure), failure)
}

// Warning is something in an object that has no effect.
type Warning struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Warnings tells what of the added objects has no effect: a misspelt annotation "libsched/...", a field of
// Jobs that is not imitated, or a suspended Job.
func (w *TimedWorkload) Warnings() ([]Warning, error) {
	ptr, err := w.enter()
	if err != nil {
		return nil, err
	}
	defer w.leave()
	document, err := textOfObject(ptr, func(p *C.libsched_workload, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_workload_warnings_json(p, text, err)
	})
	if err != nil {
		return nil, err
	}
	var warnings []Warning
	if err := json.Unmarshal(document, &warnings); err != nil {
		return nil, &Error{Code: ErrInternal, Msg: fmt.Sprintf("warnings: %v", err)}
	}
	return warnings, nil
}

// TraceOptions says how a trace is read. The zero value is the default.
type TraceOptions struct {
	File          string // names the text in errors; "": "trace"
	Namespace     string // of all pods; "": "default"
	SchedulerName string // of all pods; "": "default-scheduler"
	GPUResource   string // "": "alibabacloud.com/gpu-milli"
	GPUModelLabel string // of nodes; "": "alibabacloud.com/gpu-card-model"
}

// AddTrace reads CSV in the columns of the openb trace, in any order: name, cpu_milli, memory_mib; num_gpu,
// gpu_milli (of each GPU), gpu_spec (types joined by "|"), qos, pod_phase, creation_time, deletion_time,
// scheduled_time (seconds) may be missing. A pod arrives at creation_time and runs for deletion_time -
// scheduled_time, or without scheduled_time, for deletion_time - creation_time; without deletion_time it
// stays. num_gpu * gpu_milli are requested as one resource, gpu_spec is required node affinity. Further
// errors, all with the place "FILE:LINE: COLUMN: ...": ErrInvalid for a bad row, an unknown or missing
// column, or a pod that ends before it arrives; ErrCancelled when the context ends.
func (w *TimedWorkload) AddTrace(ctx context.Context, csv []byte, options TraceOptions) error {
	if err := contextError(ctx); err != nil {
		return err
	}
	ptr, err := w.enter()
	if err != nil {
		return err
	}
	defer w.leave()
	e, err := newOwnFrame(nil, nil) // for its cancel flag
	if err != nil {
		return err
	}
	defer e.free()
	finish := e.asker.watch(ctx)
	var pin pinned
	defer pin.Unpin()
	o := C.libsched_trace_options{
		struct_size: C.sizeof_libsched_trace_options, file: pin.str(options.File), ns: pin.str(options.Namespace),
		scheduler_name: pin.str(options.SchedulerName), gpu_resource: pin.str(options.GPUResource),
		gpu_model_label: pin.str(options.GPUModelLabel), cancel: e.c.cancel,
	}
	var failure *C.libsched_error
	rc := C.libsched_workload_add_trace(ptr, strOfBytes(csv), &o, &failure)
	return finish(takeError(rc, failure))
}

// trampoline is what a C callback calls, with the panic or the error that ended it.
type trampoline[T any] struct {
	call     func(T) error
	err      error
	panicked any
}

// do calls the function; it returns false after an error or a panic, which finish reports.
func (t *trampoline[T]) do(what string, with T) bool {
	returned := false
	defer func() {
		if reason := recover(); reason != nil {
			t.panicked = reason
		} else if !returned {
			exited(what)
		}
	}()
	t.err = t.call(with)
	returned = true
	return t.err == nil
}

// finish panics as the function did, or returns its error instead of ErrCancelled.
func (t *trampoline[T]) finish(err error) error {
	if t.panicked != nil {
		panic(t.panicked)
	}
	if t.err != nil {
		return t.err
	}
	return err
}
