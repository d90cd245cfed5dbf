package libsched

// #include "sim_bridge.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// SimPod says where a pod runs: Node is an index in the nodes of [Sim.Reset].
type SimPod struct {
	Pod  PodRef
	Node int
}

// nameList concatenates names in the memory of the core.
func (k *simCore) nameList(names []string) (*C.char, *C.size_t) {
	k.bytes, k.lengths = k.bytes[:0], k.lengths[:0]
	for _, name := range names {
		k.bytes = append(k.bytes, name...)
		k.lengths = append(k.lengths, C.size_t(len(name)))
	}
	return strOfBytes(k.bytes).ptr, unsafe.SliceData(k.lengths)
}

// Reset ends all forks and replaces all nodes and pods; other objects stay. Node i is made of nodes[i] and
// has the name names[i]. Their ids are written to nodeIDs and podIDs, each of which may be nil. Errors:
// ErrStale (a reference), ErrExists (a name twice), ErrInvalid (an empty name; an index; slices of unequal
// length), ErrLimit.
func (s *Sim) Reset(nodes []NodeRef, names []string, pods []SimPod, nodeIDs []NodeID, podIDs []PodID) error {
	switch {
	case len(names) != len(nodes):
		return unequal("nodes", len(nodes), "names", len(names))
	case nodeIDs != nil && len(nodeIDs) != len(nodes):
		return unequal("nodes", len(nodes), "nodeIDs", len(nodeIDs))
	case podIDs != nil && len(podIDs) != len(pods):
		return unequal("pods", len(pods), "podIDs", len(podIDs))
	}
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	k.refs, k.on = k.refs[:0], k.on[:0]
	for i, pod := range pods {
		if pod.Node < 0 || pod.Node >= len(nodes) {
			return &Error{Code: ErrInvalid, Path: fmt.Sprintf("pods[%d].Node", i),
				Msg: fmt.Sprintf("%d is no index of the %d nodes", pod.Node, len(nodes))}
		}
		k.refs, k.on = append(k.refs, pod.Pod), append(k.on, C.uint32_t(pod.Node))
	}
	text, lengths := k.nameList(names)
	return k.changed(C.lsgo_sim_reset(k.c, words(nodes), text, lengths, C.size_t(len(nodes)), words(k.refs),
		unsafe.SliceData(k.on), C.size_t(len(pods)), words(nodeIDs), words(podIDs)))
}

// change makes a change with an Objects.
func (s *Sim) change(objects *Objects, call func(*C.lsgo_sim, *C.libsched_objects) C.libsched_rc) error {
	if objects == nil {
		return closedError(objects)
	}
	ptr, err := acquired(objects, objects.h)
	if err != nil {
		return err
	}
	defer objects.h.release()
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	return k.changed(call(k.c, ptr))
}

// Load is Reset with the nodes of a document and its pods that run on one of them and have not ended. Its
// other objects replace those of the same name. The contents are added to the catalog. Errors: ErrExists (a
// name twice), ErrLimit.
func (s *Sim) Load(objects *Objects) error {
	return s.change(objects, func(c *C.lsgo_sim, o *C.libsched_objects) C.libsched_rc { return C.lsgo_sim_load(c, o) })
}

// PutObjects adds or replaces all objects of a document that are neither pods nor nodes: CSINodes, volumes,
// claims, namespaces and so on, also in a fork. Errors: ErrInvalid (the document has a pod or a node).
func (s *Sim) PutObjects(objects *Objects) error {
	return s.change(objects, func(c *C.lsgo_sim, o *C.libsched_objects) C.libsched_rc {
		return C.lsgo_sim_put_objects(c, o)
	})
}

// ResetObjects does the same and removes all others of such objects: after it the document has all that there
// are. Errors: ErrInvalid.
func (s *Sim) ResetObjects(objects *Objects) error {
	return s.change(objects, func(c *C.lsgo_sim, o *C.libsched_objects) C.libsched_rc {
		return C.lsgo_sim_reset_objects(c, o)
	})
}

// RemoveObject removes such an object. Errors: ErrNotFound, ErrInvalid (a kind that is not kept).
func (s *Sim) RemoveObject(kind, namespace, name string) error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	kindText, kindLength := textOf(kind)
	spaceText, spaceLength := textOf(namespace)
	nameText, nameLength := textOf(name)
	return k.changed(C.lsgo_sim_remove_object(k.c, kindText, kindLength, spaceText, spaceLength, nameText, nameLength))
}

// AddNode adds a node behind all others. Errors: ErrStale, ErrExists, ErrInvalid (an empty name), ErrLimit.
func (s *Sim) AddNode(like NodeRef, name string) (NodeID, error) {
	k, err := s.enter()
	if err != nil {
		return 0, err
	}
	defer k.leave()
	text, n := textOf(name)
	if err := k.changed(C.lsgo_sim_add_node(k.c, C.uint64_t(like), text, n)); err != nil {
		return 0, err
	}
	return NodeID(k.c.id), nil
}

// AddNodes adds nodes of one content behind all others, and writes their ids to `into` unless that is nil.
// Errors: as AddNode, and ErrInvalid for slices of unequal length.
func (s *Sim) AddNodes(like NodeRef, names []string, into []NodeID) error {
	if into != nil && len(into) != len(names) {
		return unequal("names", len(names), "ids", len(into))
	}
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	if into == nil {
		into = make([]NodeID, len(names))
	}
	text, lengths := k.nameList(names)
	return k.changed(C.lsgo_sim_add_nodes(k.c, C.uint64_t(like), text, lengths, C.size_t(len(names)), words(into)))
}

// RemoveNode removes a node and its pods. Errors: ErrStale.
func (s *Sim) RemoveNode(node NodeID) error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	return k.changed(C.lsgo_sim_remove_node(k.c, C.uint64_t(node)))
}

// ReplaceNode gives a node another content; its name, id, place and pods stay. Errors: ErrStale, ErrLimit.
func (s *Sim) ReplaceNode(node NodeID, like NodeRef) error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	return k.changed(C.lsgo_sim_replace_node(k.c, C.uint64_t(node), C.uint64_t(like)))
}

// AddPod puts a pod onto a node, without asking whether it fits. Errors: ErrStale, ErrLimit.
func (s *Sim) AddPod(pod PodRef, node NodeID) (PodID, error) {
	k, err := s.enter()
	if err != nil {
		return 0, err
	}
	defer k.leave()
	if err := k.changed(C.lsgo_sim_add_pod(k.c, C.uint64_t(pod), C.uint64_t(node))); err != nil {
		return 0, err
	}
	return PodID(k.c.id), nil
}

// AddPods puts pods onto nodes, without asking whether they fit, and writes their ids to `into` unless that is
// nil. Errors: as AddPod, and ErrInvalid for slices of unequal length.
func (s *Sim) AddPods(pods []PodRef, nodes []NodeID, into []PodID) error {
	switch {
	case len(pods) != len(nodes):
		return unequal("pods", len(pods), "nodes", len(nodes))
	case into != nil && len(into) != len(pods):
		return unequal("pods", len(pods), "ids", len(into))
	}
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	return k.changed(C.lsgo_sim_add_pods(k.c, words(pods), words(nodes), C.size_t(len(pods)), words(into)))
}

// RemovePods takes pods off their nodes. Errors: ErrStale (also for an id that occurs twice).
func (s *Sim) RemovePods(pods ...PodID) error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	k.pods = append(k.pods[:0], pods...) // so that the caller's list is not allocated
	return k.changed(C.lsgo_sim_remove_pods(k.c, words(k.pods), C.size_t(len(k.pods))))
}

// UnplacePods takes pods off their nodes, and takes back what placing them has taken, as the Cluster Autoscaler
// does: no ResourceClaim is reserved for them, and claims that were made for them, or that nobody reserves any
// more, lose their devices. Errors: those of RemovePods.
func (s *Sim) UnplacePods(pods ...PodID) error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	k.pods = append(k.pods[:0], pods...)
	return k.changed(C.lsgo_sim_unplace_pods(k.c, words(k.pods), C.size_t(len(k.pods))))
}

// Fork marks the state for Revert and Commit. Forks nest without bound, and a fork costs nothing.
func (s *Sim) Fork() error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	return k.changed(C.lsgo_sim_fork(k.c))
}

// Commit drops the latest mark: the changes become those of the fork around it. Errors: ErrState (no fork).
func (s *Sim) Commit() error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	return k.changed(C.lsgo_sim_commit(k.c))
}

// Revert undoes all changes since the latest mark, with ids and the order of nodes and pods. Its cost depends
// on the changes alone. Errors: ErrState (no fork).
func (s *Sim) Revert() error {
	k, err := s.enter()
	if err != nil {
		return err
	}
	defer k.leave()
	return k.changed(C.lsgo_sim_revert(k.c))
}

// Depth returns the number of open forks.
func (s *Sim) Depth() int {
	k, err := s.enter()
	if err != nil {
		return 0
	}
	defer k.leave()
	return int(C.libsched_sim_fork_depth(k.c.sim))
}
