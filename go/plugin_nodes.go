package libsched

// #include "plugin_bridge.h"
import "C"

// NodeInfo is one node that a plugin is asked about. It is empty after the call returns.
type NodeInfo struct {
	call *call
	one  *C.libsched_node_info
	set  *C.libsched_node_set // if `one` is nil
	at   C.size_t
}

// acquire returns nil after the call has returned; otherwise release must follow.
func (n *NodeInfo) acquire() *C.libsched_node_info {
	if _, ok := n.call.h.acquire(); !ok {
		return nil
	}
	if n.one != nil {
		return n.one
	}
	return (*C.libsched_node_info)(C.libsched_node_set_at(n.set, n.at))
}

func (n *NodeInfo) release() { n.call.h.release() }

// Row returns the node's row in the view.
func (n *NodeInfo) Row() Row {
	info := n.acquire()
	if info == nil {
		return NoRow
	}
	defer n.release()
	return Row(C.libsched_node_info_row(info))
}

// Name returns the node's name.
func (n *NodeInfo) Name() string {
	info := n.acquire()
	if info == nil {
		return ""
	}
	defer n.release()
	return goString(C.libsched_node_name(C.libsched_node_info_node(info)))
}

// Label returns the value of a label and whether it exists.
func (n *NodeInfo) Label(key string) (string, bool) {
	info := n.acquire()
	if info == nil {
		return "", false
	}
	defer n.release()
	var value C.libsched_str
	if !C.libsched_node_label(C.libsched_node_info_node(info), str(key), &value) {
		return "", false
	}
	return goString(value), true
}

// Node returns the node's object, which stays valid after the call returns.
func (n *NodeInfo) Node() *Node {
	info := n.acquire()
	if info == nil {
		return nil
	}
	defer n.release()
	return refNode(C.libsched_node_info_node(info))
}

// PodCount returns the number of pods on the node.
func (n *NodeInfo) PodCount() int {
	info := n.acquire()
	if info == nil {
		return 0
	}
	defer n.release()
	return int(C.libsched_node_info_pod_count(info))
}

// Pods returns the pods on the node, in upstream's order. They stay valid after the call returns.
func (n *NodeInfo) Pods() []*Pod {
	info := n.acquire()
	if info == nil {
		return nil
	}
	defer n.release()
	pods := make([]*Pod, C.libsched_node_info_pod_count(info))
	for i := range pods {
		pods[i] = refPod(C.libsched_node_info_pod(info, C.size_t(i)))
	}
	return pods
}

// Allocatable returns the node's amount of a resource, in the units of Pod.Request; "pods" is the number
// of pods.
func (n *NodeInfo) Allocatable(resource string) int64 {
	info := n.acquire()
	if info == nil {
		return 0
	}
	defer n.release()
	return int64(C.libsched_node_info_allocatable(info, str(resource)))
}

// Requested returns the sum of the requests of the pods on the node.
func (n *NodeInfo) Requested(resource string) int64 {
	info := n.acquire()
	if info == nil {
		return 0
	}
	defer n.release()
	return int64(C.libsched_node_info_requested(info, str(resource)))
}

// Nodes holds the nodes of a batch. It is empty after the call returns.
type Nodes struct {
	call *call
	set  *C.libsched_node_set
	rows []Row
}

func (c *call) lend(set *C.libsched_node_set, rows *C.uint32_t, n C.size_t) *Nodes {
	c.nodes.set, c.nodes.rows = set, sliceOf[Row](rows, n)
	return &c.nodes
}

// Len returns the number of nodes.
func (n *Nodes) Len() int { return len(n.rows) }

// Rows returns the nodes' rows in the view. The slice is the library's memory: it must not be changed,
// or used after the call returns.
func (n *Nodes) Rows() []Row { return n.rows }

// At returns the node at a position, which must be less than Len.
func (n *Nodes) At(i int) *NodeInfo {
	_ = n.rows[i]
	return &NodeInfo{call: n.call, set: n.set, at: C.size_t(i)}
}

// Names returns the nodes' names. Like the methods below, it crosses to C once for all nodes.
func (n *Nodes) Names() []string {
	return n.texts(func(out *C.libsched_str) { C.lsgo_node_set_names(n.set, out) })
}

// Label returns the values of a label; "" for nodes without it.
func (n *Nodes) Label(key string) []string {
	text, size := textOf(key)
	return n.texts(func(out *C.libsched_str) { C.lsgo_node_set_label(n.set, text, size, out) })
}

// Allocatable returns the nodes' amounts of a resource, in the units of Pod.Request; "pods" is the number
// of pods.
func (n *Nodes) Allocatable(resource string) []int64 {
	text, size := textOf(resource)
	return n.numbers(func(out *C.int64_t) { C.lsgo_node_set_allocatable(n.set, text, size, out) })
}

// Requested returns the sums of the requests of the pods on each node.
func (n *Nodes) Requested(resource string) []int64 {
	text, size := textOf(resource)
	return n.numbers(func(out *C.int64_t) { C.lsgo_node_set_requested(n.set, text, size, out) })
}

func (n *Nodes) texts(read func(out *C.libsched_str)) []string {
	if _, ok := n.call.h.acquire(); !ok || len(n.rows) == 0 {
		if ok {
			n.call.h.release()
		}
		return nil
	}
	defer n.call.h.release()
	found := make([]C.libsched_str, len(n.rows)) // of C memory
	read(&found[0])
	texts := make([]string, len(found))
	known := interner{}
	for i := range texts {
		texts[i] = known.string(found[i])
	}
	return texts
}

func (n *Nodes) numbers(read func(out *C.int64_t)) []int64 {
	if _, ok := n.call.h.acquire(); !ok || len(n.rows) == 0 {
		if ok {
			n.call.h.release()
		}
		return nil
	}
	defer n.call.h.release()
	numbers := make([]int64, len(n.rows))
	read((*C.int64_t)(&numbers[0]))
	return numbers
}

// Verdicts holds the verdicts of a FilterBatchPlugin on Nodes: the code of the node at each position,
// Success at first, and for other codes a reason, by its index in WithReasons. The slices are the
// library's memory: they must not be used after the call returns.
type Verdicts struct {
	Codes   []int8
	Reasons []uint16
}

// Reject gives the node at a position a code and a reason.
func (v *Verdicts) Reject(i int, code Code, reason int) {
	v.Codes[i], v.Reasons[i] = int8(code), uint16(reason)
}
