package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"k8s.io/apimachinery/pkg/runtime"

	"libsched"
)

// PlaceOptions says how PlaceMany works.
type PlaceOptions struct {
	// Search.Accept is asked about nodes that pods would get, outside of the search; and about all nodes if it has
	// refused some of them several times.
	Search
	// Hints has as many names of nodes as pods, or "": each is tried before all others, if it is acceptable.
	Hints         []string
	StopAtFailure bool // each priority ends at its first pod that finds no node
	// RetryFailed tries a pod although an equal one of its controller has found no node.
	RetryFailed bool
}

// PlaceMany places pods, wherever spec.nodeName says that they are, each on the first node that takes it, as the
// autoscaler's TrySchedulePods: in one call of the library, or a few with Search.Accept. Pods of higher priority come
// first, and of each priority those whose hint takes them. A pod of the same content as one that found no node is
// not tried if it has a controller that is no DaemonSet. PlaceMany returns the name of each pod's node, "" for those
// that found none. Errors: libsched.ErrCancelled and ErrState of MarkMatch (what was placed stays), ErrInvalid.
func (s *Snapshot) PlaceMany(pods []*v1.Pod, options PlaceOptions) ([]string, error) {
	defer s.catalog.Hold().Release()
	refs, err := s.lookUp(s.ctx, pods, s.refs)
	if err != nil {
		return nil, err
	}
	s.refs = refs
	if options.Hints != nil && len(options.Hints) != len(pods) {
		return nil, &libsched.Error{Code: libsched.ErrInvalid, Msg: "not as many Hints as pods"}
	}
	q, err := s.query(&options.Search)
	if err == nil {
		err = s.misused()
	}
	if err != nil {
		return nil, err
	}
	place := libsched.PlaceOptions{Hints: s.idsOf(options.Hints), StopAtFailure: options.StopAtFailure,
		RetryFailed: options.RetryFailed, AsAutoscaler: true}
	hits := make([]libsched.Hit, len(pods))
	err = s.asking(q, options.Accept, hits, true, func() (bool, error) {
		_, err := s.live().PlaceMany(s.ctx, refs, &q.Query, place, hits)
		return true, err
	})
	names := make([]string, len(pods))
	for i, hit := range hits { // also after an error, if it came midway
		if hit.Pod != 0 {
			info := s.byRow[hit.Node.Row()]
			s.putPod(info, pods[i], hit.Pod)
			names[i] = info.node.Name
		}
	}
	if misuse := s.found(q, hits...); err == nil {
		err = misuse
	}
	return names, err
}

// asking calls place, which writes hits, until the caller's function accepts all nodes of them; it is asked about each
// node once. After a few refusals it is asked about all nodes, which costs about as much. place returns whether its
// changes are wanted; with `fork` those that are not are undone here.
func (s *Snapshot) asking(q *query, accept func(*NodeInfo) bool, hits []libsched.Hit, fork bool, place func() (bool, error)) error {
	if accept == nil {
		_, err := place()
		return err
	}
	given, asked := q.Accept, s.live().NewNodeSet()
	for range mostRefusals {
		var before libsched.Ring
		if q.ring != nil {
			before = *q.ring
		}
		if fork {
			s.Fork()
		}
		depth := len(s.forks)
		wanted, failed := place()
		if fork {
			s.floor = depth
		}
		refused := s.refused(accept, hits, asked)
		s.floor = 0
		misuse := s.misused()
		keep := len(refused) == 0 && misuse == nil
		switch {
		case !fork || len(s.forks) != depth: // the caller's function has cleared the Snapshot
		case keep && wanted:
			failed = errors.Join(failed, s.Commit())
		default:
			s.Revert()
			for _, hit := range hits { // the caller's function may have read what they requested meanwhile
				if info := s.byRow[hit.Node.Row()]; info != nil {
					info.requested = nil
				}
			}
		}
		if keep {
			return failed
		}
		clear(hits)
		if q.ring != nil {
			*q.ring = before
		}
		if err := errors.Join(misuse, failed); err != nil {
			return err
		}
		if q.Accept == nil {
			q.Accept = s.NodeSet(nil)
		} else {
			q.Accept = slices.Clone(q.Accept)
		}
		for _, row := range refused {
			q.Accept[row/64] &^= 1 << (row % 64)
		}
	}
	q.Accept = s.NodeSet(func(info *NodeInfo) bool {
		row := info.id.Row()
		return (given == nil || given.Has(row)) && (asked.Has(row) || accept(info))
	})
	if err := s.misused(); err != nil {
		return err
	}
	_, err := place()
	return err
}

// refused returns the rows of hits that the caller's function refuses, and puts the others into the set, whose nodes it
// is not asked about.
func (s *Snapshot) refused(accept func(*NodeInfo) bool, hits []libsched.Hit, accepted libsched.NodeSet) (rows []libsched.Row) {
	seen := map[libsched.Row]bool{}
	for _, hit := range hits {
		row := hit.Node.Row()
		if hit.Node == 0 || accepted.Has(row) || seen[row] || s.misuse != nil {
			continue
		}
		seen[row] = true
		if s.accepts(accept, s.byRow[row]) {
			accepted[row/64] |= 1 << (row % 64)
		} else {
			rows = append(rows, row)
		}
	}
	return rows
}

// lookUp looks pods up, a part after the other, until the context ends.
func (s *Snapshot) lookUp(ctx context.Context, pods []*v1.Pod, into []libsched.PodRef) ([]libsched.PodRef, error) {
	const part = 4096
	if len(pods) <= part {
		return s.catalog.PlacedPods(pods, into)
	}
	into = slices.Grow(into[:0], len(pods))[:len(pods)]
	for at := 0; at < len(pods); at += part {
		end := min(at+part, len(pods))
		if err := s.ended(ctx); err != nil {
			return nil, err
		}
		if _, err := s.catalog.PlacedPods(pods[at:end], into[at:end:end]); err != nil {
			return s.catalog.PlacedPods(pods, into) // which tells the index among all
		}
	}
	return into, nil
}

// ended returns the library's error for a context that has ended.
func (s *Snapshot) ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	_, err := s.sim.PlaceMany(ctx, nil, nil, libsched.PlaceOptions{}, nil)
	return err
}

// idsOf returns 0 for a name without a node; nil for nil.
func (s *Snapshot) idsOf(names []string) []libsched.NodeID {
	if names == nil {
		return nil
	}
	ids := make([]libsched.NodeID, len(names))
	for i, name := range names {
		if info := s.byName[name]; info != nil {
			ids[i] = info.id
		}
	}
	return ids
}

// PackGroup is a number of equal pods.
type PackGroup struct {
	Pod   *v1.Pod
	Count int
}

// PackOptions says how BinPack works.
type PackOptions struct {
	KeepOrder bool // pack the groups as they come; otherwise largest first
	MaxNodes  int  // 0: any number
	// Objects are the template's CSINode and ResourceSlices, which name it: each new node has its own.
	Objects  []runtime.Object
	Permit   func() bool // asked before each new node; it must not use the Snapshot. nil: always
	Deadline time.Time   // the zero Time is none
}

// Packing is the answer of BinPack.
type Packing struct {
	// Nodes has the names of the new nodes, and of nodes that were there before and got pods.
	Nodes []string
	// OnNode has an index in Nodes for each pod, in the order of the groups; -1: it found no place.
	OnNode []int32
	// Used is the number of nodes that got pods, which is what the autoscaler's estimator returns.
	Used   int
	Placed int
	Stop   libsched.PackStop
}

// BinPack finds out how many copies of a template pods need, as the autoscaler's estimator does: first-fit
// decreasing. `pods` are those of each new node. The Snapshot is as before when it returns. Errors:
// libsched.ErrUnsupported (copies of a pod with claims of its own, also of `pods`), those of kube.Sim.Set and
// libsched.Sim.BinPack.
func (s *Snapshot) BinPack(groups []PackGroup, template *v1.Node, pods []*v1.Pod, options PackOptions) (Packing, error) {
	if template == nil {
		return Packing{}, nilError("the template")
	}
	defer s.catalog.Hold().Release()
	devices := slices.Contains(s.sim.Plugins(), devicePlugin)
	asked := make([]*v1.Pod, len(groups))
	for i, group := range groups {
		if group.Pod == nil {
			return Packing{}, nilError(fmt.Sprintf("the pod of group %d", i))
		}
		if group.Count > 1 && devices && hasOwnClaims(group.Pod) {
			return Packing{}, unsupportedClaims("pods with claims of their own are packed one by one: each in a group with Count 1")
		}
		asked[i] = group.Pod
	}
	refs, err := s.lookUp(s.ctx, asked, s.refs)
	if err != nil {
		return Packing{}, err
	}
	s.refs = refs
	packed := make([]libsched.Group, len(groups))
	for i, ref := range refs {
		packed[i] = libsched.Group{Pod: ref, Count: groups[i].Count}
	}
	on, err := s.catalog.PlacedPods(pods, nil)
	if err != nil {
		return Packing{}, err
	}
	if devices && slices.ContainsFunc(pods, hasOwnClaims) {
		return Packing{}, unsupportedClaims("the template has a pod with claims of its own, which each copy would have to have, too")
	}
	like, err := s.catalog.Node(copyFrom(template))
	if err != nil {
		return Packing{}, err
	}
	objectsOf := ""
	if len(options.Objects) > 0 {
		objectsOf = template.Name
		if err := s.live().Fork(); err != nil {
			return Packing{}, err
		}
		defer func() { must("BinPack", s.sim.Revert()) }()
		if err := s.sim.Set(options.Objects...); err != nil {
			return Packing{}, err
		}
	}
	done, err := s.live().BinPack(s.ctx, packed, like, libsched.PackOptions{Prefix: template.Name + "-e-",
		KeepOrder: options.KeepOrder, MaxNodes: options.MaxNodes, NodePods: on, ObjectsOf: objectsOf, PermitNode: options.Permit, Ring: &s.ring, Deadline: options.Deadline})
	if err != nil {
		return Packing{}, err
	}
	defer func() { must("BinPack", s.sim.Revert()) }()
	return s.packing(&done), nil
}

const devicePlugin = "DynamicResources"

func unsupportedClaims(why string) error {
	return &libsched.Error{Code: libsched.ErrUnsupported, Plugin: devicePlugin, Msg: why}
}

// hasOwnClaims tells whether a copy of the pod would have other claims.
func hasOwnClaims(pod *v1.Pod) bool {
	return slices.ContainsFunc(pod.Spec.ResourceClaims, func(c v1.PodResourceClaim) bool {
		return c.ResourceClaimTemplateName != nil
	})
}

// copyFrom returns the template with a hostname label that follows the name.
func copyFrom(template *v1.Node) *v1.Node {
	if template.Labels[v1.LabelHostname] == template.Name {
		return template
	}
	node := *template
	node.Labels = map[string]string{v1.LabelHostname: template.Name}
	for key, value := range template.Labels {
		if key != v1.LabelHostname {
			node.Labels[key] = value
		}
	}
	return &node
}

// packing adds the nodes that were there before to the new ones.
func (s *Snapshot) packing(done *libsched.Packing) Packing {
	out := Packing{OnNode: done.OnNode, Placed: done.Placed, Stop: done.Stop, Nodes: make([]string, len(done.Nodes))}
	for i, id := range done.Nodes {
		out.Nodes[i] = s.sim.Name(id)
	}
	others := map[libsched.NodeID]int32{}
	used := make([]bool, len(done.Nodes))
	for i, at := range done.OnNode {
		if at == -2 {
			id := s.live().NodeOf(done.Pods[i])
			index, known := others[id]
			if !known {
				index = int32(len(out.Nodes))
				others[id] = index
				out.Nodes, used = append(out.Nodes, s.sim.Name(id)), append(used, false)
			}
			out.OnNode[i], at = index, index
		}
		if at >= 0 && !used[at] {
			used[at] = true
			out.Used++
		}
	}
	return out
}
