// A store of NodeInfos that can be forked, as an autoscaler keeps one around the framework.

package peer

import (
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// layer is what one fork has changed; the bottom layer is the cluster. The first write to a node of
// a lower layer copies its NodeInfo, and any change drops the layer's lists, which the next reader
// makes again.
type layer struct {
	base    *layer
	infos   map[string]*framework.NodeInfo // added and changed nodes
	added   []string                       // in order
	deleted map[string]bool                // of lower layers
	lists   *lists
}

type lists struct{ all, affinity, anti []fwk.NodeInfo }

func newLayer(base *layer) *layer {
	return &layer{base: base, infos: map[string]*framework.NodeInfo{}, deleted: map[string]bool{}}
}

func (l *layer) find(name string) *framework.NodeInfo {
	for ; l != nil; l = l.base {
		if info := l.infos[name]; info != nil {
			return info
		}
		if l.deleted[name] {
			return nil
		}
	}
	return nil
}

func (l *layer) nodes() *lists {
	if l.lists != nil {
		return l.lists
	}
	var below []fwk.NodeInfo
	if l.base != nil {
		below = l.base.nodes().all
	}
	all := make([]fwk.NodeInfo, 0, len(below)+len(l.added))
	if len(l.infos) == 0 && len(l.deleted) == 0 {
		all = append(all, below...)
	} else {
		for _, info := range below {
			name := info.Node().Name
			if l.deleted[name] {
				continue
			}
			if changed := l.infos[name]; changed != nil {
				info = changed
			}
			all = append(all, info)
		}
		for _, name := range l.added {
			all = append(all, l.infos[name])
		}
	}
	l.lists = &lists{all: all}
	for _, info := range all {
		if len(info.GetPodsWithAffinity()) > 0 {
			l.lists.affinity = append(l.lists.affinity, info)
		}
		if len(info.GetPodsWithRequiredAntiAffinity()) > 0 {
			l.lists.anti = append(l.lists.anti, info)
		}
	}
	return l.lists
}

// store is a stack of layers, and the SharedLister of a framework.
type store struct {
	top *layer
	log klog.Logger
}

func newStore(log klog.Logger) *store { return &store{newLayer(nil), log} }

func (s *store) fork()   { s.top = newLayer(s.top) }
func (s *store) revert() { s.top = s.top.base }

// commit moves what the innermost fork has changed to the layer below.
func (s *store) commit() {
	from := s.top
	s.top = from.base
	for name := range from.deleted {
		s.drop(name)
	}
	for _, name := range from.added {
		s.put(name, from.infos[name])
		delete(from.infos, name)
	}
	for name, info := range from.infos {
		s.top.infos[name] = info
	}
	s.top.lists = nil
}

func (s *store) put(name string, info *framework.NodeInfo) {
	s.top.added = append(s.top.added, name)
	s.top.infos[name] = info
	s.top.lists = nil
}

func (s *store) drop(name string) {
	if s.top.infos[name] != nil {
		delete(s.top.infos, name)
		s.top.added = slices.DeleteFunc(s.top.added, func(other string) bool { return other == name })
	}
	if s.top.base != nil && s.top.base.find(name) != nil {
		s.top.deleted[name] = true
	}
	s.top.lists = nil
}

func (s *store) addNode(node *v1.Node) {
	info := framework.NewNodeInfo()
	info.SetNode(node)
	s.put(node.Name, info)
}

func (s *store) writable(name string) (*framework.NodeInfo, error) {
	if info := s.top.infos[name]; info != nil {
		return info, nil
	}
	info := s.top.find(name)
	if info == nil {
		return nil, fmt.Errorf("no node %s", name)
	}
	info = info.SnapshotConcrete()
	s.top.infos[name] = info
	return info, nil
}

func (s *store) addPod(pod *v1.Pod, node string) error {
	info, err := s.writable(node)
	if err != nil {
		return err
	}
	info.AddPod(pod)
	s.top.lists = nil
	return nil
}

func (s *store) removePod(pod *v1.Pod, node string) error {
	info, err := s.writable(node)
	if err != nil {
		return err
	}
	s.top.lists = nil
	return info.RemovePod(s.log, pod)
}

// The listers that plugins read.

func (s *store) NodeInfos() fwk.NodeInfoLister           { return s }
func (s *store) StorageInfos() fwk.StorageInfoLister     { return s }
func (s *store) PodGroupStates() fwk.PodGroupStateLister { return noGroups{} }
func (s *store) List() ([]fwk.NodeInfo, error)           { return s.top.nodes().all, nil }
func (s *store) IsPVCUsedByPods(string) bool             { return false }
func (s *store) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return s.top.nodes().affinity, nil
}
func (s *store) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return s.top.nodes().anti, nil
}
func (s *store) Get(name string) (fwk.NodeInfo, error) {
	if info := s.top.find(name); info != nil {
		return info, nil
	}
	return nil, fmt.Errorf("no node %s", name)
}

type noGroups struct{}

func (noGroups) Get(string, string) (fwk.PodGroupState, error) {
	return nil, errors.New("no pod groups")
}
