/* Plugins: a plugin is a struct of function pointers (slots). Include <libsched.h>.

   A NULL slot is an extension point that the plugin does not implement. Slots are listed in the order
   in which upstream runs the extension points. Their parameters are the plugin's instance, borrowed
   handles, then outputs; borrowed handles are valid until the slot returns. A slot must not unwind or
   longjmp (in C++, libsched/plugin.hpp provides the barrier). It may read the cluster and use an
   evaluator of its own. The following is MISUSE: changing the cluster up to PostFilter; asking the
   evaluator that is asking about many nodes about more than one node; up to Score, calls that would
   replace data that plugins have prepared in the lent state (libsched_cycle_state_clone() gives a copy
   for that); nesting calls of plugins more than 32 deep; and libsched_evaluator_set_services() of the
   evaluator that is asking about many nodes.

   Functions that fill an object that is lent to a slot (a status, a PreFilter result, ...) return
   nothing: if such a function runs out of memory, the slot has failed with a status ERROR "out of
   memory", whatever it returns.

   Invalid answers become a status ERROR that names the plugin, never a crash: an unknown code, WAIT or
   SKIP from a slot that may not return it, ERROR without a reason, a reason index out of range, an unknown nomination mode, a borrowed status or state that the slot has
   released. Debug builds (libsched.h, rule 9) detect and undo the release of any handle that the slot
   borrowed; a slot may release only references that a slot has taken. They also detect borrowed handles
   that are used after the slot has returned. Slots cannot be interrupted: `cancel` and the deadline of
   a call are polled before and after each plugin, every 64 nodes if a slot is called node by node, and
   between the nodes that preemption tries; they then end the call with CANCELLED or DEADLINE. */
#ifndef LIBSCHED_PLUGIN_H
#define LIBSCHED_PLUGIN_H

#include <libsched/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One node as Filter sees it; borrowed, like everything read from it, until the slot returns. While
   preemption or nominated pods are tried, it is a copy of the node whose pods and requested amounts
   differ from the view's. Amounts are in the units of libsched_view_allocatable(). */
typedef struct libsched_node_info libsched_node_info;
uint32_t libsched_node_info_row(const libsched_node_info *info);
const libsched_node *libsched_node_info_node(const libsched_node_info *info);
size_t libsched_node_info_pod_count(const libsched_node_info *info);
const libsched_pod *libsched_node_info_pod(const libsched_node_info *info, size_t index);
int64_t libsched_node_info_allocatable(const libsched_node_info *info, libsched_str resource);
int64_t libsched_node_info_requested(const libsched_node_info *info, libsched_str resource);

/* The view that a slot is asked about, and the evaluator that asks (its services are upstream's
   Handle). Valid in a slot, on the thread that runs it; NULL elsewhere. Borrowed until the slot
   returns. */
const libsched_view *libsched_cycle_state_view(const libsched_cycle_state *state);
libsched_evaluator *libsched_cycle_state_evaluator(const libsched_cycle_state *state);

/* The nodes of a batch, with their rows in the order of the results; borrowed until the slot returns. */
typedef struct libsched_node_set libsched_node_set;
size_t libsched_node_set_count(const libsched_node_set *set);
const uint32_t *libsched_node_set_rows(const libsched_node_set *set);
const libsched_view *libsched_node_set_view(const libsched_node_set *set);
/* The node at a position of the set; borrowed until the next call on this set. */
const libsched_node_info *libsched_node_set_at(const libsched_node_set *set, size_t index);
/* In filter_batch: the answer about the node at a position of the set, copied, in place of its code and
   reason index; for reasons that are not in the plugin's list. The last call about a position counts.
   In score_batch: a status other than Success means that this node could not be scored, at which the
   whole scoring fails. Does nothing in other slots, or if `index` is out of range. */
void libsched_node_set_answer(const libsched_node_set *set, size_t index, const libsched_status *status);

/* The outputs of SignPod and EventsToRegister; borrowed. */
typedef struct libsched_signature libsched_signature;
/* Adds a part of the signature. `json` is a compact JSON value with sorted keys; copied. */
void libsched_signature_add(libsched_signature *signature, libsched_str key, libsched_str json);
typedef struct libsched_events libsched_events;
/* `resource` as upstream's: "Pod", "Node", "storage.k8s.io/CSINode", "*"; `actions` are its bits: Add
   1, Delete 2, UpdateNodeAllocatable 4, UpdateNodeLabel 8, UpdateNodeTaint 16, UpdateNodeCondition 32,
   UpdateNodeAnnotation 64, UpdateNodeDeclaredFeature 128, UpdatePodLabel 256, UpdatePodScaleDown 512,
   UpdatePodToleration 1024, UpdatePodSchedulingGatesEliminated 2048, UpdatePodGeneratedResourceClaim
   4096, and of 1.37 UpdatePodScaleUp 8192 and UpdateNodePreemptionPolicy 16384, which sets with all
   other updates imply. With the semantics of 1.37 the events of pods are those of an "AssignedPod", an
   "UnscheduledPod" or, if the rejected pod itself was updated, a "TargetPod"; "Pod" is all of them.
   `has_hint`: the event is passed to queueing_hint. */
void libsched_events_add(libsched_events *events, libsched_str resource, int64_t actions, bool has_hint);
/* An object that was added (no `before`), changed or removed (no `after`); borrowed. */
typedef struct libsched_object_change libsched_object_change;
libsched_str libsched_object_change_resource(const libsched_object_change *change); /* "Pod", "Node", ... */
libsched_str libsched_object_change_namespace(const libsched_object_change *change);
libsched_str libsched_object_change_name(const libsched_object_change *change);
bool libsched_object_change_has_before(const libsched_object_change *change);
bool libsched_object_change_has_after(const libsched_object_change *change);
/* NULL if that version does not exist or the object is of another kind. */
const libsched_pod *libsched_object_change_pod(const libsched_object_change *change, bool after);
const libsched_node *libsched_object_change_node(const libsched_object_change *change, bool after);
/* The event as upstream's queue receives it, in the bits of libsched_events_add(): Add, Delete, or the
   differences between two versions of a pod (all update bits, 8188, if no difference has a bit of its
   own) or of a node (0 if no difference has one); 8188 for other kinds. With the default feature
   gates. */
int64_t libsched_object_change_actions(const libsched_object_change *change);
/* The JSON document. Errors: STATE unless it was parsed with keep_raw; NOT_FOUND. */
libsched_rc libsched_object_change_raw(const libsched_object_change *change, bool after, libsched_str *out, LIBSCHED_OWN libsched_error **error);

/* The threads on which a plugin's slots run. */
enum {
  LIBSCHED_PLUGIN_CONCURRENT = 1u << 0,   /* slots may run on several threads at once */
  LIBSCHED_PLUGIN_CALLER_THREAD = 1u << 1 /* slots run on the thread that called the library */
};

/* A plugin. Set the name and the implemented slots.
     libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
     plugin.name = LIBSCHED_STR("QuietNodes");
     plugin.filter = filter; */
typedef struct libsched_plugin {
  uint32_t struct_size; /* sizeof(libsched_plugin) */
  uint32_t abi_version; /* LIBSCHED_ABI_VERSION */
  libsched_str name;    /* copied */
  uint32_t flags;       /* LIBSCHED_PLUGIN_*; 0: calls are serialised by a lock of the plugin */
  uint32_t reason_count;       /* length of `reasons` */
  const libsched_str *reasons; /* the reasons that batch slots point into; copied */

  /* Makes an instance for a framework. `args` is the plugin's pluginConfig as JSON, or "null". On
     failure returns a code other than LIBSCHED_CODE_SUCCESS, with the reason in `status`. NULL: the
     instance is `user_data`. */
  libsched_code (*create)(void *user_data, libsched_str args, void **instance, libsched_status *status);
  void (*release)(void *user_data, void *instance); /* NULL: nothing to do */
  /* Runs exactly once, when the last registry or framework with the plugin is released, also if
     the registration fails. NULL: nothing to do. */
  void (*destroy)(void *user_data);

  /* The result of upstream's Name(), if it differs from the name of the registration. */
  libsched_str (*instance_name)(void *instance);

  /* QueueSort: whether pod `a`, in the queue since `a_since_ns`, comes before pod `b`. */
  bool (*less)(void *instance, const libsched_pod *a, int64_t a_since_ns, const libsched_pod *b, int64_t b_since_ns);
  /* PreEnqueue: any code but LIBSCHED_CODE_SUCCESS keeps the pod out of the queue. */
  libsched_code (*pre_enqueue)(void *instance, const libsched_pod *pod, libsched_status *status);
  /* EnqueueExtensions: calls libsched_events_add() for each event. NULL: upstream's default events. */
  libsched_code (*events_to_register)(void *instance, libsched_events *events, libsched_status *status);
  /* Decides whether the event that was added with this index, with a hint, makes another attempt
     worthwhile for `pod`, which this plugin rejected. Any code but LIBSCHED_CODE_SUCCESS counts as
     yes. */
  libsched_code (*queueing_hint)(void *instance, size_t index, const libsched_pod *pod, const libsched_object_change *change,
                                 bool *queue, libsched_status *status);

  /* PreFilter: returns a code, with reasons in `status`. LIBSCHED_CODE_SKIP skips Filter. */
  libsched_code (*pre_filter)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                              libsched_prefilter_result *result, libsched_status *status);
  /* PreFilterExtensions: update PreFilter's results as if `other` came to or left the node, which is
     in its state after the change. Either both or none, and not without pre_filter. */
  libsched_code (*add_pod)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, const libsched_pod *other,
                           const libsched_node_info *node, libsched_status *status);
  libsched_code (*remove_pod)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, const libsched_pod *other,
                              const libsched_node_info *node, libsched_status *status);
  /* Filter of one node: returns a code, with reasons in `status`. */
  libsched_code (*filter)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                          const libsched_node_info *node, libsched_status *status);
  /* Filter of many nodes: writes codes[i] (initially LIBSCHED_CODE_SUCCESS) and, for other codes, the
     index of a reason to reason_indexes[i]. Replaces `filter`, except that copies of nodes (see
     libsched_node_info) go to `filter` if it is set. Otherwise a copy is passed as a set of one node,
     and only libsched_node_set_at() returns the copy.
     Returns LIBSCHED_CODE_SUCCESS; any other code is an Error of all nodes, with the text in `status`. */
  libsched_code (*filter_batch)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                                const libsched_node_set *nodes, int8_t *codes, uint16_t *reason_indexes,
                                libsched_status *status);
  /* PostFilter: LIBSCHED_CODE_SUCCESS if it made room; `nomination` is NONE at first. Its node is
     copied. */
  libsched_code (*post_filter)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_node_statuses *statuses, libsched_nomination *nomination, libsched_status *status);

  /* PreScore of the nodes that fit, in the order in which they were found: returns a code, with reasons
     in `status`. LIBSCHED_CODE_SKIP skips Score. */
  libsched_code (*pre_score)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                             const libsched_node_set *nodes, libsched_status *status);
  /* Score of one node: writes a number to `score`. Any code but LIBSCHED_CODE_SUCCESS is an error of
     the whole scoring. Normalised scores must be from 0 to 100. */
  libsched_code (*score)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                         const libsched_node_info *node, int64_t *score, libsched_status *status);
  /* Score of many nodes: writes scores[i]. Replaces `score`. */
  libsched_code (*score_batch)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_node_set *nodes, int64_t *scores, libsched_status *status);
  /* NormalizeScore: changes scores[i] in place. */
  libsched_code (*normalize_score)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                                   const libsched_node_set *nodes, int64_t *scores, libsched_status *status);

  /* Reserve: returns a code, with reasons in `status`; all but LIBSCHED_CODE_SUCCESS refuse the node. */
  libsched_code (*reserve)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                           uint32_t row, libsched_str node_name, libsched_status *status);
  /* Unreserve: must be idempotent, and also runs if `reserve` never ran. If the node no longer exists,
     `row` is LIBSCHED_NO_ROW and `node_name` empty. */
  void (*unreserve)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                    uint32_t row, libsched_str node_name);

  /* Permit: LIBSCHED_CODE_WAIT lets the pod wait at most `timeout_ns`, capped at 15 minutes. */
  libsched_code (*permit)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                          int64_t *timeout_ns, libsched_status *status);
  /* PreBindPreFlight: LIBSCHED_CODE_SKIP skips PreBind. NULL with a pre_bind: LIBSCHED_CODE_SUCCESS. */
  libsched_code (*pre_bind_pre_flight)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                                       bool *allow_parallel, libsched_status *status);
  libsched_code (*pre_bind)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                            libsched_status *status);
  /* Bind: LIBSCHED_CODE_SKIP leaves it to the next plugin. */
  libsched_code (*bind)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                        libsched_status *status);
  void (*post_bind)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name);

  /* SignPod: calls libsched_signature_add() for each part; any code but LIBSCHED_CODE_SUCCESS means
     that the pod cannot be signed. */
  libsched_code (*sign)(void *instance, const libsched_pod *pod, libsched_signature *signature, libsched_status *status);

  /* Notifies of objects that were added, changed or removed in the cluster of an evaluator with this
     plugin, except inside a fork. */
  void (*on_event)(void *instance, libsched_services *services, const libsched_view *view, const libsched_object_change *change);
  /* Notify of the cluster's forks, for plugins whose own state follows them. `reverted` and `committed`
     end the latest fork. */
  void (*forked)(void *instance, const libsched_view *view);
  void (*reverted)(void *instance, const libsched_view *view);
  void (*committed)(void *instance, const libsched_view *view);
  /* Run once at the start and once at the end of each thread that the library creates (see
     libsched_evaluator_set_parallelism()), on that thread, for every plugin of the framework that is
     not CALLER_THREAD, whether or not its other slots run there. */
  void (*thread_attach)(void *user_data);
  void (*thread_detach)(void *user_data);
  void (*reserved[16])(void); /* NULL; for future slots */
} libsched_plugin;
#define LIBSCHED_PLUGIN_INIT \
  {sizeof(libsched_plugin), LIBSCHED_ABI_VERSION, {LIBSCHED_NULL, 0}, 0, 0, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, \
   LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, LIBSCHED_NULL, \
   {LIBSCHED_NULL}}

/* Adds a plugin under its name. A configuration that names it in no profile has it in all of them, at all
   of its points, after the profile's own plugins (libsched_registry_enable()). The struct is copied.
   `user_data` always passes to the library: plugin->destroy(user_data) runs exactly once, also after an
   error. Errors: EXISTS, INVALID (no name; no slot; a slot without another slot that it needs, such as
   normalize_score without a Score slot), UNSUPPORTED (unknown version, flags or slots). */
libsched_rc libsched_registry_add(libsched_registry *registry, const libsched_plugin *plugin, LIBSCHED_OWN void *user_data,
                                  LIBSCHED_OWN libsched_error **error);

/* Loads a shared object and calls its one exported function
     LIBSCHED_EXPORT libsched_rc libsched_plugin_init(const libsched_host *host, libsched_registry *registry, libsched_error **error);
   which adds plugins with host->registry_add or libsched_registry_add(). The shared object must be
   linked to libsched if it calls any function of it, and nearly all plugins do: their compiler needs
   $(pkg-config --cflags --libs libsched). If the function fails, none of its plugins is added. The shared
   object stays loaded as long as one of its plugins lives. The dynamic loader searches for a path without
   a slash.
   Errors: INVALID (an empty path), IO (with the loader's text), UNSUPPORTED (no such function; or the
   program is linked to the static library libsched.a, which loads no shared objects), and the
   function's own. */
libsched_rc libsched_registry_load(libsched_registry *registry, libsched_str path, LIBSCHED_OWN libsched_error **error);
typedef struct libsched_host {
  uint32_t struct_size; /* sizeof(libsched_host) */
  uint32_t abi_version; /* of the library that loads the plugin */
  libsched_rc (*registry_add)(libsched_registry *registry, const libsched_plugin *plugin, void *user_data, libsched_error **error);
} libsched_host;
#define LIBSCHED_PLUGIN_INIT_NAME "libsched_plugin_init"
/* Exports libsched_plugin_init() from shared objects that hide their functions by default. */
#define LIBSCHED_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
}
#endif
#endif
