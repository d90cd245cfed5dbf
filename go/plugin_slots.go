package libsched

// #include "plugin_bridge.h"
import "C"

import "runtime/cgo"

// C calls these functions for plugins (plugin_bridge.c). A panic must not cross C frames: end recovers it.

//export lsgoCreatePlugin
func lsgoCreatePlugin(h C.uintptr_t, args *C.char, n C.size_t, made *C.uintptr_t,
	status *C.libsched_status) (code C.libsched_code) {
	g, returned := cgo.Handle(h).Value().(*registration), false
	defer func() {
		if reason := recover(); reason == nil && !returned {
			exited(g.name)
		} else if reason != nil {
			C.libsched_status_set(status, C.LIBSCHED_CODE_ERROR)
			C.libsched_status_add_reason(status, str(panicText(g.name, reason)))
			code = C.LIBSCHED_CODE_ERROR
		}
	}()
	i, err := g.instance([]byte(goString(C.libsched_str{ptr: args, len: n})))
	returned = true
	if err != nil {
		return answer(status, AsStatus(err))
	}
	*made = instances.add(i)
	return C.LIBSCHED_CODE_SUCCESS
}

//export lsgoReleasePlugin
func lsgoReleasePlugin(h C.uintptr_t) { instances.remove(h) }

//export lsgoPreFilter
func lsgoPreFilter(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	result *C.libsched_prefilter_result, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	narrowed, s := i.preFilter.PreFilter(c.ctx, &c.state, i.pod(0, pod))
	if narrowed != nil && narrowed.NodeNames != nil {
		var pin pinned
		defer pin.Unpin()
		C.libsched_prefilter_result_set_nodes(result, pin.strs(narrowed.NodeNames), C.size_t(len(narrowed.NodeNames)))
	}
	return c.answer(status, s)
}

//export lsgoFilter
func lsgoFilter(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	info *C.libsched_node_info, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	c.info.one = info
	return c.answer(status, i.filter.Filter(c.ctx, &c.state, i.pod(0, pod), &c.info))
}

//export lsgoFilterBatch
func lsgoFilterBatch(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state,
	pod *C.libsched_pod, set *C.libsched_node_set, rows *C.uint32_t, n C.size_t, codes *C.int8_t,
	reasons *C.uint16_t, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	c.verdicts = Verdicts{sliceOf[int8](codes, n), sliceOf[uint16](reasons, n)}
	return c.answer(status, i.filterBatch.FilterBatch(c.ctx, &c.state, i.pod(0, pod), c.lend(set, rows, n),
		&c.verdicts))
}

//export lsgoPreScore
func lsgoPreScore(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	set *C.libsched_node_set, rows *C.uint32_t, n C.size_t, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	return c.answer(status, i.preScore.PreScore(c.ctx, &c.state, i.pod(0, pod), c.lend(set, rows, n)))
}

//export lsgoScore
func lsgoScore(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	info *C.libsched_node_info, score *C.int64_t, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	c.info.one = info
	number, s := i.score.Score(c.ctx, &c.state, i.pod(0, pod), &c.info)
	*score = C.int64_t(number)
	return c.answer(status, s)
}

//export lsgoScoreBatch
func lsgoScoreBatch(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state,
	pod *C.libsched_pod, set *C.libsched_node_set, rows *C.uint32_t, n C.size_t, scores *C.int64_t,
	status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	return c.answer(status, i.scoreBatch.ScoreBatch(c.ctx, &c.state, i.pod(0, pod), c.lend(set, rows, n),
		sliceOf[int64](scores, n)))
}

//export lsgoNormalizeScore
func lsgoNormalizeScore(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state,
	pod *C.libsched_pod, set *C.libsched_node_set, rows *C.uint32_t, n C.size_t, scores *C.int64_t,
	status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	if i.extensions == nil {
		return c.answer(status, nil)
	}
	return c.answer(status, i.extensions.NormalizeScore(c.ctx, &c.state, i.pod(0, pod), c.lend(set, rows, n),
		sliceOf[int64](scores, n)))
}

//export lsgoReserve
func lsgoReserve(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	node *C.char, n C.size_t, status *C.libsched_status) (code C.libsched_code) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.end(c, status, &code)
	return c.answer(status, i.reserve.Reserve(c.ctx, &c.state, i.pod(0, pod),
		goString(C.libsched_str{ptr: node, len: n})))
}

//export lsgoUnreserve
func lsgoUnreserve(h C.uintptr_t, frame *C.lsgo_frame, state *C.libsched_cycle_state, pod *C.libsched_pod,
	node *C.char, n C.size_t) {
	i := instanceOf(h)
	c := i.begin(frame, state)
	defer i.endWithout(c)
	i.reserve.Unreserve(c.ctx, &c.state, i.pod(0, pod), goString(C.libsched_str{ptr: node, len: n}))
	c.returned = true
}
