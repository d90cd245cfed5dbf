package libsched

// #include "sim_bridge.h"
// #cgo noescape lsgo_sim_read
// #cgo nocallback lsgo_sim_read
// #cgo nocallback libsched_sim_node_count
// #cgo nocallback libsched_sim_pod_count
// #cgo nocallback libsched_sim_node_limit
// #cgo nocallback libsched_sim_node_name
// #cgo nocallback libsched_sim_find_node
// #cgo nocallback libsched_sim_position
// #cgo nocallback libsched_sim_node_ref
// #cgo nocallback libsched_sim_pod_ref
// #cgo nocallback libsched_sim_pod_node
// #cgo nocallback libsched_sim_resource_count
// #cgo nocallback libsched_sim_resource
import "C"

import (
	"slices"
	"unsafe"
)

// read calls the library with the memory of `into`, which is replaced if it is too small.
func read[T any](s *Sim, what C.int, node NodeID, into []T) []T {
	k, err := s.enter()
	if err != nil {
		return into[:0]
	}
	defer k.leave()
	for {
		rc := C.lsgo_sim_read(k.c, what, C.uint64_t(node), unsafe.Pointer(unsafe.SliceData(into)), C.size_t(cap(into)))
		count := int(k.c.count)
		switch err := k.result(rc); {
		case err != nil && ErrBuffer != err.(*Error).Code: // ErrStale
			return into[:0]
		case count <= cap(into):
			return into[:count]
		}
		into = make([]T, 0, count)
	}
}

// Nodes returns the nodes in their order. It uses the memory of `into`, which may be nil.
func (s *Sim) Nodes(into []NodeID) []NodeID { return read(s, C.LSGO_SIM_NODES, 0, into) }

// PodsOn returns the pods of a node, in the order in which they came; none for a stale id. It uses the memory
// of `into`, which may be nil.
func (s *Sim) PodsOn(node NodeID, into []PodID) []PodID {
	return read(s, C.LSGO_SIM_PODS_ON, node, into)
}

// Requested returns what the pods of a node request together, by the index in Resources; nothing for a stale
// id. It uses the memory of `into`, which may be nil.
func (s *Sim) Requested(node NodeID, into []int64) []int64 {
	return read(s, C.LSGO_SIM_REQUESTED, node, into)
}

// Allocatable is Requested for what a node offers.
func (s *Sim) Allocatable(node NodeID, into []int64) []int64 {
	return read(s, C.LSGO_SIM_ALLOCATABLE, node, into)
}

// ObjectsJSON returns the objects of a kind other than pods and nodes as a List, as they are now: a ResourceClaim
// has the devices that pods took when they were placed. It has those of a namespace and of a name, each of
// which may be "", for any. Errors: ErrInvalid (a kind that is not kept).
func (s *Sim) ObjectsJSON(kind, namespace, name string) ([]byte, error) {
	k, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer k.leave()
	kindText, kindLength := textOf(kind)
	namespaceText, namespaceLength := textOf(namespace)
	nameText, nameLength := textOf(name)
	var text *C.libsched_text
	if err := k.result(C.lsgo_sim_objects(k.c, kindText, kindLength, namespaceText, namespaceLength, nameText,
		nameLength, &text)); err != nil {
		return nil, err
	}
	return takeText(text), nil
}

// ObjectsVersion returns a number that changes with every change of an object of the kind, and comes back with
// a Revert: equal numbers mean equal objects. 0: the kind is not kept, or the Sim is closed.
func (s *Sim) ObjectsVersion(kind string) uint64 {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return uint64(C.libsched_view_objects_version(C.libsched_sim_view(k.c.sim), str(kind)))
}

// Resources returns the resources that nodes or pods have, in an order that stays: "cpu" (thousandths),
// "memory", "ephemeral-storage", "pods", then others as they came.
func (s *Sim) Resources() []string {
	k, err := s.enter()
	if err != nil {
		return nil
	}
	defer k.leave()
	for i := len(k.resources); i < int(C.libsched_sim_resource_count(k.c.sim)); i++ {
		k.resources = append(k.resources, goString(C.libsched_sim_resource(k.c.sim, C.size_t(i))))
	}
	return slices.Clip(k.resources)
}

// NodeCount returns the number of nodes.
func (s *Sim) NodeCount() int {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return int(C.libsched_sim_node_count(k.c.sim))
}

// PodCount returns the number of pods.
func (s *Sim) PodCount() int {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return int(C.libsched_sim_pod_count(k.c.sim))
}

// RowCount returns an upper bound: every NodeID has a smaller Row.
func (s *Sim) RowCount() int {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return int(C.libsched_sim_node_limit(k.c.sim))
}

// NewNodeSet returns an empty set with room for all nodes.
func (s *Sim) NewNodeSet() NodeSet { return make(NodeSet, (s.RowCount()+63)/64) }

// NodeSet returns the set of the nodes that are accepted, for [Query].
func (s *Sim) NodeSet(accept func(NodeID) bool) NodeSet {
	set := s.NewNodeSet()
	for _, node := range s.Nodes(nil) {
		if accept(node) {
			set.Add(node.Row())
		}
	}
	return set
}

// Name returns a node's name; "" for a stale id. It allocates for a name that it has not returned before.
func (s *Sim) Name(node NodeID) string {
	k, err := s.enter()
	if err != nil {
		return ""
	}
	defer k.leave()
	name := borrowed(C.libsched_sim_node_name(k.c.sim, C.uint64_t(node)))
	if len(name) == 0 {
		return ""
	}
	row := int(node.Row())
	if row >= len(k.names) {
		k.names = append(k.names, make([]string, row+1-len(k.names))...)
	}
	if k.names[row] != string(name) {
		k.names[row] = string(name)
	}
	return k.names[row]
}

// Find returns the node of a name.
func (s *Sim) Find(name string) (NodeID, bool) {
	k, err := s.enter()
	if err != nil {
		return 0, false
	}
	defer k.leave()
	id := NodeID(C.libsched_sim_find_node(k.c.sim, str(name)))
	return id, id != 0
}

// Position returns a node's index in the order of nodes; -1 for a stale id.
func (s *Sim) Position(node NodeID) int {
	k, err := s.enter()
	if err != nil {
		return -1
	}
	defer k.leave()
	return int(C.libsched_sim_position(k.c.sim, C.uint64_t(node))) // SIZE_MAX is -1
}

// NodeRef returns the content of a node; 0 for a stale id.
func (s *Sim) NodeRef(node NodeID) NodeRef {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return NodeRef(C.libsched_sim_node_ref(k.c.sim, C.uint64_t(node)))
}

// PodRef returns the content of a pod; 0 for a stale id.
func (s *Sim) PodRef(pod PodID) PodRef {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return PodRef(C.libsched_sim_pod_ref(k.c.sim, C.uint64_t(pod)))
}

// NodeOf returns the node of a pod; 0 for a stale id.
func (s *Sim) NodeOf(pod PodID) NodeID {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return NodeID(C.libsched_sim_pod_node(k.c.sim, C.uint64_t(pod)))
}
