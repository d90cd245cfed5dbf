package libsched

// #include "sim_bridge.h"
import "C"

import (
	"context"
	"slices"
	"unsafe"
)

// Query says which nodes a search asks about, and in which order. The zero value, and a nil *Query, asks
// about all of them in their order.
type Query struct {
	// Start is the position where the search begins; it wraps around. Count is how many positions it looks
	// at; 0: all.
	Start, Count int
	// Ring replaces Start: the search begins behind the latest hit, and a hit is written to it.
	Ring *Ring
	// Order has the nodes of the search, these and no others; positions are then indexes of it. nil: all.
	Order []NodeID
	// Accept has the nodes that are asked about; nil: all.
	Accept NodeSet
	// SkipUnschedulable leaves out nodes with spec.unschedulable, also for pods that tolerate it.
	SkipUnschedulable bool
	// Accepts, unless it is nil, is asked about each node that passes, and the search goes on behind those that
	// it refuses, with the same result of PreFilter. It may read the Sim, but not change it (ErrState).
	Accepts func(NodeID) bool
	// Without has pods of the Sim: the question is answered as if they were not there, such as the pod itself
	// that would move. It can't be had with Place, nor in PlaceMany and Remove (ErrInvalid).
	Without []PodID
	// Plugins has names of plugins that are asked, as if the profile had no others, and Ignore names of plugins
	// that are left out; nil: all are asked. One of both may be given. Answers of such a question are not kept
	// for the next one. They can't be had with Place, nor in PlaceMany and Remove (ErrInvalid, as for a name that
	// is none of [Sim.Plugins]).
	Plugins, Ignore []string
	// Place puts the pod of First onto the node that is found.
	Place bool
}

// Ring is the place behind which a search begins, at position Last+Offset modulo the number of nodes. It is
// kept by the caller from search to search.
type Ring struct{ Last, Offset int }

// Hit is a node that was found; Node is 0 if none was.
type Hit struct {
	Node     NodeID
	Pod      PodID // the pod that was put there; 0: none
	Position int   // of the node, in the order that was searched
}

var noID C.uint64_t

// orderOf converts a list so that an empty one (no node) differs from nil (all nodes).
func orderOf(order []NodeID) (*C.uint64_t, C.size_t) {
	if order != nil && len(order) == 0 {
		return &noID, 0
	}
	return words(order), C.size_t(len(order))
}

// wanted is a query in the form of the bridge's calls.
type wanted struct {
	order       *C.uint64_t
	orderCount  C.size_t
	accept      *C.uint64_t
	acceptWords C.size_t

	without      *C.uint64_t
	withoutCount C.size_t
	plugins      *C.uint64_t
	pluginWords  C.size_t
}

// set writes a query's numbers for the next call.
func (k *simCore) set(q *Query) (wanted, error) {
	c := &k.c.query
	c.skip_unschedulable, c.place, c.start, c.count, k.c.with_ring = false, false, 0, 0, false
	if q == nil {
		return wanted{}, nil
	}
	if q.Start < 0 || q.Count < 0 {
		return wanted{}, &Error{Code: ErrInvalid, Msg: "Start or Count is negative"}
	}
	c.skip_unschedulable, c.place = C.bool(q.SkipUnschedulable), C.bool(q.Place)
	c.start, c.count = C.size_t(q.Start), C.size_t(q.Count)
	if q.Ring != nil {
		if q.Ring.Last < 0 || q.Ring.Offset < 0 {
			return wanted{}, &Error{Code: ErrInvalid, Msg: "a number of the Ring is negative"}
		}
		k.c.with_ring = true
		k.c.ring.last, k.c.ring.offset = C.size_t(q.Ring.Last), C.size_t(q.Ring.Offset)
	}
	var w wanted
	w.order, w.orderCount = orderOf(q.Order)
	w.accept, w.acceptWords = acceptOf(q.Accept)
	w.without, w.withoutCount = words(q.Without), C.size_t(len(q.Without))
	if q.Plugins != nil || q.Ignore != nil {
		bits, err := k.pluginSet(q)
		if err != nil {
			return wanted{}, err
		}
		w.plugins, w.pluginWords = words(bits), C.size_t(len(bits))
	}
	return w, nil
}

// setParts is set for a call that uses no more of a query than Without, Plugins and Ignore.
func (k *simCore) setParts(q *Query) (wanted, error) {
	if q == nil {
		return k.set(nil)
	}
	return k.set(&Query{Without: q.Without, Plugins: q.Plugins, Ignore: q.Ignore})
}

// pluginSet returns the bitmap of the plugins that a query asks.
func (k *simCore) pluginSet(q *Query) ([]uint64, error) {
	names := q.Plugins
	if q.Ignore != nil {
		names = q.Ignore
		if q.Plugins != nil {
			return nil, &Error{Code: ErrInvalid, Msg: "Plugins and Ignore in one query"}
		}
	}
	bits := make([]uint64, len(k.plugins)/64+1)
	for _, name := range names {
		at := slices.Index(k.plugins, name)
		if at < 0 {
			return nil, &Error{Code: ErrInvalid, Msg: "the profile has no plugin " + name}
		}
		bits[at/64] |= 1 << (at % 64)
	}
	if q.Ignore != nil {
		for i := range bits {
			bits[i] = ^bits[i]
		}
	}
	return bits, nil
}

// placesIn returns the error for a query that a call which places pods can't take.
func placesIn(q *Query) error {
	switch {
	case q == nil:
		return nil
	case len(q.Without) != 0:
		return &Error{Code: ErrInvalid, Msg: "Query.Without in a call that places pods"}
	case q.Plugins != nil || q.Ignore != nil:
		return &Error{Code: ErrInvalid, Msg: "Query.Plugins or Ignore in a call that places pods: all plugins are asked"}
	}
	return nil
}

// turn writes the ring of the last call back to the query.
func (k *simCore) turn(q *Query) {
	if q != nil && q.Ring != nil {
		q.Ring.Last, q.Ring.Offset = int(k.c.ring.last), int(k.c.ring.offset)
	}
}

// Check asks PreFilter, and Filter of one node, and writes the verdict to why, which may be nil. Errors:
// ErrStale, ErrUnsupported with the plugin's name, ErrCancelled, ErrDeadline.
func (s *Sim) Check(ctx context.Context, pod PodRef, node NodeID, why *Verdict) (bool, error) {
	return s.CheckWith(ctx, pod, node, nil, why)
}

// CheckWith is Check with Without, Plugins and Ignore of a query, which may be nil. Errors: as Check, and
// ErrInvalid (a plugin).
func (s *Sim) CheckWith(ctx context.Context, pod PodRef, node NodeID, q *Query, why *Verdict) (bool, error) {
	k, err := s.ask(ctx)
	if err != nil {
		return false, err
	}
	defer k.leave()
	w, err := k.setParts(q)
	if err != nil {
		return false, err
	}
	rc := C.lsgo_sim_check(k.c, C.uint64_t(pod), C.uint64_t(node), w.without, w.withoutCount, w.plugins, w.pluginWords)
	if err := k.result(rc); err != nil {
		return false, err
	}
	k.tell(why)
	return k.c.verdict.stage == C.LIBSCHED_STAGE_PASSED, nil
}

// First finds the first node that passes; otherwise why (may be nil) says whether PreFilter or the filters
// are the cause. A plugin's Error on a node counts as a rejection, as the autoscaler takes it. q may be nil.
// Errors: as Check, and ErrInvalid (a negative number).
func (s *Sim) First(ctx context.Context, pod PodRef, q *Query, why *Verdict) (Hit, bool, error) {
	k, err := s.ask(ctx)
	if err != nil {
		return Hit{}, false, err
	}
	defer k.leave()
	w, err := k.set(q)
	if err != nil {
		return Hit{}, false, err
	}
	if q != nil && q.Place {
		if err := placesIn(q); err != nil {
			return Hit{}, false, err
		}
	}
	if q != nil && q.Accepts != nil {
		return k.firstAccepted(ctx, pod, q, w, why)
	}
	hit, err := k.first(pod, w)
	if err != nil {
		return Hit{}, false, err
	}
	k.turn(q)
	if k.tell(why); hit.Node != 0 && k.c.query.place {
		k.changes++
	}
	return hit, hit.Node != 0, nil
}

func (k *simCore) first(pod PodRef, w wanted) (Hit, error) {
	rc := C.lsgo_sim_first(k.c, C.uint64_t(pod), w.order, w.orderCount, w.accept, w.acceptWords, w.without,
		w.withoutCount, w.plugins, w.pluginWords)
	if err := k.result(rc); err != nil {
		return Hit{}, err
	}
	hit := &k.c.hit
	return Hit{NodeID(hit.node), PodID(hit.pod), int(hit.position)}, nil
}

// firstAccepted goes on behind the hits that Accepts refuses.
func (k *simCore) firstAccepted(ctx context.Context, pod PodRef, q *Query, w wanted, why *Verdict) (Hit, bool, error) {
	total := len(q.Order)
	if q.Order == nil {
		total = int(C.libsched_sim_node_count(k.c.sim))
	}
	start, left := q.Start, total
	if q.Ring != nil {
		start = q.Ring.Last + q.Ring.Offset
	}
	if total > 0 {
		start %= total
	}
	if q.Count > 0 {
		left = min(left, q.Count)
	}
	for {
		k.c.query.place, k.c.with_ring = false, false
		k.c.query.start, k.c.query.count = C.size_t(start), C.size_t(left)
		hit, err := k.first(pod, w)
		if err != nil {
			return Hit{}, false, err
		}
		if hit.Node == 0 {
			k.tell(why)
			return Hit{}, false, nil
		}
		accepted, err := k.accepts(q, hit.Node)
		if err != nil {
			return Hit{}, false, err
		}
		if accepted {
			return k.take(pod, q, hit, why)
		}
		// Questions that Accepts has asked have left their own numbers.
		if err := k.begin(ctx); err != nil {
			return Hit{}, false, err
		}
		if w, err = k.set(q); err != nil {
			return Hit{}, false, err
		}
		left -= (hit.Position-start+total)%total + 1
		if left == 0 {
			if why != nil {
				*why = Verdict{Stage: NoNode}
			}
			return Hit{}, false, nil
		}
		start = (hit.Position + 1) % total
	}
}

// accepts asks the query's function, which may read the Sim meanwhile.
func (k *simCore) accepts(q *Query, node NodeID) (bool, error) {
	changes, depth := k.changes, C.libsched_sim_fork_depth(k.c.sim)
	k.lend()
	defer func() { // also after a panic
		k.takeBack()
		for C.libsched_sim_fork_depth(k.c.sim) > depth { // forks that were opened and not closed
			if C.lsgo_sim_revert(k.c) != C.LIBSCHED_OK {
				break
			}
		}
	}()
	accepted := q.Accepts(node)
	if k.changes != changes {
		return false, &Error{Code: ErrState, Msg: "Accepts changed the Sim"}
	}
	return accepted, nil
}

// take ends a search with a hit.
func (k *simCore) take(pod PodRef, q *Query, hit Hit, why *Verdict) (Hit, bool, error) {
	if q.Place {
		if err := k.changed(C.lsgo_sim_add_pod(k.c, C.uint64_t(pod), C.uint64_t(hit.Node))); err != nil {
			return Hit{}, false, err
		}
		hit.Pod = PodID(k.c.id)
	}
	if q.Ring != nil {
		q.Ring.Last = hit.Position
	}
	if why != nil {
		*why = Verdict{}
	}
	return hit, true, nil
}

// Feasible returns all nodes that pass, and their number. It uses the memory of `into`, which may be nil.
// q may be nil. Errors: as First, and ErrUnsupported (Accepts in the query).
func (s *Sim) Feasible(ctx context.Context, pod PodRef, q *Query, into NodeSet) (NodeSet, int, error) {
	k, err := s.ask(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer k.leave()
	w, err := k.set(q)
	if err != nil {
		return nil, 0, err
	}
	k.c.query.place = false
	if q != nil && q.Accepts != nil {
		return nil, 0, unsupportedAccepts("Feasible")
	}
	need := (int(C.libsched_sim_node_limit(k.c.sim)) + 63) / 64
	if cap(into) < need {
		into = make(NodeSet, need)
	}
	into = into[:need]
	clear(into)
	rc := C.lsgo_sim_feasible(k.c, C.uint64_t(pod), w.order, w.orderCount, w.accept, w.acceptWords, w.without,
		w.withoutCount, w.plugins, w.pluginWords, words(into), C.size_t(need))
	if err := k.result(rc); err != nil {
		return nil, 0, err
	}
	return into, int(k.c.count), nil
}

func unsupportedAccepts(what string) error {
	return &Error{Code: ErrUnsupported, Msg: "Query.Accepts in " + what + " is not supported: pass an Accept set"}
}

// Verdict8 is a small verdict: 0 fits, any other is 1 + the index in [Sim.Plugins] of the first plugin that
// rejects.
type Verdict8 uint8

// CheckMany asks about every pod on every node, each alone: out[i*len(nodes)+k] is the verdict on pods[i] and
// nodes[k]. Of q, which may be nil, Without, Plugins and Ignore alone are used. Errors: as CheckWith, and ErrInvalid
// (out is of another length); a failed call may have written to out.
func (s *Sim) CheckMany(ctx context.Context, pods []PodRef, nodes []NodeID, q *Query, out []Verdict8) error {
	if len(pods)*len(nodes) != len(out) {
		return unequal("pairs", len(pods)*len(nodes), "verdicts", len(out))
	}
	k, err := s.ask(ctx)
	if err != nil {
		return err
	}
	defer k.leave()
	w, err := k.setParts(q)
	if err != nil {
		return err
	}
	return k.result(C.lsgo_sim_check_many(k.c, words(pods), C.size_t(len(pods)), words(nodes), C.size_t(len(nodes)),
		w.without, w.withoutCount, w.plugins, w.pluginWords, (*C.uint8_t)(unsafe.Pointer(unsafe.SliceData(out)))))
}

// Copies counts how many copies of a pod fit on each node while there are none on the others: out[i] is their
// number on nodes[i], at most most (0: 1,000,000). Of q, which may be nil, Without, Plugins and Ignore alone are used.
// Errors: as CheckWith, and ErrInvalid (out is of another length; a negative number).
func (s *Sim) Copies(ctx context.Context, pod PodRef, nodes []NodeID, most int, q *Query, out []int) error {
	if len(nodes) != len(out) {
		return unequal("nodes", len(nodes), "numbers", len(out))
	}
	if most < 0 {
		return &Error{Code: ErrInvalid, Msg: "most is negative"}
	}
	k, err := s.ask(ctx)
	if err != nil {
		return err
	}
	defer k.leave()
	w, err := k.setParts(q)
	if err != nil {
		return err
	}
	return k.result(C.lsgo_sim_copies(k.c, C.uint64_t(pod), words(nodes), C.size_t(len(nodes)), C.size_t(most),
		w.without, w.withoutCount, w.plugins, w.pluginWords, (*C.size_t)(unsafe.Pointer(unsafe.SliceData(out)))))
}

// ExplainJSON returns all about a pod and one node, or (0) all nodes, as [Decision.ExplainJSON] with facts.
// Errors: ErrStale, ErrUnsupported.
func (s *Sim) ExplainJSON(pod PodRef, node NodeID) ([]byte, error) {
	k, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer k.leave()
	k.frame.asker.ctx = context.Background()
	var text *C.libsched_text
	if err := k.result(C.lsgo_sim_explain(k.c, C.uint64_t(pod), C.uint64_t(node), &text)); err != nil {
		return nil, err
	}
	return takeText(text), nil
}
