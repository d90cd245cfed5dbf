//go:build libsched_repo

package libsched

// The library of this checkout, as `make demo` and `make test` build it (preset release). The
// program finds it again by its absolute place.

/*
#cgo CFLAGS: -I${SRCDIR}/../capi/include
#cgo LDFLAGS: -L${SRCDIR}/../build/release/lib -lsched -Wl,-rpath,${SRCDIR}/../build/release/lib
*/
import "C"
