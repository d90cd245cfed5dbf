package reference

import (
	"errors"

	fwk "k8s.io/kube-scheduler/framework"

	"libsched.dev/tests/autoscaler/contract"
)

// nodeLister, storageLister and noGroups make a Store upstream's SharedLister.
type (
	nodeLister    struct{ store *Store }
	storageLister struct{ store *Store }
	noGroups      struct{}
)

var _ fwk.SharedLister = (*Store)(nil)

// NodeInfos implements fwk.SharedLister.
func (s *Store) NodeInfos() fwk.NodeInfoLister { return nodeLister{s} }

// StorageInfos implements fwk.SharedLister.
func (s *Store) StorageInfos() fwk.StorageInfoLister { return storageLister{s} }

// PodGroupStates implements fwk.SharedLister; there are none.
func (s *Store) PodGroupStates() fwk.PodGroupStateLister { return noGroups{} }

func (noGroups) Get(string, string) (fwk.PodGroupState, error) {
	return nil, errors.New("pod groups are not simulated")
}

func (n nodeLister) List() ([]fwk.NodeInfo, error) { return n.store.top.nodes(), nil }

func (n nodeLister) Get(name string) (fwk.NodeInfo, error) {
	if info := n.store.top.get(name); info != nil {
		return info, nil
	}
	return nil, contract.ErrNodeNotFound
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
	to fwk.SharedLister
}

func (d *delegate) NodeInfos() fwk.NodeInfoLister           { return d.to.NodeInfos() }
func (d *delegate) StorageInfos() fwk.StorageInfoLister     { return d.to.StorageInfos() }
func (d *delegate) PodGroupStates() fwk.PodGroupStateLister { return d.to.PodGroupStates() }

// nobody is the delegate between questions.
type nobody struct{ noGroups }

var errNobody = errors.New("lister not set in delegate")

func (nobody) NodeInfos() fwk.NodeInfoLister           { return nobodysNodes{} }
func (nobody) StorageInfos() fwk.StorageInfoLister     { return nobodysNodes{} }
func (nobody) PodGroupStates() fwk.PodGroupStateLister { return noGroups{} }

type nobodysNodes struct{}

func (nobodysNodes) List() ([]fwk.NodeInfo, error)                     { return nil, errNobody }
func (nobodysNodes) Get(string) (fwk.NodeInfo, error)                  { return nil, errNobody }
func (nobodysNodes) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) { return nil, errNobody }
func (nobodysNodes) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return nil, errNobody
}
func (nobodysNodes) IsPVCUsedByPods(string) bool { return false }
