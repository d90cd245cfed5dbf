package snapshot

import (
	"fmt"

	"libsched"
)

// Ordering is the order in which a search visits the nodes, the autoscaler's NodeOrderMapping. A *Ring is
// much cheaper than any other, because the library follows it by itself.
type Ordering interface {
	// Reset begins a search over nodes.
	Reset(nodes []*NodeInfo)
	// At returns the index of the node to visit at step i, which counts from 0; a negative one ends the
	// search.
	At(i int) int
	// MarkMatch says that the node at an index was found.
	MarkMatch(index int)
}

// Ring is the Ordering that starts Offset behind the node that was found last. It is a libsched.Ring.
type Ring struct {
	libsched.Ring
	nodes int
}

// NewRing returns a Ring.
func NewRing(offset int) *Ring { return &Ring{Ring: libsched.Ring{Offset: offset}} }

// Reset implements Ordering.
func (r *Ring) Reset(nodes []*NodeInfo) { r.nodes = len(nodes) }

// At implements Ordering.
func (r *Ring) At(i int) int {
	if r.nodes == 0 {
		return -1
	}
	return (i + r.Offset + r.Last) % r.nodes
}

// MarkMatch implements Ordering.
func (r *Ring) MarkMatch(index int) { r.Last = index }

// Search says how SchedulePodOnAnyNodeMatching searches. The zero value visits all nodes, behind the one
// that such a search found last.
type Search struct {
	Ordering Ordering // nil: a Ring of the Snapshot's own, with offset 1
	// Accept says which nodes may be found. It is asked about nodes that pass the filters, and about all once it
	// has refused a few of them, so it must not have effects. It must not use the Snapshot's questions
	// and changes. nil: all nodes.
	Accept func(*NodeInfo) bool
	// AcceptSet has the nodes that may be found, by the Row of their id; it is cheaper than Accept. nil: all.
	AcceptSet libsched.NodeSet
}

// NodeSet returns the set of the nodes that are accepted, for Search.AcceptSet; nil accepts all.
func (s *Snapshot) NodeSet(accept func(*NodeInfo) bool) libsched.NodeSet {
	set := s.live().NewNodeSet()
	for _, info := range s.byRow {
		if info != nil && (accept == nil || s.accepts(accept, info)) {
			row := info.id.Row()
			set[row/64] |= 1 << (row % 64)
		}
	}
	return set
}

// query is a Search in the library's form.
type query struct {
	libsched.Query
	ordering Ordering // unless the library follows it
	indexes  []int    // in the list of nodes, of Query.Order
	ring     *libsched.Ring
}

func (s *Snapshot) query(search *Search) (*query, error) {
	q := &query{Query: libsched.Query{SkipUnschedulable: true, Accept: search.AcceptSet}}
	switch ordering := search.Ordering.(type) {
	case nil:
		q.ring = &s.ring
	case *Ring:
		q.ring = &ordering.Ring
	default:
		nodes := s.order()
		defer s.watch("Ordering")()
		ordering.Reset(nodes)
		q.ordering, q.Order = ordering, []libsched.NodeID{}
		for i := range nodes {
			index := ordering.At(i)
			if index < 0 {
				break
			}
			if index >= len(nodes) {
				return nil, fmt.Errorf("the ordering's step %d is node %d of %d", i, index, len(nodes))
			}
			q.Order, q.indexes = append(q.Order, nodes[index].id), append(q.indexes, index)
		}
	}
	q.Ring = q.ring
	return q, nil
}

// found tells an ordering that the library does not know what was found.
func (s *Snapshot) found(q *query, hits ...libsched.Hit) error {
	if q.ordering == nil {
		return nil
	}
	func() {
		defer s.watch("Ordering")()
		for _, hit := range hits {
			if hit.Node != 0 {
				q.ordering.MarkMatch(q.indexes[hit.Position])
			}
		}
	}()
	return s.misused()
}
