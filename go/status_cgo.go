package libsched

// #include "bridge.h"
import "C"

// The numbers of status.go, which is also compiled without cgo, are the library's.
var (
	_ = [1]byte{}[Success-C.LIBSCHED_CODE_SUCCESS]
	_ = [1]byte{}[CodeError-C.LIBSCHED_CODE_ERROR]
	_ = [1]byte{}[Unschedulable-C.LIBSCHED_CODE_UNSCHEDULABLE]
	_ = [1]byte{}[UnschedulableAndUnresolvable-C.LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE]
	_ = [1]byte{}[Wait-C.LIBSCHED_CODE_WAIT]
	_ = [1]byte{}[Skip-C.LIBSCHED_CODE_SKIP]
	_ = [1]byte{}[Pending-C.LIBSCHED_CODE_PENDING]
)

// copyStatus copies a status of the library; nil for Success.
func copyStatus(ptr *C.libsched_status) *Status {
	code := Code(C.libsched_status_code(ptr))
	if code == Success {
		return nil
	}
	s := &Status{code: code, plugin: goString(C.libsched_status_plugin(ptr))}
	s.reasons = make([]string, C.libsched_status_reason_count(ptr))
	for i := range s.reasons {
		s.reasons[i] = goString(C.libsched_status_reason(ptr, C.size_t(i)))
	}
	var text C.libsched_str
	if len(s.reasons) > 1 && C.libsched_status_as_error(ptr, &text) && goString(text) == s.reasons[0] {
		s.err = errorText(s.reasons[0])
	}
	return s
}

// errorText is the error of a Status with further reasons.
type errorText string

func (t errorText) Error() string { return string(t) }
