package libsched

// #include "scheduling_bridge.h"
import "C"

import (
	"context"
	"time"
)

// CompareSide is one side of a comparison: pods, and what places them.
type CompareSide struct {
	Cluster      *Cluster
	Frameworks   []*Framework
	Pods         []*Pod
	OtherProfile string // as ScheduleOptions.OtherProfile
}

// CompareOptions says how Compare places pods. The zero value is the default.
type CompareOptions struct {
	// All also places all pods of the clusters, before the others, without their nodeName, on nodes that
	// are empty but for static pods: by priority, the highest first, then by creation, namespace and name.
	All      bool
	Ties     Ties
	Seed     uint64    // for TiesRandom
	Deadline time.Time // as FilterOptions.Deadline

	NoClaimsFromTemplates bool // as ScheduleOptions.NoClaimsFromTemplates
}

// ComparedOutcome is what became of a pod on one side.
type ComparedOutcome struct {
	Present bool // whether the side has the pod; otherwise all else is zero
	Outcome Outcome
	Node    string // if it has one
	Text    string // why it was not placed
	Plugin  string // the plugin that rejected it, if a single one did
	Profile string // the profile that judged it
}

// ComparedPod is a pod on both sides.
type ComparedPod struct {
	Namespace, Name string
	Changed         bool // whether its node differs, having none included, or a side lacks the pod
	Before, After   ComparedOutcome
}

// UseOfResource has the sums of a resource over all nodes, and over the nodes in use.
type UseOfResource struct {
	Resource         string `json:"resource"`
	Allocatable      int64  `json:"allocatable"`
	Requested        int64  `json:"requested"`
	AllocatableInUse int64  `json:"allocatableInUse"`
	RequestedInUse   int64  `json:"requestedInUse"`
}

// UseOfNodes describes the nodes of one side after its pods are placed. A node is in use if it has a pod that is
// neither static nor of a DaemonSet.
type UseOfNodes struct {
	Nodes      int             `json:"nodes"`
	NodesInUse int             `json:"nodesInUse"`
	EmptyNodes []string        `json:"emptyNodes"` // those that are not in use, sorted
	Resources  []UseOfResource `json:"resources"`
}

// Comparison says where pods go on two sides.
type Comparison struct {
	Pods          []ComparedPod // those of before in their order, then the others
	Before, After UseOfNodes
}

// Compare places the pods of both sides in order, as Schedule does, and matches them by namespace and name. The clusters, which may be the same, do not change.
// Errors: ErrInvalid (options), ErrCancelled when the context ends, ErrDeadline, ErrMisuse (no framework, or
// two of one profile).
func Compare(ctx context.Context, before, after CompareSide, options CompareOptions) (*Comparison, error) {
	if options.Ties > TiesRandom {
		return nil, errTies
	}
	var comparison *C.libsched_comparison
	var failure *C.libsched_error
	if rc := C.libsched_comparison_create(&comparison, &failure); rc != C.LIBSCHED_OK {
		return nil, takeError(rc, failure)
	}
	defer C.libsched_comparison_unref(comparison)
	for i, side := range []CompareSide{before, after} {
		if err := side.place(ctx, comparison, i == 1, options); err != nil {
			return nil, err
		}
	}
	out := &Comparison{Pods: make([]ComparedPod, C.libsched_comparison_pod_count(comparison))}
	for i, use := range []*UseOfNodes{&out.Before, &out.After} {
		var text *C.libsched_text
		if rc := C.libsched_comparison_use_json(comparison, C.bool(i == 1), &text, &failure); rc != C.LIBSCHED_OK {
			return nil, takeError(rc, failure)
		}
		read, err := readJSON[UseOfNodes]("the use of nodes", takeText(text), nil)
		if err != nil {
			return nil, err
		}
		*use = read
	}
	for i := range out.Pods {
		p := C.libsched_compared_pod{struct_size: C.sizeof_libsched_compared_pod}
		C.libsched_comparison_pod(comparison, C.size_t(i), &p)
		out.Pods[i] = ComparedPod{
			Namespace: goString(C.libsched_pod_namespace(p.pod)), Name: goString(C.libsched_pod_name(p.pod)),
			Changed: bool(p.changed), Before: comparedOutcome(p.before), After: comparedOutcome(p.after),
		}
	}
	return out, nil
}

func comparedOutcome(o C.libsched_compared_outcome) ComparedOutcome {
	return ComparedOutcome{
		Present: bool(o.present), Outcome: Outcome(o.outcome), Node: goString(o.node), Text: goString(o.text),
		Plugin: goString(o.plugin), Profile: goString(o.profile),
	}
}

// place places the pods of one side.
func (s CompareSide) place(ctx context.Context, comparison *C.libsched_comparison, after bool,
	options CompareOptions) error {
	return judged(ctx, s.Cluster, s.Pods, s.Frameworks, options.Deadline,
		func(j *judges, list **C.libsched_pod) C.libsched_rc {
			o := C.libsched_compare_options{
				struct_size: C.sizeof_libsched_compare_options, all: C.bool(options.All),
				ties: C.uint32_t(options.Ties), seed: C.uint64_t(options.Seed),
				no_claims_from_templates: C.bool(options.NoClaimsFromTemplates),
			}
			j.share(s.OtherProfile, &o.other_profile, &o.cancel, &o.deadline_ns)
			return C.lsgo_compare_place(comparison, C.bool(after), j.array(), j.count(), list,
				C.size_t(len(s.Pods)), &o)
		})
}
