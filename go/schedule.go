package libsched

// #include "scheduling_bridge.h"
import "C"

import (
	"context"
	"time"
	"unsafe"
)

// Outcome is the outcome of placing a pod.
type Outcome uint32

const (
	OutcomePlaced        Outcome = C.LIBSCHED_OUTCOME_PLACED        // assumed on its node
	OutcomeUnschedulable Outcome = C.LIBSCHED_OUTCOME_UNSCHEDULABLE // no node takes it
	OutcomeGated         Outcome = C.LIBSCHED_OUTCOME_GATED         // PreEnqueue holds it back
	OutcomeRefused       Outcome = C.LIBSCHED_OUTCOME_REFUSED       // Reserve refused; the pod was taken off again
	OutcomeBound         Outcome = C.LIBSCHED_OUTCOME_BOUND         // had a nodeName already, and was put there
	OutcomeKept          Outcome = C.LIBSCHED_OUTCOME_KEPT          // was in the cluster already
	OutcomeEnded         Outcome = C.LIBSCHED_OUTCOME_ENDED         // has run to its end
	OutcomeError         Outcome = C.LIBSCHED_OUTCOME_ERROR         // a plugin failed or is not available
)

func (o Outcome) String() string {
	return nameOf(o, "placed", "unschedulable", "gated", "refused", "bound", "kept", "ended", "error")
}

// ScheduleOptions says how Schedule places pods. The zero value places one of each, as upstream does.
type ScheduleOptions struct {
	Ties     Ties
	Seed     uint64 // for TiesRandom; the same seed gives the same placements
	Sampling bool   // as CycleOptions.Sampling; the start moves on from pod to pod
	// Replicas is the number of replicas of each pod; nil means one. Replicas of a pod with more than one
	// are named like those of a StatefulSet ("name-0"), and made when their turn comes.
	Replicas      []int
	StopAtFailure bool      // stop at the first pod that is not placed, bound, kept or ended
	Deadline      time.Time // as FilterOptions.Deadline
	// OtherProfile is the profile of pods whose schedulerName is that of no given framework. "" is a
	// framework without a profile name; if there is none, such a pod is an error. [Framework.Schedule]
	// does not look at it.
	OtherProfile string
	// NoClaimsFromTemplates makes no claims that controllers make (MissingClaims). Otherwise each pod has its
	// claims when its turn comes, and they stay with the pods that are placed.
	NoClaimsFromTemplates bool
}

// Placement is the outcome of a pod, or of several replicas with the same outcome.
type Placement struct {
	Pod             int // index of the pod
	Replica         int // the first replica
	Namespace, Name string
	Profile         string // the profile that judged; "": none did
	Outcome         Outcome
	Node            string // the node of a placed, bound or kept pod
	Scored          bool   // false if the node is the only feasible one, because then nothing is scored
	Score           int64
	Feasible        int    // nodes that passed the filters
	Text            string // why the pod was not placed
	Plugin          string // the plugin that decided, if it was a single one
	// Count is the number of replicas with this outcome. The replicas after one that is not placed would
	// have the same outcome, so they are counted, not tried.
	Count int
}

// Schedule places pods one after the other, as a scheduler with an empty queue would: PreEnqueue, a
// scheduling cycle and Reserve. Placed pods are assumed on their nodes, so each pod sees those before it;
// fork the cluster first for a what-if. A pod's schedulerName chooses among the frameworks, which have
// different profiles. Nothing is preempted. A problem with one pod is its Outcome; an error ends the
// call, and the returned placements are those of the pods before it, which stay in the cluster.
// Errors: ErrCancelled when the context ends, ErrDeadline, ErrInvalid (options), ErrMisuse (no framework,
// or two of one profile).
func Schedule(ctx context.Context, cluster *Cluster, pods []*Pod, frameworks []*Framework,
	options ScheduleOptions) ([]Placement, error) {
	if options.Ties > TiesRandom {
		return nil, errTies
	}
	if options.Replicas != nil && len(options.Replicas) != len(pods) {
		return nil, &Error{Code: ErrInvalid, Msg: "as many numbers of replicas as pods are needed, or none"}
	}
	replicas := make([]C.size_t, len(options.Replicas), len(options.Replicas)+1)
	for i, n := range options.Replicas {
		if n < 0 {
			return nil, &Error{Code: ErrInvalid, Msg: "a number of replicas is negative"}
		}
		replicas[i] = C.size_t(n)
	}
	var placements []Placement
	err := judged(ctx, cluster, pods, frameworks, options.Deadline, func(j *judges, list **C.libsched_pod) C.libsched_rc {
		o := C.libsched_schedule_options{
			struct_size: C.sizeof_libsched_schedule_options,
			ties:        C.uint32_t(options.Ties), seed: C.uint64_t(options.Seed),
			sampling: C.bool(options.Sampling), stop_at_failure: C.bool(options.StopAtFailure),
			no_claims_from_templates: C.bool(options.NoClaimsFromTemplates),
		}
		j.share(options.OtherProfile, &o.other_profile, &o.cancel, &o.deadline_ns)
		var counts *C.size_t
		if options.Replicas != nil {
			counts = unsafe.SliceData(replicas)
		}
		rc := C.lsgo_schedule(j.array(), j.count(), list, counts, C.size_t(len(pods)), &o)
		defer C.lsgo_forget_placements(j.c[0])
		made := unsafe.Slice(j.c[0].placements, int(j.c[0].placement_count))
		placements = make([]Placement, len(made))
		for i, p := range made {
			placements[i] = Placement{
				Pod: int(p.pod), Replica: int(p.replica),
				Namespace: goString(p.name_space), Name: goString(p.name),
				Profile: goString(p.profile), Outcome: Outcome(p.outcome), Node: goString(p.node),
				Scored: bool(p.scored), Score: int64(p.score), Feasible: int(p.feasible),
				Text: goString(p.text), Plugin: goString(p.plugin), Count: int(p.count),
			}
		}
		return rc
	})
	return placements, err
}

// Schedule is the function [Schedule] with this framework alone, which judges all pods, whatever their
// schedulerName.
func (fw *Framework) Schedule(ctx context.Context, cluster *Cluster, pods []*Pod,
	options ScheduleOptions) ([]Placement, error) {
	options.OtherProfile = fw.Profile()
	return Schedule(ctx, cluster, pods, []*Framework{fw}, options)
}
