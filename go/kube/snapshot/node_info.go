package snapshot

import (
	v1 "k8s.io/api/core/v1"

	"libsched"
	"libsched/kube"
)

// placed is a pod with its place in the Sim.
type placed struct {
	pod *v1.Pod
	id  libsched.PodID
}

// NodeInfo is a node of a Snapshot with its pods. It follows all changes and reverts; once its node is
// removed, it keeps what was there last.
type NodeInfo struct {
	snapshot *Snapshot
	node     *v1.Node
	id       libsched.NodeID
	pods     []placed

	// Data is the caller's; the Snapshot does not look at it. It stays until the node is removed, also over reverts.
	Data any

	version                uint64
	requested, allocatable *Amounts // nil: not summed up yet
}

// Version returns a number that changes with every change of the node and its pods, and comes back with a Revert. So what
// a caller has computed of a NodeInfo holds as long as its version is the same. No two states have one number.
func (n *NodeInfo) Version() uint64 { return n.version }

// Node returns the node.
func (n *NodeInfo) Node() *v1.Node { return n.node }

// ID returns the node's id in the Sim.
func (n *NodeInfo) ID() libsched.NodeID { return n.id }

// Pods returns the pods of the node, in no order that means anything. The slice is the caller's. They are the very
// objects that the Snapshot was given, also after moves and reverts: a map by *v1.Pod holds what a caller wants to keep
// with a pod.
func (n *NodeInfo) Pods() []*v1.Pod {
	if len(n.pods) == 0 {
		return nil
	}
	pods := make([]*v1.Pod, len(n.pods))
	for i := range n.pods {
		pods[i] = n.pods[i].pod
	}
	return pods
}

// PodCount returns the number of pods, without a slice.
func (n *NodeInfo) PodCount() int { return len(n.pods) }

// Amounts are resources: of CPU in thousandths, of memory and ephemeral storage in bytes.
type Amounts struct {
	MilliCPU, Memory, EphemeralStorage, Pods int64
	Others                                   map[v1.ResourceName]int64 // nil: there are none
}

// Requested returns what the pods request together, as filters count it. It is summed up at the first
// call after a change. It is zero for a node that was removed.
func (n *NodeInfo) Requested() Amounts {
	if n.snapshot.byName[n.node.Name] != n {
		return Amounts{}
	}
	if n.requested == nil {
		n.requested = n.amounts((*kube.Sim).Requested)
	}
	return *n.requested
}

// Allocatable is Requested for what the node offers.
func (n *NodeInfo) Allocatable() Amounts {
	if n.snapshot.byName[n.node.Name] != n {
		return Amounts{}
	}
	if n.allocatable == nil {
		n.allocatable = n.amounts((*kube.Sim).Allocatable)
	}
	return *n.allocatable
}

func (n *NodeInfo) amounts(read func(*kube.Sim, libsched.NodeID, []int64) []int64) *Amounts {
	var a Amounts
	s := n.snapshot
	numbers := read(s.sim, n.id, nil)
	fields := [...]*int64{&a.MilliCPU, &a.Memory, &a.EphemeralStorage, &a.Pods}
	var names []string
	for i, number := range numbers {
		switch {
		case i < len(fields):
			*fields[i] = number
		case number != 0:
			if names == nil {
				names, a.Others = s.sim.Resources(), map[v1.ResourceName]int64{}
			}
			a.Others[v1.ResourceName(names[i])] = number
		}
	}
	return &a
}

// GetNodeInfo returns a node. Errors: ErrNodeNotFound.
func (s *Snapshot) GetNodeInfo(name string) (*NodeInfo, error) {
	if info := s.byName[name]; info != nil {
		return info, nil
	}
	return nil, ErrNodeNotFound
}

// ListNodeInfos returns all nodes in the order in which searches number them: that in which they were
// added. The slice must not be changed, and later changes do not show in it.
func (s *Snapshot) ListNodeInfos() []*NodeInfo { return s.order() }
