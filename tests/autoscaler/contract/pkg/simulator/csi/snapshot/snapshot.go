// Package snapshot re-declares the autoscaler's snapshot of CSINodes.
package snapshot

import (
	"fmt"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"sigs.k8s.io/cluster-autoscaler/internal/layers"
)

// Snapshot has the CSINodes of a simulated cluster, by the names of their nodes.
type Snapshot struct {
	nodes *layers.Map[string, *storagev1.CSINode]
}

// NewSnapshot returns a Snapshot of some CSINodes.
func NewSnapshot(csiNodes map[string]*storagev1.CSINode) *Snapshot {
	return &Snapshot{layers.New(csiNodes)}
}

// NewEmptySnapshot returns a Snapshot without CSINodes.
func NewEmptySnapshot() *Snapshot { return NewSnapshot(nil) }

// Get returns the CSINode of a node.
func (s *Snapshot) Get(name string) (*storagev1.CSINode, error) {
	if node, ok := s.nodes.Get(name); ok {
		return node, nil
	}
	return nil, fmt.Errorf("csi nodes %s not found", name)
}

// AddCSINode adds a CSINode. It fails if there is one of the name.
func (s *Snapshot) AddCSINode(csiNode *storagev1.CSINode) error {
	if _, ok := s.nodes.Get(csiNode.Name); ok {
		return fmt.Errorf("csi node %s already in snapshot", csiNode.Name)
	}
	s.nodes.Set(csiNode.Name, csiNode)
	return nil
}

// RemoveCSINode removes a CSINode; one that is not there is ignored.
func (s *Snapshot) RemoveCSINode(name string) { s.nodes.Delete(name) }

// Fork, Revert and Commit are those of the ClusterSnapshot that has this Snapshot.
func (s *Snapshot) Fork()   { s.nodes.Fork() }
func (s *Snapshot) Revert() { s.nodes.Revert() }
func (s *Snapshot) Commit() { s.nodes.Commit() }

type lister struct{ s *Snapshot }

// CSINodes returns a lister of the CSINodes.
func (s *Snapshot) CSINodes() fwk.CSINodeLister { return lister{s} }

func (l lister) Get(name string) (*storagev1.CSINode, error) { return l.s.Get(name) }

func (l lister) List() ([]*storagev1.CSINode, error) {
	var all []*storagev1.CSINode
	for _, node := range l.s.nodes.All() {
		all = append(all, node)
	}
	slices.SortFunc(all, func(a, b *storagev1.CSINode) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}
