/* The scheduling queue: the order in which pods are tried, and when rejected pods are tried again.
   Include <libsched.h>.

   A queue is upstream's PriorityQueue without its own threads: it belongs to the thread of its cluster,
   no call blocks, and time is that of the services' clock. Times are nanoseconds since 1970. A slot of a
   plugin (PreEnqueue, a queueing hint) may read a queue; a change is MISUSE. */
#ifndef LIBSCHED_QUEUE_H
#define LIBSCHED_QUEUE_H

#include <libsched/scheduler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The options of a queue; LIBSCHED_QUEUE_OPTIONS_INIT has upstream's defaults. */
typedef struct libsched_queue_options {
  uint32_t struct_size;            /* sizeof(libsched_queue_options) */
  uint32_t reserved;               /* 0 */
  int64_t initial_backoff_ns;      /* after the first failure; doubled by each further one. 1 s */
  int64_t max_backoff_ns;          /* upper limit; 0: no backoff. 10 s */
  int64_t max_in_unschedulable_ns; /* a rejected pod is tried again after this time. 5 min */
} libsched_queue_options;
#define LIBSCHED_QUEUE_OPTIONS_INIT \
  {sizeof(libsched_queue_options), 0, INT64_C(1000000000), INT64_C(10000000000), INT64_C(300000000000)}

/* A scheduling queue. One thread at a time, that of its cluster. */
typedef struct libsched_queue libsched_queue;
/* A pod in the queue or in a cycle: upstream's QueuedPodInfo. Only for the queue's thread. */
typedef struct libsched_queued_pod libsched_queued_pod;

/* `profiles` are evaluators as for libsched_schedule() that share their services (see
   libsched_evaluator_set_services()), whose clock and nominations the queue uses. A pod's schedulerName
   chooses the profile whose PreEnqueue plugins and queueing hints run; the order is that of the first
   profile's QueueSort, which all must have, and the feature gates are the first profile's. The queue
   keeps the evaluators alive. `options` may be NULL.
   Errors: STATE (an evaluator of a snapshot), MISUSE (no evaluator; different clusters or services; two
   of one profile), INVALID (a negative time; different QueueSort plugins; a plugin whose EventsToRegister
   fails), UNSUPPORTED (options).
     libsched_queue_create(&evaluator, 1, NULL, &queue, &error); */
libsched_rc libsched_queue_create(libsched_evaluator *const *profiles, size_t profile_count, const libsched_queue_options *options,
                                  LIBSCHED_OWN libsched_queue **out, LIBSCHED_OWN libsched_error **error);
libsched_queue *libsched_queue_ref(libsched_queue *queue);
void libsched_queue_unref(LIBSCHED_OWN libsched_queue *queue);

/* --- changes of pods. Errors of all: MISUSE (in a slot). After MISUSE and NO_MEMORY nothing has changed,
   but slots may have run. --- */

/* Add: adds a new pod without a node. It is tried soon, unless a PreEnqueue plugin gates it. */
libsched_rc libsched_queue_add(libsched_queue *queue, const libsched_pod *pod, LIBSCHED_OWN libsched_error **error);
/* Update: replaces a pod without a node. A pod that is neither queued nor in flight is new. */
libsched_rc libsched_queue_update(libsched_queue *queue, const libsched_pod *old_pod, const libsched_pod *new_pod,
                                  LIBSCHED_OWN libsched_error **error);
/* Delete: removes a pod that was deleted or has a node. A pod in flight stays there until it is done. */
libsched_rc libsched_queue_delete(libsched_queue *queue, const libsched_pod *pod, LIBSCHED_OWN libsched_error **error);

/* Pop: takes the next pod to try, which is in flight afterwards; NULL if no pod is ready. With the gate
   SchedulerPopFromBackoffQ (default) pods that back off after a rejection follow when no other pod is
   ready. */
libsched_rc libsched_queue_pop(libsched_queue *queue, LIBSCHED_OWN libsched_queued_pod **out, LIBSCHED_OWN libsched_error **error);
/* PopSpecificPod: takes this pod as if it were next; NULL if it is not queued, or is gated. */
libsched_rc libsched_queue_pop_specific(libsched_queue *queue, const libsched_pod *pod, LIBSCHED_OWN libsched_queued_pod **out,
                                        LIBSCHED_OWN libsched_error **error);
/* Done: ends the flight of the pod with this uid, if it is in flight. A uid is that of the pod's
   document, or "namespace/name" without one. */
libsched_rc libsched_queue_done(libsched_queue *queue, libsched_str uid, LIBSCHED_OWN libsched_error **error);

/* The plugins that rejected a pod, as from libsched_scheduling_rejectors(). Empty: the cycle failed. */
typedef struct libsched_rejection {
  uint32_t struct_size;               /* sizeof(libsched_rejection) */
  uint32_t reserved;                  /* 0 */
  const libsched_str *unschedulable;  /* upstream's UnschedulablePlugins */
  size_t unschedulable_count;
  const libsched_str *pending;        /* upstream's PendingPlugins */
  size_t pending_count;
} libsched_rejection;
#define LIBSCHED_REJECTION_INIT {sizeof(libsched_rejection), 0, LIBSCHED_NULL, 0, LIBSCHED_NULL, 0}
/* AddUnschedulableIfNotPresent: returns a popped pod to the queue. It waits for an event that may help
   it. If such an event occurred while it was in flight, or no plugin rejected it, it waits only for the
   end of its backoff. `pod` is its current version (NULL: as it was popped); `rejection` replaces its
   plugins (NULL: none). Its flight ends except after MISUSE and NO_MEMORY.
   Errors: EXISTS (the pod is in the queue, by its name: upstream's text), MISUSE (popped of another queue). */
libsched_rc libsched_queue_add_unschedulable(libsched_queue *queue, libsched_queued_pod *queued, const libsched_pod *pod,
                                             const libsched_rejection *rejection, LIBSCHED_OWN libsched_error **error);

/* --- events of the cluster --- */

/* The pods that an event may move: upstream's PreEnqueueCheck. */
enum {
  LIBSCHED_MOVE_ALL = 0,
  LIBSCHED_MOVE_MAX_PRIORITY = 1, /* those with at most `max_priority` */
  LIBSCHED_MOVE_EXCEPT = 2        /* all except `except`, by namespace and name */
};
/* An event, as upstream's ClusterEvent with its objects: at most one of each `old_...` and `new_...`. */
typedef struct libsched_queue_event {
  uint32_t struct_size;  /* sizeof(libsched_queue_event) */
  uint32_t check;        /* LIBSCHED_MOVE_* */
  libsched_str resource; /* "Node", "AssignedPod", "UnscheduledPod", "TargetPod" (before 1.37 "UnschedulablePod"), "*", ... */
  int64_t actions;       /* the bits of libsched_events_add(); 8191: all */
  libsched_str label;    /* its name in traces and metrics; empty: resource and action */
  const libsched_pod *old_pod;
  const libsched_pod *new_pod;
  const libsched_node *old_node;
  const libsched_node *new_node;
  const libsched_objects *old_object; /* of any kind: a document of one object */
  const libsched_objects *new_object;
  int32_t max_priority;
  uint32_t reserved; /* 0 */
  const libsched_pod *except;
} libsched_queue_event;
#define LIBSCHED_QUEUE_EVENT_INIT \
  {sizeof(libsched_queue_event), 0, {LIBSCHED_NULL, 0}, 0, {LIBSCHED_NULL, 0}, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL, 0, 0, LIBSCHED_NULL}
/* MoveAllToActiveOrBackoffQueue: pods whose rejecting plugins may be helped by the event, as their
   queueing hints say, are tried again. Errors: INVALID (no resource, more than one old or new object, an
   object of another kind than the resource, if that is one of Kubernetes' own). */
libsched_rc libsched_queue_move_all(libsched_queue *queue, const libsched_queue_event *event, LIBSCHED_OWN libsched_error **error);
/* The same for each event of a node's update (upstream's NodeSchedulingPropertiesChange), in upstream's
   order; an update without relevant changes has none. `event` (may be NULL) gives the check. */
libsched_rc libsched_queue_node_updated(libsched_queue *queue, const libsched_node *old_node, const libsched_node *new_node,
                                        const libsched_queue_event *event, LIBSCHED_OWN libsched_error **error);
/* AssignedPodAdded and, for each event of the change, AssignedPodUpdated: only for pods that
   PodTopologySpread rejected in the pod's namespace, or with a required affinity term that matches it;
   for all pods if the pod now requests less. kube-scheduler 1.36 has these methods but does not call
   them; 1.37 has neither them nor PopSpecificPod. */
libsched_rc libsched_queue_assigned_pod_added(libsched_queue *queue, const libsched_pod *pod, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_queue_assigned_pod_updated(libsched_queue *queue, const libsched_pod *old_pod, const libsched_pod *new_pod,
                                                LIBSCHED_OWN libsched_error **error);
/* Activate: these pods are tried again at once, unless they are gated. */
libsched_rc libsched_queue_activate(libsched_queue *queue, const libsched_pod *const *pods, size_t count,
                                    LIBSCHED_OWN libsched_error **error);

/* --- time --- */

/* Retry the pods whose backoff is over, and the pods that were rejected too long ago. */
libsched_rc libsched_queue_flush_backoff(libsched_queue *queue, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_queue_flush_unschedulable(libsched_queue *queue, LIBSCHED_OWN libsched_error **error);
/* Run: starts upstream's timers, which flush the backoff every second and unschedulable pods every 30
   seconds. Errors: STATE (the queue runs already, or is closed). */
libsched_rc libsched_queue_run(libsched_queue *queue, LIBSCHED_OWN libsched_error **error);
/* The time at which the next timer is due; false: never. A virtual clock may be advanced to that time at
   once:
     while (libsched_queue_next_due(queue, &due) && due <= end) {
       libsched_clock_advance_to(clock, due, &error);
       libsched_queue_run_due(queue, &error);
     } */
bool libsched_queue_next_due(const libsched_queue *queue, int64_t *due_ns);
/* Runs the timers that are due, each once. */
libsched_rc libsched_queue_run_due(libsched_queue *queue, LIBSCHED_OWN libsched_error **error);
/* Close: ends timers and flights. The remaining pods can still be popped.
   Errors: STATE (closed before). */
libsched_rc libsched_queue_close(libsched_queue *queue, LIBSCHED_OWN libsched_error **error);

/* --- contents --- */

/* Take and release references to a popped pod. */
libsched_queued_pod *libsched_queued_pod_ref(libsched_queued_pod *queued);
void libsched_queued_pod_unref(LIBSCHED_OWN libsched_queued_pod *queued);
#define LIBSCHED_NO_TIME INT64_MIN /* a time that is not set */
/* Upstream's QueuedPodInfo. `pod` and `gating_plugin` are borrowed until the queue changes. */
typedef struct libsched_queued_pod_info {
  uint32_t struct_size; /* sizeof(libsched_queued_pod_info), set by the caller */
  uint32_t attempts;    /* the number of pops */
  const libsched_pod *pod;
  int64_t timestamp_ns;          /* when it was added, or last returned */
  int64_t initial_attempt_ns;    /* when it was first ready to be popped; LIBSCHED_NO_TIME: not yet */
  int64_t backoff_expiration_ns; /* LIBSCHED_NO_TIME: not computed yet, or no backoff */
  uint32_t unschedulable_count;
  uint32_t consecutive_errors_count;
  bool was_flushed;           /* it was rejected too long ago, and no event helped it */
  bool reserved[7];
  libsched_str gating_plugin; /* empty: none */
} libsched_queued_pod_info;
#define LIBSCHED_QUEUED_POD_INFO_INIT \
  {sizeof(libsched_queued_pod_info), 0, LIBSCHED_NULL, 0, 0, 0, 0, 0, false, {false, false, false, false, false, false, false}, \
   {LIBSCHED_NULL, 0}}
/* Errors: MISUSE (struct_size). */
libsched_rc libsched_queued_pod_get(const libsched_queued_pod *queued, libsched_queued_pod_info *info, LIBSCHED_OWN libsched_error **error);
/* UnschedulablePlugins, or PendingPlugins: writes the first `capacity`, sorted and borrowed from the
   queue's pod, and the total number to `count`. `out` may be NULL with capacity 0. */
libsched_rc libsched_queued_pod_plugins(const libsched_queued_pod *queued, bool pending, libsched_str *out, size_t capacity, size_t *count,
                                        LIBSCHED_OWN libsched_error **error);

/* The parts of a queue, and the order in which libsched_queue_list() lists them. */
enum {
  LIBSCHED_QUEUE_ACTIVE = 0,        /* in the order of libsched_queue_pop() */
  LIBSCHED_QUEUE_BACKOFF = 1,       /* rejected pods that back off: by expiry, then QueueSort */
  LIBSCHED_QUEUE_ERROR_BACKOFF = 2, /* pods whose cycle failed: by expiry, then namespace/name */
  LIBSCHED_QUEUE_UNSCHEDULABLE = 3, /* pods that wait for an event or a gate: by namespace/name */
  LIBSCHED_QUEUE_GATED = 4          /* the unschedulable pods that a PreEnqueue plugin gates */
};
/* Writes the first `capacity` pods of a part, borrowed until the queue changes, and the total number to
   `count`. `out` may be NULL with capacity 0. Errors: INVALID (no such part). */
libsched_rc libsched_queue_list(const libsched_queue *queue, uint32_t part, const libsched_queued_pod **out, size_t capacity,
                                size_t *count, LIBSCHED_OWN libsched_error **error);
/* An entry of the list of in-flight pods and events, oldest first: a popped pod, or a later event. */
typedef struct libsched_in_flight {
  const libsched_pod *pod; /* as it was popped; NULL: an event */
  libsched_str event;      /* its label; empty: a pod */
} libsched_in_flight;
/* Writes the first `capacity` entries, borrowed until the queue changes, and returns their number. */
size_t libsched_queue_in_flight(const libsched_queue *queue, libsched_in_flight *out, size_t capacity);
/* A nominated pod and its node, which may be empty: removed nominations leave such an entry, but not in
   a queue with the semantics of 1.37. */
typedef struct libsched_nominated_pod {
  libsched_str node_name;
  const libsched_pod *pod;
} libsched_nominated_pod;
/* The nominations of the services alone, by node and then in the order of nomination; written as by
   libsched_queue_in_flight(). */
size_t libsched_services_nominated_pods(const libsched_services *services, libsched_nominated_pod *out, size_t capacity);

/* The numbers of pods in each part; the gauges of upstream's pending_pods and inflight_events. */
typedef struct libsched_queue_counts {
  uint32_t struct_size; /* sizeof(libsched_queue_counts), set by the caller */
  bool closed;
  bool reserved[3];
  size_t active;
  size_t backoff;
  size_t error_backoff;
  size_t unschedulable; /* without those that are gated */
  size_t gated;
  size_t in_flight_pods;
  size_t in_flight_events;
  int64_t scheduling_cycle;   /* the number of pops */
  int64_t move_request_cycle; /* the cycle of the last event that could have moved pods; -1: none */
} libsched_queue_counts;
#define LIBSCHED_QUEUE_COUNTS_INIT {sizeof(libsched_queue_counts), false, {false, false, false}, 0, 0, 0, 0, 0, 0, 0, 0, 0}
/* Errors: MISUSE (struct_size). */
libsched_rc libsched_queue_get(const libsched_queue *queue, libsched_queue_counts *counts, LIBSCHED_OWN libsched_error **error);
/* JSON: {"incoming": [{"queue", "event", "count"}], "unschedulable": [{"plugin", "profile", "count"}],
   "inFlightEvents": [{"event", "count"}]}: upstream's queue_incoming_pods_total, unschedulable_pods and
   inflight_events, sorted, without those that are 0. */
libsched_rc libsched_queue_metrics_json(const libsched_queue *queue, LIBSCHED_OWN libsched_text **out, LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
