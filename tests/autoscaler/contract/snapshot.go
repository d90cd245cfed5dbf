// Package contract re-declares the interfaces between the Cluster Autoscaler and its simulated
// cluster, as far as filters, forks and placements go: names and rules are the autoscaler's. Claims of
// devices and CSINodes, which it keeps in snapshots of their own, are left out.
//
// The package needs k8s.io/api alone, so engines that are not built on the Go scheduler implement it
// as well.
package contract

import (
	"errors"

	v1 "k8s.io/api/core/v1"
)

// ErrNodeNotFound says that a snapshot has no node of a name.
var ErrNodeNotFound = errors.New("node not found")

// Forkable is state that can be changed on trial.
type Forkable interface {
	// Fork marks the present state. Forks nest.
	Fork()
	// Revert undoes all changes since the latest Fork. Without a fork it has no effect.
	Revert()
	// Commit keeps the changes since the latest Fork, in the fork outside or for good. Without a
	// fork it has no effect.
	Commit() error
}

// NodeInfo is a node with its pods. Callers treat both as read-only.
type NodeInfo interface {
	Node() *v1.Node
	Pods() []*v1.Pod
}

// ClusterSnapshot is a simulated cluster that asks the scheduler's filters.
type ClusterSnapshot interface {
	Forkable

	// Clear removes everything and ends all forks.
	Clear()
	// SetClusterState replaces everything and ends all forks. A pod is on the node of spec.nodeName,
	// or of status.nominatedNodeName; a pod of an unknown node is left out.
	SetClusterState(nodes []*v1.Node, scheduledPods []*v1.Pod) error

	// AddNodeInfo adds a node with pods, without asking filters.
	AddNodeInfo(info NodeInfo) error
	// RemoveNodeInfo removes a node and its pods.
	RemoveNodeInfo(nodeName string) error
	GetNodeInfo(nodeName string) (NodeInfo, error)
	// ListNodeInfos returns all nodes; searches number them in this order.
	ListNodeInfos() ([]NodeInfo, error)

	// ForceAddPod puts a pod onto a node without asking filters.
	ForceAddPod(pod *v1.Pod, nodeName string) error
	// ForceRemovePod takes a pod off a node.
	ForceRemovePod(namespace, podName, nodeName string) error

	// SchedulePod puts a pod onto a node if the filters pass.
	SchedulePod(pod *v1.Pod, nodeName string) SchedulingError
	// SchedulePodOnAnyNodeMatching puts a pod onto the first acceptable node that passes the filters.
	SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts SchedulingOptions) (nodeName string, err SchedulingError)
	// UnschedulePod takes a pod off a node, so that it can be scheduled on another one.
	UnschedulePod(namespace, podName, nodeName string) error

	// CheckPredicates asks the filters whether a pod could be on a node. Nothing changes.
	CheckPredicates(pod *v1.Pod, nodeName string) SchedulingError
}

// WithForkedSnapshot calls f in a fork, and commits it if f returns true and the commit succeeds;
// otherwise it reverts. It returns the errors of f and of the commit.
func WithForkedSnapshot(snapshot ClusterSnapshot, f func() (bool, error)) (result, cleanup error) {
	snapshot.Fork()
	keep := false
	defer func() {
		if keep {
			cleanup = snapshot.Commit()
		}
		if !keep || cleanup != nil {
			snapshot.Revert()
		}
	}()
	keep, result = f()
	return result, cleanup
}

// plainInfo is a NodeInfo of given objects.
type plainInfo struct {
	node *v1.Node
	pods []*v1.Pod
}

func (p *plainInfo) Node() *v1.Node  { return p.node }
func (p *plainInfo) Pods() []*v1.Pod { return p.pods }

// NewNodeInfo returns a NodeInfo for AddNodeInfo and for templates.
func NewNodeInfo(node *v1.Node, pods ...*v1.Pod) NodeInfo {
	return &plainInfo{node: node, pods: pods}
}
