package libsched

// #include "bridge.h"
import "C"

import "runtime/cgo"

// C calls these functions for values in a cycle state (bridge.c). A panic must not cross C frames.

//export lsgoDeleteValue
func lsgoDeleteValue(h C.uintptr_t) { cgo.Handle(h).Delete() }

// clonePanic stands for a value whose Clone panicked: who reads it panics.
type clonePanic struct{ reason any }

//export lsgoCloneValue
func lsgoCloneValue(h C.uintptr_t, panicked *C.bool) (copied C.uintptr_t) {
	value, returned := cgo.Handle(h).Value(), false
	defer func() {
		if reason := recover(); reason == nil && !returned {
			exited("StateData")
		} else if reason != nil {
			*panicked = true
			copied = C.uintptr_t(cgo.NewHandle(clonePanic{reason}))
		}
	}()
	if data, ok := value.(StateData); ok {
		value = data.Clone()
	}
	returned = true
	return C.uintptr_t(cgo.NewHandle(value))
}
