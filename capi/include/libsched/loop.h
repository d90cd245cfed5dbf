/* A scheduler: the queue, the cycles and the handlers of events around a cluster, upstream's scheduler.
   Include <libsched.h>.

   A watch delivers what changes at an API server; the scheduler keeps the cluster and its queue up to date,
   and sends bindings, status patches and events to the API client. It runs only inside of calls. On a
   virtual clock one action happens at a time, in an order that the input alone determines, and each takes a
   microsecond; any number of pods may wait on their way to a node, without threads. Slots, API clients and
   observers cannot change the cluster: MISUSE. Times are nanoseconds since 1970, by the scheduler's clock. */
#ifndef LIBSCHED_LOOP_H
#define LIBSCHED_LOOP_H

#include <libsched/api_server.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A scheduler. One thread at a time, that of its cluster, except libsched_scheduler_deliver_...(). */
typedef struct libsched_scheduler libsched_scheduler;

/* A line of the log: upstream's message, with keys and values in upstream's order. Objects are
   "namespace/name", lists are JSON arrays. Everything is borrowed until the call ends. */
typedef struct libsched_log_field {
  libsched_str key, value;
} libsched_log_field;
typedef struct libsched_log_record {
  uint32_t struct_size; /* sizeof(libsched_log_record) of the library */
  uint32_t level;       /* upstream's verbosity of the line, from 0; 0 for an error */
  bool error;           /* the first key is then usually "err" */
  bool reserved[7];
  int64_t time_ns;
  libsched_str message;
  const libsched_log_field *fields;
  size_t field_count;
} libsched_log_record;

/* Is told what becomes of pods, on the thread that runs the scheduler or one of its own, one call at a
   time. It may read the cluster and the queue, and change neither; all arguments are borrowed. NULL: not told. */
typedef struct libsched_scheduler_observer {
  uint32_t struct_size; /* sizeof(libsched_scheduler_observer) */
  /* `log` gets the lines of up to this level, as kube-scheduler's -v: at 2 what becomes of pods, at 3
     and 4 also what is delivered, at 5 the moves in the queue. */
  uint32_t verbosity;
  void (*popped)(void *user_data, const libsched_queued_pod *queued);
  /* The pod was assumed on the node; binding it is next. */
  void (*assumed)(void *user_data, const libsched_queued_pod *queued, libsched_str node_name);
  void (*bound)(void *user_data, const libsched_queued_pod *queued, libsched_str node_name);
  /* A cycle has failed; the node is the one that the pod was assumed on, or empty. */
  void (*failed)(void *user_data, const libsched_queued_pod *queued, libsched_str node_name, const libsched_status *status);
  /* Gets the lines that kube-scheduler would log. Plugins may be running: it must not call the library. A
     line for which there is no memory is left out. */
  void (*log)(void *user_data, const libsched_log_record *record);
} libsched_scheduler_observer;
#define LIBSCHED_SCHEDULER_OBSERVER_INIT \
  {sizeof(libsched_scheduler_observer), 0, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL}

/* The options of a scheduler; LIBSCHED_SCHEDULER_OPTIONS_INIT has the defaults. */
typedef struct libsched_scheduler_options {
  uint32_t struct_size; /* sizeof(libsched_scheduler_options) */
  uint32_t ties;        /* LIBSCHED_TIES_* */
  uint64_t seed;        /* of LIBSCHED_TIES_RANDOM */
  bool sampling;        /* as in libsched_cycle_options */
  bool node_by_node;    /* as in libsched_scheduling_options */
  bool reserved[2];     /* false */
  /* On a clock that is not virtual: so many threads run binding cycles and the requests of preemption; 0:
     they run in line. API clients and plugins from PreBind to PostBind are then called by several threads
     at once. Each thread calls the plugins' thread_attach when it begins and thread_detach when it ends.
     Profiles with a CALLER_THREAD plugin bind in line. */
  uint32_t binding_threads;
  libsched_queue_options queue;
  libsched_clock *clock;                           /* NULL: the API server's, or the machine's */
  const libsched_api_client *api;                  /* copied; NULL: `memory_api` */
  LIBSCHED_OWN void *api_user_data;                /* api->destroy() runs exactly once, also if the call fails */
  libsched_memory_api *memory_api;                 /* records the requests; NULL: they succeed without effect */
  libsched_api_server *api_server;                 /* is watched and asked, and its grace periods are run */
  const libsched_scheduler_observer *observer;     /* copied; may be NULL */
  void *observer_user_data;                        /* lives as long as the scheduler */
} libsched_scheduler_options;
#define LIBSCHED_SCHEDULER_OPTIONS_INIT \
  {sizeof(libsched_scheduler_options), 0, 0, false, false, {false, false}, 0, LIBSCHED_QUEUE_OPTIONS_INIT, LIBSCHED_NULL, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL}

/* `profiles` are frameworks of different profiles; pods of other schedulers are left alone. The cluster may
   have nodes, pods and other objects already; pods without a node are delivered. `options` may be NULL.
   Errors: those of libsched_queue_create(), INVALID (several of `api`, `memory_api` and
   `api_server`; another clock than the server's), STATE (the virtual clock drives another scheduler), LIMIT (the
   system provides no thread).
     libsched_scheduler_create(&framework, 1, cluster, &options, &scheduler, &error); */
libsched_rc libsched_scheduler_create(const libsched_framework *const *profiles, size_t profile_count, libsched_cluster *cluster,
                                      const libsched_scheduler_options *options, LIBSCHED_OWN libsched_scheduler **out,
                                      LIBSCHED_OWN libsched_error **error);
libsched_scheduler *libsched_scheduler_ref(libsched_scheduler *scheduler);
/* The last reference must not be released in a slot, an API client or an observer of the scheduler. It waits
   until the binding cycles on threads have ended. */
void libsched_scheduler_unref(LIBSCHED_OWN libsched_scheduler *scheduler);

/* --- changes at the API server. Any thread may call these; the change takes effect before the next action.
   Added: `before` is NULL. Deleted: `after` is NULL. A pod that has ended counts as deleted. An object that
   the cluster cannot hold fails the next run with INVALID or LIMIT, without effect. Errors: INVALID
   (neither is given, or both but of two names). --- */
libsched_rc libsched_scheduler_deliver_pod(libsched_scheduler *scheduler, const libsched_pod *before, const libsched_pod *after,
                                           LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_scheduler_deliver_node(libsched_scheduler *scheduler, const libsched_node *before, const libsched_node *after,
                                            LIBSCHED_OWN libsched_error **error);
/* Of any kind: documents of one object each. Further errors: INVALID (more or fewer objects, or two kinds). */
libsched_rc libsched_scheduler_deliver_object(libsched_scheduler *scheduler, const libsched_objects *before,
                                              const libsched_objects *after, LIBSCHED_OWN libsched_error **error);

/* --- runs. All handle what has been delivered, and do what is due. Errors of all: MISUSE (in a slot, an API
   client or an observer), NO_MEMORY, INVALID or LIMIT for a delivered object, and LIMIT on a virtual clock (the
   system provides no thread for a scheduling cycle that may wait: pods on their way to a node need none). They may
   be called again after an error, and go on. --- */

/* Starts the timers of the queue, as libsched_queue_run(). Errors: STATE (started before, or stopped). */
libsched_rc libsched_scheduler_start(libsched_scheduler *scheduler, LIBSCHED_OWN libsched_error **error);
/* Does one action; `acted` (may be NULL) tells whether there was one that needs no more time. */
libsched_rc libsched_scheduler_run_one(libsched_scheduler *scheduler, bool *acted, LIBSCHED_OWN libsched_error **error);
/* Does actions until none is left; does not wait for threads. `hold`: without scheduling cycles.
   Errors: LIMIT (there is more to do after `max_actions`; 0: no limit). */
libsched_rc libsched_scheduler_settle(libsched_scheduler *scheduler, bool hold, size_t max_actions, LIBSCHED_OWN libsched_error **error);
/* Lets time pass until `time_ns` and does all that happens meanwhile. On a clock that is not virtual it
   waits, and ends with the action under way at that time: there may be more to do then. `cancel` (may be
   NULL) ends it, within 20 ms while it waits.
   Errors: CANCELLED. */
libsched_rc libsched_scheduler_run_until(libsched_scheduler *scheduler, int64_t time_ns, const libsched_cancel *cancel,
                                         LIBSCHED_OWN libsched_error **error);
/* The next time at which something happens by itself; false: never. `due_ns` may be NULL. */
bool libsched_scheduler_next_due(const libsched_scheduler *scheduler, int64_t *due_ns);
/* Stops the queue: no further pod is tried. Pods that wait on Permit are rejected, and binding cycles end; on
   threads those fail that have not come to Bind. Errors: STATE (stopped before). */
libsched_rc libsched_scheduler_stop(libsched_scheduler *scheduler, LIBSCHED_OWN libsched_error **error);

/* --- state --- */

/* Borrowed; to read, between two runs. */
libsched_queue *libsched_scheduler_queue(libsched_scheduler *scheduler);
/* Borrowed: its clock, API client, nominations and waiting pods, which any thread may decide. */
libsched_services *libsched_scheduler_services(libsched_scheduler *scheduler);
/* Upstream's metrics as text in Prometheus' exposition format: every family that kube-scheduler of the
   first framework's release registers by its feature gates, with upstream's names, help texts, labels
   and buckets. Times are of the scheduler's clock. What 1.37 counts of batches, PreQueueingHints and
   placements of pod groups is never observed.

   plugin_evaluation_total counts what upstream's plugins are asked with one worker, also where an answer
   is kept. plugin_execution_duration_seconds is of every tenth cycle, beginning with the first; upstream
   takes 10 % at random. Filter and Score of all nodes together are one execution, with the status
   Success unless it fails.

   Never observed: batch_attempts_total, batch_cache_flushed_total, get_node_hint_duration_seconds and
   store_schedule_results_duration_seconds (cycles get no node hints, and so pods are not signed: the
   extension point Sign is absent), dra_bindingconditions_allocations_total,
   dra_bindingconditions_wait_duration_seconds and resourceclaim_creates_total (DynamicResources counts
   nothing), volume_binder_cache_requests_total (upstream does not observe it either), and
   pod_scheduled_after_flush_total (it stays 0 as upstream's, which forgets the flush before it looks).

   Errors: MISUSE (in a run). */
libsched_rc libsched_scheduler_metrics_text(libsched_scheduler *scheduler, LIBSCHED_OWN libsched_text **out,
                                            LIBSCHED_OWN libsched_error **error);
/* What a scheduler has begun but not ended. */
typedef struct libsched_scheduler_state {
  uint32_t struct_size; /* sizeof(libsched_scheduler_state), set by the caller */
  bool in_cycle;        /* a scheduling cycle waits for a slow request */
  bool reserved[3];
  size_t bindings;      /* binding cycles that have not ended */
  int64_t now_ns;       /* by its clock */
} libsched_scheduler_state;
#define LIBSCHED_SCHEDULER_STATE_INIT {sizeof(libsched_scheduler_state), false, {false, false, false}, 0, 0}
/* Errors: MISUSE (struct_size). */
libsched_rc libsched_scheduler_get(const libsched_scheduler *scheduler, libsched_scheduler_state *state,
                                   LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
