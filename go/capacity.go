package libsched

// #include "scheduling_bridge.h"
import "C"

import (
	"context"
	"time"
)

// CapacityEnd says why a count of capacity has ended.
type CapacityEnd uint32

const (
	CapacityStopped   CapacityEnd = C.LIBSCHED_CAPACITY_STOPPED   // the next pod is not placed
	CapacityMaximum   CapacityEnd = C.LIBSCHED_CAPACITY_MAXIMUM   // the maximum is reached: at least so many fit
	CapacityDeadline  CapacityEnd = C.LIBSCHED_CAPACITY_DEADLINE  // the deadline has passed: at least so many fit
	CapacityCancelled CapacityEnd = C.LIBSCHED_CAPACITY_CANCELLED // the context has ended: at least so many fit
)

func (e CapacityEnd) String() string {
	return nameOf(e, "stopped", "maximum", "deadline", "cancelled")
}

// CapacityOptions says how CountCapacity counts.
type CapacityOptions struct {
	Max          int       // the count ends there; 0: 1,000,000
	Ties         Ties      // as ScheduleOptions.Ties
	Seed         uint64    // for TiesRandom
	Deadline     time.Time // as FilterOptions.Deadline; it ends the count, and is no error
	OtherProfile string    // as ScheduleOptions.OtherProfile

	NoClaimsFromTemplates bool // as ScheduleOptions.NoClaimsFromTemplates
}

// NodeCapacity is the number of pods that were placed on a node.
type NodeCapacity struct {
	Node string
	Pods int
}

// Capacity says how many more pods fit.
type Capacity struct {
	Count  int            // all pods that fit
	End    CapacityEnd    // whether Count is exact
	Counts []int          // the pods that fit by template
	Nodes  []NodeCapacity // all nodes, by name
	// Next is the outcome of the next pod, with CapacityStopped; otherwise nil. Its Pod is the index of
	// the template, and its Replica is Count.
	Next *Placement
	// Decision holds the verdicts of all nodes about the next pod, with their facts, on the full cluster, if
	// it is unschedulable; otherwise nil.
	Decision *Decision
}

// CountCapacity counts how many more pods like these fit: copies of them are placed in rotation, as
// Schedule does, until one is not placed. A nodeName and a status of the pods do not count, and copies get names
// that no pod has. The cluster does not change.
// A context that ends during the count ends it with CapacityCancelled.
// Errors: ErrCancelled if the context has ended before, ErrInvalid (options; no pod), ErrMisuse (no
// framework, or two of one profile).
func CountCapacity(ctx context.Context, cluster *Cluster, pods []*Pod, frameworks []*Framework,
	options CapacityOptions) (*Capacity, error) {
	if options.Ties > TiesRandom {
		return nil, errTies
	}
	if options.Max < 0 {
		return nil, &Error{Code: ErrInvalid, Msg: "the maximum is negative"}
	}
	var c *C.libsched_capacity
	err := judged(ctx, cluster, pods, frameworks, options.Deadline, func(j *judges, list **C.libsched_pod) C.libsched_rc {
		o := C.libsched_capacity_options{
			struct_size: C.sizeof_libsched_capacity_options, max: C.size_t(options.Max),
			ties: C.uint32_t(options.Ties), seed: C.uint64_t(options.Seed),
			no_claims_from_templates: C.bool(options.NoClaimsFromTemplates),
		}
		j.share(options.OtherProfile, &o.other_profile, &o.cancel, &o.deadline_ns)
		return C.lsgo_count_capacity(j.array(), j.count(), list, C.size_t(len(pods)), &o, &c)
	})
	if err != nil {
		return nil, err
	}
	defer C.libsched_capacity_unref(c)
	return copyCapacity(c, len(pods)), nil
}

// copyCapacity copies what the C API says about a capacity with so many templates.
func copyCapacity(c *C.libsched_capacity, templates int) *Capacity {
	out := &Capacity{
		Count:  int(C.libsched_capacity_count(c)),
		End:    CapacityEnd(C.libsched_capacity_end(c)),
		Counts: make([]int, templates),
		Nodes:  make([]NodeCapacity, C.libsched_capacity_node_count(c)),
	}
	for i := range out.Counts {
		out.Counts[i] = int(C.libsched_capacity_count_of(c, C.size_t(i)))
	}
	for i := range out.Nodes {
		var pods C.size_t
		name := C.libsched_capacity_node(c, C.size_t(i), &pods)
		out.Nodes[i] = NodeCapacity{goString(name), int(pods)}
	}
	p := C.libsched_placement{struct_size: C.sizeof_libsched_placement}
	if C.libsched_capacity_next(c, &p) {
		out.Next = &Placement{
			Pod: out.Count % templates, Replica: out.Count,
			Namespace: goString(C.libsched_pod_namespace(p.pod)), Name: goString(C.libsched_pod_name(p.pod)),
			Profile: goString(p.profile), Outcome: Outcome(p.outcome), Node: goString(p.node_name),
			Scored: bool(p.scored), Score: int64(p.score), Feasible: int(p.feasible),
			Text: goString(p.text), Plugin: goString(p.plugin), Count: int(p.count),
		}
	}
	if d := C.libsched_capacity_decision(c); d != nil {
		out.Decision = newDecision(C.libsched_decision_ref(d))
	}
	return out
}

// CountCapacity is the function [CountCapacity] with this framework alone, which judges all pods,
// whatever their schedulerName.
func (fw *Framework) CountCapacity(ctx context.Context, cluster *Cluster, pods []*Pod,
	options CapacityOptions) (*Capacity, error) {
	options.OtherProfile = fw.Profile()
	return CountCapacity(ctx, cluster, pods, []*Framework{fw}, options)
}
