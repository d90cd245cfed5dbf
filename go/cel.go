package libsched

// #include "bridge.h"
import "C"

import (
	"encoding/json"
	"fmt"
)

// CEL is a compiled selector of devices in the Common Expression Language, as Kubernetes compiles and evaluates
// them. It is immutable, and any goroutine may use it.
type CEL struct{ h *handle[*C.libsched_cel] }

// CELOptions says how an expression is compiled. The zero value is Kubernetes' way.
type CELOptions struct {
	ListAttributes bool   // attributes may be lists: feature gate DRAListTypeAttributes
	AnyResult      bool   // takes expressions whose result is no bool, for their values
	CostLimit      uint64 // where an evaluation ends; 0: 1,000,000
	// Semantics is the release whose expressions they are, as of WithSemantics. From "1.37" on attributes may be lists
	// also without ListAttributes.
	Semantics string
}

// CELAnswer is what an expression says of a device.
type CELAnswer struct {
	Slice  string `json:"slice"`
	Driver string `json:"driver"`
	Pool   string `json:"pool"`
	Device string `json:"device"`
	Node   string `json:"node"` // of a device of a single node, else ""
	// Match is nil if the evaluation fails, and with AnyResult.
	Match *bool  `json:"match"`
	Cost  uint64 `json:"cost"`  // in upstream's units
	Error string `json:"error"` // upstream's text of a failed evaluation
	Value string `json:"value"` // with AnyResult: the value with its type, such as int(1), "text" or [true]
	// Because is nil if the device matches, or if no operand of the outermost && alone is the reason.
	Because *CELBecause `json:"because"`
}

// Matches tells whether the device matches; a failed evaluation does not.
func (a *CELAnswer) Matches() bool { return a.Match != nil && *a.Match }

// CELBecause is the operand of an expression's outermost && that stands in the way of a device.
type CELBecause struct {
	Expression string `json:"expression"` // the operand, as it is written
	Answer     string `json:"answer"`     // "false", or the error
	// Subject is what the operand compares or calls a method of, Value its value; "" if there is no such thing.
	Subject string `json:"subject"`
	Value   string `json:"value"`
}

// CompileCEL compiles an expression. Errors: ErrInvalid, with upstream's text ("compilation failed: ERROR:
// <input>:1:8: ...") and the place of the first error as its path, "line:column" in code points from 1, or "",
// ErrUnsupported (unknown semantics).
//
//	program, err := libsched.CompileCEL("device.driver == 'gpu.example.com'", libsched.CELOptions{})
func CompileCEL(expression string, options CELOptions) (*CEL, error) {
	var pin pinned
	defer pin.Unpin()
	o := C.libsched_cel_options{struct_size: C.sizeof_libsched_cel_options, list_attributes: C.bool(options.ListAttributes),
		any_result: C.bool(options.AnyResult), cost_limit: C.uint64_t(options.CostLimit), semantics: pin.str(options.Semantics)}
	var ptr *C.libsched_cel
	var failure *C.libsched_error
	if err := takeError(C.libsched_cel_compile(str(expression), &o, &ptr, &failure), failure); err != nil {
		return nil, err
	}
	c := &CEL{newHandle(ptr, func(p *C.libsched_cel) { C.libsched_cel_unref(p) })}
	closeWhenUnreachable(c, c.h)
	return c, nil
}

// Close releases the expression.
func (c *CEL) Close() {
	if c != nil {
		c.h.close()
	}
}

// Type returns the type of the result: "bool", "google.protobuf.Any" or "dyn", and any other with AnyResult; ""
// after Close.
func (c *CEL) Type() string {
	return ask(c.h, func(ptr *C.libsched_cel) string { return goString(C.libsched_cel_type(ptr)) })
}

// Evaluate asks the expression about all devices of the ResourceSlices among the objects, in their order.
// Errors: ErrClosed.
func (c *CEL) Evaluate(objects *Objects) ([]CELAnswer, error) {
	ptr, err := acquired(objects, objects.h)
	if err != nil {
		return nil, err
	}
	defer objects.h.release()
	text, err := readText(c, c.h, func(p *C.libsched_cel, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_cel_devices_json(p, ptr, text, err)
	})
	return readJSON[[]CELAnswer]("answers about devices", text, err)
}

// EvaluateDevice asks the expression about one device of a driver, the JSON of an element of a ResourceSlice's
// spec.devices: {"attributes": {"model": {"string": "h100"}}, "capacity": {"memory": {"value": "80Gi"}}}.
// Errors: ErrClosed, ErrInvalid (no such JSON).
func (c *CEL) EvaluateDevice(driver string, device []byte) (CELAnswer, error) {
	name, err := json.Marshal(driver)
	if err != nil {
		return CELAnswer{}, err
	}
	objects, err := ParseObjects(fmt.Appendf(nil, `{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice",
		"metadata": {"name": "slice"}, "spec": {"driver": %s, "pool": {"name": "pool"}, "devices": [%s]}}`, name, device))
	if err != nil {
		return CELAnswer{}, err
	}
	defer objects.Close()
	answers, err := c.Evaluate(objects)
	if err != nil {
		return CELAnswer{}, err
	}
	if len(answers) != 1 {
		return CELAnswer{}, &Error{Code: ErrInvalid, Path: "spec.devices", Msg: fmt.Sprintf("%d devices instead of one", len(answers))}
	}
	return answers[0], nil
}
