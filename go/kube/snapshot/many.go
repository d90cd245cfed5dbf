package snapshot

import (
	"fmt"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"

	"libsched"
)

// PlaceOptions says how PlaceMany works.
type PlaceOptions struct {
	Search
	// Hints has as many names of nodes as pods, or "": each is tried before all others, if it is acceptable.
	Hints         []string
	StopAtFailure bool
}

// PlaceMany places pods, wherever spec.nodeName says that they are, each on the first node that takes it, in one call of the library. It returns the name
// of each pod's node, "" for those that found none. A pod of the same content as one that found no node is
// not tried. Errors: libsched.ErrCancelled and ErrState of MarkMatch (what was placed stays), ErrInvalid.
func (s *Snapshot) PlaceMany(pods []*v1.Pod, options PlaceOptions) ([]string, error) {
	defer s.catalog.Hold().Release()
	refs, err := s.catalog.PlacedPods(pods, s.refs)
	if err != nil {
		return nil, err
	}
	s.refs = refs
	q, err := s.query(&options.Search)
	if err != nil {
		return nil, err
	}
	s.acceptAll(q, options.Accept)
	if err := s.misused(); err != nil {
		return nil, err
	}
	var hints []libsched.NodeID
	if options.Hints != nil {
		if len(options.Hints) != len(pods) {
			return nil, &libsched.Error{Code: libsched.ErrInvalid, Msg: "not as many Hints as pods"}
		}
		hints = s.idsOf(options.Hints)
	}
	hits := make([]libsched.Hit, len(pods))
	_, err = s.live().PlaceMany(s.ctx, refs, &q.Query, libsched.PlaceOptions{Hints: hints, StopAtFailure: options.StopAtFailure}, hits)
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

// acceptAll asks `accept` about all nodes at once.
func (s *Snapshot) acceptAll(q *query, accept func(*NodeInfo) bool) {
	if accept == nil {
		return
	}
	given := q.Accept
	q.Accept = s.NodeSet(func(info *NodeInfo) bool { return (given == nil || given.Has(info.id.Row())) && accept(info) })
}

func (s *Snapshot) idsOf(names []string) []libsched.NodeID {
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
	MaxNodes int         // 0: any number
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
// libsched.ErrUnsupported (copies of a pod with claims of its own), those of libsched.Sim.BinPack.
func (s *Snapshot) BinPack(groups []PackGroup, template *v1.Node, pods []*v1.Pod, options PackOptions) (Packing, error) {
	if template == nil {
		return Packing{}, nilError("the template")
	}
	defer s.catalog.Hold().Release()
	packed := make([]libsched.Group, len(groups))
	for i, group := range groups {
		if group.Pod == nil {
			return Packing{}, nilError(fmt.Sprintf("the pod of group %d", i))
		}
		if group.Count > 1 && hasOwnClaims(group.Pod) {
			return Packing{}, &libsched.Error{Code: libsched.ErrUnsupported, Plugin: "DynamicResources",
				Msg: "pods with claims of their own are packed one by one: each in a group with Count 1"}
		}
		ref, err := s.catalog.Placed(group.Pod)
		if err != nil {
			return Packing{}, err
		}
		packed[i] = libsched.Group{Pod: ref, Count: group.Count}
	}
	on, err := s.catalog.PlacedPods(pods, nil)
	if err != nil {
		return Packing{}, err
	}
	like, err := s.catalog.Node(copyFrom(template))
	if err != nil {
		return Packing{}, err
	}
	done, err := s.live().BinPack(s.ctx, packed, like, libsched.PackOptions{Prefix: template.Name + "-e-",
		MaxNodes: options.MaxNodes, NodePods: on, PermitNode: options.Permit, Ring: &s.ring, Deadline: options.Deadline})
	if err != nil {
		return Packing{}, err
	}
	defer func() { must("BinPack", s.sim.Revert()) }()
	return s.packing(&done), nil
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
