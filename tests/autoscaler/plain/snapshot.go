// Package plain is a small ClusterSnapshot in Go, whose only filter is that of requested CPU and memory. It stands for
// the autoscaler's own snapshot in tests of what falls back to that.
package plain

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"

	csisnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/csi/snapshot"
	drasnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/dynamicresources/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// state is a cluster. It is copied by a fork, but for its objects.
type state struct {
	names []string
	nodes map[string]*framework.NodeInfo
}

// Snapshot is a ClusterSnapshot without devices. What only plugins read is missing.
type Snapshot struct {
	framework.SharedLister
	now   state
	forks []state
}

var _ clustersnapshot.ClusterSnapshot = (*Snapshot)(nil)

// New returns an empty Snapshot.
func New() *Snapshot {
	s := &Snapshot{}
	s.Clear()
	return s
}

func (s *Snapshot) Clear() { s.now, s.forks = state{nodes: map[string]*framework.NodeInfo{}}, nil }

func (s *Snapshot) Fork() {
	s.forks = append(s.forks, s.now)
	s.now = state{slices.Clone(s.now.names), maps.Clone(s.now.nodes)}
}

func (s *Snapshot) Revert() {
	if last := len(s.forks) - 1; last >= 0 {
		s.now, s.forks = s.forks[last], s.forks[:last]
	}
}

func (s *Snapshot) Commit() error {
	if last := len(s.forks) - 1; last >= 0 {
		s.forks = s.forks[:last]
	}
	return nil
}

func (s *Snapshot) SetClusterState(nodes []*v1.Node, scheduledPods []*v1.Pod, _ *drasnapshot.Snapshot, _ *csisnapshot.Snapshot) error {
	s.Clear()
	for _, node := range nodes {
		if err := s.AddNodeInfo(framework.NewNodeInfo(node, nil)); err != nil {
			return err
		}
	}
	for _, pod := range scheduledPods {
		name := pod.Spec.NodeName
		if name == "" {
			name = pod.Status.NominatedNodeName
		}
		if s.now.nodes[name] != nil {
			if err := s.ForceAddPod(pod, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Snapshot) AddNodeInfo(info *framework.NodeInfo) error {
	name := info.Node().Name
	if s.now.nodes[name] != nil {
		return fmt.Errorf("node %s already in snapshot", name)
	}
	s.now.names, s.now.nodes[name] = append(s.now.names, name), info
	return nil
}

func (s *Snapshot) RemoveNodeInfo(name string) error {
	if _, err := s.GetNodeInfo(name); err != nil {
		return err
	}
	delete(s.now.nodes, name)
	at := slices.Index(s.now.names, name)
	s.now.names = slices.Delete(s.now.names, at, at+1)
	return nil
}

func (s *Snapshot) GetNodeInfo(name string) (*framework.NodeInfo, error) {
	if info := s.now.nodes[name]; info != nil {
		return info, nil
	}
	return nil, clustersnapshot.ErrNodeNotFound
}

func (s *Snapshot) ListNodeInfos() ([]*framework.NodeInfo, error) {
	infos := make([]*framework.NodeInfo, len(s.now.names))
	for i, name := range s.now.names {
		infos[i] = s.now.nodes[name]
	}
	return infos, nil
}

func (s *Snapshot) ForceAddPod(pod *v1.Pod, name string) error {
	info, err := s.GetNodeInfo(name)
	if err == nil {
		s.now.nodes[name] = framework.NewNodeInfo(info.Node(), nil, append(info.Pods(), framework.NewPodInfo(pod, nil))...)
	}
	return err
}

func (s *Snapshot) ForceRemovePod(namespace string, podName string, name string) error {
	info, err := s.GetNodeInfo(name)
	if err != nil {
		return err
	}
	pods := info.Pods()
	at := slices.IndexFunc(pods, func(p *framework.PodInfo) bool {
		return p.Pod.Name == podName && p.Pod.Namespace == namespace
	})
	if at < 0 {
		return fmt.Errorf("pod %s/%s not in snapshot", namespace, podName)
	}
	s.now.nodes[name] = framework.NewNodeInfo(info.Node(), nil, slices.Delete(pods, at, at+1)...)
	return nil
}

func (s *Snapshot) UnschedulePod(namespace string, podName string, name string) error {
	return s.ForceRemovePod(namespace, podName, name)
}

func (s *Snapshot) CheckPredicates(pod *v1.Pod, name string) clustersnapshot.SchedulingError {
	info, err := s.GetNodeInfo(name)
	if err != nil {
		return clustersnapshot.NewSchedulingInternalError(pod, err.Error())
	}
	room := info.Node().Status.Allocatable.DeepCopy()
	pods := append([]*v1.Pod{pod}, podsOf(info)...)
	for resource, free := range room {
		for _, p := range pods {
			for i := range p.Spec.Containers {
				free.Sub(p.Spec.Containers[i].Resources.Requests[resource])
			}
		}
		if free.Sign() < 0 {
			return clustersnapshot.NewFailingPredicateError(pod, "NodeResourcesFit", []string{"Insufficient " + string(resource)}, "", "")
		}
	}
	return nil
}

func podsOf(info *framework.NodeInfo) (pods []*v1.Pod) {
	for _, p := range info.Pods() {
		pods = append(pods, p.Pod)
	}
	return pods
}

func (s *Snapshot) SchedulePod(pod *v1.Pod, name string) clustersnapshot.SchedulingError {
	if refusal := s.CheckPredicates(pod, name); refusal != nil {
		return refusal
	}
	if err := s.ForceAddPod(pod, name); err != nil {
		return clustersnapshot.NewSchedulingInternalError(pod, err.Error())
	}
	return nil
}

func (s *Snapshot) SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts clustersnapshot.SchedulingOptions) (matchingNode string, err clustersnapshot.SchedulingError) {
	for _, name := range s.now.names {
		if opts.IsNodeAcceptable == nil || opts.IsNodeAcceptable(s.now.nodes[name]) {
			if err = s.SchedulePod(pod, name); err == nil {
				return name, nil
			}
		}
	}
	return "", clustersnapshot.NewNoNodesPassingPredicatesFoundError(pod)
}

func (s *Snapshot) StoreNodeInfo(info *framework.NodeInfo) error { return s.AddNodeInfo(info) }

func (s *Snapshot) StorePodInfo(info *framework.PodInfo, name string) error {
	return s.ForceAddPod(info.Pod, name)
}

func (s *Snapshot) RemovePodInfo(namespace string, podName string, name string) error {
	return s.ForceRemovePod(namespace, podName, name)
}

func (*Snapshot) DraSnapshot() *drasnapshot.Snapshot { return drasnapshot.NewEmptySnapshot() }
func (*Snapshot) CsiSnapshot() *csisnapshot.Snapshot { return csisnapshot.NewEmptySnapshot() }
