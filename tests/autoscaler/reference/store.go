// Package reference answers the autoscaler's questions with the Go scheduler's framework, called as the
// autoscaler calls it: NodeInfos in layers, a lister that delegates to the snapshot, PreFilter and Filter
// Reserve for pods with claims, by one worker.
//
// The autoscaler lists added nodes in random order. Here they come in the order in which they were added,
// and a node that is added again takes its old place.
package reference

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	impl "k8s.io/kubernetes/pkg/scheduler/framework"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/clustersnapshot"
	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// newPodInfo returns a PodInfo with what plugins read of a pod.
func newPodInfo(pod *v1.Pod, claims []*resourceapi.ResourceClaim) (*framework.PodInfo, error) {
	info, err := impl.NewPodInfo(pod)
	if err != nil {
		return nil, fmt.Errorf("pod %s/%s: %w", pod.Namespace, pod.Name, err)
	}
	return &framework.PodInfo{Pod: pod, PodInfo: info, NeededResourceClaims: claims}, nil
}

// newNodeInfo returns a NodeInfo with what plugins read of a node and its pods.
func newNodeInfo(like *framework.NodeInfo) (*framework.NodeInfo, error) {
	node := impl.NewNodeInfo()
	node.SetNode(like.Node())
	for _, pod := range like.Pods() {
		info, err := newPodInfo(pod.Pod, pod.NeededResourceClaims)
		if err != nil {
			return nil, err
		}
		node.AddPodInfo(info)
	}
	return &framework.NodeInfo{NodeInfo: node, LocalResourceSlices: like.LocalResourceSlices, CSINode: like.CSINode}, nil
}

func copyOf(info *framework.NodeInfo) *framework.NodeInfo {
	c := *info
	c.NodeInfo = info.NodeInfo.(*impl.NodeInfo).SnapshotConcrete()
	return &c
}

// layer holds what has changed since a fork; the lowest layer holds everything. The lists are made on
// demand, and nil when a change has made them wrong.
type layer struct {
	below *layer
	own   map[string]*framework.NodeInfo // added or changed here
	gone  map[string]bool                // of the layers below, removed here
	// added has the names that came here, in their order, also those that are no longer there.
	added   []string
	isAdded map[string]bool

	list, affinity, antiAffinity []fwk.NodeInfo
	claims                       map[string]int // pods by "namespace/name" of a volume claim
}

func newLayer(below *layer) *layer {
	return &layer{below: below, own: map[string]*framework.NodeInfo{}, gone: map[string]bool{}, isAdded: map[string]bool{}}
}

func (l *layer) get(name string) *framework.NodeInfo {
	for ; l != nil; l = l.below {
		if info := l.own[name]; info != nil {
			return info
		}
		if l.gone[name] {
			return nil
		}
	}
	return nil
}

func (l *layer) nodes() []fwk.NodeInfo {
	if l == nil {
		return nil
	}
	if l.list != nil {
		return l.list
	}
	below := l.below.nodes()
	l.list = make([]fwk.NodeInfo, 0, len(below)+len(l.added))
	for _, info := range below {
		name := info.Node().Name
		if own := l.own[name]; own != nil {
			l.list = append(l.list, own)
		} else if !l.gone[name] {
			l.list = append(l.list, info)
		}
	}
	for _, name := range l.added {
		if own := l.own[name]; own != nil {
			l.list = append(l.list, own)
		}
	}
	return l.list
}

func (l *layer) forgetLists() { l.list, l.affinity, l.antiAffinity, l.claims = nil, nil, nil, nil }

// forgetPods drops the lists that a change of one pod may concern.
func (l *layer) forgetPods(pod *v1.Pod) {
	if pod.Spec.Affinity != nil {
		l.affinity, l.antiAffinity = nil, nil
	}
	l.claims = nil
}

func (l *layer) add(info *framework.NodeInfo) error {
	name := info.Node().Name
	if l.get(name) != nil {
		return fmt.Errorf("node %s already in snapshot", name)
	}
	if l.gone[name] {
		delete(l.gone, name)
	} else if !l.isAdded[name] {
		l.isAdded[name] = true
		l.added = append(l.added, name)
	}
	l.own[name] = info
	l.forgetLists()
	return nil
}

func (l *layer) remove(name string) error {
	if l.get(name) == nil {
		return clustersnapshot.ErrNodeNotFound
	}
	delete(l.own, name)
	if l.below.get(name) != nil {
		l.gone[name] = true
	}
	l.forgetLists()
	return nil
}

// change returns a node that belongs to this layer, a copy if necessary.
func (l *layer) change(name string) (*framework.NodeInfo, error) {
	if own := l.own[name]; own != nil {
		return own, nil
	}
	info := l.get(name)
	if info == nil {
		return nil, clustersnapshot.ErrNodeNotFound
	}
	own := copyOf(info)
	l.own[name] = own
	l.forgetLists()
	return own, nil
}

func (l *layer) addPod(info fwk.PodInfo, node string) error {
	own, err := l.change(node)
	if err != nil {
		return err
	}
	own.AddPodInfo(info)
	l.forgetPods(info.GetPod())
	return nil
}

func (l *layer) removePod(namespace, name, node string) error {
	own, err := l.change(node)
	if err != nil {
		return err
	}
	for _, info := range own.GetPods() {
		pod := info.GetPod()
		if pod.Namespace == namespace && pod.Name == name {
			l.forgetPods(pod)
			return own.RemovePod(klog.Background(), pod)
		}
	}
	return fmt.Errorf("pod %s/%s not in snapshot", namespace, name)
}

// commit moves everything into the layer below and returns that.
func (l *layer) commit() (*layer, error) {
	if l.below == nil {
		return l, nil
	}
	for name := range l.gone {
		if err := l.below.remove(name); err != nil {
			return nil, err
		}
	}
	for name, info := range l.own {
		if l.isAdded[name] {
			continue
		}
		if err := l.below.remove(name); err != nil {
			return nil, err
		}
		if err := l.below.add(info); err != nil {
			return nil, err
		}
	}
	for _, name := range l.added {
		if info := l.own[name]; info != nil {
			if err := l.below.add(info); err != nil {
				return nil, err
			}
		}
	}
	return l.below, nil
}

// Store is the state of a snapshot, without filters. It implements upstream's SharedLister.
type Store struct {
	top *layer
}

// NewStore returns an empty Store.
func NewStore() *Store { return &Store{top: newLayer(nil)} }

// Fork implements clustersnapshot.Forkable; its cost is constant.
func (s *Store) Fork() { s.top = newLayer(s.top) }

// Revert implements clustersnapshot.Forkable; its cost is constant.
func (s *Store) Revert() {
	if s.top.below != nil {
		s.top = s.top.below
	}
}

// Commit implements clustersnapshot.Forkable; its cost is that of the changes.
func (s *Store) Commit() error {
	top, err := s.top.commit()
	if err == nil {
		s.top = top
	}
	return err
}

// Clear removes everything and ends all forks.
func (s *Store) Clear() { s.top = newLayer(nil) }

// The low-level changes of the autoscaler's store.
func (s *Store) StoreNodeInfo(info *framework.NodeInfo) error { return s.top.add(info) }
func (s *Store) RemoveNodeInfo(name string) error             { return s.top.remove(name) }
func (s *Store) StorePodInfo(info *framework.PodInfo, node string) error {
	return s.top.addPod(info, node)
}
func (s *Store) RemovePodInfo(namespace, name, node string) error {
	return s.top.removePod(namespace, name, node)
}
