package libsched

// #include "bridge.h"
import "C"

import (
	"context"
	"errors"
	"strings"
)

// ErrorCode is the kind of an error. It is an error itself, so that errors.Is(err,
// libsched.ErrNotFound) works. The numbers are those of the C API and never change.
type ErrorCode int32

const (
	ErrInvalid     ErrorCode = C.LIBSCHED_ERR_INVALID     // the input is wrong; Path says where
	ErrNotFound    ErrorCode = C.LIBSCHED_ERR_NOT_FOUND   // a name that does not exist
	ErrExists      ErrorCode = C.LIBSCHED_ERR_EXISTS      // a name that exists already
	ErrUnsupported ErrorCode = C.LIBSCHED_ERR_UNSUPPORTED // valid, but not available in this version
	ErrState       ErrorCode = C.LIBSCHED_ERR_STATE       // not allowed in the present state
	ErrStale       ErrorCode = C.LIBSCHED_ERR_STALE       // made for an older state of the view
	ErrLimit       ErrorCode = C.LIBSCHED_ERR_LIMIT       // a size, depth or expansion limit
	ErrIO          ErrorCode = C.LIBSCHED_ERR_IO          // a file could not be read
	ErrBuffer      ErrorCode = C.LIBSCHED_ERR_BUFFER      // a slice is too small
	ErrMisuse      ErrorCode = C.LIBSCHED_ERR_MISUSE      // a nil or closed value
	ErrNoMemory    ErrorCode = C.LIBSCHED_ERR_NO_MEMORY
	ErrInternal    ErrorCode = C.LIBSCHED_ERR_INTERNAL  // a bug in libsched: please report it
	ErrCancelled   ErrorCode = C.LIBSCHED_ERR_CANCELLED // the context ended
	ErrDeadline    ErrorCode = C.LIBSCHED_ERR_DEADLINE  // the options' Deadline has passed
	ErrPlugin      ErrorCode = C.LIBSCHED_ERR_PLUGIN    // a plugin returned Error; Plugin names it
)

var errorCodeTexts = map[ErrorCode]string{
	ErrInvalid: "invalid input", ErrNotFound: "not found", ErrExists: "exists already",
	ErrUnsupported: "not supported", ErrState: "not allowed in this state",
	ErrStale: "made for an older state", ErrLimit: "limit exceeded", ErrIO: "file not readable",
	ErrBuffer: "buffer too small", ErrMisuse: "misuse", ErrNoMemory: "out of memory",
	ErrInternal: "internal error", ErrCancelled: "cancelled", ErrDeadline: "deadline exceeded",
	ErrPlugin: "a plugin failed",
}

func (c ErrorCode) Error() string {
	if text, ok := errorCodeTexts[c]; ok {
		return "libsched: " + text
	}
	return "libsched: unknown error"
}

// ErrClosed is in the chain of every error that results from using a value after its Close.
var ErrClosed = errors.New("libsched: closed")

// Error is the reason why a call failed.
type Error struct {
	Code   ErrorCode
	Msg    string
	Path   string // the place in the input: "items[3].spec.nodeName"; "" if there is none
	Plugin string // the plugin concerned, or ""
	cause  error
}

func (e *Error) Error() string {
	// Texts of kube-scheduler's validation begin with the place.
	if strings.HasPrefix(strings.TrimPrefix(e.Msg, "["), e.Path) {
		return e.Msg
	}
	return e.Path + ": " + e.Msg
}

// Is matches the error's code.
func (e *Error) Is(target error) bool {
	code, ok := target.(ErrorCode)
	return ok && code == e.Code
}

// Unwrap returns ErrClosed, the context's error for a call that the context ended,
// context.DeadlineExceeded for ErrDeadline, or nil.
func (e *Error) Unwrap() error { return e.cause }

// takeError converts the result of a call to an error and frees the C error; nil for LIBSCHED_OK.
func takeError(rc C.libsched_rc, err *C.libsched_error) error {
	if rc == C.LIBSCHED_OK {
		return nil
	}
	if err == nil {
		return &Error{Code: ErrorCode(rc), Msg: ErrorCode(rc).Error()}
	}
	var parts C.lsgo_error_parts
	C.lsgo_error_get(err, &parts)
	result := &Error{
		Code:   ErrorCode(parts.code),
		Msg:    goString(parts.message),
		Path:   goString(parts.path),
		Plugin: goString(parts.plugin),
	}
	C.libsched_error_unref(err)
	if result.Code == ErrDeadline {
		result.cause = context.DeadlineExceeded
	}
	return result
}

// contextError returns the error of a context that has ended, or nil.
func contextError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &Error{Code: ErrCancelled, Msg: context.Cause(ctx).Error(), cause: err}
	}
	return nil
}
