/* What the evaluators of one scheduler share besides the cluster: the clock, the API client,
   nominated pods and waiting pods. Include <libsched.h>.

   Only one thread at a time may use services, but any thread may use clocks and waiting pods. Times are
   nanoseconds since 1970. */
#ifndef LIBSCHED_SERVICES_H
#define LIBSCHED_SERVICES_H

#include <libsched/evaluator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The library's source of time; any thread may use it. */
typedef struct libsched_clock libsched_clock;
/* The machine's clock. */
libsched_rc libsched_clock_create_system(LIBSCHED_OWN libsched_clock **out, LIBSCHED_OWN libsched_error **error);
/* A clock that stands still until it is moved; waiting moves it to the end of the wait at once. */
libsched_rc libsched_clock_create_virtual(int64_t now_ns, LIBSCHED_OWN libsched_clock **out, LIBSCHED_OWN libsched_error **error);
/* A clock that the caller implements. Both functions get user_data first, may be called on any thread and must not call
   back into the library. */
typedef struct libsched_clock_functions {
  uint32_t struct_size;              /* sizeof(libsched_clock_functions) */
  uint32_t reserved;                 /* 0 */
  int64_t (*now)(void *user_data);   /* never less than before */
  /* How many nanoseconds of real time to sleep before `now` is asked again whether it has reached
     `deadline_ns`. The library sleeps at most one second at a time, and less if it is woken. NULL: 10
     ms. */
  int64_t (*sleep)(void *user_data, int64_t deadline_ns);
  void (*destroy)(void *user_data);  /* runs exactly once; may be NULL */
} libsched_clock_functions;
#define LIBSCHED_CLOCK_FUNCTIONS_INIT {sizeof(libsched_clock_functions), 0, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL}
/* functions->destroy() runs exactly once, also if the call fails. Errors: MISUSE (no `now`), UNSUPPORTED
   (fields that this version does not know). */
libsched_rc libsched_clock_create(const libsched_clock_functions *functions, LIBSCHED_OWN void *user_data,
                                  LIBSCHED_OWN libsched_clock **out, LIBSCHED_OWN libsched_error **error);
libsched_clock *libsched_clock_ref(libsched_clock *clock);
void libsched_clock_unref(LIBSCHED_OWN libsched_clock *clock);
int64_t libsched_clock_now(const libsched_clock *clock); /* 0 for NULL */
/* Advances a virtual clock; an earlier time changes nothing. Errors: STATE (another clock). */
libsched_rc libsched_clock_advance_to(libsched_clock *clock, int64_t now_ns, LIBSCHED_OWN libsched_error **error);

/* The requests of plugins to the API server. Every function gets user_data first and may be called on
   any thread; all but `event` return LIBSCHED_CODE_SUCCESS, or another code with the error's text as
   the reason in `status`. A NULL function succeeds without doing anything. */
typedef struct libsched_api_client {
  uint32_t struct_size; /* sizeof(libsched_api_client) */
  uint32_t reserved;    /* 0 */
  libsched_code (*bind)(void *user_data, const libsched_pod *pod, libsched_str node_name, libsched_status *status);
  libsched_code (*delete_pod)(void *user_data, const libsched_pod *pod, libsched_status *status);
  /* A strategic merge patch of the pod's status, as JSON: {"status": {"conditions": [...],
     "nominatedNodeName": ..., "extendedResourceClaimStatus": ...,
     "nodeAllocatableResourceClaimStatuses": ...}}. */
  libsched_code (*patch_pod_status)(void *user_data, const libsched_pod *pod, libsched_str patch, libsched_status *status);
  /* A JSON merge patch of any other object; `namespace_` is empty for kinds without one. */
  libsched_code (*patch_object)(void *user_data, libsched_str kind, libsched_str namespace_, libsched_str name,
                                libsched_str patch, libsched_status *status);
  void (*event)(void *user_data, const libsched_pod *pod, libsched_str type, libsched_str reason,
                libsched_str action, libsched_str note);
  void (*destroy)(void *user_data); /* runs exactly once; may be NULL */
  /* Creates an object from its JSON, which has metadata.generateName instead of a name: the ResourceClaim
     for a pod's extended resources that DeviceClasses provide. On success `created` gets the object as the
     API server has it, from libsched_objects_parse(); the library takes the reference. NULL: pods that
     need such a claim are not bound, and the Error says why. */
  libsched_code (*create_object)(void *user_data, libsched_str kind, libsched_str namespace_, libsched_str object,
                                 libsched_objects **created, libsched_status *status);
  libsched_code (*delete_object)(void *user_data, libsched_str kind, libsched_str namespace_, libsched_str name,
                                 libsched_status *status);
} libsched_api_client;
#define LIBSCHED_API_CLIENT_INIT \
  {sizeof(libsched_api_client), 0, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL}

/* An API client that records the requests of plugins until they are delivered. Any thread may use
   it. */
typedef struct libsched_memory_api libsched_memory_api;
libsched_rc libsched_memory_api_create(LIBSCHED_OWN libsched_memory_api **out, LIBSCHED_OWN libsched_error **error);
libsched_memory_api *libsched_memory_api_ref(libsched_memory_api *api);
void libsched_memory_api_unref(LIBSCHED_OWN libsched_memory_api *api);
/* The recorded requests: JSON [{"verb": "bind"|"deletePod"|"patchPodStatus"|"patchObject"|"createObject"|
   "deleteObject"|"event", "pod"?, "node"?, "patch"?, ...}]. */
libsched_rc libsched_memory_api_requests_json(const libsched_memory_api *api, LIBSCHED_OWN libsched_text **out,
                                              LIBSCHED_OWN libsched_error **error);
/* Applies the requests to the cluster as the API server's answers would, and drops them: bound pods run
   on their nodes, deleted pods are removed, patched volumes become as assumed. Errors: those of the
   changes; that request and all later ones are then kept. */
libsched_rc libsched_memory_api_deliver(libsched_memory_api *api, libsched_cluster *cluster, LIBSCHED_OWN libsched_error **error);

/* Clock, API client, nominations and waiting pods of one scheduler: upstream's Handle. */
typedef struct libsched_services libsched_services;
/* The options of services. Zero everywhere is the default. */
typedef struct libsched_services_options {
  uint32_t struct_size;   /* sizeof(libsched_services_options) */
  bool random_preemption; /* preemption begins at a random node, by the seed, as upstream does */
  bool reserved[3];       /* false */
  uint64_t seed;          /* for random_preemption */
  libsched_clock *clock;  /* NULL: a virtual clock at the year 2200 */
  const libsched_api_client *api; /* copied; NULL: `memory_api` */
  LIBSCHED_OWN void *api_user_data; /* api->destroy() runs exactly once, also if the call fails */
  /* Without random_preemption: the offset at which preemption begins among the nodes where it might
     help, counted from the first one in the node order and wrapping around. Upstream's is random. */
  uint64_t preemption_offset;
  /* The clock of `deadline_ns` in the options of calls; NULL: `clock`. Pass the machine's clock to
     end calls by real time while plugins and waiting pods use a virtual clock. */
  libsched_clock *deadline_clock;
  libsched_memory_api *memory_api; /* records the requests if `api` is NULL; NULL: a new one */
} libsched_services_options;
#define LIBSCHED_SERVICES_OPTIONS_INIT \
  {sizeof(libsched_services_options), false, {false, false, false}, 0, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, 0, LIBSCHED_NULL, LIBSCHED_NULL}
/* `options` may be NULL. Errors: UNSUPPORTED (fields that this version does not know), INVALID (both `api`
   and `memory_api`). */
libsched_rc libsched_services_create(const libsched_services_options *options, LIBSCHED_OWN libsched_services **out,
                                     LIBSCHED_OWN libsched_error **error);
libsched_services *libsched_services_ref(libsched_services *services);
void libsched_services_unref(LIBSCHED_OWN libsched_services *services);
libsched_clock *libsched_services_clock(libsched_services *services); /* borrowed from `services` */
libsched_clock *libsched_services_deadline_clock(libsched_services *services); /* borrowed */
libsched_memory_api *libsched_services_memory_api(libsched_services *services); /* borrowed; NULL: another client */
/* Replaces the services that the evaluator was created with. Errors: MISUSE (in a slot that this
   evaluator calls for many nodes). */
libsched_rc libsched_evaluator_set_services(libsched_evaluator *evaluator, libsched_services *services,
                                            LIBSCHED_OWN libsched_error **error);
libsched_services *libsched_evaluator_services(libsched_evaluator *evaluator); /* borrowed */

/* --- nominated pods: they wait for room on a node, and filters count them ---
   Pending pods that a cluster has been given with a status.nominatedNodeName count by themselves, except
   those that are gated or of a scheduler that the configuration does not name; these functions are for
   what changes later. What services say of a pod counts in the stead of its status. With the services of a
   libsched_scheduler, which knows all pods, the cluster's do not count. */
enum { LIBSCHED_NOMINATION_NONE = 0, LIBSCHED_NOMINATION_NOOP = 1, LIBSCHED_NOMINATION_OVERRIDE = 2 };
/* Upstream's NominatingInfo: OVERRIDE sets the node, or removes the nomination if the name is empty;
   NOOP and NONE leave it as it is. */
typedef struct libsched_nomination {
  uint32_t struct_size; /* sizeof(libsched_nomination) */
  uint32_t mode;        /* LIBSCHED_NOMINATION_* */
  libsched_str node;    /* in a result: borrowed from the call's state until the next call */
} libsched_nomination;
#define LIBSCHED_NOMINATION_INIT \
  {sizeof(libsched_nomination), 0, {LIBSCHED_NULL, 0}}
/* AddNominatedPod: without an OVERRIDE the pod's own status.nominatedNodeName counts.
   `nomination` may be NULL. */
libsched_rc libsched_services_nominate(libsched_services *services, const libsched_pod *pod, const libsched_nomination *nomination,
                                       LIBSCHED_OWN libsched_error **error);
void libsched_services_remove_nomination(libsched_services *services, const libsched_pod *pod); /* by uid */
libsched_str libsched_services_nominated_node(const libsched_services *services, const libsched_pod *pod); /* empty: none */

/* --- waiting pods --- */
typedef struct libsched_waiting_pod libsched_waiting_pod; /* any thread */
typedef struct libsched_permit_wait {
  libsched_str plugin;
  int64_t timeout_ns;
} libsched_permit_wait;
/* Adds a pod whose Permit returned Wait; it waits by the services' clock. A timeout that is not
   positive expires at once. Errors: INVALID (count 0: no plugin could decide). */
libsched_rc libsched_services_add_waiting_pod(libsched_services *services, const libsched_pod *pod, const libsched_permit_wait *waits,
                                              size_t count, LIBSCHED_OWN libsched_error **error);
/* The waiting pod with this uid. Errors: NOT_FOUND (the pod does not wait). */
libsched_rc libsched_services_find_waiting_pod(const libsched_services *services, libsched_str uid,
                                               LIBSCHED_OWN libsched_waiting_pod **out, LIBSCHED_OWN libsched_error **error);
/* All waiting pods, ordered by uid: writes the first `capacity` to `out`, each with a reference for the
   caller, and their number to `count`. `out` may be NULL with capacity 0. */
libsched_rc libsched_services_waiting_pods(const libsched_services *services, LIBSCHED_OWN libsched_waiting_pod **out, size_t capacity,
                                           size_t *count, LIBSCHED_OWN libsched_error **error);
libsched_waiting_pod *libsched_waiting_pod_ref(const libsched_waiting_pod *waiting);
void libsched_waiting_pod_unref(LIBSCHED_OWN libsched_waiting_pod *waiting);
const libsched_pod *libsched_waiting_pod_pod(const libsched_waiting_pod *waiting); /* borrowed */
/* The plugins that have not allowed the pod yet, sorted: writes the first `capacity` and returns their
   number. Borrowed from `waiting`. */
size_t libsched_waiting_pod_pending(const libsched_waiting_pod *waiting, libsched_str *out, size_t capacity);
void libsched_waiting_pod_allow(libsched_waiting_pod *waiting, libsched_str plugin);
/* True if this call ended the wait. A preempted pod is tried again soon. */
bool libsched_waiting_pod_reject(libsched_waiting_pod *waiting, libsched_str plugin, libsched_str message);
bool libsched_waiting_pod_preempt(libsched_waiting_pod *waiting, libsched_str plugin, libsched_str message);
/* Whether the wait has ended; `status` (may be NULL) then gets its result. */
bool libsched_waiting_pod_decided(libsched_waiting_pod *waiting, libsched_status *status);
/* RejectWaitingPod: without a plugin, with the message "removed". False if the pod does not wait. */
bool libsched_services_reject_waiting_pod(libsched_services *services, libsched_str uid);

/* PodsToActivate: pods that the queue should try again at once. The state keeps them until its cycle
   succeeds. They are read sorted by namespace and name, and borrowed until they are cleared. */
libsched_rc libsched_cycle_state_activate(libsched_cycle_state *state, const libsched_pod *pod, LIBSCHED_OWN libsched_error **error);
size_t libsched_cycle_state_activation_count(const libsched_cycle_state *state);
const libsched_pod *libsched_cycle_state_activation(const libsched_cycle_state *state, size_t index);
void libsched_cycle_state_clear_activations(libsched_cycle_state *state);

#ifdef __cplusplus
}
#endif
#endif
