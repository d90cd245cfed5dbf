//go:build libsched_static

package libsched

// Links to the static library, found by pkg-config (`make static`, or installed). The program needs no
// libsched.so, and no shared object at all if it is linked with `-extldflags -static`.

/*
#cgo pkg-config: libsched-static
*/
import "C"
