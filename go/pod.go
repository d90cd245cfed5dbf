package libsched

// #include "bridge.h"
import "C"

import "os"

// Pod is a parsed Pod. It is immutable and belongs to no cluster; any number of clusters may hold it.
type Pod struct{ h *handle[*C.libsched_pod] }

// ParsePod reads one Pod, or the pod template of a workload, JSON or YAML.
// Errors: ErrInvalid with the path, ErrLimit.
func ParsePod(document []byte, options ...ParseOption) (*Pod, error) {
	return parsed(options, ownPod, func(o *C.libsched_parse_options, out **C.libsched_pod,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_pod_parse(strOfBytes(document), o, out, err)
	})
}

// PodFromFlat reads one Pod in the flat form (docs/flat.md), which package libsched/kube writes.
// Errors: ErrInvalid with the path, ErrLimit.
func PodFromFlat(flat []byte, options ...ParseOption) (*Pod, error) {
	return parsed(options, ownPod, func(o *C.libsched_parse_options, out **C.libsched_pod,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_pod_parse_flat(strOfBytes(flat), o, out, err)
	})
}

// LoadPod is ParsePod for a file. Errors: as ParsePod, and ErrIO.
func LoadPod(path string, options ...ParseOption) (*Pod, error) {
	document, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Code: ErrIO, Msg: err.Error(), cause: err}
	}
	return ParsePod(document, options...)
}

func ownPod(ptr *C.libsched_pod) *Pod {
	p := &Pod{newHandle(ptr, func(p *C.libsched_pod) { C.libsched_pod_unref(p) })}
	closeWhenUnreachable(p, p.h)
	return p
}

func refPod(ptr *C.libsched_pod) *Pod {
	if ptr == nil {
		return nil
	}
	return ownPod(C.libsched_pod_ref(ptr))
}

// Close releases the pod. Clusters that hold it keep it alive.
func (p *Pod) Close() {
	if p != nil {
		p.h.close()
	}
}

// CopyOption changes a field in a copy of a pod or node.
type CopyOption func(*copyOptions)

type copyOptions struct {
	name, namespace, uid, nodeName *string
}

// WithName sets the name of the copy.
func WithName(name string) CopyOption { return func(o *copyOptions) { o.name = &name } }

// WithNamespace sets the namespace of the copy of a pod.
func WithNamespace(namespace string) CopyOption {
	return func(o *copyOptions) { o.namespace = &namespace }
}

// WithUID sets the uid of the copy; "" removes it.
func WithUID(uid string) CopyOption { return func(o *copyOptions) { o.uid = &uid } }

// WithNodeName sets spec.nodeName of the copy of a pod; "" removes it.
func WithNodeName(node string) CopyOption { return func(o *copyOptions) { o.nodeName = &node } }

// optionalText returns a NULL string for nil, which leaves a field unchanged. The string must outlive
// the call.
func optionalText(s *string) C.libsched_str {
	if s == nil {
		return C.libsched_str{}
	}
	return str(*s)
}

// Copy returns a copy of the pod with the changes of the options. It shares the rest.
func (p *Pod) Copy(options ...CopyOption) (*Pod, error) {
	var o copyOptions
	for _, option := range options {
		option(&o)
	}
	ptr, ok := p.acquire()
	if !ok {
		return nil, closedError(p)
	}
	defer p.h.release()
	var out *C.libsched_pod
	var failure *C.libsched_error
	rc := C.libsched_pod_copy(ptr, optionalText(o.name), optionalText(o.namespace),
		optionalText(o.uid), optionalText(o.nodeName), &out, &failure)
	if rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownPod(out), nil
}

// handle accepts a nil Pod.
func (p *Pod) handle() *handle[*C.libsched_pod] {
	if p == nil {
		return nil
	}
	return p.h
}

func (p *Pod) acquire() (*C.libsched_pod, bool) { return p.handle().acquire() }

// The getters return "" or 0 after Close.

func (p *Pod) Name() string {
	return ask(p.handle(), func(ptr *C.libsched_pod) string { return goString(C.libsched_pod_name(ptr)) })
}

func (p *Pod) Namespace() string {
	return ask(p.handle(), func(ptr *C.libsched_pod) string { return goString(C.libsched_pod_namespace(ptr)) })
}

func (p *Pod) UID() string {
	return ask(p.handle(), func(ptr *C.libsched_pod) string { return goString(C.libsched_pod_uid(ptr)) })
}

// NodeName returns spec.nodeName.
func (p *Pod) NodeName() string {
	return ask(p.handle(), func(ptr *C.libsched_pod) string { return goString(C.libsched_pod_node_name(ptr)) })
}

func (p *Pod) SchedulerName() string {
	return ask(p.handle(), func(ptr *C.libsched_pod) string { return goString(C.libsched_pod_scheduler_name(ptr)) })
}

func (p *Pod) Phase() string {
	return ask(p.handle(), func(ptr *C.libsched_pod) string { return goString(C.libsched_pod_phase(ptr)) })
}

// Priority returns the pod's priority; 0 if it has none.
func (p *Pod) Priority() int32 {
	return ask(p.handle(), func(ptr *C.libsched_pod) int32 { return int32(C.libsched_pod_priority(ptr)) })
}

// Label returns the value of a label and whether it exists.
func (p *Pod) Label(key string) (string, bool) {
	ptr, ok := p.acquire()
	if !ok {
		return "", false
	}
	defer p.h.release()
	var value C.libsched_str
	if !C.libsched_pod_label(ptr, str(key), &value) {
		return "", false
	}
	return goString(value), true
}

// Annotations returns the annotations. Errors: ErrState unless the pod was parsed with KeepAnnotations
// or KeepRaw.
func (p *Pod) Annotations() (map[string]string, error) {
	ptr, ok := p.acquire()
	if !ok {
		return nil, closedError(p)
	}
	defer p.h.release()
	var count C.size_t
	var failure *C.libsched_error
	if rc := C.libsched_pod_annotation_count(ptr, &count, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	annotations := make(map[string]string, count)
	var key, value C.libsched_str
	for i := C.size_t(0); i < count; i++ {
		C.libsched_pod_annotation_at(ptr, i, &key, &value)
		annotations[goString(key)] = goString(value)
	}
	return annotations, nil
}

// Annotation returns the value of an annotation and whether it exists. Errors: as
// Annotations.
func (p *Pod) Annotation(key string) (string, bool, error) {
	ptr, ok := p.acquire()
	if !ok {
		return "", false, closedError(p)
	}
	defer p.h.release()
	var found C.bool
	var value C.libsched_str
	var failure *C.libsched_error
	if rc := C.libsched_pod_annotation(ptr, str(key), &found, &value, &failure); rc != C.LIBSCHED_OK {
		return "", false, takeError(rc, failure)
	}
	return goString(value), bool(found), nil
}

// Request returns the pod's request: for "cpu" in thousandths, for "memory" in bytes, for any other
// resource in units.
func (p *Pod) Request(resource string) int64 {
	return ask(p.handle(), func(ptr *C.libsched_pod) int64 { return int64(C.libsched_pod_request(ptr, str(resource))) })
}

// Requests returns what the pod requests: of "cpu" in thousandths, of "memory" in bytes, of others in units.
func (p *Pod) Requests() map[string]int64 {
	ptr, ok := p.acquire()
	if !ok {
		return nil
	}
	defer p.h.release()
	n := C.libsched_pod_resource_count(ptr)
	requests := make(map[string]int64, n)
	var name C.libsched_str
	var amount C.int64_t
	for i := C.size_t(0); i < n; i++ {
		C.libsched_pod_resource(ptr, i, &name, &amount)
		requests[goString(name)] = int64(amount)
	}
	return requests
}

// Raw returns the JSON document. Errors: ErrState unless the pod was parsed with KeepRaw.
func (p *Pod) Raw() ([]byte, error) {
	ptr, ok := p.acquire()
	if !ok {
		return nil, closedError(p)
	}
	defer p.h.release()
	var out C.libsched_str
	var failure *C.libsched_error
	if rc := C.libsched_pod_raw(ptr, &out, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return []byte(goString(out)), nil
}

// String returns "namespace/name".
// JSON returns a document with every field that the library has kept of the pod. Parsed without defaults,
// it gives a pod that all plugins judge the same.
func (p *Pod) JSON() ([]byte, error) {
	return readText(p, p.h, func(p *C.libsched_pod, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_pod_json(p, text, err)
	})
}

func (p *Pod) String() string { return p.Namespace() + "/" + p.Name() }
