package libsched

// #include "bridge.h"
import "C"

import "context"

// The numbers of errors.go, which is also compiled without cgo, are the library's.
var (
	_ = [1]byte{}[ErrInvalid-C.LIBSCHED_ERR_INVALID]
	_ = [1]byte{}[ErrNotFound-C.LIBSCHED_ERR_NOT_FOUND]
	_ = [1]byte{}[ErrExists-C.LIBSCHED_ERR_EXISTS]
	_ = [1]byte{}[ErrUnsupported-C.LIBSCHED_ERR_UNSUPPORTED]
	_ = [1]byte{}[ErrState-C.LIBSCHED_ERR_STATE]
	_ = [1]byte{}[ErrStale-C.LIBSCHED_ERR_STALE]
	_ = [1]byte{}[ErrLimit-C.LIBSCHED_ERR_LIMIT]
	_ = [1]byte{}[ErrIO-C.LIBSCHED_ERR_IO]
	_ = [1]byte{}[ErrBuffer-C.LIBSCHED_ERR_BUFFER]
	_ = [1]byte{}[ErrMisuse-C.LIBSCHED_ERR_MISUSE]
	_ = [1]byte{}[ErrNoMemory-C.LIBSCHED_ERR_NO_MEMORY]
	_ = [1]byte{}[ErrInternal-C.LIBSCHED_ERR_INTERNAL]
	_ = [1]byte{}[ErrCancelled-C.LIBSCHED_ERR_CANCELLED]
	_ = [1]byte{}[ErrDeadline-C.LIBSCHED_ERR_DEADLINE]
	_ = [1]byte{}[ErrPlugin-C.LIBSCHED_ERR_PLUGIN]
)

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
