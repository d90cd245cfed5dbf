package libsched

// #include "bridge.h"
import "C"

import "runtime/cgo"

// C calls these functions for values in a cycle state (bridge.c). A panic must not cross C frames.

//export lsgoDeleteValue
func lsgoDeleteValue(h C.uintptr_t) { cgo.Handle(h).Delete() }

//export lsgoCloneValue
func lsgoCloneValue(h C.uintptr_t, panicked *C.uintptr_t) (copied C.uintptr_t) {
	value, returned := cgo.Handle(h).Value(), false
	defer func() {
		if reason := recover(); reason == nil && !returned {
			exited("StateData")
		} else if reason != nil {
			*panicked = C.uintptr_t(cgo.NewHandle(reason))
			copied = C.uintptr_t(cgo.NewHandle(nil)) // a placeholder for the copy, which is never read
		}
	}()
	if data, ok := value.(StateData); ok {
		value = data.Clone()
	}
	returned = true
	return C.uintptr_t(cgo.NewHandle(value))
}
