//go:build libsched

package libschedsnapshot

import (
	"errors"

	schedulingalpha "k8s.io/api/scheduling/v1alpha3"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	fwk "k8s.io/kube-scheduler/framework"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// What plugins of the Go scheduler would read. libsched's plugins read their own state, so nothing of it is kept up to
// date; it is made when it is asked for.

// NodeInfos implements the scheduler's SharedLister.
func (s *Snapshot) NodeInfos() fwk.NodeInfoLister { return nodeLister{s} }

// StorageInfos implements the scheduler's SharedLister.
func (s *Snapshot) StorageInfos() fwk.StorageInfoLister { return s.inner }

// PodGroupStates implements the scheduler's SharedLister. Groups are not simulated.
func (s *Snapshot) PodGroupStates() fwk.PodGroupStateLister { return noGroupStates{} }

// PodGroups implements the scheduler's SharedLister.
func (s *Snapshot) PodGroups() fwk.PodGroupLister { return noGroups{} }

// CompositePodGroupStates implements the scheduler's SharedLister.
func (s *Snapshot) CompositePodGroupStates() fwk.CompositePodGroupStateLister {
	return noCompositeStates{}
}

// CompositePodGroups implements the scheduler's SharedLister.
func (s *Snapshot) CompositePodGroups() fwk.CompositePodGroupLister { return noComposites{} }

// ResourceClaims implements the scheduler's SharedDRAManager.
func (s *Snapshot) ResourceClaims() fwk.ResourceClaimTracker {
	return s.devices.ResourceClaims()
}

// ResourceSlices implements the scheduler's SharedDRAManager.
func (s *Snapshot) ResourceSlices() fwk.ResourceSliceLister { return s.devices.ResourceSlices() }

// DeviceClasses implements the scheduler's SharedDRAManager.
func (s *Snapshot) DeviceClasses() fwk.DeviceClassLister { return s.devices.DeviceClasses() }

// DeviceClassResolver implements the scheduler's SharedDRAManager.
func (s *Snapshot) DeviceClassResolver() fwk.DeviceClassResolver {
	return s.devices.DeviceClassResolver()
}

// CSINodes implements the scheduler's CSIManager.
func (s *Snapshot) CSINodes() fwk.CSINodeLister { return s.drivers.CSINodes() }

// StorePodInfo implements ClusterSnapshotStore.
func (s *Snapshot) StorePodInfo(podInfo *framework.PodInfo, nodeName string) error {
	return known(s.inner.ForceAddPod(podInfo.Pod, nodeName))
}

// RemovePodInfo implements ClusterSnapshotStore.
func (s *Snapshot) RemovePodInfo(namespace string, podName string, nodeName string) error {
	return s.ForceRemovePod(namespace, podName, nodeName)
}

// StoreNodeInfo implements ClusterSnapshotStore.
func (s *Snapshot) StoreNodeInfo(nodeInfo *framework.NodeInfo) error {
	parts := nodeParts{node: nodeInfo.Node()}
	for _, pod := range nodeInfo.Pods() {
		parts.pods = append(parts.pods, pod.Pod)
	}
	return s.add(&parts)
}

type nodeLister struct{ s *Snapshot }

func (l nodeLister) List() ([]fwk.NodeInfo, error) {
	return l.with(func(fwk.NodeInfo) bool { return true })
}

func (l nodeLister) with(which func(fwk.NodeInfo) bool) (found []fwk.NodeInfo, _ error) {
	for _, info := range l.s.inner.ListNodeInfos() {
		if node := l.s.nodeInfo(info); which(node) {
			found = append(found, node)
		}
	}
	return found, nil
}

func (l nodeLister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return l.with(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithAffinity()) > 0 })
}

func (l nodeLister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.with(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithRequiredAntiAffinity()) > 0 })
}

func (l nodeLister) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return l.with(func(n fwk.NodeInfo) bool { return len(n.GetPodsWithRequiredNonHostScopedAntiAffinity()) > 0 })
}

func (l nodeLister) Get(nodeName string) (fwk.NodeInfo, error) {
	info, err := l.s.find(nodeName)
	if err != nil {
		return nil, clustersnapshot.ErrNodeNotFound
	}
	return l.s.nodeInfo(info), nil
}

var errNoGroups = errors.New("groups of pods are not simulated")

type (
	noGroupStates     struct{}
	noGroups          struct{}
	noCompositeStates struct{}
	noComposites      struct{}
)

func (noGroupStates) Get(string, string) (fwk.PodGroupState, error)  { return nil, errNoGroups }
func (noGroups) Get(string, string) (*schedulingapi.PodGroup, error) { return nil, errNoGroups }
func (noCompositeStates) Get(string, string) (fwk.CompositePodGroupState, error) {
	return nil, errNoGroups
}
func (noComposites) Get(string, string) (*schedulingalpha.CompositePodGroup, error) {
	return nil, errNoGroups
}
