package libsched

// #include "bridge.h"
import "C"

import "runtime"

// ParseOption says how a document is read.
type ParseOption func(*parseOptions)

type parseOptions struct {
	c       C.libsched_parse_options
	classes *Objects
}

// WithoutDefaults switches off what is on by default: the defaults that the API server gives where
// scheduling depends on them (requests from limits, priority of a class, ...). Objects that come
// from an API server have them already.
func WithoutDefaults() ParseOption { return func(o *parseOptions) { o.c.defaults = false } }

// Strict makes unknown kinds and fields errors. Without it they are counted (Objects.ReportJSON).
// What no plugin reads (env, probes, ...) is not looked into.
func Strict() ParseOption { return func(o *parseOptions) { o.c.strict = true } }

// KeepRaw keeps the documents for Pod.Raw and Node.Raw.
func KeepRaw() ParseOption { return func(o *parseOptions) { o.c.keep_raw = true } }

// KeepAnnotations keeps the annotations for Pod.Annotations and Node.Annotations; KeepRaw implies it.
func KeepAnnotations() ParseOption { return func(o *parseOptions) { o.c.keep_annotations = true } }

// Validate reports what the API server would refuse as warnings (Objects.ReportJSON).
func Validate() ParseOption { return func(o *parseOptions) { o.c.validate = true } }

// MaxBytes limits the size of the document; without it, 4 GiB.
func MaxBytes(bytes uint64) ParseOption {
	return func(o *parseOptions) { o.c.max_bytes = C.uint64_t(bytes) }
}

// MaxDecompressedBytes limits what gzip data expands to; without it, 1 GiB. The limit that MaxBytes
// gives holds as well.
func MaxDecompressedBytes(bytes uint64) ParseOption {
	return func(o *parseOptions) { o.c.max_decompressed_bytes = C.uint64_t(bytes) }
}

// MaxDepth limits the nesting; without it, 200.
func MaxDepth(depth uint32) ParseOption {
	return func(o *parseOptions) { o.c.max_depth = C.uint32_t(depth) }
}

// WithClasses makes the PriorityClasses of other objects known.
func WithClasses(objects *Objects) ParseOption {
	return func(o *parseOptions) { o.classes = objects }
}

// withParseOptions calls `parse` with the options in C's form.
func withParseOptions(options []ParseOption, parse func(*C.libsched_parse_options) error) error {
	o := &parseOptions{}
	o.c.struct_size = C.sizeof_libsched_parse_options
	o.c.defaults = true
	for _, option := range options {
		option(o)
	}
	if o.classes != nil {
		classes, ok := o.classes.h.acquire()
		if !ok {
			return closedError(o.classes)
		}
		defer o.classes.h.release()
		o.c.classes = classes
	}
	c := o.c // alone, without Go pointers beside it
	defer runtime.KeepAlive(options)
	return parse(&c)
}
