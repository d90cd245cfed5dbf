/* Scheduling, built on the calls of the framework. Include <libsched.h>. */
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
  size_t position;           /* in the node order; the next search may start at position + 1 */
} libsched_fit;
#define LIBSCHED_FIT_INIT {sizeof(libsched_fit), LIBSCHED_NO_ROW, LIBSCHED_NULL, {LIBSCHED_NULL, 0}, 0}

/* The first node in node order that takes the pod: PreFilter, then Filter from the `start` of the
   options on, wrapping around, until a node is found. `state` (may be NULL) is filled for later calls;
   `status` is Success if a node was found, otherwise PreFilter's answer, or a bare Unschedulable if no
   node passed the filters. `options` may be NULL; their `limit` is ignored. Nominated pods count,
   unlike in libsched_filter_nodes(). Errors: those of libsched_filter_nodes(); UNSUPPORTED with the
   plugin's name. After an error `state` needs another PreFilter.
     libsched_fit fit = LIBSCHED_FIT_INIT;
     libsched_first_fit(evaluator, NULL, pod, &options, &fit, status, &error); */
libsched_rc libsched_first_fit(libsched_evaluator *evaluator, libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_filter_options *options, libsched_fit *fit, libsched_status *status,
                               LIBSCHED_OWN libsched_error **error);

/* The outcome for a pod. */
enum {
  LIBSCHED_OUTCOME_PLACED = 0,        /* assumed on its node */
  LIBSCHED_OUTCOME_UNSCHEDULABLE = 1, /* no node takes the pod: `text` is upstream's FitError, or says that its nodeName is
                                         no node */
  LIBSCHED_OUTCOME_GATED = 2,         /* PreEnqueue holds it back */
  LIBSCHED_OUTCOME_REFUSED = 3,       /* Reserve refused; the pod was taken off again */
  LIBSCHED_OUTCOME_BOUND = 4,         /* the pod has a nodeName, and was put there */
  LIBSCHED_OUTCOME_KEPT = 5,          /* the pod is in the cluster already */
  LIBSCHED_OUTCOME_ENDED = 6,         /* the pod has terminated */
  LIBSCHED_OUTCOME_ERROR = 7          /* a plugin failed or is unavailable, or the pod has no profile */
};
/* The outcome for one pod, or for several replicas with the same outcome. Everything is borrowed until
   the callback returns. */
typedef struct libsched_placement {
  uint32_t struct_size;    /* sizeof(libsched_placement) of the library */
  uint32_t outcome;        /* LIBSCHED_OUTCOME_* */
  const libsched_pod *pod; /* the first of `count`; a placed one names the ResourceClaims made for it */
  size_t count;            /* 1, or a number of replicas: once one is not placed, the rest is not tried */
  libsched_str profile;    /* the profile that judged the pod; empty: none */
  libsched_str node_name;  /* if the pod is placed, bound or kept */
  libsched_str text;       /* why it was not placed */
  libsched_str plugin;     /* the plugin that rejected it, if a single one did */
  int64_t score;           /* the node's score, if `scored` */
  size_t feasible;         /* nodes that passed the filters */
  bool scored;             /* false: nothing was scored, because no other node was feasible */
} libsched_placement;
/* Receives each placement as it is decided; false ends the call. It may read the cluster; a change is
   MISUSE. */
typedef bool (*libsched_placed_fn)(void *user_data, const libsched_placement *placement);
/* Makes the pod of a replica when it is to be placed; the reference passes to the library. NULL ends
   the call with INVALID. */
typedef libsched_pod *(*libsched_replica_fn)(void *user_data, size_t pod, size_t index);

/* The options for placing pods. Zero everywhere is the default. */
typedef struct libsched_schedule_options {
  uint32_t struct_size; /* sizeof(libsched_schedule_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  uint64_t seed;        /* of LIBSCHED_TIES_RANDOM: the same seed gives the same places */
  bool sampling;        /* as in libsched_cycle_options; the start advances with each pod */
  bool stop_at_failure; /* end at the first pod that is unschedulable, gated, refused or an error */
  /* Make no claims that controllers make: of volumeClaimTemplates and ResourceClaimTemplates
     (libsched_missing_claims()). Otherwise each pod has its claims when its turn comes; they stay
     with the pods that are placed. */
  bool no_claims_from_templates;
  bool reserved[5];     /* false */
  /* The profile of pods whose schedulerName is not among the profiles. Empty: the profile without a
     name, which libsched_config_options.profile can make; without one, such a pod is an error. */
  libsched_str other_profile;
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;           /* as in libsched_filter_options */
  /* NULL: replicas are named like those of a StatefulSet ("name-0"). */
  libsched_replica_fn replica;
} libsched_schedule_options;
#define LIBSCHED_SCHEDULE_OPTIONS_INIT \
  {sizeof(libsched_schedule_options), 0, 0, false, false, false, {false, false, false, false, false}, \
   {LIBSCHED_NULL, 0}, LIBSCHED_NULL, 0, LIBSCHED_NULL}

/* Places pods one after the other, as a scheduler with an empty queue would: PreEnqueue, a cycle over
   all nodes, Reserve. A placed pod is assumed on its node, so that later pods see it. Nothing is
   preempted. `profiles` are evaluators of one cluster whose frameworks have different profiles; a pod's
   schedulerName chooses among them. `replicas` gives the number of pods like pods[i] (NULL: 1 of each);
   they are made one by one. Replicas after one that is not placed would have the same outcome, so they
   are counted but not tried. `placed` and the `replica` of the options get `user_data`. `options` may
   be NULL. A failure of one pod is its outcome. An error ends the call: the current pod leaves no
   trace, and the pods that `placed` has received stay.
   Errors: CANCELLED, DEADLINE, STATE (an evaluator of a snapshot), MISUSE (evaluators of different
   clusters, or two of one profile), INVALID (a replica that is not made).
     libsched_schedule(&evaluator, 1, pods, NULL, count, NULL, print_placement, NULL, &error); */
libsched_rc libsched_schedule(libsched_evaluator *const *profiles, size_t profile_count, const libsched_pod *const *pods,
                              const size_t *replicas, size_t count, const libsched_schedule_options *options,
                              libsched_placed_fn placed, void *user_data, LIBSCHED_OWN libsched_error **error);

/* Messages from threads that bind pods to the thread that writes the cluster, applied in the order in
   which they were sent. Any thread may use a queue. */
typedef struct libsched_writer_queue libsched_writer_queue;
libsched_rc libsched_writer_queue_create(LIBSCHED_OWN libsched_writer_queue **out, LIBSCHED_OWN libsched_error **error);
libsched_writer_queue *libsched_writer_queue_ref(libsched_writer_queue *queue);
void libsched_writer_queue_unref(LIBSCHED_OWN libsched_writer_queue *queue);
size_t libsched_writer_queue_pending(const libsched_writer_queue *queue); /* unapplied messages */
/* Applies the messages; call it on the cluster's thread. Pods that were bound are no longer only
   assumed; pods whose binding failed are unreserved and taken off their nodes. A message is dropped if
   its pod has been removed, or the cluster has a newer version of the pod. `applied` and `dropped`
   (either may be NULL) get the numbers of messages.
   Errors: MISUSE (in a slot). After an error that message and all later ones are kept. */
libsched_rc libsched_writer_queue_apply(libsched_writer_queue *queue, libsched_cluster *cluster, size_t *applied, size_t *dropped,
                                        LIBSCHED_OWN libsched_error **error);

/* The extension points of a scheduling cycle and its binding cycle. */
enum {
  LIBSCHED_POINT_PRE_FILTER = 0,
  LIBSCHED_POINT_FILTER_NOMINATED = 1, /* Filter of the node that the pod is nominated to, before all others */
  LIBSCHED_POINT_FILTER = 2,
  LIBSCHED_POINT_POST_FILTER = 3,
  LIBSCHED_POINT_PRE_SCORE = 4,
  LIBSCHED_POINT_SCORE = 5,
  LIBSCHED_POINT_RESERVE = 6,
  LIBSCHED_POINT_UNRESERVE = 7,
  LIBSCHED_POINT_PERMIT = 8,
  LIBSCHED_POINT_PRE_BIND_PRE_FLIGHT = 9,
  LIBSCHED_POINT_WAIT_ON_PERMIT = 10,
  LIBSCHED_POINT_PRE_BIND = 11,
  LIBSCHED_POINT_BIND = 12,
  LIBSCHED_POINT_POST_BIND = 13
};
/* The beginning or the end of an extension point; at the end with its results. Everything is borrowed
   until the callback returns. */
typedef struct libsched_cycle_event {
  uint32_t struct_size; /* sizeof(libsched_cycle_event) of the library */
  uint32_t point;       /* LIBSCHED_POINT_* */
  bool ended;
  bool nominates;       /* PostFilter: `nomination` is set */
  bool reserved[6];
  const libsched_pod *pod;
  libsched_cycle_state *state;
  libsched_str node_name;        /* from Reserve on; empty before */
  const libsched_status *status; /* NULL at the beginning, and at FILTER, FILTER_NOMINATED, UNRESERVE and POST_BIND */
  const libsched_prefilter_result *pre_filter; /* PreFilter: the remaining nodes; otherwise NULL */
  /* In a cycle with `node_by_node`: the judged nodes, in order, up to the first Error; their statuses,
     with that of the nodes that PreFilter left out as `absent`; and all scores. NULL: not a result of
     this point. */
  const uint32_t *judged;
  size_t judged_count;
  const libsched_node_statuses *statuses;
  const libsched_score_table *scores;
  const libsched_permit_wait *waits; /* Permit: the plugins that ask to wait */
  size_t wait_count;
  libsched_nomination nomination;
} libsched_cycle_event;
/* Is notified of each extension point, on the thread that runs it. It may read the cluster; a change is
   MISUSE. */
typedef void (*libsched_cycle_event_fn)(void *user_data, const libsched_cycle_event *event);

/* The options for scheduling a pod. Zero everywhere except `writer` is the default. */
typedef struct libsched_scheduling_options {
  uint32_t struct_size; /* sizeof(libsched_scheduling_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  uint64_t seed;        /* of LIBSCHED_TIES_RANDOM */
  bool sampling;        /* as in libsched_cycle_options */
  /* Filter one node after the other, each by all plugins, as upstream does with one worker: plugins
     with side effects see upstream's calls, each once, and events report every node and score. Slow. */
  bool node_by_node;
  bool reserved[6];               /* false */
  libsched_str other_profile;     /* as in libsched_schedule_options */
  libsched_cycle_state *state;    /* filled, and used until the pod is bound; NULL: a new state */
  libsched_writer_queue *writer;  /* required: receives the result of the binding cycle */
  libsched_cycle_event_fn event;  /* NULL: no notifications */
  void *event_data;               /* of `event` */
  /* Runs exactly once, after the last event, also if the call fails; may be NULL. */
  void (*event_destroy)(void *event_data);
  const libsched_cancel *cancel; /* the call ends with CANCELLED once it is set; NULL: never */
  int64_t deadline_ns;           /* as in libsched_filter_options */
} libsched_scheduling_options;
#define LIBSCHED_SCHEDULING_OPTIONS_INIT \
  {sizeof(libsched_scheduling_options), 0, 0, false, false, {false, false, false, false, false, false}, {LIBSCHED_NULL, 0}, \
   LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, 0}

/* A pod in its scheduling cycle and its binding cycle. One thread at a time. */
typedef struct libsched_scheduling libsched_scheduling;
/* One pod's scheduling cycle, as upstream's scheduleOnePod: PreFilter, Filter, PostFilter if no node
   takes the pod, Score, choice, assume, Reserve and Permit; the pod's schedulerName chooses among the
   `profiles`, evaluators as for libsched_schedule(). A rejected pod leaves the cluster unchanged; the
   services get its nomination, and the API client gets upstream's event and condition. After an assumed
   pod, call libsched_scheduling_bind() on any thread.
     libsched_schedule_one(&evaluator, 1, pod, &options, &scheduling, &error);
     libsched_scheduling_get(scheduling, &outcome);
   Errors: NOT_FOUND (the pod has no profile), STATE and MISUSE (as libsched_schedule(); in a slot;
   without `writer`), CANCELLED, DEADLINE, UNSUPPORTED. After an error the cluster is unchanged. */
libsched_rc libsched_schedule_one(libsched_evaluator *const *profiles, size_t profile_count, const libsched_pod *pod,
                                  const libsched_scheduling_options *options, LIBSCHED_OWN libsched_scheduling **out,
                                  LIBSCHED_OWN libsched_error **error);
libsched_scheduling *libsched_scheduling_ref(libsched_scheduling *scheduling);
void libsched_scheduling_unref(LIBSCHED_OWN libsched_scheduling *scheduling);

/* The progress of a pod. */
enum {
  LIBSCHED_ATTEMPT_ASSUMED = 0,         /* on its node, before the binding cycle */
  LIBSCHED_ATTEMPT_FAILED = 1,          /* libsched_scheduling_status() says why */
  LIBSCHED_ATTEMPT_SKIPPED_DELETED = 2, /* the pod is being deleted */
  LIBSCHED_ATTEMPT_SKIPPED_ASSUMED = 3, /* the pod is assumed already */
  LIBSCHED_ATTEMPT_BOUND = 4            /* by its binding cycle */
};
/* Texts and `state` are borrowed from the scheduling. */
typedef struct libsched_scheduling_outcome {
  uint32_t struct_size;   /* sizeof(libsched_scheduling_outcome), set by the caller */
  uint32_t attempt;       /* LIBSCHED_ATTEMPT_* */
  libsched_str profile;   /* the profile that decided */
  libsched_str node_name; /* the chosen node, also if the pod was rejected there; empty: none */
  int64_t total;          /* as in libsched_cycle_outcome */
  size_t feasible;
  size_t evaluated;
  libsched_cycle_state *state;
  libsched_nomination nomination; /* after a failure: the new nomination of the pod */
} libsched_scheduling_outcome;
#define LIBSCHED_SCHEDULING_OUTCOME_INIT \
  {sizeof(libsched_scheduling_outcome), 0, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, 0, 0, 0, LIBSCHED_NULL, LIBSCHED_NOMINATION_INIT}
/* Errors: MISUSE (struct_size). */
libsched_rc libsched_scheduling_get(const libsched_scheduling *scheduling, libsched_scheduling_outcome *outcome,
                                    LIBSCHED_OWN libsched_error **error);
/* Success, or why the pod is not scheduled: upstream's FitError, a plugin's answer, or an Error. */
void libsched_scheduling_status(const libsched_scheduling *scheduling, libsched_status *status);
/* The plugins behind a FitError, whose events may make the pod schedulable: all plugins that rejected
   the pod, or only those that returned Pending. Writes the first `capacity`, sorted and borrowed, and
   returns their number. */
size_t libsched_scheduling_rejectors(const libsched_scheduling *scheduling, bool pending, libsched_str *out, size_t capacity);
/* The binding cycle of an assumed pod: PreBindPreFlight, WaitOnPermit, PreBind, Bind, PostBind. It does
   not access the cluster, so it may run on any thread while the cluster's thread continues; changes go
   to the writer queue. libsched_cycle_state_view() is NULL in its slots. `status` gets that of
   libsched_scheduling_status(). Errors: STATE (the pod is not assumed, or the cycle has run). */
libsched_rc libsched_scheduling_bind(libsched_scheduling *scheduling, libsched_status *status, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
