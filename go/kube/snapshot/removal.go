package snapshot

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"libsched"
)

// Removal says how SimulateRemoval works.
type Removal struct {
	// Move has the pods that must find a place elsewhere. Those of higher priority come first. The other pods of
	// the node end with it.
	Move []*v1.Pod
	// Accept says which nodes may take them. It is asked about nodes that pods would get, and about all nodes if it
	// has refused some of them several times, and must not have effects. nil: all.
	Accept func(*NodeInfo) bool
	// AcceptSet has the nodes that may take them, by the Row of their id; it is cheaper than Accept. nil: all.
	AcceptSet libsched.NodeSet
	// Hints has as many names of nodes as Move, or "", as PlaceOptions.Hints.
	Hints []string
	// Ghost stands in for the node meanwhile, without pods: usually the node with a taint. nil: none.
	Ghost *v1.Node
	// Keep removes the node for good if all pods find a place.
	Keep bool
	// Context ends the call; nil: that of the Snapshot.
	Context context.Context
}

// Moved is a pod with its new node.
type Moved struct {
	Pod  *v1.Pod
	Node string
}

// SimulateRemoval finds out whether a node can go, and where its pods go then: in one call of the library, or a few
// with Removal.Accept. It is the heart of the autoscaler's RemovalSimulator. The Snapshot is as before unless the answer
// is true and Keep is set. Errors: ErrNodeNotFound, libsched.ErrInvalid (a pod is not on the node).
func (s *Snapshot) SimulateRemoval(nodeName string, r Removal) ([]Moved, bool, error) {
	info, err := s.GetNodeInfo(nodeName)
	if err != nil {
		return nil, false, err
	}
	if r.Ghost != nil && r.Ghost.Name != nodeName {
		return nil, false, &libsched.Error{Code: libsched.ErrInvalid, Msg: "the ghost of " + nodeName + " is called " + r.Ghost.Name}
	}
	defer s.catalog.Hold().Release()
	if r.Hints != nil && len(r.Hints) != len(r.Move) {
		return nil, false, &libsched.Error{Code: libsched.ErrInvalid, Msg: "not as many Hints as pods"}
	}
	move, hints, err := r.byPriority()
	if err != nil {
		return nil, false, err
	}
	ids, err := info.places(move)
	if err != nil {
		return nil, false, err
	}
	if r.Context == nil {
		r.Context = s.ctx
	}
	options := libsched.RemoveOptions{Keep: r.Keep, Hints: s.idsOf(hints), AsAutoscaler: true}
	if r.Ghost != nil {
		if options.Ghost, err = s.catalog.Node(r.Ghost); err != nil {
			return nil, false, err
		}
	}
	q := &query{Query: libsched.Query{SkipUnschedulable: true, Ring: &s.ring, Accept: r.AcceptSet}, ring: &s.ring}
	hits := make([]libsched.Hit, len(move))
	removed := false
	err = s.asking(q, r.Accept, hits, r.Keep, func() (wanted bool, err error) {
		removed, err = s.live().Remove(r.Context, info.id, ids, &q.Query, options, hits)
		return removed, err
	})
	info.requested = nil // Accept may have read it while the node was gone
	if err != nil || !removed {
		return nil, false, err
	}
	moved := make([]Moved, len(move))
	for i, hit := range hits {
		moved[i] = Moved{move[i], s.byRow[hit.Node.Row()].node.Name}
	}
	if r.Keep {
		s.removed(info)
		for i, hit := range hits {
			s.putPod(s.byRow[hit.Node.Row()], move[i], hit.Pod)
		}
	}
	return moved, true, nil
}

// byPriority returns the pods that move with their hints, those of higher priority first.
func (r *Removal) byPriority() (move []*v1.Pod, hints []string, err error) {
	if at := slices.Index(r.Move, nil); at >= 0 {
		return nil, nil, nilError(fmt.Sprintf("pod %d", at))
	}
	order := make([]int, len(r.Move))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(priorityOf(r.Move[b]), priorityOf(r.Move[a])) })
	for _, i := range order {
		move = append(move, r.Move[i])
		if r.Hints != nil {
			hints = append(hints, r.Hints[i])
		}
	}
	return move, hints, nil
}

// places returns the ids of pods on the node. A pod may be there, and in the list, several times.
func (n *NodeInfo) places(pods []*v1.Pod) ([]libsched.PodID, error) {
	ids, taken := make([]libsched.PodID, len(pods)), make([]bool, len(n.pods))
	for i, pod := range pods {
		at := slices.IndexFunc(n.pods, func(p placed) bool { return p.pod == pod })
		for at >= 0 && at < len(taken) && (taken[at] || n.pods[at].pod != pod) {
			at++
		}
		if at < 0 || at == len(taken) {
			return nil, &libsched.Error{Code: libsched.ErrInvalid,
				Msg: "pod " + pod.Namespace + "/" + pod.Name + " is not on node " + n.node.Name}
		}
		taken[at], ids[i] = true, n.pods[at].id
	}
	return ids, nil
}

func priorityOf(pod *v1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}
