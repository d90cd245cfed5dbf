//go:build !libsched_repo

package libsched

// Links to the installed library, found by pkg-config.

/*
#cgo pkg-config: libsched
*/
import "C"
