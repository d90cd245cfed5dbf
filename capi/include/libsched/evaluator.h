/* Queries: an evaluator applies a framework to a view, with caches. One thread at a time; each thread
   makes its own. It keeps its framework and its cluster or snapshot alive. Include <libsched.h>. */
#ifndef LIBSCHED_EVALUATOR_H
#define LIBSCHED_EVALUATOR_H

#include <libsched/framework.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A framework on a view, with cached results. */
typedef struct libsched_evaluator libsched_evaluator;

/* How an evaluator is made. Zero everywhere is the default. */
typedef struct libsched_evaluator_options {
  uint32_t struct_size; /* sizeof(libsched_evaluator_options) */
  uint32_t reserved;    /* 0 */
  /* Instead of a cluster: the evaluator is for any thread, and other evaluators may use the snapshot
     concurrently. If requests or ports of its pods count otherwise in the framework's release, questions
     are answered with STATE, unless an evaluator of such a framework was the last to judge on the
     cluster. NULL: none. */
  const libsched_snapshot *snapshot;
} libsched_evaluator_options;
#define LIBSCHED_EVALUATOR_OPTIONS_INIT {sizeof(libsched_evaluator_options), 0, LIBSCHED_NULL}
/* An evaluator on a cluster is for the cluster's writer thread and sees every change. If requests or host
   ports of the cluster's pods count otherwise in the framework's release or with its feature gates, its
   first question after another evaluator's counts them anew, even if it fails: what the view tells of
   them, their slots and the view's version change. With a `snapshot`
   in the options `cluster` is NULL. `options` may be NULL. Errors: MISUSE (neither a cluster nor a snapshot, or both),
   UNSUPPORTED (an option).
     libsched_evaluator_create(framework, cluster, NULL, &evaluator, &error); */
libsched_rc libsched_evaluator_create(const libsched_framework *framework, libsched_cluster *cluster,
                                      const libsched_evaluator_options *options, LIBSCHED_OWN libsched_evaluator **out,
                                      LIBSCHED_OWN libsched_error **error);
libsched_evaluator *libsched_evaluator_ref(libsched_evaluator *evaluator);
void libsched_evaluator_unref(LIBSCHED_OWN libsched_evaluator *evaluator);
/* Upstream's parallelism (its Parallelizer): the number of threads, including the calling one, on which
   a call of this evaluator may work. With 1, the default, all plugins run on the calling thread, in
   order. With more, preemption tries nodes in parallel, and the PreBind plugins of a group that are
   CONCURRENT run in parallel. The answers are byte for byte the same with any number. Preemption stays
   on the calling thread if a CALLER_THREAD plugin is at PreFilter or Filter, or if the state holds a
   value with a clone function that was not written by a plugin. Threads live as long as the call (see
   thread_attach in plugin.h). Errors: INVALID (0 or more than 1024), MISUSE (inside a slot that this
   evaluator calls).
     libsched_evaluator_set_parallelism(evaluator, 16, &error); */
libsched_rc libsched_evaluator_set_parallelism(libsched_evaluator *evaluator, uint32_t threads, LIBSCHED_OWN libsched_error **error);

/* When an evaluator keeps what plugins say by class of pods; see
   libsched_evaluator_keep_classes(). */
enum {
  LIBSCHED_CLASSES_AUTO = 0,   /* on views with 256 nodes and more, where it pays */
  LIBSCHED_CLASSES_OFF = 1,    /* never */
  LIBSCHED_CLASSES_ALWAYS = 2, /* on any view */
  LIBSCHED_CLASSES_CHECKED = 3 /* as ALWAYS, and compares each kept answer with a fresh one, at its full cost */
};
/* Chooses when libsched_run_cycle(), libsched_schedule() and libsched_schedule_one() keep what plugins
   say of the nodes by class: pods that differ only by name, such as replicas, are of one class. For the
   next pod of a class, Filter is called only for nodes that have changed since, and so is PreFilter,
   unless one of their plugins is not part of the library. So are PreScore and Score, unless the same
   holds for them, or the cycle samples nodes or breaks ties otherwise than upstream. A cycle that is
   timed calls every plugin. This never changes an outcome. Plugins that are not part of the library are
   called each time. The default is AUTO. `max_bytes` limits the memory; beyond it the least recently used classes are dropped. 0 means
   the default, 64 MiB; a class takes about 20 bytes for each node. The call drops all kept answers. In mode
   CHECKED a cycle returns INTERNAL if a kept answer is wrong. Errors: UNSUPPORTED (`when`), MISUSE
   (inside a slot that this evaluator calls).
     libsched_evaluator_keep_classes(evaluator, LIBSCHED_CLASSES_OFF, 0, &error); */
libsched_rc libsched_evaluator_keep_classes(libsched_evaluator *evaluator, uint32_t when, size_t max_bytes,
                                            LIBSCHED_OWN libsched_error **error);

/* The nodes that PreFilter leaves. Made by the caller, filled by a call. */
typedef struct libsched_prefilter_result libsched_prefilter_result;
libsched_rc libsched_prefilter_result_create(LIBSCHED_OWN libsched_prefilter_result **out, LIBSCHED_OWN libsched_error **error);
void libsched_prefilter_result_unref(LIBSCHED_OWN libsched_prefilter_result *result);
/* Whether PreFilter leaves all nodes (true for NULL) or only those listed below. */
bool libsched_prefilter_result_all_nodes(const libsched_prefilter_result *result);
/* The nodes that are left, sorted by name; 0 if all are left. Borrowed until it is filled again. */
size_t libsched_prefilter_result_node_count(const libsched_prefilter_result *result);
libsched_str libsched_prefilter_result_node(const libsched_prefilter_result *result, size_t index);
/* The plugins that narrowed the nodes, sorted by name. */
size_t libsched_prefilter_result_plugin_count(const libsched_prefilter_result *result);
libsched_str libsched_prefilter_result_plugin(const libsched_prefilter_result *result, size_t index);
/* For plugins: leaves only these nodes and replaces an earlier answer of the plugin; names are copied.
   If memory runs out, no node is left and the slot has failed. */
void libsched_prefilter_result_set_nodes(libsched_prefilter_result *result, const libsched_str *names, size_t count);

/* RunPreEnqueuePlugins up to the first plugin that gates the pod; `status` is its answer, or Success.
   Errors: UNSUPPORTED with the plugin's name. */
libsched_rc libsched_run_pre_enqueue_plugins(libsched_evaluator *evaluator, const libsched_pod *pod, libsched_status *status, LIBSCHED_OWN libsched_error **error);
/* RunPreFilterPlugins: fills `state`, `result` (may be NULL) and `status`. After an error `state` is as
   if PreFilter had not run, except for values that plugins have written under keys.
   Errors: UNSUPPORTED with the plugin's name if the pod needs a plugin that is not available; MISUSE
   (inside a slot that this evaluator calls, or with the state that is lent to a slot). */
libsched_rc libsched_run_pre_filter_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                            libsched_prefilter_result *result, libsched_status *status, LIBSCHED_OWN libsched_error **error);
/* Selects the node and the pods that count on it. Zero everywhere is the default. */
typedef struct libsched_run_filter_options {
  uint32_t struct_size; /* sizeof(libsched_run_filter_options) */
  uint32_t row;         /* of the node, if `by_row` */
  bool by_row;          /* `row` is the node, not `node`, which is empty */
  /* RunFilterPluginsWithNominatedPods: with the nominated pods of the same or a higher priority on
     the node and, if there are any, once more without them. */
  bool nominated;
  bool reserved[6]; /* false */
} libsched_run_filter_options;
#define LIBSCHED_RUN_FILTER_OPTIONS_INIT \
  {sizeof(libsched_run_filter_options), 0, false, false, {false, false, false, false, false, false}}
/* RunFilterPlugins on one node. `state` has gone through PreFilter for the same pod; the
   PreFilterResult is ignored. After a change to the cluster the answer is upstream's for this state and
   the node as it is now. `options` may be NULL.
   Errors: NOT_FOUND (node), STATE (PreFilter ran for another pod), MISUSE (another framework's
   state; a name and a row), UNSUPPORTED.
     libsched_run_filter_plugins(evaluator, state, pod, LIBSCHED_STR("n1"), NULL, status, &error); */
libsched_rc libsched_run_filter_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                        libsched_str node, const libsched_run_filter_options *options,
                                        libsched_status *status, LIBSCHED_OWN libsched_error **error);

/* RunPreFilterExtensionAddPod and RunPreFilterExtensionRemovePod: they update PreFilter's results as if
   `other` came to or left the node. They change only `state`, never the cluster: Filter then uses the
   changed counts, but sees the pods that are on the node. Plugins that PreFilter skipped are left out.
   If a plugin fails, `status` is an ERROR; the changes of earlier plugins remain.
   Errors: NOT_FOUND (node), STATE (PreFilter ran for another pod), STALE (the cluster has
   changed since), MISUSE (another framework's state). */
libsched_rc libsched_run_pre_filter_extension_add_pod(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                                      const libsched_pod *other, libsched_str node, libsched_status *status,
                                                      LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_run_pre_filter_extension_remove_pod(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                                         const libsched_pod *other, libsched_str node, libsched_status *status,
                                                         LIBSCHED_OWN libsched_error **error);

/* The nodes to judge, and when to stop. Zero everywhere is the default. */
typedef struct libsched_filter_options {
  uint32_t struct_size;    /* sizeof(libsched_filter_options) */
  uint32_t limit;          /* stop after finding that many nodes; 0: judge all */
  const uint64_t *accept;  /* bitmap of the rows to judge; NULL: all */
  size_t accept_words;     /* length of `accept`; rows beyond it are not accepted */
  size_t start;            /* first position in the node order, which wraps around; for `limit` */
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
  /* The time at which the call ends with DEADLINE: nanoseconds since 1970 by the deadline clock of
     the evaluator's services; 0: no deadline, and the clock is not read. An evaluator's initial
     services have a virtual clock, which stands still until it is moved: for real time, make services
     with the machine's clock as `deadline_clock`. `cancel` and the deadline are polled between plugins,
     between nodes that are judged one by one, and in loops of in-tree plugins whose length depends on
     objects, so that a pod with very many terms does not hold up a call. */
  int64_t deadline_ns;
} libsched_filter_options;
#define LIBSCHED_FILTER_OPTIONS_INIT {sizeof(libsched_filter_options), 0, LIBSCHED_NULL, 0, 0, LIBSCHED_NULL, 0}

/* Filter over many nodes. Nominated pods do not count: a node is judged with the pods that are on it,
   as by RunFilterPlugins; libsched_check_pod_fits() and libsched_run_cycle() count them. Bit `row` of
   `feasible` is set if every Filter plugin returns Success and the PreFilterResult in `state` allows
   the node. `words` must be at least (libsched_view_row_count() + 63) / 64. `count` gets the number of
   nodes found, `first` the row found first in node order (LIBSCHED_NO_ROW if none); both may be NULL.
   `options` may be NULL.
   Errors: BUFFER, STATE (no PreFilter for this pod in `state`), CANCELLED, DEADLINE, PLUGIN with
   the text of its Error status, UNSUPPORTED. */
libsched_rc libsched_filter_nodes(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                  const libsched_filter_options *options, uint64_t *feasible, size_t words,
                                  size_t *count, uint32_t *first, LIBSCHED_OWN libsched_error **error);

/* A complete answer with its reasons. It stays valid when the cluster changes. Immutable; threads share
   it freely. */
typedef struct libsched_decision libsched_decision;
/* The options of a check. Zero everywhere is the default. */
typedef struct libsched_check_options {
  uint32_t struct_size;   /* sizeof(libsched_check_options) */
  bool judge_excluded;    /* run Filter also on nodes that PreFilter excluded, and mark them */
  bool score;             /* run PreScore and Score over the nodes that fit */
  /* If no node takes the pod, ask PostFilter how room could be made (see
     libsched_decision_explain_json()). Preemption tries every node, ties go to the smallest name, and
     no pod is evicted; other PostFilter plugins run as usual. */
  bool post_filter;
  bool facts;             /* make the facts of rejections, see libsched_decision_fact_count() */
  libsched_cycle_state *state; /* filled by the call for later calls; NULL: a new state */
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns; /* as in libsched_filter_options */
  /* libsched_check_pods_fit(): extenders that are `concurrent` are asked about up to that many pods at
     once, on threads that end with the call; 1: about one after the other; 0: 8; at most 1024. */
  uint32_t extender_calls;
  uint32_t reserved; /* 0 */
} libsched_check_options;
#define LIBSCHED_CHECK_OPTIONS_INIT \
  {sizeof(libsched_check_options), false, false, false, false, LIBSCHED_NULL, LIBSCHED_NULL, 0, 0, 0}
/* For `node`: no node in particular. */
#ifdef __cplusplus
#define LIBSCHED_ANY_NODE (libsched_str{nullptr, 0})
#else
#define LIBSCHED_ANY_NODE ((libsched_str){NULL, 0})
#endif

/* Does the pod fit, on which nodes, and why not on the others? `node` empty: on any node. Runs
   PreEnqueue, PreFilter and Filter of every node, also for a gated pod. `options` may be NULL.
   CANCELLED and DEADLINE leave everything unchanged except the `state` of the options, which needs
   another PreFilter. The call no longer ends so once all PostFilter plugins have run. An Error of a
   plugin, for one node or for all, ends the search as upstream's does: the call succeeds, no node is
   feasible, the fit error is empty, and libsched_decision_error() says what failed. Check it first.
   Errors: NOT_FOUND (node), UNSUPPORTED with the plugin's name, CANCELLED, DEADLINE, MISUSE (another
   framework's state).
     libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, NULL, &fit, &error);
     if (libsched_decision_error(fit).len > 0) puts(libsched_decision_error(fit).ptr); */
libsched_rc libsched_check_pod_fits(libsched_evaluator *evaluator, const libsched_pod *pod, libsched_str node,
                                    const libsched_check_options *options, LIBSCHED_OWN libsched_decision **out,
                                    LIBSCHED_OWN libsched_error **error);
/* The same for each of several pods; nothing is placed between them. `out` has room for `count` decisions,
   which equal those of libsched_check_pod_fits() for any node, in the order of the pods. Calls of extenders overlap
   (`extender_calls`), unless one of the framework's is not `concurrent` or `post_filter` is asked for: then the
   pods are checked one after the other. The deadline is that of the whole call.
   Errors: those of libsched_check_pod_fits(), where the path names the pod ("pods[3]"); MISUSE
   (options->state; more than 1024 extender_calls). `out` is then left as it is.
     libsched_check_pods_fit(evaluator, pods, 50, NULL, fits, &error); */
libsched_rc libsched_check_pods_fit(libsched_evaluator *evaluator, const libsched_pod *const *pods, size_t count,
                                    const libsched_check_options *options, LIBSCHED_OWN libsched_decision **out,
                                    LIBSCHED_OWN libsched_error **error);
libsched_decision *libsched_decision_ref(const libsched_decision *decision);
void libsched_decision_unref(LIBSCHED_OWN libsched_decision *decision);
/* The counts are known at once. Everything else is computed when it is first read, or just before the
   cluster changes, and always describes the moment of the decision; any thread may read it. If memory
   runs out then, texts are empty (the fit error is "out of memory"), codes are LIBSCHED_CODE_ERROR and
   pointers NULL, and the next read tries again; libsched_decision_explain_json() returns NO_MEMORY, and
   so does a change of the cluster, which then changes nothing. An unread decision keeps its cluster,
   snapshot and framework alive. */

/* The names of the nodes that take the pod, sorted; none if a plugin failed. Borrowed from
   `decision`. */
size_t libsched_decision_feasible_count(const libsched_decision *decision);
libsched_str libsched_decision_feasible(const libsched_decision *decision, size_t index);
/* The names of all nodes that were judged, sorted; `index` below is a place in this list. Borrowed
   from `decision`. */
size_t libsched_decision_node_count(const libsched_decision *decision);
libsched_str libsched_decision_node(const libsched_decision *decision, size_t index);
/* The verdict on a node, the plugin that gave it (empty if the node takes the pod), and its reasons.
   Texts are borrowed from `decision`; the code is LIBSCHED_CODE_ERROR if `index` is out of range. */
libsched_code libsched_decision_code(const libsched_decision *decision, size_t index);
libsched_str libsched_decision_plugin(const libsched_decision *decision, size_t index);
size_t libsched_decision_reason_count(const libsched_decision *decision, size_t index);
libsched_str libsched_decision_reason(const libsched_decision *decision, size_t index, size_t reason);
/* The facts behind the reasons of a verdict: numbers, names and labels as named fields, such as what
   the pod asks for, and what is free; docs/facts.md lists the fields of each plugin, and
   docs/facts.schema.json is their JSON Schema. A fact belongs to one reason, and a reason has one fact
   or several, for example one for each taint that is not tolerated. They are made if the check's options
   ask for `facts`, for each rejection by an in-tree plugin; Errors have none. The call then computes all
   texts at once. `index` is a node's, or
   libsched_decision_node_count() for the answers of PreEnqueue and PreFilter about the pod as a whole.
   What is out of range is 0 or empty; texts are borrowed from `decision`.
     for (i = 0; i < libsched_decision_fact_count(fit, 0); ++i) puts(libsched_decision_fact_reason(fit, 0, i).ptr); */
size_t libsched_decision_fact_count(const libsched_decision *decision, size_t index);
libsched_str libsched_decision_fact_reason(const libsched_decision *decision, size_t index, size_t fact);
size_t libsched_decision_fact_field_count(const libsched_decision *decision, size_t index, size_t fact);
libsched_str libsched_decision_fact_field_name(const libsched_decision *decision, size_t index, size_t fact, size_t field);
/* The types of a field's value. */
enum {
  LIBSCHED_FACT_NUMBER = 0, /* an integer; of cpu in thousandths of a core, of memory and storage in bytes */
  LIBSCHED_FACT_FLAG = 1,   /* false or true: the number 0 or 1 */
  LIBSCHED_FACT_TEXT = 2,   /* one text */
  LIBSCHED_FACT_TEXTS = 3   /* a list of texts */
};
/* One of LIBSCHED_FACT_*. */
uint32_t libsched_decision_fact_type(const libsched_decision *decision, size_t index, size_t fact, size_t field);
/* The value of a number or a flag; otherwise 0. */
int64_t libsched_decision_fact_number(const libsched_decision *decision, size_t index, size_t fact, size_t field);
/* The texts of a field: 1 for a text, any number for a list, 0 for a number or a flag. */
size_t libsched_decision_fact_text_count(const libsched_decision *decision, size_t index, size_t fact, size_t field);
libsched_str libsched_decision_fact_text(const libsched_decision *decision, size_t index, size_t fact, size_t field, size_t text);
/* Whether PreFilter excluded the node; its verdict is then the one that Filter would have given. */
bool libsched_decision_excluded(const libsched_decision *decision, size_t index);
/* The codes of all nodes as libsched_decision_node_count() small numbers, borrowed from `decision`. */
const int8_t *libsched_decision_codes(const libsched_decision *decision);
/* The reason why the decision has no verdict, such as a failed plugin; otherwise empty. */
libsched_str libsched_decision_error(const libsched_decision *decision);
/* Whether PreEnqueue gates the pod, so that it is not tried; `status` (may be NULL) then gets
   PreEnqueue's answer. */
bool libsched_decision_gate(const libsched_decision *decision, libsched_status *status);
/* A reason, its plugin, and the number of judged nodes that were rejected for it; borrowed from the
   decision. */
typedef struct libsched_reason_total {
  libsched_str reason;
  libsched_str plugin;
  size_t nodes;
} libsched_reason_total;
/* All reason totals, ordered by reason and plugin: writes the first `capacity` to `out` and their
   number to `count`. `out` may be NULL with capacity 0.
     libsched_decision_reason_totals(fit, totals, 16, &count, &error); */
libsched_rc libsched_decision_reason_totals(const libsched_decision *decision, libsched_reason_total *out, size_t capacity,
                                            size_t *count, LIBSCHED_OWN libsched_error **error);
/* Whether the PostFilter plugins ran; `status` (may be NULL) then gets their joint answer. */
bool libsched_decision_post_filter(const libsched_decision *decision, libsched_status *status);
/* The node on which preemption makes room, and the pods that it evicts, the most important one first;
   empty, 0 and NULL if preemption found none. Borrowed from `decision`. */
libsched_str libsched_decision_nominated_node(const libsched_decision *decision);
size_t libsched_decision_victim_count(const libsched_decision *decision);
const libsched_pod *libsched_decision_victim(const libsched_decision *decision, size_t index);
/* "0/5 nodes are available: 3 Insufficient cpu, 2 node(s) were unschedulable."; empty if it fits. */
libsched_str libsched_decision_fit_error(const libsched_decision *decision);

/* The scores of one pod: a column for each plugin, parallel to the rows. Made by the caller and filled
   by libsched_run_score_plugins(), or borrowed from a decision. Pointers are borrowed until the table
   is filled again or released. */
typedef struct libsched_score_table libsched_score_table;
libsched_rc libsched_score_table_create(LIBSCHED_OWN libsched_score_table **out, LIBSCHED_OWN libsched_error **error);
void libsched_score_table_unref(LIBSCHED_OWN libsched_score_table *table);
/* The scored nodes: rows of the view, or in a decision the indexes of its nodes, ascending. */
size_t libsched_score_table_row_count(const libsched_score_table *table);
const uint32_t *libsched_score_table_rows(const libsched_score_table *table);
const int64_t *libsched_score_table_totals(const libsched_score_table *table);
/* The columns are the Score plugins in their order, without those that PreScore skipped. Texts are
   empty, weights 0 and columns NULL if `column` is out of range. */
size_t libsched_score_table_column_count(const libsched_score_table *table);
libsched_str libsched_score_table_plugin(const libsched_score_table *table, size_t column);
int64_t libsched_score_table_weight(const libsched_score_table *table, size_t column);
const int64_t *libsched_score_table_raw(const libsched_score_table *table, size_t column);
const int64_t *libsched_score_table_normalized(const libsched_score_table *table, size_t column);
const int64_t *libsched_score_table_weighted(const libsched_score_table *table, size_t column);

/* The scores, borrowed from `decision`; NULL if none were asked for, no node fits or Score failed. */
const libsched_score_table *libsched_decision_scores(const libsched_decision *decision);
/* The error of scoring: upstream's text if a plugin failed, otherwise empty. */
libsched_str libsched_decision_score_error(const libsched_decision *decision);
/* The plugins whose Score was skipped, sorted. */
size_t libsched_decision_skip_score_count(const libsched_decision *decision);
libsched_str libsched_decision_skip_score(const libsched_decision *decision, size_t index);
/* The nodes with the highest total, as indexes of the decision's nodes, ascending, borrowed from
   `decision`; `count` gets their number (may be NULL). NULL without scores. */
const uint32_t *libsched_decision_best(const libsched_decision *decision, size_t *count);

/* JSON: {"pod", "profile", "fits", "error"?, "preEnqueue"?, "preFilter": {"code", "plugin"?,
   "reasons"?, "facts"?, "allNodes", "nodeNames"?, "restrictedBy"?, "skipFilter"?}, "nodes": [{"node", "code",
   "plugin"?, "reasons"?, "facts"?: [{"reason", ...}], "excludedByPreFilter"?}], "feasible": [], "fitError"?, "skipScore"?,
   "scoreError"?, "scores"?: [{"node", "total", "plugins": {name: {"raw", "normalized", "weighted"}}}],
   "best"?: [], "postFilter"?: {"code", "plugin"?, "reasons"?, "nominatedNode"?},
   "fitErrorWithPostFilter"?, "preemption"?: {"code", "reasons"?, "nominatedNode"?, "victims"?: [],
   "numPDBViolations"?, "budgets"?: [], "tied"?: [],
   "candidates"?: [{"node", "pods", "numPDBViolations", "budgets"?}], "dryRun"?: [{"node", "code",
   "plugin"?, "reasons"?}], "clearsNomination"?}}. Reasons sorted. `fits` is false for a gated pod.
   "postFilter" is the joint answer of all PostFilter plugins, "preemption" that of DefaultPreemption
   alone; pods are "namespace/name", and so are "budgets": the PodDisruptionBudgets that the victims violate. */
libsched_rc libsched_decision_explain_json(const libsched_decision *decision, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
