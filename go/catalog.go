package libsched

// #include "sim_bridge.h"
// #cgo nocallback libsched_catalog_add_pods
// #cgo nocallback libsched_catalog_add_nodes
// #cgo nocallback libsched_catalog_add_pod
// #cgo nocallback libsched_catalog_add_node
// #cgo noescape lsgo_catalog_has
// #cgo nocallback lsgo_catalog_has
// #cgo noescape libsched_catalog_touch_pods
// #cgo nocallback libsched_catalog_touch_pods
// #cgo noescape libsched_catalog_touch_nodes
// #cgo nocallback libsched_catalog_touch_nodes
import "C"

import (
	"fmt"
	"math"
	"unsafe"
)

// PodRef names a content of pods in a [Catalog]: all of a pod that plugins read. Pods that no plugin can
// tell apart have equal references, so a PodRef is the name of an equivalence group. It is a number with a
// generation: 0 is none, and a reference to a content that was forgotten is never given to another one. In
// another [Catalog] it is stale, practically always.
type PodRef uint64

// NodeRef names a content of nodes in a [Catalog]. The name is no part of it, nor is the label
// kubernetes.io/hostname if it is equal to the name: it follows the name of each node that is made of the
// content.
type NodeRef uint64

// Catalog keeps each content of pods and nodes once, for [Sim]. Any number of goroutines may use it, and any
// number of Sims may share it.
type Catalog struct{ h *handle[*C.libsched_catalog] }

// Form is the form of a document.
type Form uint32

const (
	FormText     Form = C.LIBSCHED_FORM_TEXT     // JSON or YAML
	FormProtobuf Form = C.LIBSCHED_FORM_PROTOBUF // Kubernetes' protobuf, in its envelope or as a bare message
	FormFlat     Form = C.LIBSCHED_FORM_FLAT     // docs/flat.md, as package libsched/kube writes it
)

// ContentOptions says how contents are added. The zero value reads text.
type ContentOptions struct {
	Form Form
	// Placed leaves out spec.nodeName and status.nominatedNodeName of pods, so that all pods of a workload have
	// one reference wherever they run. It is for pods that are put onto nodes, and for pods that move.
	Placed bool
	// Defaults applies the API server's defaults where scheduling depends on them, as ParsePod does. Objects from
	// an API server have them already.
	Defaults bool
	// Extras has further bytes of each content, as many as documents: what plugins of the program read beside
	// the fields that libsched keeps. Contents with different bytes are different. nil: none.
	Extras [][]byte
}

// NewCatalog returns an empty catalog.
func NewCatalog() (*Catalog, error) {
	var ptr *C.libsched_catalog
	var failure *C.libsched_error
	if rc := C.libsched_catalog_create(&ptr, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	c := &Catalog{newHandle(ptr, func(p *C.libsched_catalog) { C.libsched_catalog_unref(p) })}
	closeWhenUnreachable(c, c.h)
	return c, nil
}

// Close releases the catalog. Sims that use it keep it.
func (c *Catalog) Close() {
	if c != nil {
		c.h.close()
	}
}

// handle accepts a nil Catalog.
func (c *Catalog) handle() *handle[*C.libsched_catalog] {
	if c == nil {
		return nil
	}
	return c.h
}

func (c *Catalog) acquire() (*C.libsched_catalog, error) { return acquired(c, c.handle()) }

// AddPods writes the references of as many pods to refs; all are added, or none. Errors: ErrInvalid with
// the place, which begins with the document's index (also slices of unequal length), ErrLimit.
func (c *Catalog) AddPods(documents [][]byte, refs []PodRef, options ContentOptions) error {
	return c.add(false, documents, words(refs), len(refs), options)
}

// AddNodes is AddPods for nodes.
func (c *Catalog) AddNodes(documents [][]byte, refs []NodeRef, options ContentOptions) error {
	if options.Placed {
		return &Error{Code: ErrInvalid, Msg: "Placed is an option of pods"}
	}
	return c.add(true, documents, words(refs), len(refs), options)
}

func (c *Catalog) add(nodes bool, documents [][]byte, refs *C.uint64_t, room int, options ContentOptions) error {
	switch {
	case room != len(documents):
		return unequal("documents", len(documents), "refs", room)
	case options.Extras != nil && len(options.Extras) != len(documents):
		return unequal("documents", len(documents), "Extras", len(options.Extras))
	}
	ptr, err := c.acquire()
	if err != nil {
		return err
	}
	defer c.h.release()
	if len(documents) == 0 {
		return nil
	}
	var pin pinned
	defer pin.Unpin()
	o := C.libsched_catalog_options{
		struct_size: C.sizeof_libsched_catalog_options, form: C.uint32_t(options.Form),
		placed: C.bool(options.Placed), defaults: C.bool(options.Defaults),
	}
	if options.Extras != nil {
		o.extras = pin.documents(options.Extras)
	}
	list, n := pin.documents(documents), C.size_t(len(documents))
	var failure *C.libsched_error
	if nodes {
		return takeError(C.libsched_catalog_add_nodes(ptr, list, n, &o, refs, &failure), failure)
	}
	return takeError(C.libsched_catalog_add_pods(ptr, list, n, &o, refs, &failure), failure)
}

// Pod returns the reference of a parsed pod; placed is as ContentOptions.Placed.
func (c *Catalog) Pod(pod *Pod, placed bool) (PodRef, error) {
	ptr, err := c.acquire()
	if err != nil {
		return 0, err
	}
	defer c.h.release()
	p, ok := pod.acquire()
	if !ok {
		return 0, closedError(pod)
	}
	defer pod.h.release()
	var ref C.uint64_t
	var failure *C.libsched_error
	o := C.libsched_catalog_options{struct_size: C.sizeof_libsched_catalog_options, placed: C.bool(placed)}
	rc := C.libsched_catalog_add_pod(ptr, p, &o, &ref, &failure)
	return PodRef(ref), takeError(rc, failure)
}

// Node returns the reference of a parsed node.
func (c *Catalog) Node(node *Node) (NodeRef, error) {
	ptr, err := c.acquire()
	if err != nil {
		return 0, err
	}
	defer c.h.release()
	n, ok := node.acquire()
	if !ok {
		return 0, closedError(node)
	}
	defer node.h.release()
	var ref C.uint64_t
	var failure *C.libsched_error
	rc := C.libsched_catalog_add_node(ptr, n, nil, &ref, &failure)
	return NodeRef(ref), takeError(rc, failure)
}

// PodOf returns a content as a pod, which has no name unless that is a part of the content, and stays when the
// content is forgotten. Errors: ErrStale.
func (c *Catalog) PodOf(ref PodRef) (*Pod, error) {
	ptr, err := c.acquire()
	if err != nil {
		return nil, err
	}
	defer c.h.release()
	var pod *C.libsched_pod
	var failure *C.libsched_error
	if rc := C.libsched_catalog_pod(ptr, C.uint64_t(ref), &pod, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	return ownPod(pod), nil
}

// Requests returns what pods of a content request, as [Pod.Requests]. Errors: ErrStale.
func (c *Catalog) Requests(ref PodRef) (map[string]int64, error) {
	pod, err := c.PodOf(ref)
	if err != nil {
		return nil, err
	}
	defer pod.Close()
	return pod.Requests(), nil
}

// PodCount returns the number of different contents of pods.
func (c *Catalog) PodCount() int {
	return ask(c.handle(), func(ptr *C.libsched_catalog) int { return int(C.libsched_catalog_pod_count(ptr)) })
}

// NodeCount returns the number of different contents of nodes.
func (c *Catalog) NodeCount() int {
	return ask(c.handle(), func(ptr *C.libsched_catalog) int { return int(C.libsched_catalog_node_count(ptr)) })
}

// HasPods writes to known[i] whether refs[i] names a content of pods. Errors: ErrInvalid (slices of unequal
// length).
func (c *Catalog) HasPods(refs []PodRef, known []bool) error {
	return c.has(false, words(refs), len(refs), known)
}

// HasNodes is HasPods for nodes.
func (c *Catalog) HasNodes(refs []NodeRef, known []bool) error {
	return c.has(true, words(refs), len(refs), known)
}

func (c *Catalog) has(nodes bool, refs *C.uint64_t, count int, known []bool) error {
	if count != len(known) {
		return unequal("refs", count, "known", len(known))
	}
	ptr, err := c.acquire()
	if err != nil {
		return err
	}
	defer c.h.release()
	C.lsgo_catalog_has(ptr, C.bool(nodes), refs, C.size_t(count), (*C.bool)(unsafe.Pointer(unsafe.SliceData(known))))
	return nil
}

// TouchPods makes contents count as added in this age, for programs that keep references in maps of their
// own. References to contents that are forgotten are passed over.
func (c *Catalog) TouchPods(refs []PodRef) error {
	ptr, err := c.acquire()
	if err != nil {
		return err
	}
	defer c.h.release()
	C.libsched_catalog_touch_pods(ptr, words(refs), C.size_t(len(refs)))
	return nil
}

// TouchNodes is TouchPods for nodes.
func (c *Catalog) TouchNodes(refs []NodeRef) error {
	ptr, err := c.acquire()
	if err != nil {
		return err
	}
	defer c.h.release()
	C.libsched_catalog_touch_nodes(ptr, words(refs), C.size_t(len(refs)))
	return nil
}

// Age begins a new age, and forgets the contents that were neither added nor touched in the latest `keep`
// ages; 0 stands for this one alone. Contents of which a Sim has a pod or a node are kept. It returns the
// number of contents forgotten. Call it once in a loop. Errors: ErrInvalid (a negative number).
func (c *Catalog) Age(keep int) (int, error) {
	if keep < 0 || keep > math.MaxUint32 {
		return 0, &Error{Code: ErrInvalid, Msg: fmt.Sprintf("keep is %d", keep)}
	}
	ptr, err := c.acquire()
	if err != nil {
		return 0, err
	}
	defer c.h.release()
	return int(C.libsched_catalog_age(ptr, C.uint32_t(keep))), nil
}

// words lends a slice of references or ids to one call.
func words[T ~uint64](s []T) *C.uint64_t { return (*C.uint64_t)(unsafe.Pointer(unsafe.SliceData(s))) }

// documents is strs for documents.
func (p *pinned) documents(documents [][]byte) *C.libsched_str {
	list := make([]C.libsched_str, len(documents))
	for i, document := range documents {
		if list[i] = strOfBytes(document); len(document) != 0 {
			p.Pin(unsafe.SliceData(document))
		}
	}
	p.Pin(unsafe.SliceData(list))
	return unsafe.SliceData(list)
}

// unequal returns the error for slices that should be of one length.
func unequal(a string, n int, b string, m int) error {
	return &Error{Code: ErrInvalid, Msg: fmt.Sprintf("%d %s and %d %s: the slices are of unequal length", n, a, m, b)}
}
