package consumers

import (
	"context"
	"errors"
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// ToBeDeletedTaint is the key of the taint of a node that is being removed.
const ToBeDeletedTaint = "ToBeDeletedByClusterAutoscaler"

// UnremovableReason says why a node stays.
type UnremovableReason int

// Reasons why a node stays.
const (
	NoReason UnremovableReason = iota
	NoPlaceToMovePods
	BlockedByPod
	NoNodeInfo
	UnexpectedError
)

// Removable is a node that can go.
type Removable struct {
	Node          *v1.Node
	Pods          []*v1.Pod // those that move
	DaemonSetPods []*v1.Pod
	Statuses      []Status // where they went
}

// Unremovable is a node that stays.
type Unremovable struct {
	Node        *v1.Node
	Reason      UnremovableReason
	BlockingPod *v1.Pod
	Err         error
}

// RemovalSimulator tries to remove nodes.
type RemovalSimulator struct {
	Snapshot clustersnapshot.ClusterSnapshot
	// Persist keeps successful removals in the snapshot.
	Persist bool
	Hinting *HintingSimulator
	// Force moves pods that would block the removal, too.
	Force bool
}

// NewRemovalSimulator returns a RemovalSimulator.
func NewRemovalSimulator(snapshot clustersnapshot.ClusterSnapshot, persist bool) *RemovalSimulator {
	return &RemovalSimulator{Snapshot: snapshot, Persist: persist, Hinting: NewHintingSimulator()}
}

// SimulateNodeRemoval tries to place the pods of a node on those of destinations. One result is nil.
func (r *RemovalSimulator) SimulateNodeRemoval(ctx context.Context, name string, destinations map[string]bool,
	now time.Time) (*Removable, *Unremovable) {
	info, err := r.Snapshot.GetNodeInfo(name)
	if err != nil {
		reason := UnexpectedError
		if errors.Is(err, clustersnapshot.ErrNodeNotFound) {
			reason = NoNodeInfo
		}
		return nil, &Unremovable{Node: &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, Reason: reason, Err: err}
	}
	node := info.Node()
	move, daemons, blocking := r.podsToMove(PodsOf(info))
	if blocking != nil {
		return nil, &Unremovable{Node: node, Reason: BlockedByPod, BlockingPod: blocking}
	}
	var statuses []Status
	r.Snapshot.Fork()
	statuses, err = r.findPlaces(ctx, info, move, destinations, now)
	if err == nil && r.Persist {
		if err := r.Snapshot.Commit(); err != nil {
			r.Snapshot.Revert()
			return nil, &Unremovable{Node: node, Reason: UnexpectedError, Err: err}
		}
	} else {
		r.Snapshot.Revert()
	}
	if err != nil {
		return nil, &Unremovable{Node: node, Reason: NoPlaceToMovePods, Err: err}
	}
	return &Removable{Node: node, Pods: move, DaemonSetPods: daemons, Statuses: statuses}, nil
}

// podsToMove leaves out pods that end with the node. A pod blocks without a controller that would
// replace it, or if its annotation forbids the eviction.
func (r *RemovalSimulator) podsToMove(pods []*v1.Pod) (move, daemons []*v1.Pod, blocking *v1.Pod) {
	for _, pod := range pods {
		safe := pod.Annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"]
		_, mirror := pod.Annotations[v1.MirrorPodAnnotationKey]
		switch {
		case mirror:
		case IsDaemonSetPod(pod):
			daemons = append(daemons, pod)
		case !r.Force && (safe == "false" || safe != "true" && metav1.GetControllerOf(pod) == nil):
			return nil, nil, pod
		default:
			move = append(move, pod)
		}
	}
	return move, daemons, nil
}

// findPlaces works in the fork of its caller.
func (r *RemovalSimulator) findPlaces(ctx context.Context, info *framework.NodeInfo, move []*v1.Pod, destinations map[string]bool,
	now time.Time) ([]Status, error) {
	node := info.Node()
	for _, pod := range move {
		// A pod whose claim is missing stays, and goes with the node.
		_ = r.Snapshot.UnschedulePod(pod.Namespace, pod.Name, node.Name)
	}
	if err := r.Snapshot.RemoveNodeInfo(node.Name); err != nil {
		return nil, err
	}
	if err := r.Snapshot.AddNodeInfo(framework.NewNodeInfo(Ghost(node, now), info.LocalResourceSlices).SetCSINode(info.CSINode)); err != nil {
		return nil, err
	}
	pods := make([]*v1.Pod, len(move))
	for i, pod := range move {
		moved := *pod
		moved.Spec.NodeName = ""
		pods[i] = &moved
	}
	result, err := r.Hinting.TrySchedulePods(ctx, r.Snapshot, pods, true, clustersnapshot.SchedulingOptions{
		IsNodeAcceptable: func(info *framework.NodeInfo) bool {
			return info.Node().Name != node.Name && destinations[info.Node().Name]
		}})
	if err != nil {
		return nil, err
	}
	if len(result.Statuses) != len(pods) {
		return nil, fmt.Errorf("can reschedule only %d out of %d pods", len(result.Statuses), len(pods))
	}
	return result.Statuses, r.Snapshot.RemoveNodeInfo(node.Name)
}

// Ghost is a node with the taint of its removal. It stands in for the node while the pods move, so
// that topology spread counts its domains as in reality.
func Ghost(node *v1.Node, now time.Time) *v1.Node {
	ghost := node.DeepCopy()
	ghost.Spec.Taints = append(ghost.Spec.Taints, v1.Taint{
		Key: ToBeDeletedTaint, Value: fmt.Sprint(now.Unix()), Effect: v1.TaintEffectNoSchedule})
	return ghost
}
