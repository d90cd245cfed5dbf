package libsched

// #include "scheduling_bridge.h"
import "C"

import (
	"context"
	"math"
	"time"
)

// WhyOptions says what Why looks for.
type WhyOptions struct {
	MaxNodes     int       // that one suggestion may add; 0: 100, negative: none
	Nearest      int       // so many nodes are described; 0: 5
	Deadline     time.Time // as FilterOptions.Deadline
	OtherProfile string    // as ScheduleOptions.OtherProfile

	NoClaimsFromTemplates bool // as ScheduleOptions.NoClaimsFromTemplates
}

// Lack is a plugin's rejection of a pod or a node, as if the other plugins accepted it.
type Lack struct {
	Plugin  string           `json:"plugin"`
	Code    string           `json:"code"`
	Reasons []string         `json:"reasons"`
	Facts   []map[string]any `json:"facts"` // docs/facts.md
}

// NearNode is a node that few plugins reject, with all of their rejections.
type NearNode struct {
	Node     string  `json:"node"`
	Shortage float64 `json:"shortage"` // the sum over resources of the part of the request that is not free
	Lacks    []Lack  `json:"lacks"`
}

// Suggestion is a change with which the pod fits, and with one step less of which it does not.
type Suggestion struct {
	// Kind is AddNodes, Uncordon, SelectedNode, SpreadTaints, Tolerate, TolerateDevice, NodeSelector, NodeAffinity,
	// PodAffinity, PodAntiAffinity, TopologySpread or LessResource.
	Kind      string `json:"kind"`
	Subject   string `json:"subject"`   // the node to copy or to uncordon, the claim, taint, key or resource
	Container string `json:"container"` // of LessResource, unless it is the pod's only one
	Text      string `json:"text"`
	Edit      string `json:"edit"` // for Cluster.Edit; empty where no edit can do it
	// Of AddNodes the number of nodes is To. Of LessResource From is requested, and To is the largest multiple
	// of Step that fits; cpu is in thousandths.
	From  int64  `json:"from"`
	To    int64  `json:"to"`
	Step  int64  `json:"step"`
	Nodes int    `json:"nodes"` // that would take the pod
	Node  string `json:"node"`  // the first of them by name
	// Of AddNodes and Uncordon, further nodes of the same kind of machine for which the same helps.
	Alike []string `json:"alike"`
}

// PendingPod is all about a pod that waits for a node.
type PendingPod struct {
	Pod       string `json:"pod"` // namespace/name
	Profile   string `json:"profile"`
	Nodes     int    `json:"nodes"` // that were judged
	Fits      int    `json:"fits"`  // of these
	Text      string `json:"text"`  // upstream's message, unless the pod fits
	Gate      *Lack  `json:"gate"`  // of PreEnqueue
	PreFilter *Lack  `json:"preFilter"`
	// Reasons has the numbers of nodes by the first plugin that rejects them, Plugins by each plugin by itself.
	Reasons []struct {
		Nodes  int    `json:"nodes"`
		Plugin string `json:"plugin"`
		Reason string `json:"reason"`
	} `json:"reasons"`
	Plugins []struct {
		Plugin string `json:"plugin"`
		Nodes  int    `json:"nodes"`
	} `json:"plugins"`
	Nearest []NearNode `json:"nearest"` // after an error of a plugin, nodes where it failed
	// Beyond has the resources of which the pod asks more than any node has; Node has the most, if any has some.
	Beyond []struct {
		Resource  string `json:"resource"`
		Requested int64  `json:"requested"` // cpu is in thousandths
		Largest   int64  `json:"largest"`
		Node      string `json:"node"`
	} `json:"beyond"`
	// UnboundClaims get a volume once a scheduler has chosen the pod's node: never, if a node was given by hand.
	UnboundClaims []string `json:"unboundClaims"`
	Preemption    *struct {
		Code          string   `json:"code"`
		Reasons       []string `json:"reasons"`
		NominatedNode string   `json:"nominatedNode"`
		Victims       []string `json:"victims"`
		PDBViolations int64    `json:"numPDBViolations"`
		Budgets       []string `json:"budgets"` // that the victims violate
	} `json:"preemption"`
	Suggestions []Suggestion `json:"suggestions"`
}

// Why finds out why a pod waits for a node, and what would help. Suggestions are found by trying: with each the
// pod fits, with one step less it does not. The cluster does not change.
// Errors: ErrInvalid (no profile for the pod), ErrCancelled when the context ends, ErrDeadline, ErrMisuse (no
// framework, or two of one profile).
func Why(ctx context.Context, cluster *Cluster, pod *Pod, frameworks []*Framework, options WhyOptions) (*PendingPod,
	error) {
	if options.Nearest < 0 || int64(options.Nearest) > math.MaxUint32 {
		return nil, &Error{Code: ErrInvalid, Msg: "the number of nodes to describe is no number of 32 bits"}
	}
	var text *C.libsched_text
	err := judged(ctx, cluster, []*Pod{pod}, frameworks, options.Deadline,
		func(j *judges, list **C.libsched_pod) C.libsched_rc {
			o := C.libsched_why_options{
				struct_size: C.sizeof_libsched_why_options, keep_nodes: C.bool(options.MaxNodes < 0),
				max_nodes: C.size_t(max(options.MaxNodes, 0)), nearest: C.size_t(options.Nearest),
				no_claims_from_templates: C.bool(options.NoClaimsFromTemplates),
			}
			j.share(options.OtherProfile, &o.other_profile, &o.cancel, &o.deadline_ns)
			return C.lsgo_why_json(j.array(), j.count(), list, &o, &text)
		})
	if err != nil {
		return nil, err
	}
	out, err := readJSON[PendingPod]("the answer about a pod", takeText(text), nil)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// Why is the function [Why] with this framework alone, which judges the pod, whatever its schedulerName.
func (fw *Framework) Why(ctx context.Context, cluster *Cluster, pod *Pod, options WhyOptions) (*PendingPod, error) {
	options.OtherProfile = fw.Profile()
	return Why(ctx, cluster, pod, []*Framework{fw}, options)
}
