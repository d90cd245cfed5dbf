package libsched

// #include "loop_bridge.h"
// #include "plugin_bridge.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// instance is a plugin of a framework, with its interface for each extension point; C holds it by a
// number.
type instance struct {
	name        string
	preFilter   PreFilterPlugin
	filter      FilterPlugin
	filterBatch FilterBatchPlugin
	preScore    PreScorePlugin
	score       ScorePlugin
	scoreBatch  ScoreBatchPlugin
	extensions  ScoreExtensions
	reserve     ReservePlugin
	queueSort   QueueSortPlugin
	preEnqueue  PreEnqueuePlugin
	changes     PreFilterExtensions
	postFilter  PostFilterPlugin
	permit      PermitPlugin
	preBind     PreBindPlugin
	bind        BindPlugin
	postBind    PostBindPlugin
	sign        SignPlugin
	events      EnqueueExtensions
	subscriber  EventSubscriber
	follower    ForkFollower

	home  *home                            // its framework; nil: it is no plugin
	shown string                           // the result of the plugin's Name
	hints atomic.Pointer[[]QueueingHintFn] // of the events that it has registered

	// The pods of the last call, because the next call is usually about the same pods.
	pods [2]atomic.Pointer[Pod]
}

func newInstance(name string, plugin Plugin) *instance {
	i := &instance{name: name, shown: plugin.Name()}
	i.preFilter, _ = plugin.(PreFilterPlugin)
	i.filter, _ = plugin.(FilterPlugin)
	i.filterBatch, _ = plugin.(FilterBatchPlugin)
	i.preScore, _ = plugin.(PreScorePlugin)
	i.score, _ = plugin.(ScorePlugin)
	i.scoreBatch, _ = plugin.(ScoreBatchPlugin)
	i.extensions, _ = plugin.(ScoreExtensions)
	i.reserve, _ = plugin.(ReservePlugin)
	i.queueSort, _ = plugin.(QueueSortPlugin)
	i.preEnqueue, _ = plugin.(PreEnqueuePlugin)
	i.changes, _ = plugin.(PreFilterExtensions)
	i.postFilter, _ = plugin.(PostFilterPlugin)
	i.permit, _ = plugin.(PermitPlugin)
	i.preBind, _ = plugin.(PreBindPlugin)
	i.bind, _ = plugin.(BindPlugin)
	i.postBind, _ = plugin.(PostBindPlugin)
	i.sign, _ = plugin.(SignPlugin)
	i.events, _ = plugin.(EnqueueExtensions)
	i.subscriber, _ = plugin.(EventSubscriber)
	i.follower, _ = plugin.(ForkFollower)
	if p, ok := plugin.(preFilterExtended); ok {
		i.changes = p.PreFilterExtensions()
	}
	if p, ok := plugin.(scoreExtended); ok {
		i.extensions = p.ScoreExtensions()
	}
	return i
}

var instances table[instance]

func instanceOf(h C.uintptr_t) *instance { return instances.at(h) }

// pod returns a Pod with its own reference, which outlives the call. The last Pod is kept in `place`;
// its reference ensures that the pointer belongs to no other pod.
func (i *instance) pod(place int, ptr *C.libsched_pod) *Pod {
	if last := i.pods[place].Load(); last != nil && last.h.ptr == ptr && !last.h.closed() {
		return last
	}
	pod := refPod(ptr)
	i.pods[place].Store(pod)
	return pod
}

// call is one call of a plugin, with the values lent to it.
type call struct {
	by       *instance
	h        handle[*C.libsched_cycle_state] // open during the call
	mu       sync.RWMutex
	state    CycleState
	frame    *C.lsgo_frame // nil on threads of the library's own
	asker    *evaluator    // nil: none
	outer    *call         // call of the same asker
	ctx      context.Context
	info     NodeInfo
	nodes    Nodes
	verdicts Verdicts
	returned bool // the plugin returned or panicked; otherwise its goroutine ends
}

func askerOf(frame *C.lsgo_frame) *evaluator { return askers.at(frame.evaluator.self) }

func nothingToFree(*C.libsched_cycle_state) {}

func (i *instance) begin(frame *C.lsgo_frame, state *C.libsched_cycle_state) *call {
	c := &call{by: i, frame: frame, ctx: context.Background()}
	c.h.ptr, c.h.free = state, nothingToFree
	c.state = CycleState{&c.h, &c.mu, c}
	c.info.call, c.nodes.call = c, c
	if frame != nil && frame.evaluator != nil {
		c.asker = askerOf(frame)
		c.outer, c.asker.running = c.asker.running, c
		if c.asker.ctx != nil {
			c.ctx = c.asker.ctx
		}
	}
	return c
}

// over takes back the lent values.
func (c *call) over(plugin string) {
	if !c.returned {
		exited(plugin)
	}
	if c.asker != nil {
		c.asker.running = c.outer
	}
	c.h.closeAndWait()
	c.nodes.set, c.nodes.rows = nil, nil
}

// end is deferred by every slot with a Status.
func (i *instance) end(c *call, status *C.libsched_status, code *C.libsched_code) {
	if reason := recover(); reason != nil {
		*code = C.LIBSCHED_CODE_ERROR
		C.libsched_status_set(status, C.LIBSCHED_CODE_ERROR)
		C.libsched_status_add_reason(status, str(panicText(i.name, reason)))
		c.returned = true
	}
	c.over(i.name)
}

// endWithout is deferred by every slot without a Status.
func (i *instance) endWithout(c *call) {
	if reason := recover(); reason != nil {
		switch own := C.lsgo_enclosing_own_frame(c.frame); {
		case c.asker != nil:
			c.asker.panicked = reason
		case own != nil: // a change that a call with an ownFrame made
			askerOf(own).panicked = reason
		case c.frame != nil:
			losePanic(c.frame.view, reason)
		default:
			losePanic(nil, reason)
		}
		c.returned = true
	}
	c.over(i.name)
}

// lostPanics holds the panics of slots without a Status in calls that are not an evaluator's, by the
// changed view; the call panics with them at its end.
var lostPanics struct {
	count atomic.Int32
	mu    sync.Mutex
	by    map[*C.libsched_view]any
}

func losePanic(view *C.libsched_view, reason any) {
	lostPanics.mu.Lock()
	defer lostPanics.mu.Unlock()
	if lostPanics.by == nil {
		lostPanics.by = map[*C.libsched_view]any{}
	}
	lostPanics.by[view] = reason
	lostPanics.count.Store(int32(len(lostPanics.by)))
}

func panicLost(view *C.libsched_view) {
	if lostPanics.count.Load() == 0 {
		return
	}
	lostPanics.mu.Lock()
	reason, lost := lostPanics.by[view]
	delete(lostPanics.by, view)
	lostPanics.count.Store(int32(len(lostPanics.by)))
	lostPanics.mu.Unlock()
	if lost {
		panic(reason)
	}
}

func panicText(plugin string, reason any) string {
	return fmt.Sprintf("plugin %q panicked: %v\n\n%s", plugin, reason, debug.Stack())
}

// exited ends the program. Nothing stops a Goexit, not even a recovered panic, and a goroutine
// that ends in a plugin would leave the library's frames below it in the middle of a call for ever, with
// their locks held. The panic happens on another goroutine, so that it cannot be recovered.
func exited(plugin string) {
	text := fmt.Sprintf("libsched: plugin %q called runtime.Goexit, as Fatal, FailNow and Skip of a test do: "+
		"a plugin must return, so return a Status (and in a test call Error)\n\n%s", plugin, debug.Stack())
	go func() { panic(text) }()
	select {}
}

// answer converts a plugin's result for C.
func (c *call) answer(status *C.libsched_status, s *Status) C.libsched_code {
	c.returned = true
	return answer(status, s)
}

// answer writes a plugin's Status to a C status.
func answer(status *C.libsched_status, s *Status) C.libsched_code {
	if s == nil {
		return C.LIBSCHED_CODE_SUCCESS
	}
	reasons := s.reasons
	if s.err != nil && len(reasons) > 0 { // its text is the first reason
		C.libsched_status_set_error(status, str(reasons[0]))
		reasons = reasons[1:]
	}
	for _, reason := range reasons {
		C.libsched_status_add_reason(status, str(reason))
	}
	return C.libsched_code(s.code)
}

// View returns the cluster or snapshot that a plugin is asked about, lent to the plugin until its
// call returns. Queries on it need the calling framework ([CycleState.Framework]). View returns nil
// outside of a plugin's call.
func (s *CycleState) View() View {
	if s == nil || s.call == nil || s.call.viewed() == nil {
		return nil
	}
	return s.call.view()
}

// Framework returns the framework that calls a plugin; nil outside of a plugin's call.
func (s *CycleState) Framework() *Framework {
	if s == nil || s.call == nil {
		return nil
	}
	if fw := s.call.framework(); fw != nil {
		return &Framework{h: fw, lent: true}
	}
	return nil
}

// Services returns the services of the view that a plugin is asked about; nil outside of a plugin's call.
func (s *CycleState) Services() *Services {
	if s == nil || s.call == nil || s.call.asker == nil {
		return nil
	}
	if services := s.call.asker.services; services != nil {
		return services
	}
	if e := s.call.evaluator(); e != nil {
		return refServices(C.libsched_evaluator_services(e))
	}
	return nil
}

// viewed returns the view that the plugin is asked about: that of the frame or, in an ownFrame without a
// view, that of the cycle.
func (c *call) viewed() *C.libsched_view {
	if c.frame == nil {
		return nil
	}
	if c.frame.view != nil || c.asker == nil {
		return c.frame.view
	}
	state, ok := c.h.acquire()
	if !ok {
		return nil
	}
	defer c.h.release()
	return C.libsched_cycle_state_view(state)
}

// evaluator returns the evaluator that asks the plugin, or nil.
func (c *call) evaluator() *C.libsched_evaluator {
	if c.asker == nil {
		return nil
	}
	if e := c.asker.c; e != nil && e.evaluator != nil {
		return e.evaluator
	}
	state, ok := c.h.acquire()
	if !ok {
		return nil
	}
	defer c.h.release()
	return C.libsched_cycle_state_evaluator(state)
}

// framework returns the framework of the evaluator that asks; in an ownFrame it is the plugin's.
func (c *call) framework() *handle[*C.libsched_framework] {
	switch {
	case c.asker == nil:
		return nil
	case c.asker.fw != nil:
		return c.asker.fw
	case c.by.home == nil:
		return nil
	}
	return c.by.home.fw.Load()
}

// callView is the view of one call.
type callView struct {
	reader
	call *call
}

func (c *call) view() *callView {
	return &callView{reader{
		enter: func() *C.libsched_view {
			if _, ok := c.h.acquire(); !ok {
				return nil
			}
			return c.viewed()
		},
		leave: c.h.release,
	}, c}
}

func (v *callView) borrow(fw *Framework) (*evaluator, *C.libsched_view, error) {
	c := v.call
	if _, ok := c.h.acquire(); !ok {
		return nil, nil, &Error{Code: ErrMisuse, Msg: "the plugin's call has returned", cause: ErrClosed}
	}
	asks, view := c.evaluator(), c.viewed()
	if asks == nil || c.framework() != fw.h {
		c.h.release()
		return nil, nil, &Error{Code: ErrMisuse, Msg: "a plugin's View is for the framework that asks it"}
	}
	shared := C.lsgo_evaluator_share(c.frame, asks, view)
	if shared == nil {
		c.h.release()
		return nil, nil, &Error{Code: ErrNoMemory, Msg: ErrNoMemory.Error()}
	}
	e := ownEvaluator(shared, fw)
	e.services = c.state.Services()
	return e, view, nil
}

func (v *callView) giveBack(_ *Framework, e *evaluator) {
	e.free()
	v.call.h.release()
}
