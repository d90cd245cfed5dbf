//go:build !libsched_repo && !libsched_static

package libsched

// Links to the installed library, found by pkg-config.

/*
#cgo pkg-config: libsched
*/
import "C"
