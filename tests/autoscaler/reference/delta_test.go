package reference

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// deltaStore keeps nodes as the autoscaler's store does, for benchmarks: each fork is a layer with what was added in it
// and which nodes were deleted in it. The list of a layer is made when it is asked for; adding appends to one that there is.
type deltaStore struct {
	base    *deltaStore
	added   map[string]*framework.NodeInfo
	deleted map[string]bool
	list    []*framework.NodeInfo
}

func newDeltaStore() *deltaStore { return &deltaStore{} }

func (s *deltaStore) fork() *deltaStore   { return &deltaStore{base: s} }
func (s *deltaStore) revert() *deltaStore { return s.base }

func (s *deltaStore) get(name string) *framework.NodeInfo {
	for ; s != nil; s = s.base {
		if info := s.added[name]; info != nil {
			return info
		}
		if s.deleted[name] {
			return nil
		}
	}
	return nil
}

func (s *deltaStore) add(node *v1.Node, pods ...*v1.Pod) error {
	info := framework.NewNodeInfo(pods...)
	info.SetNode(node)
	if s.get(node.Name) != nil {
		return fmt.Errorf("node %s already in snapshot", node.Name)
	}
	if s.added == nil {
		s.added = map[string]*framework.NodeInfo{}
	}
	s.added[node.Name] = info
	if s.list != nil {
		s.list = append(s.list, info)
	}
	return nil
}

func (s *deltaStore) nodes() []*framework.NodeInfo {
	if s == nil {
		return nil
	}
	if s.list == nil {
		for _, info := range s.base.nodes() {
			if !s.deleted[info.Node().Name] {
				s.list = append(s.list, info)
			}
		}
		for _, info := range s.added {
			s.list = append(s.list, info)
		}
	}
	return s.list
}
