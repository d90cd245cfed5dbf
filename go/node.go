package libsched

// #include "bridge.h"
import "C"

// Node is a parsed Node. It is immutable and belongs to no cluster; any number of clusters may hold it.
type Node struct{ h *handle[*C.libsched_node] }

// Taint is a taint of a node.
type Taint struct{ Key, Value, Effect string }

// ParseNode reads one Node, JSON or YAML. Errors: ErrInvalid with the path, ErrLimit.
func ParseNode(document []byte, options ...ParseOption) (*Node, error) {
	return parsed(options, ownNode, func(o *C.libsched_parse_options, out **C.libsched_node,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_node_parse(strOfBytes(document), o, out, err)
	})
}

// NodeFromFlat reads one Node in the flat form (docs/flat.md), which package libsched/kube writes.
// Errors: ErrInvalid with the path, ErrLimit.
func NodeFromFlat(flat []byte, options ...ParseOption) (*Node, error) {
	return parsed(options, ownNode, func(o *C.libsched_parse_options, out **C.libsched_node,
		err **C.libsched_error) C.libsched_rc {
		return C.libsched_node_parse_flat(strOfBytes(flat), o, out, err)
	})
}

func ownNode(ptr *C.libsched_node) *Node {
	n := &Node{newHandle(ptr, func(p *C.libsched_node) { C.libsched_node_unref(p) })}
	closeWhenUnreachable(n, n.h)
	return n
}

func refNode(ptr *C.libsched_node) *Node {
	if ptr == nil {
		return nil
	}
	return ownNode(C.libsched_node_ref(ptr))
}

// Close releases the node. Clusters that hold it keep it alive.
func (n *Node) Close() {
	if n != nil {
		n.h.close()
	}
}

// Copy returns a copy of the node with the changes of the options: WithName (which also changes its
// hostname label) and WithUID. It shares the rest.
func (n *Node) Copy(options ...CopyOption) (*Node, error) {
	var o copyOptions
	for _, option := range options {
		option(&o)
	}
	if o.namespace != nil || o.nodeName != nil {
		return nil, &Error{Code: ErrInvalid, Msg: "a node has no namespace and no nodeName"}
	}
	ptr, ok := n.acquire()
	if !ok {
		return nil, closedError(n)
	}
	defer n.h.release()
	var out *C.libsched_node
	var failure *C.libsched_error
	rc := C.libsched_node_copy(ptr, optionalText(o.name), optionalText(o.uid), &out, &failure)
	if rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownNode(out), nil
}

// handle accepts a nil Node.
func (n *Node) handle() *handle[*C.libsched_node] {
	if n == nil {
		return nil
	}
	return n.h
}

func (n *Node) acquire() (*C.libsched_node, bool) { return n.handle().acquire() }

// The getters return zero values after Close.

func (n *Node) Name() string {
	return ask(n.handle(), func(ptr *C.libsched_node) string { return goString(C.libsched_node_name(ptr)) })
}

func (n *Node) UID() string {
	return ask(n.handle(), func(ptr *C.libsched_node) string { return goString(C.libsched_node_uid(ptr)) })
}

// Label returns the value of a label and whether it exists.
func (n *Node) Label(key string) (string, bool) {
	ptr, ok := n.acquire()
	if !ok {
		return "", false
	}
	defer n.h.release()
	var value C.libsched_str
	if !C.libsched_node_label(ptr, str(key), &value) {
		return "", false
	}
	return goString(value), true
}

// Annotations returns the annotations. Errors: ErrState unless the node was parsed with KeepAnnotations
// or KeepRaw.
func (n *Node) Annotations() (map[string]string, error) {
	ptr, ok := n.acquire()
	if !ok {
		return nil, closedError(n)
	}
	defer n.h.release()
	var count C.size_t
	var failure *C.libsched_error
	if rc := C.libsched_node_annotation_count(ptr, &count, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	annotations := make(map[string]string, count)
	var key, value C.libsched_str
	for i := C.size_t(0); i < count; i++ {
		C.libsched_node_annotation_at(ptr, i, &key, &value)
		annotations[goString(key)] = goString(value)
	}
	return annotations, nil
}

// Annotation returns the value of an annotation and whether it exists. Errors: as
// Annotations.
func (n *Node) Annotation(key string) (string, bool, error) {
	ptr, ok := n.acquire()
	if !ok {
		return "", false, closedError(n)
	}
	defer n.h.release()
	var found C.bool
	var value C.libsched_str
	var failure *C.libsched_error
	if rc := C.libsched_node_annotation(ptr, str(key), &found, &value, &failure); rc != C.LIBSCHED_OK {
		return "", false, takeError(rc, failure)
	}
	return goString(value), bool(found), nil
}

// Unschedulable returns spec.unschedulable.
func (n *Node) Unschedulable() bool {
	return ask(n.handle(), func(ptr *C.libsched_node) bool { return bool(C.libsched_node_unschedulable(ptr)) })
}

// Taints returns the taints in the document's order.
func (n *Node) Taints() []Taint {
	ptr, ok := n.acquire()
	if !ok {
		return nil
	}
	defer n.h.release()
	taints := make([]Taint, C.libsched_node_taint_count(ptr))
	for i := range taints {
		var key, value, effect C.libsched_str
		C.libsched_node_taint(ptr, C.size_t(i), &key, &value, &effect)
		taints[i] = Taint{goString(key), goString(value), goString(effect)}
	}
	return taints
}

// Allocatable returns the allocatable amount of a resource, in the units of Pod.Request; "pods" is the
// number of pods.
func (n *Node) Allocatable(resource string) int64 {
	return ask(n.handle(), func(ptr *C.libsched_node) int64 {
		return int64(C.libsched_node_allocatable(ptr, str(resource)))
	})
}

// Raw returns the JSON document. Errors: ErrState unless the node was parsed with KeepRaw.
func (n *Node) Raw() ([]byte, error) {
	ptr, ok := n.acquire()
	if !ok {
		return nil, closedError(n)
	}
	defer n.h.release()
	var out C.libsched_str
	var failure *C.libsched_error
	if rc := C.libsched_node_raw(ptr, &out, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return []byte(goString(out)), nil
}

// JSON returns a document with every field that the library has kept of the node. Parsed without defaults,
// it gives a node that all plugins judge the same.
func (n *Node) JSON() ([]byte, error) {
	return readText(n, n.h, func(p *C.libsched_node, text **C.libsched_text, err **C.libsched_error) C.libsched_rc {
		return C.libsched_node_json(p, text, err)
	})
}

func (n *Node) String() string { return n.Name() }
