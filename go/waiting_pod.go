package libsched

// #include "runtime_bridge.h"
import "C"

import (
	"time"
	"unsafe"
)

// PermitWait is the time for which a Permit plugin makes a pod wait.
type PermitWait struct {
	Plugin  string
	Timeout time.Duration
}

// WaitingPod is a pod that waits for Permit plugins. Any goroutine may decide; the first decision holds.
type WaitingPod struct {
	h *handle[*C.libsched_waiting_pod]
}

func ownWaitingPod(ptr *C.libsched_waiting_pod) *WaitingPod {
	if ptr == nil {
		return nil
	}
	w := &WaitingPod{newHandle(ptr, func(p *C.libsched_waiting_pod) { C.libsched_waiting_pod_unref(p) })}
	closeWhenUnreachable(w, w.h)
	return w
}

// AddWaitingPod makes a pod wait for which RunPermitPlugins returned Wait. The time counts from now on, by
// the services' clock.
func (s *Services) AddWaitingPod(pod *Pod, waits []PermitWait) error {
	p, ok := pod.acquire()
	if !ok {
		return closedError(pod)
	}
	defer pod.h.release()
	ptr, err := s.acquire()
	if err != nil {
		return err
	}
	defer s.core.release()
	var pin pinned
	defer pin.Unpin()
	list := make([]C.libsched_permit_wait, len(waits), len(waits)+1)
	for i, wait := range waits {
		list[i] = C.libsched_permit_wait{plugin: pin.str(wait.Plugin), timeout_ns: C.int64_t(wait.Timeout)}
	}
	var failure *C.libsched_error
	rc := C.libsched_services_add_waiting_pod(ptr, p, unsafe.SliceData(list), C.size_t(len(waits)), &failure)
	return takeError(rc, failure)
}

// WaitingPod returns the pod with a uid; nil if it does not wait.
func (s *Services) WaitingPod(uid string) *WaitingPod {
	ptr, err := s.acquire()
	if err != nil {
		return nil
	}
	defer s.core.release()
	var found *C.libsched_waiting_pod
	C.libsched_services_find_waiting_pod(ptr, str(uid), &found, nil) // a failure leaves nil
	return ownWaitingPod(found)
}

// WaitingPods returns all waiting pods, ordered by uid.
func (s *Services) WaitingPods() []*WaitingPod {
	ptr, err := s.acquire()
	if err != nil {
		return nil
	}
	defer s.core.release()
	found := make([]*C.libsched_waiting_pod, 16)
	for {
		var count C.size_t
		if C.libsched_services_waiting_pods(ptr, &found[0], C.size_t(len(found)), &count, nil) != C.LIBSCHED_OK {
			return nil
		}
		n := int(count)
		if n <= len(found) {
			found = found[:n]
			break
		}
		for _, waiting := range found {
			C.libsched_waiting_pod_unref(waiting)
		}
		found = make([]*C.libsched_waiting_pod, 2*n)
	}
	pods := make([]*WaitingPod, len(found))
	for i := range pods {
		pods[i] = ownWaitingPod(found[i])
	}
	return pods
}

// RejectWaitingPod rejects a pod with the message "removed" and no plugin. It returns false if the pod does
// not wait.
func (s *Services) RejectWaitingPod(uid string) bool {
	ptr, err := s.acquire()
	if err != nil {
		return false
	}
	defer s.core.release()
	return bool(C.libsched_services_reject_waiting_pod(ptr, str(uid)))
}

// Close releases the value; the pod continues to wait.
func (w *WaitingPod) Close() {
	if w != nil {
		w.h.close()
	}
}

// Pod returns the pod; nil after Close.
func (w *WaitingPod) Pod() *Pod {
	return ask(w.h, func(ptr *C.libsched_waiting_pod) *Pod { return refPod(C.libsched_waiting_pod_pod(ptr)) })
}

// PendingPlugins returns the plugins that have not allowed the pod yet, sorted.
func (w *WaitingPod) PendingPlugins() []string {
	ptr, ok := w.h.acquire()
	if !ok {
		return nil
	}
	defer w.h.release()
	names := make([]C.libsched_str, C.libsched_waiting_pod_pending(ptr, nil, 0))
	if len(names) == 0 {
		return nil
	}
	n := int(C.libsched_waiting_pod_pending(ptr, &names[0], C.size_t(len(names)))) // fewer if a plugin has allowed the pod meanwhile
	plugins := make([]string, n)
	for i := range plugins {
		plugins[i] = goString(names[i])
	}
	return plugins
}

// Allow records that a plugin allows the pod. When all waiting plugins have allowed it, the wait ends.
func (w *WaitingPod) Allow(plugin string) {
	if ptr, ok := w.h.acquire(); ok {
		defer w.h.release()
		C.libsched_waiting_pod_allow(ptr, str(plugin))
	}
}

// Reject rejects the pod; it returns true if this ended the wait.
func (w *WaitingPod) Reject(plugin, message string) bool {
	return ask(w.h, func(ptr *C.libsched_waiting_pod) bool {
		return bool(C.libsched_waiting_pod_reject(ptr, str(plugin), str(message)))
	})
}

// Preempt is Reject for a pod that is to be retried soon.
func (w *WaitingPod) Preempt(plugin, message string) bool {
	return ask(w.h, func(ptr *C.libsched_waiting_pod) bool {
		return bool(C.libsched_waiting_pod_preempt(ptr, str(plugin), str(message)))
	})
}

// Decided reports whether the wait has ended, also by timeout, and with which Status.
func (w *WaitingPod) Decided() (*Status, bool) {
	ptr, ok := w.h.acquire()
	if !ok {
		return nil, false
	}
	defer w.h.release()
	var said *C.libsched_status
	if rc := C.libsched_status_create(&said, nil); rc != C.LIBSCHED_OK {
		return AsStatus(ErrorCode(rc)), false
	}
	defer C.libsched_status_unref(said)
	if !C.libsched_waiting_pod_decided(ptr, said) {
		return nil, false
	}
	return copyStatus(said), true
}
