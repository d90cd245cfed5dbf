//go:build libsched_shared && !libsched_repo && !libsched_static

package libsched

// Links to the installed libsched.so, found by pkg-config, also where the static library is installed.

/*
#cgo pkg-config: libsched
*/
import "C"
