package reference

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// AddNodeInfo implements ClusterSnapshot. After an error some objects may have been added.
func (s *Snapshot) AddNodeInfo(info *framework.NodeInfo) error {
	own, err := newNodeInfo(info)
	if err != nil {
		return err
	}
	node := info.Node()
	if s.WithDevices {
		if len(info.LocalResourceSlices) > 0 {
			if err := s.devices.AddNodeResourceSlices(node.Name, info.LocalResourceSlices); err != nil {
				return err
			}
		}
		for _, pod := range own.Pods() {
			if len(pod.NeededResourceClaims) > 0 {
				if err := s.addClaims(pod, node); err != nil {
					return err
				}
			}
		}
	}
	if s.WithCSINodes && info.CSINode != nil {
		if err := s.drivers.AddCSINode(info.CSINode); err != nil {
			return err
		}
	}
	return s.StoreNodeInfo(own)
}

// addClaims adds the claims that a pod owns, and reserves all that it needs.
func (s *Snapshot) addClaims(pod *framework.PodInfo, node *v1.Node) error {
	var own []*resourceapi.ResourceClaim
	for _, claim := range pod.NeededResourceClaims {
		if resourceclaim.IsForPod(pod.Pod, claim, false) == nil {
			own = append(own, claim)
		}
	}
	if err := s.devices.AddClaims(own); err != nil {
		return err
	}
	if err := s.devices.ReservePodClaims(pod.Pod); err != nil {
		return err
	}
	return s.verify(pod.Pod, node)
}

// verify fails unless all claims of a pod have devices that the node can use.
func (s *Snapshot) verify(pod *v1.Pod, node *v1.Node) error {
	claims, err := s.devices.PodClaims(pod)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			return fmt.Errorf("claim %s/%s has no devices", claim.Namespace, claim.Name)
		}
		if selector := claim.Status.Allocation.NodeSelector; selector != nil {
			if ok, err := corev1.MatchNodeSelectorTerms(node, selector); err != nil || !ok {
				return fmt.Errorf("claim %s/%s has no devices on node %s: %v", claim.Namespace, claim.Name, node.Name, err)
			}
		}
	}
	return nil
}

// RemoveNodeInfo implements ClusterSnapshot.
func (s *Snapshot) RemoveNodeInfo(name string) error {
	info, err := s.GetNodeInfo(name)
	if err != nil {
		return err
	}
	if err := s.Store.RemoveNodeInfo(name); err != nil {
		return err
	}
	if s.WithDevices {
		s.devices.RemoveNodeResourceSlices(name)
		for _, pod := range info.Pods() {
			s.devices.RemovePodOwnedClaims(pod.Pod)
		}
	}
	if s.WithCSINodes && info.CSINode != nil {
		s.drivers.RemoveCSINode(name)
	}
	return nil
}

// UnschedulePod implements ClusterSnapshot.
func (s *Snapshot) UnschedulePod(namespace, name, node string) error {
	if s.WithDevices {
		info, err := s.GetNodeInfo(node)
		if err != nil {
			return err
		}
		for _, pod := range info.Pods() {
			if pod.Namespace == namespace && pod.Name == name {
				if err := s.devices.UnreservePodClaims(pod.Pod); err != nil {
					return err
				}
				break
			}
		}
	}
	return s.RemovePodInfo(namespace, name, node)
}
