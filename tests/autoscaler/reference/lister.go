package reference

import (
	"errors"

	schedulingalpha "k8s.io/api/scheduling/v1alpha3"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	fwk "k8s.io/kube-scheduler/framework"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// nodeLister and storageLister make a Store upstream's SharedLister; there are no groups of pods.
type (
	nodeLister    struct{ store *Store }
	storageLister struct{ store *Store }

	noGroupStates     struct{}
	noGroups          struct{}
	noCompositeStates struct{}
	noComposites      struct{}
)

var _ fwk.SharedLister = (*Store)(nil)

// The methods of fwk.SharedLister.
func (s *Store) NodeInfos() fwk.NodeInfoLister           { return nodeLister{s} }
func (s *Store) StorageInfos() fwk.StorageInfoLister     { return storageLister{s} }
func (s *Store) PodGroupStates() fwk.PodGroupStateLister { return noGroupStates{} }
func (s *Store) PodGroups() fwk.PodGroupLister           { return noGroups{} }
func (s *Store) CompositePodGroupStates() fwk.CompositePodGroupStateLister {
	return noCompositeStates{}
}
func (s *Store) CompositePodGroups() fwk.CompositePodGroupLister { return noComposites{} }

var errNoGroups = errors.New("pod groups are not simulated")

func (noGroupStates) Get(string, string) (fwk.PodGroupState, error)  { return nil, errNoGroups }
func (noGroups) Get(string, string) (*schedulingapi.PodGroup, error) { return nil, errNoGroups }
func (noCompositeStates) Get(string, string) (fwk.CompositePodGroupState, error) {
	return nil, errNoGroups
}
func (noComposites) Get(string, string) (*schedulingalpha.CompositePodGroup, error) {
	return nil, errNoGroups
}

func (n nodeLister) List() ([]fwk.NodeInfo, error) { return n.store.top.nodes(), nil }

func (n nodeLister) Get(name string) (fwk.NodeInfo, error) {
	if info := n.store.top.get(name); info != nil {
		return info, nil
	}
	return nil, clustersnapshot.ErrNodeNotFound
}

func (n nodeLister) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	top := n.store.top
	if top.affinity == nil {
		top.affinity = withPods(top.nodes(), fwk.NodeInfo.GetPodsWithAffinity)
	}
	return top.affinity, nil
}

func (n nodeLister) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	top := n.store.top
	if top.antiAffinity == nil {
		top.antiAffinity = withPods(top.nodes(), fwk.NodeInfo.GetPodsWithRequiredAntiAffinity)
	}
	return top.antiAffinity, nil
}

func (n nodeLister) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return withPods(n.store.top.nodes(), fwk.NodeInfo.GetPodsWithRequiredNonHostScopedAntiAffinity), nil
}

// withPods is never nil, so that an empty list is kept as well.
func withPods(nodes []fwk.NodeInfo, pods func(fwk.NodeInfo) []fwk.PodInfo) []fwk.NodeInfo {
	out := []fwk.NodeInfo{}
	for _, info := range nodes {
		if len(pods(info)) > 0 {
			out = append(out, info)
		}
	}
	return out
}

func (s storageLister) IsPVCUsedByPods(key string) bool {
	top := s.store.top
	if top.claims == nil {
		top.claims = map[string]int{}
		for _, info := range top.nodes() {
			for claim, count := range info.GetPVCRefCounts() {
				top.claims[claim] += count
			}
		}
	}
	return top.claims[key] > 0
}

// delegate is the lister of a framework: it lends the snapshot that is being asked about, and none
// between questions.
type delegate struct {
	framework.SharedLister
}

// nobody is the delegate between questions.
type nobody struct{ framework.SharedLister }

var errNobody = errors.New("lister not set in delegate")

func (nobody) NodeInfos() fwk.NodeInfoLister                { return nobodysNodes{} }
func (nobody) StorageInfos() fwk.StorageInfoLister          { return nobodysNodes{} }
func (nobody) ResourceClaims() fwk.ResourceClaimTracker     { return nil }
func (nobody) ResourceSlices() fwk.ResourceSliceLister      { return nil }
func (nobody) DeviceClasses() fwk.DeviceClassLister         { return nil }
func (nobody) DeviceClassResolver() fwk.DeviceClassResolver { return nil }
func (nobody) CSINodes() fwk.CSINodeLister                  { return nil }

type nobodysNodes struct{ fwk.NodeInfoLister }

func (nobodysNodes) List() ([]fwk.NodeInfo, error)    { return nil, errNobody }
func (nobodysNodes) Get(string) (fwk.NodeInfo, error) { return nil, errNobody }
func (nobodysNodes) IsPVCUsedByPods(string) bool      { return false }
