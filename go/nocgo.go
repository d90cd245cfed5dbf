//go:build !cgo

package libsched

// errNoCgo is what every function answers in a program without cgo, so that it can fall back to something else.
var errNoCgo error = &Error{Code: ErrUnsupported, Msg: "the program was built without cgo (CGO_ENABLED=0), which libsched needs"}
