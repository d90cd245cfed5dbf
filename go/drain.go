package libsched

// #include "scheduling_bridge.h"
import "C"

import (
	"context"
	"time"
)

// DrainOutcome says what becomes of a pod of a drained node.
type DrainOutcome uint32

const (
	DrainMoved   DrainOutcome = C.LIBSCHED_DRAIN_MOVED   // evicted; the pod in its stead finds a node
	DrainPending DrainOutcome = C.LIBSCHED_DRAIN_PENDING // evicted; the pod in its stead finds none
	DrainDeleted DrainOutcome = C.LIBSCHED_DRAIN_DELETED // evicted, and nothing takes its place
	DrainStays   DrainOutcome = C.LIBSCHED_DRAIN_STAYS   // of a DaemonSet, or a static pod
	DrainRefused DrainOutcome = C.LIBSCHED_DRAIN_REFUSED // needs Force or DeleteEmptyDirData
	DrainBlocked DrainOutcome = C.LIBSCHED_DRAIN_BLOCKED // its PodDisruptionBudget does not allow its eviction
	DrainKept    DrainOutcome = C.LIBSCHED_DRAIN_KEPT    // another pod of its node is refused
	// evicted; the pod in its stead goes to a drained node, its own or another, because a cordon does not
	// keep it away
	DrainReturned DrainOutcome = C.LIBSCHED_DRAIN_RETURNED
)

func (o DrainOutcome) String() string {
	return nameOf(o, "moved", "pending", "deleted", "stays", "refused", "blocked", "kept", "returned")
}

// DrainOptions says how DrainNodes drains. The zero value is kubectl's default.
type DrainOptions struct {
	Force              bool // evict pods that declare no controller; nothing takes their place
	DeleteEmptyDirData bool // evict pods with emptyDir volumes
	Ties               Ties
	Seed               uint64    // for TiesRandom
	Deadline           time.Time // as FilterOptions.Deadline
	OtherProfile       string    // as ScheduleOptions.OtherProfile
}

// DrainedPod is a pod of a drained node.
type DrainedPod struct {
	Namespace, Name string
	Outcome         DrainOutcome
	From            string // the drained node
	To              string // with DrainMoved and DrainReturned: the node of the pod in its stead
	Text            string // why, unless it is moved
	Plugin          string // with DrainPending: the plugin that decided, if a single one did
	Budget          string // with DrainBlocked: the budget in the pod's namespace; "": several select it
	Profile         string // the profile that judged
}

// Drain says what becomes of the pods of drained nodes.
type Drain struct {
	Nodes    []string     // the drained nodes, in order
	Pods     []DrainedPod // node by node in the order of their evictions
	Complete bool         // whether every pod is moved, deleted or stays
}

// DrainNodes finds out what kubectl drain would do to nodes, and where their pods would go. Each of nodes is
// the name of a node or, as for [Cluster.Edit], a selector of nodes. All nodes are cordoned first, with the
// taint that the node lifecycle controller adds, and then emptied in the given order; the pods of a node are
// evicted by priority, the highest first, then by namespace and name, as the eviction API allows: a
// PodDisruptionBudget counts down with each eviction, and never up. Once a pod is evicted, the pod that its controller makes in its
// stead is placed as by Schedule; it keeps the name. The cluster does not change.
// Errors: ErrNotFound (no such node, no node matches), ErrInvalid (options; a node is given twice), ErrCancelled when the
// context ends, ErrDeadline, ErrMisuse (no framework, or two of one profile).
func DrainNodes(ctx context.Context, cluster *Cluster, nodes []string, frameworks []*Framework,
	options DrainOptions) (*Drain, error) {
	if options.Ties > TiesRandom {
		return nil, errTies
	}
	var d *C.libsched_drain
	err := judged(ctx, cluster, nil, frameworks, options.Deadline, func(j *judges, _ **C.libsched_pod) C.libsched_rc {
		o := C.libsched_drain_options{
			struct_size: C.sizeof_libsched_drain_options, ties: C.uint32_t(options.Ties),
			seed: C.uint64_t(options.Seed), force: C.bool(options.Force),
			delete_emptydir_data: C.bool(options.DeleteEmptyDirData),
		}
		j.share(options.OtherProfile, &o.other_profile, &o.cancel, &o.deadline_ns)
		return C.lsgo_drain_nodes(j.array(), j.count(), j.strs(nodes), C.size_t(len(nodes)), &o, &d)
	})
	if err != nil {
		return nil, err
	}
	defer C.libsched_drain_unref(d)
	out := &Drain{
		Nodes: listed(C.libsched_drain_node_count(d), func(i C.size_t) string {
			return goString(C.libsched_drain_node(d, i))
		}),
		Pods:     make([]DrainedPod, C.libsched_drain_pod_count(d)),
		Complete: bool(C.libsched_drain_complete(d)),
	}
	for i := range out.Pods {
		p := C.libsched_drained_pod{struct_size: C.sizeof_libsched_drained_pod}
		C.libsched_drain_pod(d, C.size_t(i), &p)
		out.Pods[i] = DrainedPod{
			Namespace: goString(C.libsched_pod_namespace(p.pod)), Name: goString(C.libsched_pod_name(p.pod)),
			Outcome: DrainOutcome(p.outcome), From: goString(p.from_node), To: goString(p.to_node),
			Text: goString(p.text), Plugin: goString(p.plugin), Budget: goString(p.budget),
			Profile: goString(p.profile),
		}
	}
	return out, nil
}

// DrainNodes is the function [DrainNodes] with this framework alone, which judges all pods, whatever
// their schedulerName.
func (fw *Framework) DrainNodes(ctx context.Context, cluster *Cluster, nodes []string,
	options DrainOptions) (*Drain, error) {
	options.OtherProfile = fw.Profile()
	return DrainNodes(ctx, cluster, nodes, []*Framework{fw}, options)
}
