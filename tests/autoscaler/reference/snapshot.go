package reference

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"
	impl "k8s.io/kubernetes/pkg/scheduler/framework"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	csisnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/csi/snapshot"
	drasnapshot "sigs.k8s.io/cluster-autoscaler/pkg/simulator/dynamicresources/snapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// Snapshot is a Store that asks filters. It implements clustersnapshot.ClusterSnapshot, for one goroutine.
type Snapshot struct {
	*Store
	runner *Runner
	// WithDevices and WithCSINodes are the autoscaler's draEnabled and enableCSINodeAwareScheduling.
	WithDevices, WithCSINodes bool
	devices                   *drasnapshot.Snapshot
	drivers                   *csisnapshot.Snapshot
}

var _ clustersnapshot.ClusterSnapshot = (*Snapshot)(nil)

// NewSnapshot returns an empty Snapshot with devices and CSINodes.
func NewSnapshot(handle *Handle) *Snapshot {
	s := &Snapshot{Store: NewStore(), WithDevices: true, WithCSINodes: true}
	s.runner = NewRunner(handle, s)
	s.Clear()
	return s
}

// What plugins read and change of devices, and read of CSINodes.
func (s *Snapshot) ResourceClaims() fwk.ResourceClaimTracker {
	return tracker{s.devices.ResourceClaims()}
}
func (s *Snapshot) ResourceSlices() fwk.ResourceSliceLister { return s.devices.ResourceSlices() }
func (s *Snapshot) DeviceClasses() fwk.DeviceClassLister    { return s.devices.DeviceClasses() }
func (s *Snapshot) DeviceClassResolver() fwk.DeviceClassResolver {
	return s.devices.DeviceClassResolver()
}
func (s *Snapshot) CSINodes() fwk.CSINodeLister { return s.drivers.CSINodes() }

// DraSnapshot and CsiSnapshot implement ClusterSnapshot.
func (s *Snapshot) DraSnapshot() *drasnapshot.Snapshot { return s.devices }
func (s *Snapshot) CsiSnapshot() *csisnapshot.Snapshot { return s.drivers }

// Clear implements ClusterSnapshot.
func (s *Snapshot) Clear() {
	s.Store.Clear()
	s.devices, s.drivers = drasnapshot.NewEmptySnapshot(), csisnapshot.NewEmptySnapshot()
}

// Fork, Revert and Commit implement ClusterSnapshot.
func (s *Snapshot) Fork() {
	s.Store.Fork()
	s.devices.Fork()
	s.drivers.Fork()
}

func (s *Snapshot) Revert() {
	s.Store.Revert()
	s.devices.Revert()
	s.drivers.Revert()
}

func (s *Snapshot) Commit() error {
	if err := s.Store.Commit(); err != nil {
		return err
	}
	s.devices.Commit()
	s.drivers.Commit()
	return nil
}

// SetClusterState implements ClusterSnapshot.
func (s *Snapshot) SetClusterState(nodes []*v1.Node, scheduledPods []*v1.Pod, devices *drasnapshot.Snapshot, drivers *csisnapshot.Snapshot) error {
	s.Clear()
	if devices != nil {
		s.devices = devices
	}
	if drivers != nil {
		s.drivers = drivers
	}
	pods := map[string][]*v1.Pod{}
	for _, pod := range scheduledPods {
		name := pod.Spec.NodeName
		if name == "" {
			name = pod.Status.NominatedNodeName
		}
		pods[name] = append(pods[name], pod)
	}
	for _, node := range nodes {
		info := framework.NewNodeInfo(node, nil)
		if s.WithDevices {
			info.LocalResourceSlices, _ = s.devices.NodeResourceSlices(node.Name)
		}
		if s.WithCSINodes {
			driver, err := s.drivers.Get(node.Name)
			if err != nil {
				return fmt.Errorf("couldn't obtain csi node: %w", err)
			}
			info.SetCSINode(driver)
		}
		for _, pod := range pods[node.Name] {
			podInfo, err := s.podInfo(pod)
			if err != nil {
				return err
			}
			info.AddPod(podInfo)
		}
		own, err := newNodeInfo(info)
		if err != nil {
			return err
		}
		if err := s.StoreNodeInfo(own); err != nil {
			return err
		}
	}
	return nil
}

// podInfo returns a PodInfo with the claims as they are.
func (s *Snapshot) podInfo(pod *v1.Pod) (*framework.PodInfo, error) {
	var claims []*resourceapi.ResourceClaim
	if s.WithDevices {
		var err error
		if claims, err = s.devices.PodClaims(pod); err != nil {
			return nil, fmt.Errorf("couldn't obtain pod %s/%s claims: %w", pod.Namespace, pod.Name, err)
		}
	}
	return newPodInfo(pod, claims)
}

// GetNodeInfo implements ClusterSnapshot.
func (s *Snapshot) GetNodeInfo(name string) (*framework.NodeInfo, error) {
	if info := s.top.get(name); info != nil {
		return info, nil
	}
	return nil, clustersnapshot.ErrNodeNotFound
}

// ListNodeInfos implements ClusterSnapshot.
func (s *Snapshot) ListNodeInfos() ([]*framework.NodeInfo, error) {
	return s.runner.asInfos(s.top.nodes()), nil
}

// ForceAddPod implements ClusterSnapshot.
func (s *Snapshot) ForceAddPod(pod *v1.Pod, node string) error {
	info, err := s.podInfo(pod)
	if err != nil {
		return err
	}
	return s.StorePodInfo(info, node)
}

// ForceRemovePod implements ClusterSnapshot.
func (s *Snapshot) ForceRemovePod(namespace, name, node string) error {
	return s.RemovePodInfo(namespace, name, node)
}

// SchedulePod implements ClusterSnapshot.
func (s *Snapshot) SchedulePod(pod *v1.Pod, name string) clustersnapshot.SchedulingError {
	node, state, err := s.runner.RunFiltersOnNode(pod, name)
	if err != nil {
		return err
	}
	return s.put(pod, node, state)
}

// SchedulePodOnAnyNodeMatching implements ClusterSnapshot.
func (s *Snapshot) SchedulePodOnAnyNodeMatching(pod *v1.Pod, opts clustersnapshot.SchedulingOptions) (string, clustersnapshot.SchedulingError) {
	node, state, err := s.runner.RunFiltersUntilPassingNode(pod, opts)
	if err != nil {
		return "", err
	}
	if err := s.put(pod, node, state); err != nil {
		return "", err
	}
	return node.Name, nil
}

// put puts a pod onto a node that has passed. Pods with claims get their devices by Reserve.
func (s *Snapshot) put(pod *v1.Pod, node *v1.Node, state *impl.CycleState) clustersnapshot.SchedulingError {
	err := func() error {
		if s.WithDevices && len(pod.Spec.ResourceClaims) > 0 {
			if err := s.runner.RunReserveOnNode(pod, node.Name, state); err != nil {
				return err
			}
			if err := s.devices.ReservePodClaims(pod); err != nil {
				return err
			}
			if err := s.verify(pod, node); err != nil {
				return err
			}
		}
		return s.ForceAddPod(pod, node.Name)
	}()
	if err != nil {
		return clustersnapshot.NewSchedulingInternalError(pod, err.Error())
	}
	return nil
}

// CheckPredicates implements ClusterSnapshot.
func (s *Snapshot) CheckPredicates(pod *v1.Pod, node string) clustersnapshot.SchedulingError {
	_, _, err := s.runner.RunFiltersOnNode(pod, node)
	return err
}
