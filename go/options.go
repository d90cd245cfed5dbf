package libsched

// #include "bridge.h"
import "C"

import "runtime"

// ParseOption changes how a document is read.
type ParseOption func(*parseOptions)

type parseOptions struct {
	c       C.libsched_parse_options
	classes *Objects
}

// WithoutDefaults switches off the API server's defaults, which are applied where
// scheduling depends on them (requests from limits, priority of a class, ...). Objects
// from an API server have them already.
func WithoutDefaults() ParseOption { return func(o *parseOptions) { o.c.defaults = false } }

// Strict makes unknown kinds and fields errors. By default they are counted (Objects.ReportJSON).
// Fields that no plugin reads (env, probes, ...) are not checked.
func Strict() ParseOption { return func(o *parseOptions) { o.c.strict = true } }

// KeepRaw keeps the documents for Pod.Raw and Node.Raw.
func KeepRaw() ParseOption { return func(o *parseOptions) { o.c.keep_raw = true } }

// KeepAnnotations keeps the annotations for Pod.Annotations and Node.Annotations; KeepRaw implies it.
func KeepAnnotations() ParseOption { return func(o *parseOptions) { o.c.keep_annotations = true } }

// Validate adds a warning for everything that the API server would refuse (Objects.ReportJSON).
func Validate() ParseOption { return func(o *parseOptions) { o.c.validate = true } }

// MaxBytes limits the size of the document. The default is 4 GiB.
func MaxBytes(bytes uint64) ParseOption {
	return func(o *parseOptions) { o.c.max_bytes = C.uint64_t(bytes) }
}

// MaxDecompressedBytes limits the decompressed size of compressed data. The default is 1 GiB. The limit of
// MaxBytes applies as well.
func MaxDecompressedBytes(bytes uint64) ParseOption {
	return func(o *parseOptions) { o.c.max_decompressed_bytes = C.uint64_t(bytes) }
}

// MaxDepth limits the nesting. The default is 200.
func MaxDepth(depth uint32) ParseOption {
	return func(o *parseOptions) { o.c.max_depth = C.uint32_t(depth) }
}

// WithClasses adds the PriorityClasses of other objects.
func WithClasses(objects *Objects) ParseOption {
	return func(o *parseOptions) { o.classes = objects }
}

// protobuf makes a message without an envelope one of the kind that is asked for.
func protobuf() ParseOption {
	return func(o *parseOptions) { o.c.format = C.LIBSCHED_FORMAT_PROTOBUF }
}

// parsed reads an object with options.
func parsed[P, T any](options []ParseOption, own func(P) *T,
	parse func(*C.libsched_parse_options, *P, **C.libsched_error) C.libsched_rc) (*T, error) {
	o := &parseOptions{}
	o.c.struct_size = C.sizeof_libsched_parse_options
	o.c.defaults = true
	for _, option := range options {
		option(o)
	}
	if o.classes != nil {
		classes, ok := o.classes.h.acquire()
		if !ok {
			return nil, closedError(o.classes)
		}
		defer o.classes.h.release()
		o.c.classes = classes
	}
	c := o.c // alone, without Go pointers beside it
	defer runtime.KeepAlive(options)
	var ptr P
	var failure *C.libsched_error
	if rc := parse(&c, &ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return own(ptr), nil
}
