// Package framework stands in for the package of this path in tests that must not compile Kubernetes: it re-declares
// the interfaces by which a snapshot of the Cluster Autoscaler shows its state to plugins, with the methods that
// an implementation without Kubernetes needs. The module `reference` takes the real package instead.
package framework

import (
	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingalpha "k8s.io/api/scheduling/v1alpha3"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"
)

// PodInfo is a pod as plugins see it.
type PodInfo interface {
	GetPod() *v1.Pod
}

// NodeInfo is a node with its pods as plugins see it.
type NodeInfo interface {
	Node() *v1.Node
	GetPods() []PodInfo
	GetPodsWithAffinity() []PodInfo
	GetPodsWithRequiredAntiAffinity() []PodInfo
	GetPodsWithRequiredNonHostScopedAntiAffinity() []PodInfo
	AddPodInfo(podInfo PodInfo)
	SetNode(node *v1.Node)
}

// NodeInfoLister lists nodes.
type NodeInfoLister interface {
	List() ([]NodeInfo, error)
	HavePodsWithAffinityList() ([]NodeInfo, error)
	HavePodsWithRequiredAntiAffinityList() ([]NodeInfo, error)
	HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]NodeInfo, error)
	Get(nodeName string) (NodeInfo, error)
}

// StorageInfoLister tells which volume claims are in use.
type StorageInfoLister interface {
	IsPVCUsedByPods(key string) bool
}

// PodGroupState is the state of a group of pods.
type PodGroupState interface {
	AllPodsCount() int
}

// CompositePodGroupState is the state of a group of groups.
type CompositePodGroupState any

// Listers of groups.
type (
	PodGroupStateLister interface {
		Get(namespace string, podGroupName string) (PodGroupState, error)
	}
	PodGroupLister interface {
		Get(namespace, name string) (*schedulingapi.PodGroup, error)
	}
	CompositePodGroupStateLister interface {
		Get(namespace string, compositePodGroupName string) (CompositePodGroupState, error)
	}
	CompositePodGroupLister interface {
		Get(namespace, name string) (*schedulingalpha.CompositePodGroup, error)
	}
)

// SharedLister is what plugins read of a cluster.
type SharedLister interface {
	NodeInfos() NodeInfoLister
	StorageInfos() StorageInfoLister
	PodGroupStates() PodGroupStateLister
	PodGroups() PodGroupLister
	CompositePodGroupStates() CompositePodGroupStateLister
	CompositePodGroups() CompositePodGroupLister
}

// ResourceClaimTracker has the claims of devices, and takes allocations.
type ResourceClaimTracker interface {
	List() ([]*resourceapi.ResourceClaim, error)
	Get(namespace, claimName string) (*resourceapi.ResourceClaim, error)
	SignalClaimPendingAllocation(claimUID types.UID, allocatedClaim *resourceapi.ResourceClaim) error
}

// ResourceSliceLister has the devices.
type ResourceSliceLister interface {
	ListWithDeviceTaintRules() ([]*resourceapi.ResourceSlice, error)
}

// DeviceClassLister has the classes of devices.
type DeviceClassLister interface {
	List() ([]*resourceapi.DeviceClass, error)
	Get(className string) (*resourceapi.DeviceClass, error)
}

// DeviceClassResolver finds the class that provides an extended resource.
type DeviceClassResolver interface {
	GetDeviceClass(resourceName v1.ResourceName) *resourceapi.DeviceClass
}

// SharedDRAManager is what plugins read and change of devices.
type SharedDRAManager interface {
	ResourceClaims() ResourceClaimTracker
	ResourceSlices() ResourceSliceLister
	DeviceClasses() DeviceClassLister
	DeviceClassResolver() DeviceClassResolver
}

// CSINodeLister has the CSINodes.
type CSINodeLister interface {
	List() ([]*storagev1.CSINode, error)
	Get(name string) (*storagev1.CSINode, error)
}

// CSIManager is what plugins read of the nodes' drivers.
type CSIManager interface {
	CSINodes() CSINodeLister
}
