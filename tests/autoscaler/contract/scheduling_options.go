package contract

import "sort"

// NodeOrderMapping is the order in which a search visits the nodes.
type NodeOrderMapping interface {
	// Reset begins a search over nodes.
	Reset(nodes []NodeInfo)
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
	IsNodeAcceptable func(NodeInfo) bool
}

// Ring is the order that starts Offset behind the node that was found last.
type Ring struct {
	Last, Offset int
	nodes        int
}

// NewLastIndexOrderMapping returns a Ring.
func NewLastIndexOrderMapping(offset int) *Ring { return &Ring{Offset: offset} }

// Reset implements NodeOrderMapping.
func (r *Ring) Reset(nodes []NodeInfo) { r.nodes = len(nodes) }

// At implements NodeOrderMapping.
func (r *Ring) At(i int) int {
	if r.nodes == 0 {
		return -1
	}
	return (i + r.Offset + r.Last) % r.nodes
}

// MarkMatch implements NodeOrderMapping.
func (r *Ring) MarkMatch(index int) { r.Last = index }

// Priority visits the nodes sorted by a comparison; equal nodes stay in their order.
type Priority struct {
	less  func(a, b NodeInfo) bool
	order []int
}

// NewPriorityNodeOrderMapping returns a Priority.
func NewPriorityNodeOrderMapping(less func(a, b NodeInfo) bool) *Priority {
	return &Priority{less: less}
}

// Reset implements NodeOrderMapping.
func (p *Priority) Reset(nodes []NodeInfo) {
	p.order = make([]int, len(nodes))
	for i := range nodes {
		p.order[i] = i
	}
	sort.SliceStable(p.order, func(i, k int) bool { return p.less(nodes[p.order[i]], nodes[p.order[k]]) })
}

// At implements NodeOrderMapping.
func (p *Priority) At(i int) int {
	if i < 0 || i >= len(p.order) {
		return -1
	}
	return p.order[i]
}

// MarkMatch implements NodeOrderMapping; a match changes nothing.
func (*Priority) MarkMatch(int) {}
