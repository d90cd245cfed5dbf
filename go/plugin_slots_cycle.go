package libsched

// #include "plugin_bridge.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"time"
)

// This file has the slots around Filter and Score, and the slots for events, like plugin_slots.go.

//export lsgoInstanceName
func lsgoInstanceName(h C.uintptr_t, out *C.libsched_str) {
	i := instanceOf(h)
	text, n := textOf(i.shown)
	*out = C.lsgo_keep(text, n)
}

//export lsgoLess
func lsgoLess(h C.uintptr_t, frame *C.lsgo_frame, a *C.libsched_pod, aSince C.int64_t, b *C.libsched_pod,
	bSince C.int64_t) C.bool {
	i := instanceOf(h)
	c := i.begin(frame, nil)
	defer i.endWithout(c)
	less := i.queueSort.Less(QueuedPod{i.pod(0, a), time.Unix(0, int64(aSince))},
		QueuedPod{i.pod(1, b), time.Unix(0, int64(bSince))})
	c.returned = true
	return C.bool(less)
}

//export lsgoPreEnqueue
func lsgoPreEnqueue(h C.uintptr_t, frame *C.lsgo_frame, pod *C.libsched_pod,
	status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, nil)
	defer i.end(c, status, &code)
	return c.answer(status, i.preEnqueue.PreEnqueue(c.ctx, i.pod(0, pod)))
}

//export lsgoChangePod
func lsgoChangePod(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod, other *C.libsched_pod,
	info *C.libsched_node_info, added C.bool, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	if i.changes == nil {
		return c.answer(status, nil)
	}
	c.info.one = info
	if added {
		return c.answer(status, i.changes.AddPod(c.ctx, &c.state, i.pod(0, pod), i.pod(1, other), &c.info))
	}
	return c.answer(status, i.changes.RemovePod(c.ctx, &c.state, i.pod(0, pod), i.pod(1, other), &c.info))
}

//export lsgoPostFilter
func lsgoPostFilter(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	statuses *C.libsched_node_statuses, nomination *C.libsched_nomination,
	status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	lent := lendStatuses(statuses)
	defer lent.h.closeAndWait()
	wish, s := i.postFilter.PostFilter(c.ctx, &c.state, i.pod(0, pod), lent)
	if wish != nil {
		nomination.mode = C.uint32_t(wish.Mode)
		text, n := textOf(wish.Node)
		nomination.node = C.lsgo_keep(text, n)
	}
	return c.answer(status, s)
}

//export lsgoPermit
func lsgoPermit(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	node C.libsched_str, timeout *C.int64_t, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	s, wait := i.permit.Permit(c.ctx, &c.state, i.pod(0, pod), goString(node))
	*timeout = C.int64_t(wait)
	return c.answer(status, s)
}

//export lsgoPreBindPreFlight
func lsgoPreBindPreFlight(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state,
	pod *C.libsched_pod, node C.libsched_str, parallel *C.bool, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	result, s := i.preBind.PreBindPreFlight(c.ctx, &c.state, i.pod(0, pod), goString(node))
	*parallel = C.bool(result != nil && result.AllowParallel)
	return c.answer(status, s)
}

//export lsgoPreBind
func lsgoPreBind(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	node C.libsched_str, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	return c.answer(status, i.preBind.PreBind(c.ctx, &c.state, i.pod(0, pod), goString(node)))
}

//export lsgoBind
func lsgoBind(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	node C.libsched_str, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	return c.answer(status, i.bind.Bind(c.ctx, &c.state, i.pod(0, pod), goString(node)))
}

//export lsgoPostBind
func lsgoPostBind(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	node C.libsched_str) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.endWithout(c)
	i.postBind.PostBind(c.ctx, &c.state, i.pod(0, pod), goString(node))
	c.returned = true
}

//export lsgoSign
func lsgoSign(h C.uintptr_t, frame *C.lsgo_frame, pod *C.libsched_pod, signature *C.libsched_signature,
	status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, nil)
	defer i.end(c, status, &code)
	fragments, s := i.sign.SignPod(c.ctx, i.pod(0, pod))
	if !s.IsSuccess() {
		return c.answer(status, s)
	}
	for _, fragment := range fragments {
		value, err := json.Marshal(fragment.Value)
		if err != nil {
			return c.answer(status, AsStatus(fmt.Errorf("fragment %q: %w", fragment.Key, err)))
		}
		C.libsched_signature_add(signature, str(fragment.Key), strOfBytes(value))
	}
	return c.answer(status, nil)
}

//export lsgoEventsToRegister
func lsgoEventsToRegister(h C.uintptr_t, frame *C.lsgo_frame, events *C.libsched_events,
	status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, nil)
	defer i.end(c, status, &code)
	list, err := i.events.EventsToRegister(c.ctx)
	if err != nil {
		return c.answer(status, AsStatus(err))
	}
	hints := make([]QueueingHintFn, len(list))
	for n, event := range list {
		hints[n] = event.QueueingHintFn
		C.libsched_events_add(events, str(event.Event.Resource), C.int64_t(event.Event.ActionType),
			C.bool(event.QueueingHintFn != nil))
	}
	i.hints.Store(&hints)
	return c.answer(status, nil)
}

//export lsgoQueueingHint
func lsgoQueueingHint(h C.uintptr_t, frame *C.lsgo_frame, index C.size_t, pod *C.libsched_pod,
	change *C.libsched_object_change, queue *C.bool, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, nil)
	defer i.end(c, status, &code)
	hints := i.hints.Load()
	if hints == nil || int(index) >= len(*hints) || (*hints)[index] == nil {
		return c.answer(status, nil) // as without a hint
	}
	hint, err := (*hints)[index](c.ctx, i.pod(0, pod), &ObjectChange{c, change})
	*queue = C.bool(hint == Queue)
	return c.answer(status, AsStatus(err))
}

//export lsgoOnEvent
func lsgoOnEvent(h C.uintptr_t, frame *C.lsgo_frame, services *C.libsched_services,
	change *C.libsched_object_change) {
	i := instanceOf(h)
	c := i.begin(frame, nil)
	defer i.endWithout(c)
	i.subscriber.OnEvent(refServices(services), c.view(), &ObjectChange{c, change})
	c.returned = true
}

//export lsgoFork
func lsgoFork(h C.uintptr_t, frame *C.lsgo_frame, what C.int) {
	i := instanceOf(h)
	c := i.begin(frame, nil)
	defer i.endWithout(c)
	switch what {
	case C.LSGO_FORKED:
		i.follower.Forked(c.view())
	case C.LSGO_REVERTED:
		i.follower.Reverted(c.view())
	case C.LSGO_COMMITTED:
		i.follower.Committed(c.view())
	}
	c.returned = true
}
