/* Scheduling: what is built of many calls of the framework. Include <libsched.h>. All are @since 0.1. */
#ifndef LIBSCHED_SCHEDULER_H
#define LIBSCHED_SCHEDULER_H

#include <libsched/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The node that libsched_first_fit() found. The node and its name are borrowed until the view
   changes. */
typedef struct libsched_fit {
  uint32_t struct_size;      /* sizeof(libsched_fit), set by the caller */
  uint32_t row;              /* LIBSCHED_NO_ROW: no node, and `status` says why */
  const libsched_node *node; /* NULL: no node */
  libsched_str node_name;    /* empty: no node */
  size_t position;           /* in the node order: the next search may start at position + 1 */
} libsched_fit;
#define LIBSCHED_FIT_INIT {sizeof(libsched_fit), LIBSCHED_NO_ROW, LIBSCHED_NULL, {LIBSCHED_NULL, 0}, 0}

/* The first node in node order that takes the pod: PreFilter, then Filter from the `start` of the
   options on, going round, until a node is found. `state` (may be NULL) is filled for what follows;
   `status` is Success if there is a node, else PreFilter's answer, or a bare Unschedulable if no
   node passed the filters. `options` may be NULL; their `limit` does not matter. Nominated pods do
   not count, as in libsched_filter_nodes().
   Errors: as libsched_filter_nodes(); UNSUPPORTED with the plugin's name. After an error `state`
   needs a PreFilter anew.
     libsched_fit fit = LIBSCHED_FIT_INIT;
     libsched_first_fit(evaluator, NULL, pod, &options, &fit, status, &error); */
libsched_rc libsched_first_fit(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_filter_options *options, libsched_fit *fit, libsched_status *status,
                               LIBSCHED_OWN libsched_error **error);

/* What became of a pod. */
enum {
  LIBSCHED_OUTCOME_PLACED = 0,        /* assumed on its node */
  LIBSCHED_OUTCOME_UNSCHEDULABLE = 1, /* no node takes it: `text` is upstream's FitError */
  LIBSCHED_OUTCOME_GATED = 2,         /* PreEnqueue holds it back */
  LIBSCHED_OUTCOME_REFUSED = 3,       /* Reserve refused; it was taken off again */
  LIBSCHED_OUTCOME_BOUND = 4,         /* has a nodeName already, and was put there */
  LIBSCHED_OUTCOME_KEPT = 5,          /* is in the cluster already */
  LIBSCHED_OUTCOME_ENDED = 6,         /* has run to its end */
  LIBSCHED_OUTCOME_ERROR = 7          /* a plugin failed or is not available, or no profile is the pod's */
};
/* What became of one pod, or of several replicas that fare the same. Everything is borrowed until
   the callback that gets it returns. */
typedef struct libsched_placement {
  uint32_t struct_size;    /* sizeof(libsched_placement) of the library */
  uint32_t outcome;        /* LIBSCHED_OUTCOME_* */
  const libsched_pod *pod; /* the first of `count` */
  size_t count;            /* 1, or how many replicas: those behind one that is not placed are not tried */
  libsched_str profile;    /* that judged; empty: none did */
  libsched_str node_name;  /* of a pod that is placed, bound or kept */
  libsched_str text;       /* why it was not placed */
  libsched_str plugin;     /* by which plugin, if one alone is to be named */
  int64_t score;           /* the node's, if `scored` */
  size_t feasible;         /* nodes that passed the filters */
  bool scored;             /* false: nothing was scored, because no other node was feasible */
} libsched_placement;
/* Hears of each pod as it is decided about; false ends the call. It may read the cluster; a change
   is MISUSE. */
typedef bool (*libsched_placed_fn)(void *user_data, const libsched_placement *placement);
/* Makes the pod of a replica when its turn comes; the library takes the reference over. NULL ends
   the call with INVALID. */
typedef libsched_pod *(*libsched_replica_fn)(void *user_data, size_t pod, size_t index);

/* How pods are placed. Zero everywhere is the default. */
typedef struct libsched_schedule_options {
  uint32_t struct_size; /* sizeof(libsched_schedule_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  uint64_t seed;        /* of LIBSCHED_TIES_RANDOM: the same seed gives the same places */
  bool sampling;        /* as in libsched_cycle_options; the start moves on from pod to pod */
  bool stop_at_failure; /* end at the first pod that is unschedulable, gated, refused or an error */
  bool reserved[6];     /* false */
  /* The profile of pods whose schedulerName names none of those given; empty: such a pod is an
     error. */
  libsched_str other_profile;
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;           /* as in libsched_filter_options */
  /* NULL: the replicas of a pod are named as a StatefulSet's ("name-0"). */
  libsched_replica_fn replica;
} libsched_schedule_options;
#define LIBSCHED_SCHEDULE_OPTIONS_INIT \
  {sizeof(libsched_schedule_options), 0, 0, false, false, {false, false, false, false, false, false}, \
   {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0, LIBSCHED_NULL}

/* Places pods one after the other, as a scheduler with an empty queue would: PreEnqueue, a cycle over
   all nodes, Reserve. Each pod sees those before it, because it is assumed on its node. Nothing is
   preempted. `profiles` are evaluators of one cluster whose frameworks have different profiles: a
   pod's schedulerName chooses. `replicas` (NULL: 1 of each) says how many pods like pods[i] there
   are; they are made one by one, and those behind one that is not placed would fare the same: they
   are counted, not tried. `placed` and the `replica` of the options get `user_data`. `options` may
   be NULL.
   What is wrong with one pod is its outcome. An error ends the call: the pod that it hit leaves
   nothing behind, and those that `placed` has heard of stay.
   Errors: CANCELLED, DEADLINE, STATE (an evaluator of a snapshot), MISUSE (evaluators of different
   clusters, or two of one profile), INVALID (a replica that is not made).
     libsched_schedule(&evaluator, 1, pods, NULL, count, NULL, print_placement, NULL, &error); */
libsched_rc libsched_schedule(libsched_evaluator *const *profiles, size_t profile_count, const libsched_pod *const *pods,
                              const size_t *replicas, size_t count, const libsched_schedule_options *options,
                              libsched_placed_fn placed, void *user_data, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
