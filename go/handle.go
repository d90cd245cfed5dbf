package libsched

import (
	"fmt"
	"math"
	"runtime"
	"sync/atomic"
)

// handle owns one reference to an object of the library. Running calls keep it from being freed:
// close marks it, and the last user frees it. So a use after Close, or a Close during a use, is
// an error at worst, and no call needs runtime.KeepAlive on the value that holds the handle.
type handle[P comparable] struct {
	ptr  P
	free func(P)
	uses atomic.Int64 // running calls, and closedBit
}

const closedBit = math.MinInt64

func newHandle[P comparable](ptr P, free func(P)) *handle[P] {
	return &handle[P]{ptr: ptr, free: free}
}

// acquire starts a use of the handle; if it returns true, release must follow.
func (h *handle[P]) acquire() (ptr P, ok bool) {
	if h == nil {
		return ptr, false
	}
	for {
		uses := h.uses.Load()
		if uses < 0 {
			return ptr, false
		}
		if h.uses.CompareAndSwap(uses, uses+1) {
			return h.ptr, true
		}
	}
}

// acquired is acquire with an error for a closed value, whose handle h is.
func acquired[T any, P comparable](of *T, h *handle[P]) (ptr P, err error) {
	ptr, ok := h.acquire()
	if !ok {
		return ptr, closedError(of)
	}
	return ptr, nil
}

// ask returns what get finds in the object of a handle; a zero value if the value that holds it is nil or closed.
func ask[P comparable, R any](h *handle[P], get func(P) R) (found R) {
	if ptr, ok := h.acquire(); ok {
		defer h.release()
		found = get(ptr)
	}
	return found
}

func (h *handle[P]) release() {
	if h.uses.Add(-1) == closedBit {
		h.free(h.ptr)
	}
}

func (h *handle[P]) close() {
	if h == nil {
		return
	}
	if old := h.uses.Or(closedBit); old == 0 {
		h.free(h.ptr)
	}
}

// closeAndWait is close for lent handles: it returns when no call uses the handle any more.
func (h *handle[P]) closeAndWait() {
	h.close()
	for h.uses.Load() != closedBit {
		runtime.Gosched()
	}
}

func (h *handle[P]) closed() bool { return h == nil || h.uses.Load() < 0 }

// closer is the common interface of the owners of handles.
type closer interface{ close() }

// closeWhenUnreachable makes up for a forgotten Close. `inner` must not refer to `outer`.
func closeWhenUnreachable[T any](outer *T, inner closer) runtime.Cleanup {
	return runtime.AddCleanup(outer, closer.close, inner)
}

// closedError returns the error for a nil or closed value.
func closedError[T any](what *T) error {
	name := fmt.Sprintf("%T", what)[len("*libsched."):]
	if what == nil {
		return &Error{Code: ErrMisuse, Msg: "nil " + name}
	}
	return &Error{Code: ErrMisuse, Msg: name + " is closed", cause: ErrClosed}
}
