//go:build !libsched_repo && !libsched_static && !libsched_shared

package libsched

// Links to the installed library, found by pkg-config: to the static one if it is installed, else to libsched.so.

/*
#cgo pkg-config: libsched-go
*/
import "C"
