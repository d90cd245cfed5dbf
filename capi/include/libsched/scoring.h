/* Scores, whole scheduling cycles, and pods that are assumed to run. Include <libsched.h>. */
#ifndef LIBSCHED_SCORING_H
#define LIBSCHED_SCORING_H

#include <libsched/evaluator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* RunPreScorePlugins over the nodes of a bitmap as libsched_filter_nodes() writes it; bits of rows
   without a node are ignored. `state` is that of the pod's cycle. `status` is Success, or upstream's
   Error of the whole extension point.
   Errors: STATE (PreFilter ran for another pod), BUFFER (too few words). */
libsched_rc libsched_run_pre_score_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                           const uint64_t *feasible, size_t words, libsched_status *status, LIBSCHED_OWN libsched_error **error);
/* Whether PreScore of this plugin asked to skip its Score. */
bool libsched_cycle_state_skips_score(const libsched_cycle_state *state, libsched_str plugin);

/* RunScorePlugins after PreScore over the same nodes: totals[row] is the weighted sum of a node's
   scores; entries of other rows have no meaning. `totals` has room for `total_count` numbers, at least
   64 * words, or is NULL. `table` gets every score, or is NULL. If `status` is not Success but
   upstream's Error of the whole extension point, the numbers have no meaning and the table is empty.
   After an error `totals` may also hold meaningless numbers.
   Errors: STATE, BUFFER, STALE (the view has changed since a plugin prepared itself). */
libsched_rc libsched_run_score_plugins(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                       const uint64_t *feasible, size_t words, int64_t *totals, size_t total_count,
                                       libsched_score_table *table, libsched_status *status, LIBSCHED_OWN libsched_error **error);

/* How a cycle chooses among several best nodes. */
enum {
  LIBSCHED_TIES_UPSTREAM = 0, /* the first in upstream's heap of scores */
  LIBSCHED_TIES_NAME = 1,     /* the smallest name */
  LIBSCHED_TIES_RANDOM = 2    /* by the seed, a different one in each cycle of the evaluator */
};
/* The options of a cycle. Zero everywhere is the default. */
typedef struct libsched_cycle_options {
  uint32_t struct_size; /* sizeof(libsched_cycle_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  /* Upstream's sampling: percentageOfNodesToScore, and a start that advances with each cycle.
     Without it every node is judged, from the first node on. */
  bool sampling;
  /* If no node takes the pod, `status` is upstream's Unschedulable with the FitError as its text
     ("0/3 nodes are available: ..."), and names the plugin if a single one rejected the pod. The
     filters run once more to make it. */
  bool fit_error;
  bool reserved[6];            /* false */
  uint64_t seed;               /* of LIBSCHED_TIES_RANDOM */
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;         /* as in libsched_filter_options */
} libsched_cycle_options;
#define LIBSCHED_CYCLE_OPTIONS_INIT \
  {sizeof(libsched_cycle_options), 0, false, false, {false, false, false, false, false, false}, 0, LIBSCHED_NULL, 0}

/* The choice of a cycle. The node and its name are borrowed until the view changes. */
typedef struct libsched_cycle_outcome {
  uint32_t struct_size;      /* sizeof(libsched_cycle_outcome), set by the caller */
  uint32_t row;              /* LIBSCHED_NO_ROW: no node, and `status` says why */
  const libsched_node *node; /* NULL: no node */
  libsched_str node_name;    /* empty: no node */
  int64_t total;    /* its score; 0 if no other node was feasible, because then nothing is scored */
  size_t feasible;  /* nodes that passed the filters */
  size_t evaluated; /* feasible nodes and the judged nodes that did not pass */
} libsched_cycle_outcome;
#define LIBSCHED_CYCLE_OUTCOME_INIT \
  {sizeof(libsched_cycle_outcome), LIBSCHED_NO_ROW, LIBSCHED_NULL, {LIBSCHED_NULL, 0}, 0, 0, 0}

/* A scheduling cycle up to the choice of a node, as upstream's schedulePod: PreFilter, the nominated
   node first, Filter, PreScore, Score, choice. PreEnqueue, PostFilter and Reserve do not run, and the
   view does not change. `state` is filled for the later extension points. `status` is Success, or says
   why no node was chosen: PreFilter's answer, a plugin's Error, or a bare Unschedulable if no node
   passed the filters (see `fit_error`; libsched_check_pod_fits() gives every reason). `options` may be
   NULL. CANCELLED and DEADLINE leave everything unchanged except `state`, which needs another
   PreFilter.
   Errors: UNSUPPORTED with the plugin's name, CANCELLED, DEADLINE, STALE.
     libsched_cycle_outcome outcome = LIBSCHED_CYCLE_OUTCOME_INIT;
     libsched_run_cycle(evaluator, state, pod, NULL, &outcome, status, &error); */
libsched_rc libsched_run_cycle(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_cycle_options *options, libsched_cycle_outcome *outcome, libsched_status *status,
                               LIBSCHED_OWN libsched_error **error);
/* The position in the node order at which a sampled cycle begins. Upstream has one such number for all
   profiles and never resets it; with several evaluators, carry it over from one to the next. */
size_t libsched_evaluator_next_start(const libsched_evaluator *evaluator);
void libsched_evaluator_set_next_start(libsched_evaluator *evaluator, size_t start);

/* The options for assuming a pod. Zero everywhere is the default. */
typedef struct libsched_assume_options {
  uint32_t struct_size; /* sizeof(libsched_assume_options) */
  bool started;         /* the pod counts as started at `start_ns`, not just now */
  bool reserved[3];     /* false */
  int64_t start_ns;     /* nanoseconds since 1970; preemption compares start times */
} libsched_assume_options;
#define LIBSCHED_ASSUME_OPTIONS_INIT {sizeof(libsched_assume_options), false, {false, false, false}, 0}
/* Puts a pod on a node of the evaluator's cluster as an assumed pod, then asks the Reserve plugins. If
   a plugin refuses, `status` is its answer, all of them run Unreserve, and the pod is taken off again.
   `state` is that of the pod's cycle; `options` may be NULL. A revert undoes it like any other change.
   Errors: EXISTS (the cluster has the pod), NOT_FOUND (row), STATE (a snapshot; a state of another
   pod), UNSUPPORTED (an option). */
libsched_rc libsched_evaluator_assume(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod, uint32_t row,
                                      const libsched_assume_options *options, libsched_status *status,
                                      LIBSCHED_OWN libsched_error **error);
/* Unreserves an assumed pod and takes it off its node. A pod that the cluster does not have is only
   unreserved. Errors: STATE (the pod is not assumed; a snapshot). */
libsched_rc libsched_evaluator_forget(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                                      LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
