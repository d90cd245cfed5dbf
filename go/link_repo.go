//go:build libsched_repo && !libsched_static

package libsched

// Links to the library of this checkout, as built by `make demo` and `make test` (preset release). The
// program finds it at run time by its absolute path.

/*
#cgo CFLAGS: -I${SRCDIR}/../capi/include
#cgo LDFLAGS: -L${SRCDIR}/../build/release/lib -lsched -Wl,-rpath,${SRCDIR}/../build/release/lib
*/
import "C"
