package libsched

// #include "bridge.h"
import "C"

import "math/bits"

// View is the object of queries: a *Cluster or a *Snapshot.
type View interface {
	// NodeCount returns the number of nodes.
	NodeCount() int
	// PodCount returns the number of pods bound to a node, including unknown nodes.
	PodCount() int
	// RowCount returns an upper bound: every row is less.
	RowCount() int
	// FindNode returns the row of a node by name.
	FindNode(name string) (row Row, ok bool)
	// NodeAt returns the node of a row; nil if there is none.
	NodeAt(row Row) *Node
	// Node returns a node by name; nil if there is none.
	Node(name string) *Node
	// Order returns the rows in the order in which nodes are visited, as of the last refresh.
	Order() []Row
	// Names returns the names of the nodes of a set, in the order of their rows.
	Names(nodes NodeSet) []string
	// NodePods returns the pods of a node, in upstream's order.
	NodePods(row Row) []*Pod
	// FindPod returns a bound pod and the row of its node; nil if there is none.
	FindPod(namespace, name string) (pod *Pod, row Row)
	// Allocatable and Requested return amounts in the units of Pod.Request; "pods" is the number of pods.
	Allocatable(row Row, resource string) int64
	Requested(row Row, resource string) int64
	// Release returns the release of the cluster: that of kube-scheduler's image, or else of
	// serverVersion, which the API server answers to GET /version as gitVersion ("": not known), or else
	// of the API server's image, or else of the newest kubelet. Errors: ErrMisuse after Close.
	Release(serverVersion string) (Release, error)

	// borrow lends an evaluator of the framework, and prevents changes and release of the view
	// until giveBack, which must follow unless borrow fails.
	borrow(fw *Framework) (*evaluator, *C.libsched_view, error)
	giveBack(fw *Framework, e *evaluator)
}

// Row is the number of a node within a view. It is constant while the node exists, and is reused
// after the node is removed.
type Row uint32

// NoRow is a Row that no node has.
const NoRow Row = C.LIBSCHED_NO_ROW

// NodeSet is a set of nodes: bit row%64 of word row/64.
type NodeSet []uint64

// NewNodeSet returns an empty set with room for all rows of a view.
func NewNodeSet(view View) NodeSet { return make(NodeSet, (view.RowCount()+63)/64) }

func (s NodeSet) Add(row Row)      { s[row/64] |= 1 << (row % 64) }
func (s NodeSet) Remove(row Row)   { s[row/64] &^= 1 << (row % 64) }
func (s NodeSet) Has(row Row) bool { return int(row/64) < len(s) && s[row/64]>>(row%64)&1 == 1 }

// Len returns the number of nodes in the set.
func (s NodeSet) Len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// All ranges over the rows, smallest first.
func (s NodeSet) All() func(yield func(Row) bool) {
	return func(yield func(Row) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(Row(i*64 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

// reader implements the read methods of View; its owner provides access to the C view.
type reader struct {
	// enter returns nil after Close; otherwise leave must follow.
	enter func() *C.libsched_view
	leave func()
}

func (r *reader) count(get func(*C.libsched_view) C.size_t) int {
	view := r.enter()
	if view == nil {
		return 0
	}
	defer r.leave()
	return int(get(view))
}

func (r *reader) NodeCount() int {
	return r.count(func(v *C.libsched_view) C.size_t { return C.libsched_view_node_count(v) })
}

func (r *reader) PodCount() int {
	return r.count(func(v *C.libsched_view) C.size_t { return C.libsched_view_pod_count(v) })
}

func (r *reader) RowCount() int {
	return r.count(func(v *C.libsched_view) C.size_t { return C.libsched_view_row_count(v) })
}

func (r *reader) FindNode(name string) (Row, bool) {
	view := r.enter()
	if view == nil {
		return NoRow, false
	}
	defer r.leave()
	row := Row(C.libsched_view_find_node(view, str(name)))
	return row, row != NoRow
}

func (r *reader) NodeAt(row Row) *Node {
	view := r.enter()
	if view == nil {
		return nil
	}
	defer r.leave()
	return refNode(C.libsched_view_node(view, C.uint32_t(row)))
}

func (r *reader) Node(name string) *Node {
	view := r.enter()
	if view == nil {
		return nil
	}
	defer r.leave()
	row := C.libsched_view_find_node(view, str(name))
	if Row(row) == NoRow {
		return nil
	}
	return refNode(C.libsched_view_node(view, row))
}

func (r *reader) Order() []Row {
	view := r.enter()
	if view == nil {
		return nil
	}
	defer r.leave()
	var n C.size_t
	rows := C.libsched_view_order(view, &n)
	return append([]Row(nil), sliceOf[Row](rows, n)...)
}

func (r *reader) Names(nodes NodeSet) []string {
	view := r.enter()
	if view == nil || nodes.Len() == 0 {
		if view != nil {
			r.leave()
		}
		return nil
	}
	defer r.leave()
	found := make([]C.libsched_str, nodes.Len()) // of C memory
	n := C.lsgo_view_names(view, wordsOf(nodes), C.size_t(len(nodes)), &found[0], C.size_t(len(found)))
	names := make([]string, n)
	for i := range names {
		names[i] = goString(found[i])
	}
	return names
}

func (r *reader) NodePods(row Row) []*Pod {
	view := r.enter()
	if view == nil {
		return nil
	}
	defer r.leave()
	pods := make([]*Pod, C.libsched_view_node_pod_count(view, C.uint32_t(row)))
	for i := range pods {
		pods[i] = refPod(C.libsched_view_node_pod(view, C.uint32_t(row), C.size_t(i)))
	}
	return pods
}

func (r *reader) FindPod(namespace, name string) (*Pod, Row) {
	view := r.enter()
	if view == nil {
		return nil, NoRow
	}
	defer r.leave()
	row := C.uint32_t(NoRow)
	pod := C.libsched_view_find_pod(view, str(namespace), str(name), &row)
	return refPod(pod), Row(row)
}

func (r *reader) Allocatable(row Row, resource string) int64 {
	view := r.enter()
	if view == nil {
		return 0
	}
	defer r.leave()
	return int64(C.libsched_view_allocatable(view, C.uint32_t(row), str(resource)))
}

func (r *reader) Requested(row Row, resource string) int64 {
	view := r.enter()
	if view == nil {
		return 0
	}
	defer r.leave()
	return int64(C.libsched_view_requested(view, C.uint32_t(row), str(resource)))
}
