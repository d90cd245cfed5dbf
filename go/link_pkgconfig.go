//go:build !libsched_repo

package libsched

// The installed library, found by pkg-config.

/*
#cgo pkg-config: libsched
*/
import "C"
