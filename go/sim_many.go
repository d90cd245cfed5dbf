package libsched

// #include "sim_bridge.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// A Hit and a Group lie in memory as C's do, so that the library writes and reads them in place.
var _ = [1]byte{}[unsafe.Sizeof(Hit{})-C.sizeof_libsched_sim_hit]
var _ = [1]byte{}[unsafe.Sizeof(Group{})-C.sizeof_libsched_sim_group]

// PlaceOptions says how PlaceMany works.
type PlaceOptions struct {
	// Hints has as many nodes as pods, or 0: each is tried before all others, if the query accepts it. A hint
	// that is stale is passed over. nil: none.
	Hints         []NodeID
	StopAtFailure bool // end at the first pod that finds no node
	// RetryFailed tries a pod although one of the same content has found no node in this call. Without it such
	// a pod is passed over.
	RetryFailed bool
	// AsAutoscaler places as the Cluster Autoscaler's TrySchedulePods. Pods of higher priority come first. Of each
	// priority those whose hint takes them come first, even if the query skips unschedulable nodes. StopAtFailure
	// ends a priority alone. A pod like one that has found no node is passed over only if it has a controller that
	// is no DaemonSet.
	AsAutoscaler bool
	Deadline     time.Time // what was placed until then stays, with ErrDeadline; the zero Time is none
}

// limit adds a deadline to the context's.
func (k *simCore) limit(deadline time.Time) {
	if !deadline.IsZero() {
		k.until(deadline.UnixNano())
	}
}

// ended returns the error for a call that its limits ended.
func (k *simCore) ended() error {
	if err := contextError(k.frame.asker.ctx); err != nil {
		return err
	}
	return &Error{Code: ErrDeadline, Msg: ErrDeadline.Error(), cause: context.DeadlineExceeded}
}

// PlaceMany places pods, each on the first node that takes it; every pod sees those before it. hits[i] is the
// place of pods[i], its Node 0 if there is none. It returns the number of pods that were placed. When the
// context ends or the deadline passes, what has been placed stays, and the error is ErrCancelled or ErrDeadline.
// q may be nil. After any other error nothing was placed: ErrStale, ErrUnsupported, ErrInvalid (slices of
// unequal length).
func (s *Sim) PlaceMany(ctx context.Context, pods []PodRef, q *Query, options PlaceOptions, hits []Hit) (int, error) {
	switch {
	case len(hits) != len(pods):
		return 0, unequal("pods", len(pods), "hits", len(hits))
	case options.Hints != nil && len(options.Hints) != len(pods):
		return 0, unequal("pods", len(pods), "Hints", len(options.Hints))
	case q != nil && q.Accepts != nil:
		return 0, unsupportedAccepts("PlaceMany")
	}
	if err := placesIn(q); err != nil {
		return 0, err
	}
	k, err := s.ask(ctx)
	if err != nil {
		return 0, err
	}
	defer k.leave()
	w, err := k.set(q)
	if err != nil {
		return 0, err
	}
	k.limit(options.Deadline)
	rc := C.lsgo_sim_place_many(k.c, words(pods), C.size_t(len(pods)), words(options.Hints), w.order, w.orderCount,
		w.accept, w.acceptWords, C.bool(options.StopAtFailure), C.bool(options.RetryFailed), C.bool(options.AsAutoscaler),
		hitsOf(hits))
	if err := k.changed(rc); err != nil {
		return 0, err
	}
	k.turn(q)
	if k.c.ended {
		return int(k.c.count), k.ended()
	}
	return int(k.c.count), nil
}

func hitsOf(hits []Hit) *C.libsched_sim_hit {
	return (*C.libsched_sim_hit)(unsafe.Pointer(unsafe.SliceData(hits)))
}

// Group is a number of equal pods.
type Group struct {
	Pod   PodRef
	Count int
}

// PackStop says why BinPack ended.
type PackStop uint32

const (
	PackedAll      PackStop = C.LIBSCHED_STOP_NONE     // all pods were tried
	StopAtMaxNodes PackStop = C.LIBSCHED_STOP_NODES    // PackOptions.MaxNodes
	StopAtDeadline PackStop = C.LIBSCHED_STOP_DEADLINE // the deadline, or the context
	StopByPermit   PackStop = C.LIBSCHED_STOP_PERMIT   // PackOptions.PermitNode
)

func (s PackStop) String() string {
	return nameOf(s, "", "nodes", "deadline", "permit")
}

// PackOptions says how BinPack works.
type PackOptions struct {
	KeepOrder   bool     // pack the groups as they come; otherwise largest first, as the autoscaler does
	ExistingToo bool     // try nodes that are there already as well, not new ones alone
	Prefix      string   // new nodes are named Prefix + number, from 0 on; names that exist are left out
	MaxNodes    int      // 0: any number
	NodePods    []PodRef // pods that every new node has, such as those of DaemonSets
	// ObjectsOf is the name of a node, which need not be there: every new node has copies of its CSINode and of the
	// ResourceSlices that name it, with devices of its own. "": new nodes have none.
	ObjectsOf string
	// PermitNode is asked before each new node. It must not use the Sim (ErrState). nil: always.
	PermitNode func() bool
	Ring       *Ring     // of the searches among new nodes; nil: from the first one each time
	Deadline   time.Time // the zero Time is none
}

// Packing holds the new nodes of BinPack, and where the pods are.
type Packing struct {
	Nodes []NodeID
	// OnNode has an index in Nodes for each pod, in the order of the given groups; -1: none, -2: a node that was
	// there before.
	OnNode []int32
	Pods   []PodID // the ids of the pods; 0: not placed
	Placed int
	Stop   PackStop
}

// permitCall is the value of the number that C passes to lsgoPermitNode.
type permitCall struct {
	ask      func() bool
	panicked any
}

var permitCalls table[permitCall]

//export lsgoPermitNode
func lsgoPermitNode(h C.uintptr_t) (permitted C.bool) {
	call, returned := permitCalls.at(h), false
	defer func() {
		if reason := recover(); reason != nil {
			call.panicked, permitted = reason, false
		} else if !returned {
			exited("PermitNode")
		}
	}()
	answer := call.panicked == nil && call.ask()
	returned = true
	return C.bool(answer)
}

// BinPack packs groups of pods as the Cluster Autoscaler's estimator does: in decreasing size, the pods of each
// onto the new nodes as long as they fit there, then onto the latest node, or a new node of the content
// `like`. It happens in a fork of its own, which stays open: read the answer, then Revert or Commit. A
// context that ends stops it as a deadline does. After an error no fork is open. Errors: ErrStale,
// ErrUnsupported, ErrLimit, ErrInvalid (a negative number).
func (s *Sim) BinPack(ctx context.Context, groups []Group, like NodeRef, options PackOptions) (Packing, error) {
	for i := range groups {
		if groups[i].Count < 0 {
			return Packing{}, &Error{Code: ErrInvalid, Msg: "the Count of a group is negative"}
		}
	}
	if options.MaxNodes < 0 || options.Ring != nil && (options.Ring.Last < 0 || options.Ring.Offset < 0) {
		return Packing{}, &Error{Code: ErrInvalid, Msg: "MaxNodes or a number of the Ring is negative"}
	}
	k, err := s.ask(ctx)
	if err != nil {
		return Packing{}, err
	}
	defer k.leave()
	ring := Query{Ring: options.Ring}
	if _, err := k.set(&ring); err != nil {
		return Packing{}, err
	}
	k.limit(options.Deadline)
	var permit permitCall
	var number C.uintptr_t
	if options.PermitNode != nil {
		permit.ask = options.PermitNode
		number = permitCalls.add(&permit)
		defer permitCalls.remove(number)
	}
	prefix, n := textOf(options.Prefix)
	objectsOf, m := textOf(options.ObjectsOf)
	rc := C.lsgo_sim_bin_pack(k.c, (*C.libsched_sim_group)(unsafe.Pointer(unsafe.SliceData(groups))),
		C.size_t(len(groups)), C.uint64_t(like), prefix, n, words(options.NodePods),
		C.size_t(len(options.NodePods)), C.bool(options.KeepOrder), C.bool(options.ExistingToo),
		C.size_t(options.MaxNodes), objectsOf, m, number)
	if permit.panicked != nil {
		if rc == C.LIBSCHED_OK { // the fork goes with the panic
			C.lsgo_sim_revert(k.c)
		}
		panic(permit.panicked)
	}
	if err := k.changed(rc); err != nil {
		return Packing{}, err
	}
	k.turn(&ring)
	p := &k.c.packing
	return Packing{
		Nodes:  append([]NodeID(nil), sliceOf[NodeID](p.nodes, p.node_count)...),
		OnNode: append([]int32(nil), sliceOf[int32](p.on_node, p.pod_count)...),
		Pods:   append([]PodID(nil), sliceOf[PodID](p.pod_ids, p.pod_count)...),
		Placed: int(p.placed), Stop: PackStop(p.stop),
	}, nil
}

// RemoveOptions says how Remove works.
type RemoveOptions struct {
	// Keep removes the node, and leaves the pods in their new places, if all of them find one.
	Keep bool
	// Ghost is a content that stands in for the node meanwhile, without pods, so that its domains stay; no pod
	// is placed on it. 0: the node is removed at once.
	Ghost NodeRef
	Hints []NodeID // as PlaceOptions.Hints
	// AsAutoscaler is that of PlaceOptions.
	AsAutoscaler bool
}

// Remove finds out whether a node can go: it takes all pods off it, and places those of `move` elsewhere, in
// that order, until one finds no place. hits[i] is the new place of move[i]; its Pod is 0 unless Keep is set.
// Nothing changes unless the answer is true and Keep is set. q may be nil. Errors: ErrStale, ErrInvalid (a pod
// of `move` is not on the node, or occurs twice; slices of unequal length), ErrUnsupported, ErrCancelled,
// ErrDeadline.
func (s *Sim) Remove(ctx context.Context, node NodeID, move []PodID, q *Query, options RemoveOptions,
	hits []Hit) (bool, error) {
	switch {
	case len(hits) != len(move):
		return false, unequal("pods", len(move), "hits", len(hits))
	case options.Hints != nil && len(options.Hints) != len(move):
		return false, unequal("pods", len(move), "Hints", len(options.Hints))
	case q != nil && q.Accepts != nil:
		return false, unsupportedAccepts("Remove")
	}
	if err := placesIn(q); err != nil {
		return false, err
	}
	k, err := s.ask(ctx)
	if err != nil {
		return false, err
	}
	defer k.leave()
	w, err := k.set(q)
	if err != nil {
		return false, err
	}
	k.c.query.place = false
	rc := C.lsgo_sim_remove(k.c, C.uint64_t(node), words(move), C.size_t(len(move)), words(options.Hints), w.order,
		w.orderCount, w.accept, w.acceptWords, C.bool(options.Keep), C.bool(options.AsAutoscaler),
		C.uint64_t(options.Ghost), hitsOf(hits))
	if err := k.changed(rc); err != nil {
		return false, err
	}
	k.turn(q)
	return bool(k.c.ended), nil
}
