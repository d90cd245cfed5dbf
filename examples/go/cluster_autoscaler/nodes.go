//go:build libsched

package libschedsnapshot

import (
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"

	"libsched/kube/snapshot"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// nodeParts is a NodeInfo that is about to be added.
type nodeParts struct {
	node     *v1.Node
	pods     []*v1.Pod
	slices   []*resourceapi.ResourceSlice
	driver   *storagev1.CSINode
	claiming []*framework.PodInfo
}

// AddNodeInfo implements ClusterSnapshot. After an error the node is not there, but some of its objects may be, as in the
// autoscaler.
func (s *Snapshot) AddNodeInfo(info *framework.NodeInfo) error {
	parts := nodeParts{node: info.Node()}
	pods := info.Pods()
	for _, pod := range pods {
		parts.pods = append(parts.pods, pod.Pod)
		if s.factory.options.Devices && len(pod.NeededResourceClaims) > 0 {
			parts.claiming = append(parts.claiming, pod)
		}
	}
	if s.factory.options.Devices {
		parts.slices = info.LocalResourceSlices
	}
	if s.factory.options.CSINodes {
		parts.driver = info.CSINode
	}
	if err := s.add(&parts); err != nil {
		return err
	}
	for _, pod := range pods {
		if !s.hasClaims(pod.Pod) {
			s.pods[pod.Pod] = pod
		}
	}
	return nil
}

func (s *Snapshot) add(parts *nodeParts) error {
	if err := s.catchUp(); err != nil {
		return err
	}
	// The node first: whatever is between the removal of a node and this call would cost the node its place.
	if err := s.inner.AddNodeInfo(parts.node, parts.pods...); err != nil {
		return err
	}
	if len(parts.slices) == 0 && len(parts.claiming) == 0 && parts.driver == nil {
		return nil
	}
	err := s.addObjects(parts)
	if err == nil {
		return nil
	}
	s.lent = true // some objects may have been added
	if undo := s.inner.RemoveNodeInfo(parts.node.Name); undo != nil {
		return undo
	}
	return err
}

// RemoveNodeInfo implements ClusterSnapshot.
func (s *Snapshot) RemoveNodeInfo(nodeName string) error {
	if err := s.catchUp(); err != nil {
		return err
	}
	info, err := s.find(nodeName)
	if err != nil {
		return err
	}
	if s.factory.options.Devices || s.factory.options.CSINodes {
		if err := s.removeObjects(nodeName, info.Pods()); err != nil {
			return err
		}
	}
	return s.inner.RemoveNodeInfo(nodeName)
}

// find returns libsched's NodeInfo.
func (s *Snapshot) find(nodeName string) (*snapshot.NodeInfo, error) {
	info, err := s.inner.GetNodeInfo(nodeName)
	if err != nil {
		return nil, clustersnapshot.ErrNodeNotFound
	}
	return info, nil
}

// GetNodeInfo implements ClusterSnapshot.
func (s *Snapshot) GetNodeInfo(nodeName string) (*framework.NodeInfo, error) {
	info, err := s.find(nodeName)
	if err != nil {
		return nil, err
	}
	return s.nodeInfo(info), nil
}

// ListNodeInfos implements ClusterSnapshot.
func (s *Snapshot) ListNodeInfos() ([]*framework.NodeInfo, error) {
	return s.nodeInfos(s.inner.ListNodeInfos()), nil
}

func (s *Snapshot) nodeInfos(infos []*snapshot.NodeInfo) []*framework.NodeInfo {
	out := make([]*framework.NodeInfo, len(infos))
	for i, info := range infos {
		out[i] = s.nodeInfo(info)
	}
	return out
}

// made is the autoscaler's NodeInfo of a version of libsched's, which keeps it.
type made struct {
	version uint64
	info    *framework.NodeInfo
}

// nodeInfo returns the autoscaler's NodeInfo, which is made when it is read after a change. (Keeping all of them up to
// date is what costs the autoscaler's own snapshot most of its time.)
func (s *Snapshot) nodeInfo(info *snapshot.NodeInfo) *framework.NodeInfo {
	if m, ok := info.Data.(*made); ok && m.version == info.Version() {
		return m.info
	}
	node := info.Node()
	var slices []*resourceapi.ResourceSlice
	if s.factory.options.Devices {
		slices, _ = s.devices.NodeResourceSlices(node.Name)
	}
	pods := info.Pods()
	infos := make([]*framework.PodInfo, len(pods))
	for i, pod := range pods {
		infos[i] = s.podInfo(pod)
	}
	out := framework.NewNodeInfo(node, slices, infos...)
	if s.factory.options.CSINodes {
		if driver, err := s.drivers.Get(node.Name); err == nil {
			out.SetCSINode(driver)
		}
	}
	info.Data = &made{info.Version(), out}
	return out
}

// podInfo returns the autoscaler's PodInfo. That of a pod with claims has them as they are now.
func (s *Snapshot) podInfo(pod *v1.Pod) *framework.PodInfo {
	if s.hasClaims(pod) {
		claims, _ := s.devices.PodClaims(pod)
		return framework.NewPodInfo(pod, claims)
	}
	info := s.pods[pod]
	if info == nil {
		info = framework.NewPodInfo(pod, nil)
		s.pods[pod] = info
	}
	return info
}
