// Package snapshot is a simulated cluster with the methods that the Kubernetes Cluster Autoscaler
// needs of its ClusterSnapshot and of the runner of its filters. Answers are libsched's, with the
// autoscaler's stages and texts. Nodes and pods are kept as objects of k8s.io/api, so that callers
// can look at them, beside a kube.Sim that is asked; what nodes offer and pods request is summed up
// when it is read.
//
// The package does not depend on the autoscaler or on the Go scheduler; an adapter of a few lines gives
// its types the autoscaler's names.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"libsched"
	"libsched/kube"
)

// ErrNodeNotFound is in the chain of errors about a node that is not there.
var ErrNodeNotFound = errors.New("node not found")

// Options says how a Snapshot works. The zero value is the default.
type Options struct {
	// Context ends questions; nil is context.Background.
	Context context.Context
}

// Snapshot is a simulated cluster. It is for one goroutine at a time. Objects that it is given must not
// change while it has them.
type Snapshot struct {
	sim     *kube.Sim
	catalog *kube.Catalog
	ctx     context.Context
	ring    libsched.Ring // of searches without an order

	byName map[string]*NodeInfo
	byRow  []*NodeInfo
	list   []*NodeInfo // in the Sim's order
	listed bool        // the list is up to date
	lent   bool        // callers may have the list
	// leaving was removed, but not yet from the Sim: if a node of its name is added next, that takes its place.
	leaving *NodeInfo

	log   undoLog
	forks []int // where the log was at each Fork
	// changes counts changes and forks, so that functions of the caller that must not make any are caught.
	changes  int
	versions uint64 // the latest one of a NodeInfo
	misuse   error  // of such a function
	floor    int    // how many forks such a function cannot end

	claims map[string]int // pods by "namespace/name" of a volume claim; nil: not asked for yet

	why  libsched.Verdict
	one  libsched.Query // of placeOn
	ids  []libsched.NodeID
	refs []libsched.PodRef
}

// New returns an empty Snapshot with the plugins of a framework. Snapshots may share the catalog, whose Age
// should be called once in a loop. Errors: those of kube.NewSim.
func New(fw *libsched.Framework, catalog *kube.Catalog, options Options) (*Snapshot, error) {
	sim, err := kube.NewSim(fw, catalog)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{sim: sim, catalog: catalog, ctx: options.Context,
		byName: map[string]*NodeInfo{}, listed: true, ring: libsched.Ring{Offset: 1}}
	if s.ctx == nil {
		s.ctx = context.Background()
	}
	return s, nil
}

// Close releases the library's memory. The NodeInfos remain.
func (s *Snapshot) Close() { s.sim.Close() }

// Sim returns the Sim that is asked, for questions that Snapshot does not have and for objects that are
// neither pods nor nodes (Set). Its nodes, pods and forks must be changed through the Snapshot alone.
// Call Sim again after a change.
func (s *Snapshot) Sim() *kube.Sim { return s.live() }

// live returns the Sim in the present state.
func (s *Snapshot) live() *kube.Sim {
	if s.leaving != nil {
		must("RemoveNodeInfo", s.sim.RemoveNode(s.leaving.id))
		s.leaving = nil
	}
	return s.sim
}

// Clear removes all nodes and pods and ends all forks. Errors: those of libsched.Sim.Reset.
func (s *Snapshot) Clear() error { return s.SetClusterState(nil, nil) }

// SetClusterState ends all forks and replaces all nodes and pods, in a few calls of the library. A pod is
// on the node of spec.nodeName, or of status.nominatedNodeName; a pod of an unknown node is left out.
// Errors: those of kube.Catalog.Pod and libsched.Sim.Reset; nothing has changed then.
func (s *Snapshot) SetClusterState(nodes []*v1.Node, scheduledPods []*v1.Pod) error {
	defer s.catalog.Hold().Release()
	nodeRefs, err := s.catalog.Nodes(nodes, nil)
	if err != nil {
		return err
	}
	names, index := make([]string, len(nodes)), make(map[string]int, len(nodes))
	for i, node := range nodes {
		names[i], index[node.Name] = node.Name, i
	}
	here, places := make([]*v1.Pod, 0, len(scheduledPods)), make([]libsched.SimPod, 0, len(scheduledPods))
	for i, pod := range scheduledPods {
		if pod == nil {
			return nilError(fmt.Sprintf("pod %d", i))
		}
		if at, ok := index[nodeOf(pod)]; ok {
			here, places = append(here, pod), append(places, libsched.SimPod{Node: at})
		}
	}
	if s.refs, err = s.catalog.PlacedPods(here, s.refs); err != nil {
		return err
	}
	for i, ref := range s.refs {
		places[i].Pod = ref
	}
	nodeIDs, podIDs := make([]libsched.NodeID, len(nodes)), make([]libsched.PodID, len(here))
	if err := s.sim.Reset(nodeRefs, names, places, nodeIDs, podIDs); err != nil {
		return err
	}
	s.forget(len(nodes))
	for i, node := range nodes {
		s.versions++
		s.link(&NodeInfo{snapshot: s, node: node, id: nodeIDs[i], version: s.versions})
	}
	for i, pod := range here {
		info := s.list[places[i].Node]
		info.pods = append(info.pods, placed{pod, podIDs[i]})
	}
	return nil
}

func nodeOf(pod *v1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	return pod.Status.NominatedNodeName
}

// forget drops everything on the side of Go.
func (s *Snapshot) forget(nodes int) {
	s.changes++
	s.byName = make(map[string]*NodeInfo, nodes)
	clear(s.byRow)
	s.list, s.listed, s.lent = make([]*NodeInfo, 0, nodes), true, false
	s.log, s.forks, s.claims, s.leaving = nil, nil, nil, nil
}

// link makes a node findable, the last one of the order.
func (s *Snapshot) link(info *NodeInfo) {
	s.byName[info.node.Name] = info
	row := int(info.id.Row())
	for row >= len(s.byRow) {
		s.byRow = append(s.byRow, nil)
	}
	s.byRow[row] = info
	if s.listed {
		if s.lent && len(s.list) == cap(s.list) {
			s.lent = false // append makes another list
		}
		s.list = append(s.list, info)
	}
}

// unlink is the contrary of link.
func (s *Snapshot) unlink(info *NodeInfo) {
	delete(s.byName, info.node.Name)
	s.byRow[info.id.Row()] = nil
	if last := len(s.list) - 1; s.listed && last >= 0 && s.list[last] == info {
		if s.list = s.list[:last]; s.lent {
			s.list = slices.Clip(s.list) // what callers have of it does not change
		}
	} else {
		s.listed = false
	}
}

// order returns the nodes in the Sim's order, without one that is leaving. The slice is never changed afterwards.
func (s *Snapshot) order() []*NodeInfo {
	if !s.listed {
		s.ids = s.sim.Nodes(s.ids)
		s.list = make([]*NodeInfo, 0, len(s.ids)) // callers may still have the old one
		for _, id := range s.ids {
			if info := s.byRow[id.Row()]; info != nil {
				s.list = append(s.list, info)
			}
		}
		s.listed = s.leaving == nil // the next node may take its place
	}
	s.lent = true
	return s.list
}

// Fork marks the present state. Forks nest, and cost nothing.
func (s *Snapshot) Fork() {
	must("Fork", s.live().Fork())
	s.changes++
	s.forks = append(s.forks, len(s.log))
}

// Revert undoes all changes since the latest Fork, at a cost that depends on these alone. NodeInfos are
// again what they were. Without a fork it has no effect.
func (s *Snapshot) Revert() {
	last := len(s.forks) - 1
	if last < 0 || s.held(last) {
		return
	}
	must("Revert", s.live().Revert())
	s.changes++
	s.undo(s.forks[last])
	s.forks = s.forks[:last]
}

// Commit keeps the changes since the latest Fork, at no cost: they become those of the fork outside.
// Without a fork it has no effect. Errors: those of libsched.Sim.Commit.
func (s *Snapshot) Commit() error {
	last := len(s.forks) - 1
	if last < 0 {
		return nil
	}
	if s.held(last) {
		return s.misuse
	}
	if err := s.live().Commit(); err != nil {
		return err
	}
	s.changes++
	if s.forks = s.forks[:last]; last == 0 {
		s.log = s.log[:0]
	}
	return nil
}

// held tells whether a fork is that of a question which waits for the caller's code, and remembers that it tried to end it.
func (s *Snapshot) held(fork int) bool {
	if fork >= s.floor {
		return false
	}
	s.misuse = &libsched.Error{Code: libsched.ErrState, Msg: "Accept ended a fork of the Snapshot"}
	return true
}

func nilError(what string) error {
	return &libsched.Error{Code: libsched.ErrMisuse, Msg: what + " is nil"}
}

// must reports what only a Snapshot that is closed, or used by two goroutines, can cause. The autoscaler's
// methods have no error for it, and going on would mix two states.
func must(what string, err error) {
	if err != nil {
		panic(fmt.Sprintf("libsched snapshot: %s: %v", what, err))
	}
}

// accepts asks a function of the caller about a node. If it changes the Snapshot, forks that it has opened are reverted,
// also after a panic, and misused returns an error.
func (s *Snapshot) accepts(accept func(*NodeInfo) bool, info *NodeInfo) bool {
	defer s.watch("Accept")()
	return accept(info)
}

// watch returns a function that looks at what the caller's code has done to the Snapshot since.
func (s *Snapshot) watch(what string) func() {
	depth, before := len(s.forks), s.changes
	return func() {
		if s.closeForks(depth); s.changes != before {
			s.misuse = &libsched.Error{Code: libsched.ErrState, Msg: what + " changed the Snapshot"}
		}
	}
}

// misused returns what the caller's code has done wrong, once.
func (s *Snapshot) misused() error {
	err := s.misuse
	s.misuse = nil
	return err
}

// closeForks reverts the forks beyond a depth.
func (s *Snapshot) closeForks(depth int) {
	for len(s.forks) > depth {
		s.Revert()
	}
}

// WithFork calls f in a fork, which it commits if f returns true, and otherwise reverts, also after a panic. Forks that
// f leaves open are reverted.
// It returns the errors of f and of the commit.
func (s *Snapshot) WithFork(f func() (bool, error)) (result, cleanup error) {
	s.Fork()
	keep := false
	defer func() {
		if keep {
			cleanup = s.Commit()
		}
		if !keep || cleanup != nil {
			s.Revert()
		}
	}()
	depth := len(s.forks)
	keep, result = f()
	s.closeForks(depth)
	return result, cleanup
}
