package reference

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"libsched.dev/tests/autoscaler/contract"
)

// Snapshot is a Store that asks filters. It implements contract.ClusterSnapshot, for one goroutine.
type Snapshot struct {
	*Store
	runner *Runner
}

var _ contract.ClusterSnapshot = (*Snapshot)(nil)

// NewSnapshot returns an empty Snapshot.
func NewSnapshot(handle *Handle) *Snapshot {
	store := NewStore()
	return &Snapshot{Store: store, runner: NewRunner(handle, store)}
}

// Runner returns the Runner of the snapshot.
func (s *Snapshot) Runner() *Runner { return s.runner }

// SetClusterState implements contract.ClusterSnapshot.
func (s *Snapshot) SetClusterState(nodes []*v1.Node, scheduledPods []*v1.Pod) error {
	pods := map[string][]*v1.Pod{}
	for _, pod := range scheduledPods {
		name := pod.Spec.NodeName
		if name == "" {
			name = pod.Status.NominatedNodeName
		}
		pods[name] = append(pods[name], pod)
	}
	s.Clear()
	for _, node := range nodes {
		if err := s.StoreNodeInfo(NewNodeInfo(node, pods[node.Name]...)); err != nil {
			return err
		}
	}
	return nil
}

// AddNodeInfo implements contract.ClusterSnapshot.
func (s *Snapshot) AddNodeInfo(info contract.NodeInfo) error {
	return s.StoreNodeInfo(NewNodeInfo(info.Node(), info.Pods()...))
}

// GetNodeInfo implements contract.ClusterSnapshot.
func (s *Snapshot) GetNodeInfo(name string) (contract.NodeInfo, error) {
	if info := s.top.get(name); info != nil {
		return info, nil
	}
	return nil, contract.ErrNodeNotFound
}

// ListNodeInfos implements contract.ClusterSnapshot.
func (s *Snapshot) ListNodeInfos() ([]contract.NodeInfo, error) {
	return s.runner.asContract(s.top.nodes()), nil
}

// ForceAddPod implements contract.ClusterSnapshot.
func (s *Snapshot) ForceAddPod(pod *v1.Pod, node string) error {
	info, err := framework.NewPodInfo(pod)
	if err != nil {
		return fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return s.StorePodInfo(info, node)
}

// ForceRemovePod implements contract.ClusterSnapshot.
func (s *Snapshot) ForceRemovePod(namespace, name, node string) error {
	return s.RemovePodInfo(namespace, name, node)
}

// UnschedulePod implements contract.ClusterSnapshot.
func (s *Snapshot) UnschedulePod(namespace, name, node string) error {
	return s.RemovePodInfo(namespace, name, node)
}

// SchedulePod implements contract.ClusterSnapshot.
func (s *Snapshot) SchedulePod(pod *v1.Pod, node string) contract.SchedulingError {
	if err := s.runner.RunFiltersOnNode(pod, node); err != nil {
		return err
	}
	return s.put(pod, node)
}

// SchedulePodOnAnyNodeMatching implements contract.ClusterSnapshot.
func (s *Snapshot) SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts contract.SchedulingOptions) (string, contract.SchedulingError) {
	node, err := s.runner.RunFiltersUntilPassingNode(pod, opts)
	if err != nil {
		return "", err
	}
	if err := s.put(pod, node.Name); err != nil {
		return "", err
	}
	return node.Name, nil
}

func (s *Snapshot) put(pod *v1.Pod, node string) contract.SchedulingError {
	if err := s.ForceAddPod(pod, node); err != nil {
		return contract.NewSchedulingInternalError(pod, err.Error())
	}
	return nil
}

// CheckPredicates implements contract.ClusterSnapshot.
func (s *Snapshot) CheckPredicates(pod *v1.Pod, node string) contract.SchedulingError {
	return s.runner.RunFiltersOnNode(pod, node)
}
