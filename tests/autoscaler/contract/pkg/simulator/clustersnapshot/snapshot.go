// Package clustersnapshot re-declares the interface between the Cluster Autoscaler and its simulated cluster: names,
// signatures and rules are the autoscaler's.
//
// The module has the autoscaler's path, so that code which implements the interface compiles here and there unchanged.
// It needs k8s.io/api alone, so engines that are not built on the Go scheduler implement it as well.
package clustersnapshot

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	csisnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/csi/snapshot"
	drasnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/dynamicresources/snapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
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

// ClusterSnapshotStore has the state of a ClusterSnapshot, and changes it without asking filters. Nothing but a
// ClusterSnapshot uses it.
type ClusterSnapshotStore interface {
	fwk.SharedLister
	Forkable

	StorePodInfo(podInfo *framework.PodInfo, nodeName string) error
	RemovePodInfo(namespace string, podName string, nodeName string) error
	StoreNodeInfo(nodeInfo *framework.NodeInfo) error
	RemoveNodeInfo(nodeName string) error
	// Clear removes everything and ends all forks.
	Clear()
}

// ClusterSnapshot is a simulated cluster that asks the scheduler's filters.
type ClusterSnapshot interface {
	framework.SharedLister
	ClusterSnapshotStore
	Forkable

	// SetClusterState replaces everything and ends all forks. A pod is on the node of spec.nodeName,
	// or of status.nominatedNodeName; a pod of an unknown node is left out. The ClusterSnapshot owns both
	// snapshots from then on; nil is an empty one.
	SetClusterState(nodes []*v1.Node, scheduledPods []*v1.Pod, draSnapshot *drasnapshot.Snapshot, csiSnapshot *csisnapshot.Snapshot) error

	// AddNodeInfo adds a node with pods, without asking filters; its devices, its CSINode and the claims that its
	// pods own are added to the snapshots of these, and shared claims are reserved for the pods. All claims have
	// devices already.
	AddNodeInfo(nodeInfo *framework.NodeInfo) error
	// RemoveNodeInfo removes a node with its pods, its devices, its CSINode, and the claims that its pods own.
	RemoveNodeInfo(nodeName string) error
	GetNodeInfo(nodeName string) (*framework.NodeInfo, error)
	// ListNodeInfos returns all nodes; searches number them in this order.
	ListNodeInfos() ([]*framework.NodeInfo, error)

	// ForceAddPod puts a pod onto a node without asking filters. Its claims must be there, and stay as they are.
	ForceAddPod(pod *v1.Pod, nodeName string) error
	// ForceRemovePod takes a pod off a node. Its claims stay as they are.
	ForceRemovePod(namespace string, podName string, nodeName string) error

	// SchedulePod puts a pod onto a node if the filters pass. Its claims get devices, and are reserved for it.
	SchedulePod(pod *v1.Pod, nodeName string) SchedulingError
	// SchedulePodOnAnyNodeMatching puts a pod onto the first acceptable node that passes the filters, as SchedulePod.
	SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts SchedulingOptions) (matchingNode string, err SchedulingError)
	// UnschedulePod takes a pod off a node, so that it can be scheduled on another one: its claims are not
	// reserved for it any more, and lose their devices unless other pods use them.
	UnschedulePod(namespace string, podName string, nodeName string) error

	// CheckPredicates asks the filters whether a pod could be on a node. Nothing changes.
	CheckPredicates(pod *v1.Pod, nodeName string) SchedulingError

	// DraSnapshot returns the claims, devices and classes, which callers may change.
	DraSnapshot() *drasnapshot.Snapshot
	// CsiSnapshot returns the CSINodes, which callers may change.
	CsiSnapshot() *csisnapshot.Snapshot
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
