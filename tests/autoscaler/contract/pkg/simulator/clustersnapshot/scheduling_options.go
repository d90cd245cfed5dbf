package clustersnapshot

import (
	"sort"

	"sigs.k8s.io/cluster-autoscaler/pkg/simulator/framework"
)

// NodeOrderMapping is the order in which a search visits the nodes.
type NodeOrderMapping interface {
	// Reset begins a search over nodes.
	Reset(nodes []*framework.NodeInfo)
	// At returns the index of the node to visit at step i, which counts from 0; a negative one ends
	// the search.
	At(i int) int
	// MarkMatch says that the node at an index was found.
	MarkMatch(index int)
}

// SchedulingOptions say how SchedulePodOnAnyNodeMatching searches.
type SchedulingOptions struct {
	// NodeOrdering is the order; nil is a ring of the snapshot's own, with offset 1.
	NodeOrdering NodeOrderMapping
	// IsNodeAcceptable says which nodes are asked about; nil is all.
	IsNodeAcceptable func(*framework.NodeInfo) bool
}

// ring is the order that starts an offset behind the node that was found last.
type ring struct{ last, offset, nodes int }

// NewLastIndexOrderMapping returns the order that starts offset behind the node that was found last.
func NewLastIndexOrderMapping(offset int) NodeOrderMapping { return &ring{offset: offset} }

// Ring is a hook that the autoscaler lacks: an engine that knows this order by it follows it by itself, without a list
// of all nodes. It returns the place of the node that was found last, which the engine changes, and the offset.
func (r *ring) Ring() (last *int, offset int) { return &r.last, r.offset }

func (r *ring) Reset(nodes []*framework.NodeInfo) { r.nodes = len(nodes) }

func (r *ring) At(i int) int {
	if r.nodes == 0 {
		return -1
	}
	return (i + r.offset + r.last) % r.nodes
}

func (r *ring) MarkMatch(index int) { r.last = index }

// priority visits the nodes sorted by a comparison; equal nodes stay in their order.
type priority struct {
	less  func(a, b *framework.NodeInfo) bool
	order []int
}

// NewPriorityNodeOrderMapping returns the order of a comparison.
func NewPriorityNodeOrderMapping(less func(a, b *framework.NodeInfo) bool) NodeOrderMapping {
	return &priority{less: less}
}

func (p *priority) Reset(nodes []*framework.NodeInfo) {
	p.order = make([]int, len(nodes))
	for i := range nodes {
		p.order[i] = i
	}
	sort.SliceStable(p.order, func(i, k int) bool { return p.less(nodes[p.order[i]], nodes[p.order[k]]) })
}

func (p *priority) At(i int) int {
	if i < 0 || i >= len(p.order) {
		return -1
	}
	return p.order[i]
}

func (*priority) MarkMatch(int) {}
