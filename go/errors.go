package libsched

import (
	"context"
	"errors"
	"strings"
)

// ErrorCode is the kind of an error. It is an error itself, so that errors.Is(err,
// libsched.ErrNotFound) works. The numbers are those of the C API and never change.
type ErrorCode int32

const (
	ErrInvalid     ErrorCode = -1  // the input is wrong; Path says where
	ErrNotFound    ErrorCode = -2  // a name that does not exist
	ErrExists      ErrorCode = -3  // a name that exists already
	ErrUnsupported ErrorCode = -4  // valid, but not available in this version
	ErrState       ErrorCode = -5  // not allowed in the present state
	ErrStale       ErrorCode = -6  // made for an older state of the view
	ErrLimit       ErrorCode = -7  // a size, depth or expansion limit
	ErrIO          ErrorCode = -8  // a file could not be read
	ErrBuffer      ErrorCode = -9  // a slice is too small
	ErrMisuse      ErrorCode = -10 // a nil or closed value
	ErrNoMemory    ErrorCode = -11
	ErrInternal    ErrorCode = -12 // a bug in libsched: please report it
	ErrCancelled   ErrorCode = -13 // the context ended
	ErrDeadline    ErrorCode = -14 // the options' Deadline has passed
	ErrPlugin      ErrorCode = -15 // a plugin returned Error; Plugin names it
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

// contextError returns the error of a context that has ended, or nil.
func contextError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return &Error{Code: ErrCancelled, Msg: context.Cause(ctx).Error(), cause: err}
	}
	return nil
}
