package snapshot

import (
	"cmp"
	"context"
	"errors"
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
	// Accept says which nodes may take them; it is asked about all nodes, and must not have effects. nil: all.
	Accept func(*NodeInfo) bool
	// AcceptSet has the nodes that may take them, by the Row of their id; it is cheaper than Accept. nil: all.
	AcceptSet libsched.NodeSet
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

// SimulateRemoval finds out whether a node can go, and where its pods go then: in one call of the library if they
// have one priority. It is the heart of the autoscaler's RemovalSimulator, without hints. The Snapshot is as before unless the answer
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
	move := slices.Clone(r.Move)
	if at := slices.Index(move, nil); at >= 0 {
		return nil, false, nilError(fmt.Sprintf("pod %d", at))
	}
	slices.SortStableFunc(move, func(a, b *v1.Pod) int { return cmp.Compare(priorityOf(b), priorityOf(a)) })
	ids, err := info.places(move)
	if err != nil {
		return nil, false, err
	}
	if r.Context == nil {
		r.Context = s.ctx
	}
	if len(move) > 0 && priorityOf(move[0]) != priorityOf(move[len(move)-1]) {
		return s.removeInSteps(info, move, &r)
	}
	options := libsched.RemoveOptions{Keep: r.Keep}
	if r.Ghost != nil {
		if options.Ghost, err = s.catalog.Node(r.Ghost); err != nil {
			return nil, false, err
		}
	}
	q := &query{Query: libsched.Query{SkipUnschedulable: true, Ring: &s.ring, Accept: r.AcceptSet}}
	s.acceptAll(q, r.Accept)
	if err := s.misused(); err != nil {
		return nil, false, err
	}
	hits := make([]libsched.Hit, len(move))
	removed, err := s.live().Remove(r.Context, info.id, ids, &q.Query, options, hits)
	for _, hit := range hits { // the autoscaler's ring moves also if nothing stays
		if hit.Node != 0 {
			s.ring.Last = hit.Position
		}
	}
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

// removeInSteps removes a node whose pods have several priorities. After a failure the autoscaler goes on with
// the pods of the next priority, which moves the ring of later searches.
func (s *Snapshot) removeInSteps(info *NodeInfo, move []*v1.Pod, r *Removal) ([]Moved, bool, error) {
	defer func(before context.Context) { s.ctx = before }(s.ctx)
	s.ctx = r.Context
	name := info.node.Name
	var moved []Moved
	gone := false
	err, cleanup := s.WithFork(func() (bool, error) {
		for _, pod := range move { // their claims of devices are free
			if err := s.UnschedulePod(pod.Namespace, pod.Name, name); err != nil {
				return false, err
			}
		}
		err := s.RemoveNodeInfo(name)
		if err == nil && r.Ghost != nil {
			err = s.AddNodeInfo(r.Ghost)
		}
		search := Search{AcceptSet: r.AcceptSet, Accept: func(other *NodeInfo) bool {
			return other.node.Name != name && (r.Accept == nil || r.Accept(other))
		}}
		for from := 0; from < len(move) && err == nil; {
			to := from + 1
			for to < len(move) && priorityOf(move[to]) == priorityOf(move[from]) {
				to++
			}
			var places []string
			places, err = s.PlaceMany(move[from:to], PlaceOptions{Search: search, StopAtFailure: true})
			for i, place := range places {
				if place != "" {
					moved = append(moved, Moved{move[from+i], place})
				}
			}
			from = to
		}
		if gone = err == nil && len(moved) == len(move); gone && r.Ghost != nil {
			err = s.RemoveNodeInfo(name)
		}
		return gone && err == nil && r.Keep, err
	})
	if err = errors.Join(err, cleanup); err != nil || !gone {
		return nil, false, err
	}
	return moved, true, nil
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
