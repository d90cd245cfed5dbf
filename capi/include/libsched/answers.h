/* Answers: questions about a cluster that take many decisions. Nothing is changed by them. Include
   <libsched.h>. */
#ifndef LIBSCHED_ANSWERS_H
#define LIBSCHED_ANSWERS_H

#include <libsched/scheduler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a count of capacity has ended. */
enum {
  LIBSCHED_CAPACITY_STOPPED = 0,  /* the next pod is not placed */
  LIBSCHED_CAPACITY_MAXIMUM = 1,  /* the maximum is reached: at least so many pods fit */
  LIBSCHED_CAPACITY_DEADLINE = 2, /* the deadline has passed: at least so many pods fit */
  LIBSCHED_CAPACITY_CANCELLED = 3 /* the call was cancelled: at least so many pods fit */
};
/* How many pods fit. Immutable; threads share it freely. */
typedef struct libsched_capacity libsched_capacity;
/* The options for counting. Zero everywhere is the default. */
typedef struct libsched_capacity_options {
  uint32_t struct_size; /* sizeof(libsched_capacity_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  uint64_t seed;        /* of LIBSCHED_TIES_RANDOM */
  size_t max;           /* the count ends with MAXIMUM; 0: 1,000,000 */
  libsched_str other_profile;    /* as in libsched_schedule_options */
  const libsched_cancel *cancel; /* the count ends with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;           /* the count ends with DEADLINE; as in libsched_filter_options */
  bool no_claims_from_templates; /* as in libsched_schedule_options */
  bool reserved[7];              /* false */
} libsched_capacity_options;
#define LIBSCHED_CAPACITY_OPTIONS_INIT                                                  \
  {sizeof(libsched_capacity_options), 0, 0, 0, {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0, false, \
   {false, false, false, false, false, false, false}}

/* How many more pods like these fit: places copies of the `pods` in rotation, as libsched_schedule()
   does, until one is not placed. A nodeName and a status of the pods do not count; copies get names that no pod
   of the cluster has ("name-0"). `options` may be NULL. The cluster is as before afterwards, also after
   an error; plugins with a Reserve of their own are not asked to Unreserve.
   Errors: STATE (an evaluator of a snapshot), MISUSE (evaluators of different clusters, or two of one
   profile; in a slot), INVALID (no pod).
     libsched_count_capacity(&evaluator, 1, &pod, 1, NULL, &capacity, &error);
     printf("%zu more fit\n", libsched_capacity_count(capacity)); */
libsched_rc libsched_count_capacity(libsched_evaluator *const *profiles, size_t profile_count, const libsched_pod *const *pods,
                                    size_t count, const libsched_capacity_options *options, LIBSCHED_OWN libsched_capacity **out,
                                    LIBSCHED_OWN libsched_error **error);
libsched_capacity *libsched_capacity_ref(const libsched_capacity *capacity);
void libsched_capacity_unref(LIBSCHED_OWN libsched_capacity *capacity);

uint32_t libsched_capacity_end(const libsched_capacity *capacity); /* LIBSCHED_CAPACITY_* */
/* The pods that fit: all of them, and those that are copies of pods[index]. */
size_t libsched_capacity_count(const libsched_capacity *capacity);
size_t libsched_capacity_count_of(const libsched_capacity *capacity, size_t index);
/* All nodes, by name (borrowed), and the number of pods that were placed on each. */
size_t libsched_capacity_node_count(const libsched_capacity *capacity);
libsched_str libsched_capacity_node(const libsched_capacity *capacity, size_t index, size_t *pods);
/* With STOPPED: the outcome for the next pod, whose strings are borrowed from `capacity`; otherwise
   false, and `placement` (whose struct_size the caller sets) is not touched. */
bool libsched_capacity_next(const libsched_capacity *capacity, libsched_placement *placement);
/* With STOPPED, if the next pod is UNSCHEDULABLE: the verdicts of all nodes about it, with the reasons,
   their counts and facts, borrowed from `capacity`; otherwise NULL. */
const libsched_decision *libsched_capacity_decision(const libsched_capacity *capacity);

/* What becomes of a pod of a node that is drained. */
enum {
  LIBSCHED_DRAIN_MOVED = 0,   /* evicted; the pod in its stead finds a node */
  LIBSCHED_DRAIN_PENDING = 1, /* evicted; the pod in its stead finds none */
  LIBSCHED_DRAIN_DELETED = 2, /* evicted, and nothing takes its place: it has ended, is terminating already, or has no controller */
  LIBSCHED_DRAIN_STAYS = 3,   /* of a DaemonSet, or a static pod */
  LIBSCHED_DRAIN_REFUSED = 4, /* needs `force` or `delete_emptydir_data` */
  LIBSCHED_DRAIN_BLOCKED = 5, /* its PodDisruptionBudget does not allow its eviction */
  LIBSCHED_DRAIN_KEPT = 6,    /* another pod of its node is refused, so nothing is evicted from the node */
  LIBSCHED_DRAIN_RETURNED = 7 /* evicted; the pod in its stead goes to a drained node, its own or another, because a cordon does
                                 not keep it away: that node is not emptied */
};
/* What becomes of the pods of drained nodes. Immutable; threads share it freely. */
typedef struct libsched_drain libsched_drain;
/* The options for draining. Zero everywhere is the default. */
typedef struct libsched_drain_options {
  uint32_t struct_size;      /* sizeof(libsched_drain_options) */
  uint32_t ties;             /* LIBSCHED_TIES_* */
  uint64_t seed;             /* of LIBSCHED_TIES_RANDOM */
  bool force;                /* evict pods that declare no controller */
  bool delete_emptydir_data; /* evict pods with emptyDir volumes */
  libsched_str other_profile;    /* as in libsched_schedule_options */
  const libsched_cancel *cancel; /* ends the call with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;           /* as in libsched_filter_options */
} libsched_drain_options;
#define LIBSCHED_DRAIN_OPTIONS_INIT \
  {sizeof(libsched_drain_options), 0, 0, false, false, {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0}

/* A pod of a drained node. Strings and the pod are borrowed from the drain. */
typedef struct libsched_drained_pod {
  uint32_t struct_size;   /* sizeof(libsched_drained_pod) */
  uint32_t outcome;       /* LIBSCHED_DRAIN_* */
  const libsched_pod *pod;
  libsched_str from_node; /* the drained node */
  libsched_str to_node;   /* of MOVED and RETURNED: the node of the pod in its stead */
  libsched_str text;      /* why, unless it is MOVED */
  libsched_str plugin;    /* of PENDING: the plugin that decided, if a single one did */
  libsched_str budget;    /* of BLOCKED: the budget, in the pod's namespace; empty if it has several */
  libsched_str profile;   /* of MOVED, RETURNED and PENDING: the profile that judged */
} libsched_drained_pod;
#define LIBSCHED_DRAINED_POD_INIT                                                          \
  {sizeof(libsched_drained_pod), 0, LIBSCHED_NULL, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, \
   {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}}

/* What `kubectl drain` would do to the nodes, and where their pods would go. `nodes` are names, or
   selectors as in libsched_cluster_edit(); nodes of a selector that are given already do not count again.
   All nodes are cordoned first, with the taint that the node lifecycle controller adds, then emptied in
   the given order; the pods of a node are evicted by priority, the highest
   first, then by namespace and name, as the eviction API allows: a PodDisruptionBudget counts down
   with each eviction, and never up. Once a pod is evicted, the pod that its controller makes in its
   stead (it keeps the name) is placed as by libsched_schedule(). `options` may be NULL. The cluster
   is as before afterwards, also after an error; plugins with a Reserve of their own are not asked to
   Unreserve.
   Errors: NOT_FOUND (no such node, no node matches), INVALID (a node is given twice, no selector), CANCELLED, DEADLINE, STATE (an
   evaluator of a snapshot), MISUSE (evaluators of different clusters, or two of one profile; in a
   slot). */
libsched_rc libsched_drain_nodes(libsched_evaluator *const *profiles, size_t profile_count, const libsched_str *nodes, size_t count,
                                 const libsched_drain_options *options, LIBSCHED_OWN libsched_drain **out,
                                 LIBSCHED_OWN libsched_error **error);
libsched_drain *libsched_drain_ref(const libsched_drain *drain);
void libsched_drain_unref(LIBSCHED_OWN libsched_drain *drain);

/* Whether every pod is MOVED, DELETED or STAYS. */
bool libsched_drain_complete(const libsched_drain *drain);
/* The names of the drained nodes, in order: borrowed from `drain`, empty if `index` is too large. */
size_t libsched_drain_node_count(const libsched_drain *drain);
libsched_str libsched_drain_node(const libsched_drain *drain, size_t index);
/* The pods, node by node in the order of their evictions. */
size_t libsched_drain_pod_count(const libsched_drain *drain);
/* Fills `pod`, whose struct_size the caller sets; false if `index` is too large. */
bool libsched_drain_pod(const libsched_drain *drain, size_t index, libsched_drained_pod *pod);

/* The options for asking why a pod waits. Zero everywhere is the default. */
typedef struct libsched_why_options {
  uint32_t struct_size; /* sizeof(libsched_why_options) */
  bool keep_nodes;      /* suggest no further nodes */
  bool no_claims_from_templates; /* as in libsched_schedule_options */
  bool reserved[2];     /* false */
  size_t max_nodes;     /* that one suggestion may add; 0: 100 */
  size_t nearest;       /* so many nodes are described; 0: 5 */
  libsched_str other_profile;    /* as in libsched_schedule_options */
  const libsched_cancel *cancel; /* ends the call with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;           /* as in libsched_filter_options */
} libsched_why_options;
#define LIBSCHED_WHY_OPTIONS_INIT \
  {sizeof(libsched_why_options), false, false, {false, false}, 0, 0, {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0}

/* All about a pod that waits for a node, as JSON:
     {"pod", "profile", "nodes", "fits", "text"?, "gate"?, "preFilter"?, "reasons"?: [{"nodes", "plugin",
      "reason"}], "plugins"?: [{"plugin", "nodes"}], "nearest"?: [{"node", "shortage", "lacks": [{"plugin",
      "code", "reasons", "facts"?}]}], "beyond"?: [{"resource", "requested", "largest", "node"?}],
      "unboundClaims"?: [],
      "preemption"?: {"code", "reasons"?, "nominatedNode"?, "victims"?: [], "numPDBViolations"?, "budgets"?: []},
      "suggestions": [{"kind", "subject", "container"?,
      "text", "edit"?, "from"?, "to"?, "step"?, "nodes", "node", "alike"?: []}]}
   "nodes" are those that were judged, "fits" those that take the pod; "text" is upstream's message. "plugins"
   has the number of nodes that each plugin rejects by itself, and "nearest" the nodes that the fewest plugins
   reject, with all of them: those that lack the smallest part of the requests ("shortage") first; after an error of
   a plugin, nodes where it failed. "beyond" has the resources of which the pod asks more than any node has; "node"
   has the most. "unboundClaims" get a volume once a scheduler has chosen the pod's node. "budgets" are the PodDisruptionBudgets that the victims violate. Facts are those
   of libsched_decision_explain_json(). With each of the "suggestions", found by trying,
   the pod fits, on "nodes" nodes, of which "node" is the first by name; with one step less it does not:
     AddNodes      "to" more nodes like "subject", the smallest number
     Tolerate      a toleration of the taint "subject"
     NodeSelector, NodeAffinity, PodAffinity, PodAntiAffinity, TopologySpread
                   without the key, requirement, required term or constraint of the key "subject"
     LessResource  a request of "to" instead of "from" of the resource "subject", a multiple of "step", the
                   largest one; cpu is in thousandths
     SpreadTaints  the constraint of the key "subject" with nodeTaintsPolicy: Honor
     Uncordon      the node "subject" takes pods again
     TolerateDevice  the pod's ResourceClaims tolerate the taint "subject" of devices
     SelectedNode  the PersistentVolumeClaim "subject" without the annotation that names its node
   What is true of further nodes of the same kind of machine is told once, with these in "alike".
   "edit" does it, for libsched_cluster_edit(), where an edit can. `options` may be NULL. The cluster is as
   before afterwards, also after an error.
   Errors: INVALID (no profile for the pod), CANCELLED, DEADLINE, STATE (an evaluator of a snapshot), MISUSE
   (evaluators of different clusters, or two of one profile; in a slot).
     libsched_why_json(&evaluator, 1, pod, NULL, &text, &error); */
libsched_rc libsched_why_json(libsched_evaluator *const *profiles, size_t profile_count, const libsched_pod *pod,
                              const libsched_why_options *options, LIBSCHED_OWN libsched_text **out,
                              LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
