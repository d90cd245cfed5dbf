package libsched

// #include "loop_bridge.h"
import "C"

import (
	"context"
	"runtime"
)

// ownFrame is the frame of calls that no evaluator makes: those of queues, simulations and schedulers,
// whose profiles have evaluators of the library's own. Its asker has no framework; that of a plugin call
// is the plugin's. It runs one call at a time.
type ownFrame struct {
	c     *C.lsgo_evaluator
	asker *evaluator
}

// newOwnFrame makes a frame. A nil view stands for that of each plugin call; services may be nil.
func newOwnFrame(view *C.libsched_view, services *C.libsched_services) (*ownFrame, error) {
	f := &ownFrame{asker: &evaluator{}}
	self := askers.add(f.asker)
	if f.c = C.lsgo_own_frame(view, services, self); f.c == nil {
		askers.remove(self)
		return nil, &Error{Code: ErrNoMemory, Msg: ErrNoMemory.Error()}
	}
	f.asker.c = f.c
	return f, nil
}

func (f *ownFrame) free() { f.asker.free() }

// inside tells whether this goroutine is in a plugin, or another callback, of a call with this frame.
func (f *ownFrame) inside() bool { return bool(C.lsgo_inside_frame(&f.c.frame)) }

// run makes a call of the library whose plugins get the context, and panics afterwards if a slot without
// a Status panicked. A call from inside does not enter the frame again.
func (f *ownFrame) run(ctx context.Context, call func()) {
	if f.inside() {
		call()
		return
	}
	f.asker.ctx = ctx
	runtime.LockOSThread() // the frame is the thread's
	C.lsgo_enter(&f.c.frame)
	call()
	C.lsgo_leave(&f.c.frame)
	runtime.UnlockOSThread()
	panicked := f.asker.panicked
	f.asker.ctx, f.asker.panicked = nil, nil
	if panicked != nil {
		panic(panicked)
	}
}
