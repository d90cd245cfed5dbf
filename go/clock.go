package libsched

// #include "runtime_bridge.h"
import "C"

import (
	"runtime/cgo"
	"time"
)

// Clock is the time source of plugins and waiting pods. It is safe for concurrent use.
type Clock struct{ h *handle[*C.libsched_clock] }

// SystemClock is the machine's clock.
func SystemClock() *Clock {
	var ptr *C.libsched_clock
	if rc := C.libsched_clock_create_system(&ptr, nil); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc)) // out of memory
	}
	return ownClock(ptr)
}

// VirtualClock returns a clock that stands still until it is moved; waiting moves it to the end of the
// wait at once.
func VirtualClock(now time.Time) *Clock {
	var ptr *C.libsched_clock
	if rc := C.libsched_clock_create_virtual(C.int64_t(now.UnixNano()), &ptr, nil); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc))
	}
	return ownClock(ptr)
}

func ownClock(ptr *C.libsched_clock) *Clock {
	c := &Clock{newHandle(ptr, func(p *C.libsched_clock) { C.libsched_clock_unref(p) })}
	closeWhenUnreachable(c, c.h)
	return c
}

// Close releases the clock. Services that use it keep it alive.
func (c *Clock) Close() {
	if c != nil {
		c.h.close()
	}
}

// Now returns the clock's time; the zero Time after Close.
func (c *Clock) Now() time.Time {
	return ask(c.h, func(ptr *C.libsched_clock) time.Time { return time.Unix(0, int64(C.libsched_clock_now(ptr))) })
}

// AdvanceTo moves a virtual clock forward, never back. Errors: ErrState (the machine's clock).
func (c *Clock) AdvanceTo(now time.Time) error {
	ptr, ok := c.h.acquire()
	if !ok {
		return closedError(c)
	}
	defer c.h.release()
	var failure *C.libsched_error
	return takeError(C.libsched_clock_advance_to(ptr, C.int64_t(now.UnixNano()), &failure), failure)
}

// TimeSource is a clock of the program. Its methods may be called on any goroutine, and must not call the
// package.
type TimeSource interface {
	// Now returns the time, never an earlier one than before.
	Now() time.Time
	// Sleep returns for how long of real time to sleep before Now is asked again whether it has reached the
	// deadline. The library sleeps at most one second at a time, and less if it is woken.
	Sleep(deadline time.Time) time.Duration
}

// CustomClock returns a clock that reads a time source: one that runs faster or slower, for example.
func CustomClock(source TimeSource) *Clock {
	var ptr *C.libsched_clock
	if rc := C.lsgo_clock_create(C.uintptr_t(cgo.NewHandle(source)), &ptr); rc != C.LIBSCHED_OK {
		panic(ErrorCode(rc)) // out of memory
	}
	return ownClock(ptr)
}

// A panic of a source has no caller to go to: it ends the program, as in a goroutine.
func sourceOf(h C.uintptr_t) TimeSource { return cgo.Handle(h).Value().(TimeSource) }

//export lsgoClockNow
func lsgoClockNow(h C.uintptr_t) C.int64_t { return C.int64_t(sourceOf(h).Now().UnixNano()) }

//export lsgoClockSleep
func lsgoClockSleep(h C.uintptr_t, deadline C.int64_t) C.int64_t {
	return C.int64_t(sourceOf(h).Sleep(time.Unix(0, int64(deadline))))
}
