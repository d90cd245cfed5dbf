/* An API server in memory, as far as a scheduler sees one: objects, the subresources that a scheduler
   writes, graceful deletion, and faults. Include <libsched.h>.

   A scheduler that runs on it sees each change in the order of the changes. Any thread may use a server.
   Errors have the texts of the API server. Times are nanoseconds by the server's clock. */
#ifndef LIBSCHED_API_SERVER_H
#define LIBSCHED_API_SERVER_H

#include <libsched/queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The options of a server. Zero everywhere is the default. */
typedef struct libsched_api_server_options {
  uint32_t struct_size; /* sizeof(libsched_api_server_options) */
  bool keep_calls;      /* for libsched_api_server_take_calls_json() */
  bool keep_events;     /* for libsched_api_server_take_events_json() */
  /* A controller binds PersistentVolumeClaims while a scheduler on the server runs, as upstream's
     PersistentVolume controller and CSI's provisioners do. Volumes without a claim become Available. A
     claim gets the volume that names it or that it names, among them the scheduler's choice; if its class
     does not wait for its first pod, the smallest available volume of the class. For a claim that finds
     none, and that has a selected node or does not wait for one, a volume is made, unless the class's
     provisioner is kubernetes.io/no-provisioner: of the claim's size, modes and class, as a CSI volume of
     the provisioner. Its node affinity is of the topology keys that the selected node's CSINode names for
     the driver, or of the class's allowed topologies; without a selected node the nodes' topologies take
     turns. A selected node that has gone, or is not allowed, is taken back. Claims without uid get one. A
     volume whose claim has gone becomes Released. No volume is deleted, whatever the reclaim policy; no claim
     becomes Lost; CSIStorageCapacities stay as they are. Claims of generic ephemeral volumes are made, and
     go with their pods. */
  bool bind_volumes;
  /* A controller takes ResourceClaims back while a scheduler on the server runs, as upstream's does: pods that
     have gone or ended reserve none, a claim that nobody reserves any more loses its devices, and one that was
     made for such a pod is deleted. It makes no claims: libsched_missing_claims() does. */
  bool release_claims;
  libsched_clock *clock; /* NULL: the machine's. A scheduler on the server must have the same clock */
  /* A deleted pod that has a node leaves so much later, and is terminating meanwhile; 0: at once. */
  int64_t grace_ns;
  /* Random faults of a scheduler's calls, by a seed: a call fails with the probability `fault_rate`,
     and takes up to `most_slow_ns` with the probability `slow_rate`. */
  uint64_t fault_seed;
  double fault_rate;
  double slow_rate;
  int64_t most_slow_ns;
  int64_t provision_ns; /* with bind_volumes: how long it takes to make a volume */
} libsched_api_server_options;
#define LIBSCHED_API_SERVER_OPTIONS_INIT \
  {sizeof(libsched_api_server_options), false, false, false, false, LIBSCHED_NULL, 0, 0, 0, 0, 0, 0}

/* An API server in memory. ResourceClaims have a uid and a resourceVersion, which rises with each change; one
   that is deleted stays until its last finalizer goes. */
typedef struct libsched_api_server libsched_api_server;
/* `options` may be NULL. Errors: INVALID (a negative time; a rate that is not between 0 and 1; `provision_ns` without
   `bind_volumes`),
   UNSUPPORTED (options).
     libsched_api_server_create(NULL, &server, &error); */
libsched_rc libsched_api_server_create(const libsched_api_server_options *options, LIBSCHED_OWN libsched_api_server **out,
                                       LIBSCHED_OWN libsched_error **error);
libsched_api_server *libsched_api_server_ref(libsched_api_server *server);
void libsched_api_server_unref(LIBSCHED_OWN libsched_api_server *server);

/* --- what other clients do --- */

/* Creates all objects, or none; workloads are left out, because no controller makes their pods. Errors:
   EXISTS (an object of this kind and name). After NO_MEMORY some objects may have been created. */
libsched_rc libsched_api_server_create_objects(libsched_api_server *server, const libsched_objects *objects,
                                               LIBSCHED_OWN libsched_error **error);
/* Replaces objects by new versions, all or none; workloads are left out. Errors: NOT_FOUND; EXISTS (a
   conflict: a ResourceClaim with another resourceVersion or uid than it has; both may be absent). After
   NO_MEMORY some objects may have been replaced. */
libsched_rc libsched_api_server_update_objects(libsched_api_server *server, const libsched_objects *objects,
                                               LIBSCHED_OWN libsched_error **error);
/* The same for single pods and nodes. */
libsched_rc libsched_api_server_create_pod(libsched_api_server *server, const libsched_pod *pod, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_api_server_create_node(libsched_api_server *server, const libsched_node *node, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_api_server_update_pod(libsched_api_server *server, const libsched_pod *pod, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_api_server_update_node(libsched_api_server *server, const libsched_node *node, LIBSCHED_OWN libsched_error **error);
/* Deletes an object of a kind such as "Pod", "Node" or "PersistentVolumeClaim"; `namespace_` is empty for
   kinds without one. Errors: NOT_FOUND, INVALID (another kind). */
libsched_rc libsched_api_server_delete(libsched_api_server *server, libsched_str kind, libsched_str namespace_, libsched_str name,
                                       LIBSCHED_OWN libsched_error **error);
/* Binds a pod as another scheduler would. Errors: NOT_FOUND, EXISTS (a conflict: the pod is being deleted
   or has a node already). */
libsched_rc libsched_api_server_bind(libsched_api_server *server, libsched_str namespace_, libsched_str name, libsched_str node_name,
                                     LIBSCHED_OWN libsched_error **error);
/* The pod has run to its end and is removed at once. Errors: NOT_FOUND. */
libsched_rc libsched_api_server_finish_pod(libsched_api_server *server, libsched_str namespace_, libsched_str name,
                                           LIBSCHED_OWN libsched_error **error);

/* --- faults of a scheduler's calls --- */
typedef struct libsched_api_fault {
  uint32_t struct_size; /* sizeof(libsched_api_fault) */
  uint32_t times;       /* how many calls; 0: all */
  libsched_str verb;    /* "bind", "deletePod", "patchPodStatus", "patchObject"; empty: any */
  libsched_str key;     /* "namespace/name", or the name of an object without namespace; empty: any */
  libsched_str error;   /* "conflict", "notFound", "timeout", or the error's text; empty: the call succeeds */
  int64_t slow_ns;      /* the call takes so long before it succeeds or fails */
} libsched_api_fault;
#define LIBSCHED_API_FAULT_INIT \
  {sizeof(libsched_api_fault), 0, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, {LIBSCHED_NULL, 0}, 0}
/* The first fault that fits a call is used. A virtual clock is needed for slow_ns to take time. Errors:
   INVALID (the verb; a negative time). */
libsched_rc libsched_api_server_add_fault(libsched_api_server *server, const libsched_api_fault *fault,
                                          LIBSCHED_OWN libsched_error **error);
void libsched_api_server_clear_faults(libsched_api_server *server);

/* --- the state --- */

/* The pod, as it is now. Errors: NOT_FOUND. */
libsched_rc libsched_api_server_find_pod(const libsched_api_server *server, libsched_str namespace_, libsched_str name,
                                         LIBSCHED_OWN libsched_pod **out, LIBSCHED_OWN libsched_error **error);
libsched_rc libsched_api_server_find_node(const libsched_api_server *server, libsched_str name, LIBSCHED_OWN libsched_node **out,
                                          LIBSCHED_OWN libsched_error **error);
/* All nodes and pods in the order of their creation. */
libsched_rc libsched_api_server_objects(const libsched_api_server *server, LIBSCHED_OWN libsched_objects **out,
                                        LIBSCHED_OWN libsched_error **error);
/* The number of changes: the resource version of the latest. 0 for NULL. */
uint64_t libsched_api_server_version(const libsched_api_server *server);
/* The schedulers' calls since the last time: JSON [{"at", "verb", "key", "node"?, "patch"?, "error"?}];
   `at` is in nanoseconds. If it fails, the next call has them. One thread at a time. */
libsched_rc libsched_api_server_take_calls_json(libsched_api_server *server, LIBSCHED_OWN libsched_text **out,
                                                LIBSCHED_OWN libsched_error **error);
/* The events recorded about pods since the last time, likewise: JSON [{"at", "key", "type", "reason",
   "action", "note"}]. The volume controller's have "kind": "PersistentVolumeClaim", too: volumes that were
   made, and claims that have to wait. */
libsched_rc libsched_api_server_take_events_json(libsched_api_server *server, LIBSCHED_OWN libsched_text **out,
                                                 LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
