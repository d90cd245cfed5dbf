/* A simulated cluster for programs that ask the same questions hundreds of thousands of times, such as
   autoscalers: does this pod fit, which node is the first that takes it, and what if there were ten nodes
   more. Include <libsched.h>.

   A libsched_sim is for one thread at a time. Pods and nodes are made of the contents of a catalog
   (catalog.h). Pods need no names, so one content may be placed any number of times. Nodes are walked in
   the order in which they were added. Answers are those of upstream's PreFilter and Filter; nominated
   pods do not count. Every change happens completely or not at all, and every question about many pods
   or nodes is a single call. */
#ifndef LIBSCHED_SIM_H
#define LIBSCHED_SIM_H

#include <libsched/catalog.h>
#include <libsched/cluster.h>
#include <libsched/framework.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The simulated cluster. It keeps its framework and its catalog alive.

   A node's id stays while the node is there, and comes back with it after a revert. A pod's id is the
   place of a single pod. Ids are never 0. The lower 32 bits of an id are an index: small, and given to
   another node or pod later; the upper ones tell those apart. A function that is given an id of a node
   or pod that is no longer there returns STALE; so do references that a catalog has forgotten, and,
   unless numbers happen to be equal, which is very rare, ids of another simulated cluster and references
   of another catalog. */
typedef struct libsched_sim libsched_sim;
/* An empty cluster with the plugins of a framework. Plugins of other origin are called for each
   question, and nothing of their answers is kept. */
libsched_rc libsched_sim_create(const libsched_framework *framework, libsched_catalog *catalog, LIBSCHED_OWN libsched_sim **out,
                                LIBSCHED_OWN libsched_error **error);
libsched_sim *libsched_sim_ref(libsched_sim *sim);
void libsched_sim_unref(LIBSCHED_OWN libsched_sim *sim);

/* --- changes --- */

/* Ends all forks and replaces all nodes and pods; other objects stay. Node i is made of nodes[i] and has
   the name names[i]; pod k is made of pods[k] and runs on node on_node[k], an index of `nodes`.
   `node_ids` and `pod_ids` (each may be NULL) get the ids.
   Errors: STALE (a reference), EXISTS (a name twice), INVALID (an empty name; an index), LIMIT. */
libsched_rc libsched_sim_reset(libsched_sim *sim, const uint64_t *nodes, const libsched_str *names, size_t node_count,
                               const uint64_t *pods, const uint32_t *on_node, size_t pod_count, uint64_t *node_ids,
                               uint64_t *pod_ids, LIBSCHED_OWN libsched_error **error);
/* The same with the nodes of a document, its pods that run on one of them and have not ended, and its
   other objects, which replace those of the same name. The contents are added to the catalog.
   Errors: EXISTS (a name twice), LIMIT. */
libsched_rc libsched_sim_load(libsched_sim *sim, const libsched_objects *objects, LIBSCHED_OWN libsched_error **error);

/* Adds nodes of one content, behind all others. Errors: STALE, EXISTS, INVALID (an empty name), LIMIT.
     libsched_sim_add_nodes(sim, shape, &(libsched_str){"new-1", 5}, 1, &id, &error); */
libsched_rc libsched_sim_add_nodes(libsched_sim *sim, uint64_t like, const libsched_str *names, size_t count, uint64_t *ids,
                                   LIBSCHED_OWN libsched_error **error);
/* Removes a node and its pods. Errors: STALE. */
libsched_rc libsched_sim_remove_node(libsched_sim *sim, uint64_t node, LIBSCHED_OWN libsched_error **error);
/* Gives a node another content; its name, id, place and pods stay. Errors: STALE, LIMIT. */
libsched_rc libsched_sim_replace_node(libsched_sim *sim, uint64_t node, uint64_t like, LIBSCHED_OWN libsched_error **error);
/* Puts pods onto nodes, without asking whether they fit. `ids` may be NULL. Errors: STALE, LIMIT. */
libsched_rc libsched_sim_add_pods(libsched_sim *sim, const uint64_t *pods, const uint64_t *nodes, size_t count, uint64_t *ids,
                                  LIBSCHED_OWN libsched_error **error);
/* Errors: STALE (also for an id that occurs twice). */
libsched_rc libsched_sim_remove_pods(libsched_sim *sim, const uint64_t *ids, size_t count, LIBSCHED_OWN libsched_error **error);
/* The same, and takes back what placing the pods has taken, as the Cluster Autoscaler does: no ResourceClaim is
   reserved for them, and claims that were made for them, or that nobody reserves any more, lose their devices. */
libsched_rc libsched_sim_unplace_pods(libsched_sim *sim, const uint64_t *ids, size_t count, LIBSCHED_OWN libsched_error **error);
/* Adds or replaces all objects of a document that are neither pods nor nodes: CSINodes, volumes, claims,
   namespaces, ... Errors: INVALID (it has a pod or a node). */
libsched_rc libsched_sim_put_objects(libsched_sim *sim, const libsched_objects *objects, LIBSCHED_OWN libsched_error **error);
/* The same, and removes all others of such objects: after it the document has all that there are. */
libsched_rc libsched_sim_reset_objects(libsched_sim *sim, const libsched_objects *objects, LIBSCHED_OWN libsched_error **error);
/* Removes such an object, as libsched_cluster_remove_object(). Errors: NOT_FOUND, INVALID (a kind that is
   not kept). */
libsched_rc libsched_sim_remove_object(libsched_sim *sim, libsched_str kind, libsched_str namespace_, libsched_str name,
                                       LIBSCHED_OWN libsched_error **error);

/* What-ifs: fork marks the state, revert undoes all since the mark, commit drops the mark. They nest
   without bound; a fork costs nothing, and the cost of a revert depends on the changes alone. A revert
   restores ids, the order of nodes and the order of pods. Errors of commit and revert: STATE (no fork). */
libsched_rc libsched_sim_fork(libsched_sim *sim, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_sim_commit(libsched_sim *sim, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_sim_revert(libsched_sim *sim, LIBSCHED_OWN libsched_error **error);
size_t libsched_sim_fork_depth(const libsched_sim *sim);

/* --- reading --- */

/* The state, as plugins see it; borrowed from `sim`. Its node order is not kept up to date: see
   libsched_sim_nodes(). */
const libsched_view *libsched_sim_view(const libsched_sim *sim);
/* The number of nodes, and of pods. */
size_t libsched_sim_node_count(const libsched_sim *sim);
size_t libsched_sim_pod_count(const libsched_sim *sim);
/* More than any index of a node: bitmaps of nodes have (this + 63) / 64 words. */
size_t libsched_sim_node_limit(const libsched_sim *sim);
/* Write the ids of all nodes in their order, or of a node's pods. `count` gets their number, also with the
   error BUFFER, when `capacity` is too small. Errors: BUFFER, STALE. */
libsched_rc libsched_sim_nodes(const libsched_sim *sim, uint64_t *ids, size_t capacity, size_t *count, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_sim_pods_on(const libsched_sim *sim, uint64_t node, uint64_t *ids, size_t capacity, size_t *count,
                                 LIBSCHED_OWN libsched_error **error);
/* A node's name, borrowed until the node is removed; empty for an id that is stale. */
libsched_str libsched_sim_node_name(const libsched_sim *sim, uint64_t node);
uint64_t libsched_sim_find_node(const libsched_sim *sim, libsched_str name); /* 0: there is none */
/* The node's index in the order of nodes; SIZE_MAX for an id that is stale. */
size_t libsched_sim_position(const libsched_sim *sim, uint64_t node);
/* The contents of a node and of a pod, and a pod's node; 0 for an id that is stale. */
uint64_t libsched_sim_node_ref(const libsched_sim *sim, uint64_t node);
uint64_t libsched_sim_pod_ref(const libsched_sim *sim, uint64_t pod);
uint64_t libsched_sim_pod_node(const libsched_sim *sim, uint64_t pod);
/* The resources of nodes and pods: "cpu" (thousandths), "memory", "ephemeral-storage", "pods", then others. A
   resource keeps its index as long as a node or pod has it; the name of an index without a resource is
   empty. Names are borrowed until the next change. */
size_t libsched_sim_resource_count(const libsched_sim *sim);
libsched_str libsched_sim_resource(const libsched_sim *sim, size_t index);
/* What the pods of a node request together, and what a node offers, by resource. Write at most `capacity`
   numbers; `count` gets libsched_sim_resource_count(). Errors: STALE. */
libsched_rc libsched_sim_requested(const libsched_sim *sim, uint64_t node, int64_t *amounts, size_t capacity, size_t *count,
                                   LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_sim_allocatable(const libsched_sim *sim, uint64_t node, int64_t *amounts, size_t capacity, size_t *count,
                                     LIBSCHED_OWN libsched_error **error);

/* --- questions --- */

/* How far a pod came. */
enum {
  LIBSCHED_STAGE_PASSED = 0,
  LIBSCHED_STAGE_PREFILTER_REJECTED = 1, /* a PreFilter plugin rejected the pod, or failed */
  LIBSCHED_STAGE_PREFILTER_EXCLUDED = 2, /* PreFilter plugins narrowed the nodes to others */
  LIBSCHED_STAGE_FILTER_REJECTED = 3,    /* a Filter plugin rejected the node, or failed */
  LIBSCHED_STAGE_NO_NODE = 4             /* no node passed the filters */
};
/* Why a pod does not fit. The texts are kept once for all equal verdicts. */
typedef struct libsched_sim_verdict {
  uint8_t stage; /* LIBSCHED_STAGE_* */
  int8_t code;   /* LIBSCHED_CODE_* of the plugin's status; SUCCESS where there is none */
  uint16_t reserved;
  uint32_t texts; /* for the functions below; 0: there are none */
} libsched_sim_verdict;
/* The plugin and its reasons, or the plugins that narrowed the nodes, sorted. Borrowed from `sim`. A number
   is valid until 65,536 other verdicts have been given; afterwards it has no texts. */
libsched_str libsched_sim_verdict_plugin(const libsched_sim *sim, uint32_t texts);
size_t libsched_sim_verdict_reason_count(const libsched_sim *sim, uint32_t texts);
libsched_str libsched_sim_verdict_reason(const libsched_sim *sim, uint32_t texts, size_t index);
size_t libsched_sim_verdict_excluder_count(const libsched_sim *sim, uint32_t texts);
libsched_str libsched_sim_verdict_excluder(const libsched_sim *sim, uint32_t texts, size_t index);

/* The place behind which a search begins, kept by the caller from search to search: at the position
   (last + offset) modulo the number of nodes. A node that is found becomes `last`. */
typedef struct libsched_sim_ring {
  size_t last, offset;
} libsched_sim_ring;
/* Which nodes are asked about, and in which order. Zero everywhere is the default: all, in their order. */
typedef struct libsched_sim_query {
  uint32_t struct_size;    /* sizeof(libsched_sim_query) */
  bool skip_unschedulable; /* leave out nodes with spec.unschedulable, also for pods that tolerate it */
  bool place;              /* of libsched_sim_first(): put the pod onto the node that is found; its claims and extended resources get devices */
  bool reserved[2];        /* false */
  size_t start;            /* without a ring: the position where the search begins; it wraps around */
  size_t count;            /* how many positions the search looks at; 0: all */
  libsched_sim_ring *ring; /* NULL: none */
  const uint64_t *order;   /* ids of nodes: these and no others, in this order; NULL: all */
  size_t order_count;
  const uint64_t *accept;  /* bitmap by the index of the id; NULL: all */
  size_t accept_words;     /* length of `accept`; nodes beyond it are not accepted */
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns; /* nanoseconds since 1970 by the machine's clock; 0: none, and no clock is read */
  /* Ids of pods: the question is answered as if they were not there, such as the pod itself that would move.
     INVALID with `place`, and of calls that place pods. NULL: none. */
  const uint64_t *without;
  size_t without_count;
  /* Bitmap by the index of libsched_sim_plugin(): these plugins are asked, as if the profile had no others.
     Answers of such a question are not kept for the next one. INVALID with `place`, and of calls that place
     pods, but libsched_sim_copies(). NULL: all. */
  const uint64_t *plugins;
  size_t plugin_words; /* length of `plugins`; plugins beyond it are not asked */
} libsched_sim_query;
#define LIBSCHED_SIM_QUERY_INIT                                                                             \
  {sizeof(libsched_sim_query), false, false, {false, false}, 0, 0, LIBSCHED_NULL, LIBSCHED_NULL, 0, LIBSCHED_NULL, 0, \
   LIBSCHED_NULL, 0, LIBSCHED_NULL, 0, LIBSCHED_NULL, 0}
/* A node that was found. */
typedef struct libsched_sim_hit {
  uint64_t node;   /* 0: none */
  uint64_t pod;    /* the pod that was put there; 0: none */
  size_t position; /* the node's, in the order that was searched */
} libsched_sim_hit;

/* PreFilter, and Filter of one node. `verdict` may be NULL. Of `query` (may be NULL) the limits, `without` and
   `plugins` alone are used. Errors: STALE, UNSUPPORTED with the plugin's name, CANCELLED, DEADLINE.
     libsched_sim_check(sim, web, node, NULL, &verdict, &error); // verdict.stage: LIBSCHED_STAGE_PASSED */
libsched_rc libsched_sim_check(libsched_sim *sim, uint64_t pod, uint64_t node, const libsched_sim_query *query,
                               libsched_sim_verdict *verdict, LIBSCHED_OWN libsched_error **error);
/* The first node that passes; hit->node is 0 if none does, and `verdict` says whether PreFilter or the
   filters are the cause. A plugin's Error on a node counts as a rejection, as the autoscaler takes it. `query`
   and `verdict` may be NULL. Errors: as libsched_sim_check(). */
libsched_rc libsched_sim_first(libsched_sim *sim, uint64_t pod, const libsched_sim_query *query, libsched_sim_hit *hit,
                               libsched_sim_verdict *verdict, LIBSCHED_OWN libsched_error **error);
/* All nodes that pass, as a bitmap of at least libsched_sim_node_limit() bits by the index of the id, and
   their number; `count` may be NULL. Errors: BUFFER, and as libsched_sim_check(). */
libsched_rc libsched_sim_feasible(libsched_sim *sim, uint64_t pod, const libsched_sim_query *query, uint64_t *bits, size_t words,
                                  size_t *count, LIBSCHED_OWN libsched_error **error);
/* Every pod on every node, each alone: out[i * node_count + k] is 0 if pods[i] fits on nodes[k], otherwise 1 +
   the index of the plugin that rejects it first (libsched_sim_plugin()). Of `query` (may be NULL) the
   limits, `without` and `plugins` alone are used. Errors: as libsched_sim_check(); a failed call may have written to `out`. */
libsched_rc libsched_sim_check_many(libsched_sim *sim, const uint64_t *pods, size_t pod_count, const uint64_t *nodes, size_t node_count,
                                    const libsched_sim_query *query, uint8_t *out, LIBSCHED_OWN libsched_error **error);
/* How many copies of a pod fit on each of the nodes, while there are none on the others: out[k] is their number on
   nodes[k], at most `max` (0: 1,000,000). Copies take devices as placed pods do; nothing stays. Of `query` (may be NULL) the limits, `without` and
   `plugins` alone are used. Errors: as libsched_sim_check(); a failed call may have written to `out`. */
libsched_rc libsched_sim_copies(libsched_sim *sim, uint64_t pod, const uint64_t *nodes, size_t node_count, size_t max,
                                const libsched_sim_query *query, size_t *out, LIBSCHED_OWN libsched_error **error);
size_t libsched_sim_plugin_count(const libsched_sim *sim); /* of the framework */
libsched_str libsched_sim_plugin(const libsched_sim *sim, size_t index); /* its name, borrowed from `sim` */

/* How many pods are placed. Zero everywhere is the default. */
typedef struct libsched_sim_place_options {
  uint32_t struct_size; /* sizeof(libsched_sim_place_options) */
  bool stop_at_failure; /* end at the first pod that finds no node */
  /* Try a pod although one of the same content has found no node in this call. Without it such a pod is
     passed over. */
  bool retry_failed;
  /* Place as the Cluster Autoscaler's TrySchedulePods: pods of higher priority first, of each priority those whose
     hint takes them first (even if the query skips unschedulable nodes), and stop_at_failure ends a priority alone.
     A pod like one that has found no node is passed over only if it has a controller that is no DaemonSet. */
  bool as_autoscaler;
  bool reserved[1]; /* false */
  /* As many ids of nodes as pods, or 0: tried before all others, if the query accepts them. NULL: none. */
  const uint64_t *hints;
} libsched_sim_place_options;
#define LIBSCHED_SIM_PLACE_OPTIONS_INIT {sizeof(libsched_sim_place_options), false, false, false, {false}, LIBSCHED_NULL}
/* Places pods, each on the first node that takes it; every pod sees those before it. ResourceClaims of placed pods and
   extended resources that DeviceClasses provide get their devices and are reserved, without the time of the allocation,
   which binding sets. hits[i] is the place
   of pods[i], zero everywhere if it found none; `placed` gets the number of pods that found one. A hint that is stale is passed over. When
   the deadline ends the call, what has been placed stays, and `*ended` (may be NULL) is true; so do
   CANCELLED. Errors: STALE (nothing has been placed then), UNSUPPORTED (likewise). */
libsched_rc libsched_sim_place_many(libsched_sim *sim, const uint64_t *pods, size_t count, const libsched_sim_query *query,
                                    const libsched_sim_place_options *options, libsched_sim_hit *hits, size_t *placed, bool *ended,
                                    LIBSCHED_OWN libsched_error **error);

/* Equal pods. */
typedef struct libsched_sim_group {
  uint64_t pod;
  size_t count;
} libsched_sim_group;
/* Why packing ended. */
enum {
  LIBSCHED_STOP_NONE = 0,     /* all pods were tried */
  LIBSCHED_STOP_NODES = 1,    /* max_nodes */
  LIBSCHED_STOP_DEADLINE = 2, /* the deadline, or `cancel` */
  LIBSCHED_STOP_PERMIT = 3    /* `permit` */
};
/* Returns whether one more node may be added. */
typedef bool (*libsched_sim_permit)(void *user_data);
/* How groups are packed. Zero everywhere is the default. */
typedef struct libsched_sim_pack_options {
  uint32_t struct_size; /* sizeof(libsched_sim_pack_options) */
  bool keep_order;      /* pack the groups as they come; otherwise largest first, as the autoscaler does */
  bool existing_too;    /* nodes that are there already are tried as well, not new ones alone */
  bool reserved[2];     /* false */
  libsched_str prefix;  /* new nodes are named prefix + number, from 0 on; numbers of existing names are left out */
  size_t max_nodes;     /* 0: any number */
  const uint64_t *node_pods; /* pods that every new node has, such as those of DaemonSets */
  size_t node_pod_count;
  libsched_sim_permit permit; /* asked before each new node; it must not use the sim. NULL: always */
  void *user_data;            /* of `permit` */
  libsched_sim_ring *ring;    /* of the searches among new nodes; NULL: from the first one each time */
  const libsched_cancel *cancel;
  int64_t deadline_ns; /* as in libsched_sim_query */
  /* The name of a node, which need not be there: every new node has copies of its CSINode and of the ResourceSlices
     that name it, with devices of its own. Empty: new nodes have none. */
  libsched_str objects_of;
} libsched_sim_pack_options;
#define LIBSCHED_SIM_PACK_OPTIONS_INIT                                                                                          \
  {sizeof(libsched_sim_pack_options), false, false, {false, false}, {LIBSCHED_NULL, 0}, 0, LIBSCHED_NULL, 0, LIBSCHED_NULL, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL, 0, {LIBSCHED_NULL, 0}}
/* The new nodes, and where the pods are. Arrays are borrowed until the next call with the sim. */
typedef struct libsched_sim_packing {
  const uint64_t *nodes;
  size_t node_count;
  const int32_t *on_node; /* of each pod, in the order of the given groups: index in `nodes`, -1: none, -2: on another node */
  const uint64_t *pod_ids; /* of each pod; 0: not placed */
  size_t pod_count;
  size_t placed;
  uint32_t stop; /* LIBSCHED_STOP_* */
  uint32_t reserved;
} libsched_sim_packing;
/* Bin-packing as the Cluster Autoscaler's estimator does it: groups in decreasing size, the pods of each
   onto the new nodes as long as they fit there, then onto the latest node, or a new node of the content
   `like`. It happens in a fork of its own, which stays open: read the answer, then revert or commit.
   After an error no fork is open. Errors: STALE, UNSUPPORTED, LIMIT. */
libsched_rc libsched_sim_bin_pack(libsched_sim *sim, const libsched_sim_group *groups, size_t count, uint64_t like,
                                  const libsched_sim_pack_options *options, libsched_sim_packing *packing, LIBSCHED_OWN libsched_error **error);

/* How a node is removed on trial. Zero everywhere is the default. */
typedef struct libsched_sim_remove_options {
  uint32_t struct_size; /* sizeof(libsched_sim_remove_options) */
  bool keep;            /* if all pods find a place, the node is removed and they stay there */
  bool as_autoscaler;   /* as in libsched_sim_place_options; the ring moves even if the node stays */
  bool reserved[2];     /* false */
  uint64_t ghost;       /* the content that stands in for the node meanwhile, without pods, so that its domains stay;
                           no pod is placed on it. 0: the node is removed at once */
  const uint64_t *hints; /* as in libsched_sim_place_options */
} libsched_sim_remove_options;
#define LIBSCHED_SIM_REMOVE_OPTIONS_INIT {sizeof(libsched_sim_remove_options), false, false, {false, false}, 0, LIBSCHED_NULL}
/* Whether a node can go: takes all pods off it, and places those of `move` elsewhere, in that order, until
   one finds no place. hits[i] is the new place of move[i]; its pod is 0 unless `keep`. `removed` gets the
   answer. Nothing changes unless it is true and `keep` is set. Errors: STALE, INVALID (a pod of
   `move` is not on the node, or occurs twice), UNSUPPORTED, CANCELLED, DEADLINE. */
libsched_rc libsched_sim_remove(libsched_sim *sim, uint64_t node, const uint64_t *move, size_t count, const libsched_sim_query *query,
                                const libsched_sim_remove_options *options, libsched_sim_hit *hits, bool *removed,
                                LIBSCHED_OWN libsched_error **error);

/* All about a pod and one node, or (0) all nodes, as libsched_decision_explain_json() tells it, with facts.
   Made on demand. Errors: STALE, UNSUPPORTED. */
libsched_rc libsched_sim_explain_json(libsched_sim *sim, uint64_t pod, uint64_t node, LIBSCHED_OWN libsched_text **out,
                                      LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
