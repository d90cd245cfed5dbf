/* Writing a plugin: a struct of function pointers. Include <libsched.h>.

   A slot that is NULL is an extension point that the plugin does not implement; they stand in the order
   in which upstream comes to the points. Slots get the
   plugin's instance first, borrowed handles next, outputs last; borrowed handles are valid until
   the slot returns. A slot must not unwind or longjmp (C++: libsched/plugin.hpp has the barrier). It
   may look at the cluster and ask an evaluator of its own. These are MISUSE: changing the cluster up
   to PostFilter; asking the evaluator that is asking about many nodes for anything but one node; up
   to Score, calls that would replace what plugins have prepared in the state that is lent
   (libsched_cycle_state_clone() gives one to play with); and asking for plugins that ask for plugins
   more than 32 deep, and libsched_evaluator_set_services() where such a call is.

   Functions that fill what a slot was lent (a status, a PreFilter result, ...) return nothing: if one
   runs out of memory the slot has failed, whatever it returns, with a status ERROR "out of memory".

   What makes no sense becomes a status ERROR that names the plugin, never a crash: a code that does
   not exist, a reason index out of range, an unknown nomination mode, a borrowed status or state
   that the slot has released. Debug builds (libsched.h, rule 9) find the release of any handle that
   the slot borrowed, and undo it; what a slot gives back of those must be a reference that a slot has
   taken. They also know borrowed handles that are used after the slot has returned.
   A slot cannot be interrupted: `cancel` and the deadline of a call are looked at before and
   after each plugin, every 64 nodes where a slot is asked node by node, and between the nodes that
   preemption tries; then they end the call with CANCELLED or DEADLINE. @since 0.1, where nothing else is said. */
#ifndef LIBSCHED_PLUGIN_H
#define LIBSCHED_PLUGIN_H

#include <libsched/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One node as Filter sees it; borrowed until the slot returns, and what it gives with it. While
   preemption or nominated pods are tried out it is a copy of the node with other pods than the
   view's: its pods and requested amounts follow. Amounts are in the units of
   libsched_view_allocatable(). */
typedef struct libsched_node_info libsched_node_info;
uint32_t libsched_node_info_row(const libsched_node_info *info);
const libsched_node *libsched_node_info_node(const libsched_node_info *info);
size_t libsched_node_info_pod_count(const libsched_node_info *info);
const libsched_pod *libsched_node_info_pod(const libsched_node_info *info, size_t index);
int64_t libsched_node_info_allocatable(const libsched_node_info *info, libsched_str resource);
int64_t libsched_node_info_requested(const libsched_node_info *info, libsched_str resource);

/* In a slot, on the thread that it was called on: what is being asked about, and who asks (its
   services are upstream's Handle). NULL elsewhere. Borrowed until the slot returns. */
const libsched_view *libsched_cycle_state_view(const libsched_cycle_state *state);
libsched_evaluator *libsched_cycle_state_evaluator(const libsched_cycle_state *state);

/* The nodes of a batch, with their rows in the order of the results; borrowed until the slot returns. */
typedef struct libsched_node_set libsched_node_set;
size_t libsched_node_set_count(const libsched_node_set *set);
const uint32_t *libsched_node_set_rows(const libsched_node_set *set);
const libsched_view *libsched_node_set_view(const libsched_node_set *set);
/* The node at a position of the set; borrowed until the next call on this set. */
const libsched_node_info *libsched_node_set_at(const libsched_node_set *set, size_t index);

/* What SignPod and EventsToRegister fill; borrowed. */
typedef struct libsched_signature libsched_signature;
/* `json`: a value, compact and with sorted keys; copied. */
void libsched_signature_add(libsched_signature *signature, libsched_str key, libsched_str json);
typedef struct libsched_events libsched_events;
/* `resource` as upstream's: "Pod", "Node", "storage.k8s.io/CSINode", "*"; `actions` are its bits:
   Add 1, Delete 2, UpdateNodeAllocatable 4, UpdateNodeLabel 8, UpdateNodeTaint 16,
   UpdateNodeCondition 32, UpdateNodeAnnotation 64, UpdateNodeDeclaredFeature 128,
   UpdatePodLabel 256, UpdatePodScaleDown 512, UpdatePodToleration 1024,
   UpdatePodSchedulingGatesEliminated 2048, UpdatePodGeneratedResourceClaim 4096. `has_hint`: ask
   queueing_hint. */
void libsched_events_add(libsched_events *events, libsched_str resource, int64_t actions, bool has_hint);
/* An object that came (no `before`), changed, or went (no `after`); borrowed. */
typedef struct libsched_object_change libsched_object_change;
libsched_str libsched_object_change_resource(const libsched_object_change *change); /* "Pod", "Node", ... */
libsched_str libsched_object_change_namespace(const libsched_object_change *change);
libsched_str libsched_object_change_name(const libsched_object_change *change);
bool libsched_object_change_has_before(const libsched_object_change *change);
bool libsched_object_change_has_after(const libsched_object_change *change);
/* NULL if there is none, or the object is of another kind. */
const libsched_pod *libsched_object_change_pod(const libsched_object_change *change, bool after);
const libsched_node *libsched_object_change_node(const libsched_object_change *change, bool after);
/* What happened, as upstream's queue is told of it, in the bits of libsched_events_add(): Add, Delete,
   or what differs between two versions of a pod (all update bits, 8188, if nothing that has one of its own)
   or node (0 if nothing that counts); 8188 for other kinds. With the default feature gates. */
int64_t libsched_object_change_actions(const libsched_object_change *change);
/* The JSON document. Errors: STATE unless it was parsed with keep_raw; NOT_FOUND. */
libsched_rc libsched_object_change_raw(const libsched_object_change *change, bool after, libsched_str *out, LIBSCHED_OWN libsched_error **error);

/* On which threads a plugin's slots run. */
enum {
  LIBSCHED_PLUGIN_CONCURRENT = 1u << 0,   /* slots may run on several threads at once */
  LIBSCHED_PLUGIN_CALLER_THREAD = 1u << 1 /* slots run on the thread that called the library */
};

/* A plugin: set the first three fields, the slots that there shall be, and zero the rest.
     libsched_plugin plugin = {0};
     plugin.struct_size = sizeof plugin;
     plugin.abi_version = LIBSCHED_ABI_VERSION;
     plugin.name = LIBSCHED_STR("QuietNodes");
     plugin.filter = filter; */
typedef struct libsched_plugin {
  uint32_t struct_size; /* sizeof(libsched_plugin) */
  uint32_t abi_version; /* LIBSCHED_ABI_VERSION */
  libsched_str name;    /* copied */
  uint32_t flags;       /* LIBSCHED_PLUGIN_*; 0: calls are serialised by a lock of the plugin */
  uint32_t reason_count;       /* length of `reasons` */
  const libsched_str *reasons; /* the reasons that batch slots point into; copied */

  /* Makes an instance for a framework. `args` is the plugin's pluginConfig as JSON ("null" if
     there is none). On failure returns an error code other than LIBSCHED_CODE_SUCCESS and says why in
     `status`. NULL: the instance is `user_data`. */
  libsched_code (*create)(void *user_data, libsched_str args, void **instance, libsched_status *status);
  void (*release)(void *user_data, void *instance); /* NULL: nothing to do */
  /* Runs exactly once, when the last registry and framework with the plugin have gone, also if
     the registration fails. NULL: nothing to do. */
  void (*destroy)(void *user_data);

  /* What upstream's Name() says, if it is not the name that the plugin is registered under. */
  libsched_str (*instance_name)(void *instance);

  /* QueueSort: whether pod `a`, in the queue since `a_since_ns`, comes before pod `b`. */
  bool (*less)(void *instance, const libsched_pod *a, int64_t a_since_ns, const libsched_pod *b, int64_t b_since_ns);
  /* PreEnqueue: all but LIBSCHED_CODE_SUCCESS keep the pod out of the queue. */
  libsched_code (*pre_enqueue)(void *instance, const libsched_pod *pod, libsched_status *status);
  /* EnqueueExtensions: calls libsched_events_add() for each event. NULL: upstream's default events. */
  libsched_code (*events_to_register)(void *instance, libsched_events *events, libsched_status *status);
  /* Of the event that was added with this index and has a hint: whether `pod`, which this plugin
     rejected, is worth another try. Any code but LIBSCHED_CODE_SUCCESS counts as yes. */
  libsched_code (*queueing_hint)(void *instance, size_t index, const libsched_pod *pod, const libsched_object_change *change,
                                 bool *queue, libsched_status *status);

  /* PreFilter: returns a code, with reasons in `status`. LIBSCHED_CODE_SKIP skips Filter. */
  libsched_code (*pre_filter)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                              libsched_prefilter_result *result, libsched_status *status);
  /* PreFilterExtensions: what PreFilter gave follows `other` coming to or leaving the node, which is
     as it is after the change. Either both or none, and not without pre_filter. */
  libsched_code (*add_pod)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, const libsched_pod *other,
                           const libsched_node_info *node, libsched_status *status);
  libsched_code (*remove_pod)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, const libsched_pod *other,
                              const libsched_node_info *node, libsched_status *status);
  /* Filter of one node: returns a code, with reasons in `status`. */
  libsched_code (*filter)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                          const libsched_node_info *node, libsched_status *status);
  /* Filter of many nodes: writes codes[i] (all are LIBSCHED_CODE_SUCCESS at first) and, for the
     others, the index of a reason into reason_indexes[i]. Used instead of `filter` where it is there;
     but a copy of a node (see libsched_node_info) goes to `filter` if that is there, too, else it is
     a set of one, whose copy only libsched_node_set_at() shows.
     Returns LIBSCHED_CODE_SUCCESS; any other code is an Error of all nodes, with the text in `status`. */
  libsched_code (*filter_batch)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                                const libsched_node_set *nodes, int8_t *codes, uint16_t *reason_indexes,
                                libsched_status *status);
  /* PostFilter: LIBSCHED_CODE_SUCCESS if it made room; `nomination` is NONE at first. Its node is copied. */
  libsched_code (*post_filter)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_node_statuses *statuses, libsched_nomination *nomination, libsched_status *status);

  /* PreScore of the nodes that fit, in the order in which they were found: returns a code, with reasons
     in `status`. LIBSCHED_CODE_SKIP skips Score. */
  libsched_code (*pre_score)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                             const libsched_node_set *nodes, libsched_status *status);
  /* Score of one node: writes a number to `score`. Any other code than LIBSCHED_CODE_SUCCESS is an error
     of the whole scoring. After normalising, scores must be 0 to 100. */
  libsched_code (*score)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                         const libsched_node_info *node, int64_t *score, libsched_status *status);
  /* Score of many nodes: writes scores[i]. Used instead of `score` where it is there. */
  libsched_code (*score_batch)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_node_set *nodes, int64_t *scores, libsched_status *status);
  /* NormalizeScore: changes scores[i] in place. */
  libsched_code (*normalize_score)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                                   const libsched_node_set *nodes, int64_t *scores, libsched_status *status);

  /* Reserve: returns a code, with reasons in `status`; all but LIBSCHED_CODE_SUCCESS refuse the node. */
  libsched_code (*reserve)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                           uint32_t row, libsched_str node_name, libsched_status *status);
  /* Unreserve: must be idempotent, and is also called where `reserve` never was. Without a node
     (LIBSCHED_NO_ROW, empty name) if it has gone. */
  void (*unreserve)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                    uint32_t row, libsched_str node_name);

  /* Permit: LIBSCHED_CODE_WAIT lets the pod wait at most `timeout_ns`, capped at 15 minutes. */
  libsched_code (*permit)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                          int64_t *timeout_ns, libsched_status *status);
  /* PreBindPreFlight: LIBSCHED_CODE_SKIP skips PreBind; NULL with a pre_bind: LIBSCHED_CODE_SUCCESS. */
  libsched_code (*pre_bind_pre_flight)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                                       bool *allow_parallel, libsched_status *status);
  libsched_code (*pre_bind)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                            libsched_status *status);
  /* Bind: LIBSCHED_CODE_SKIP leaves it to the next plugin. */
  libsched_code (*bind)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name,
                        libsched_status *status);
  void (*post_bind)(void *instance, libsched_cycle_state *state, const libsched_pod *pod, libsched_str node_name);

  /* SignPod: calls libsched_signature_add() for each part; all but LIBSCHED_CODE_SUCCESS: not signable. */
  libsched_code (*sign)(void *instance, const libsched_pod *pod, libsched_signature *signature, libsched_status *status);

  /* Objects that came, changed or went in a cluster that an evaluator with this plugin stands on;
     not those of a fork. */
  void (*on_event)(void *instance, libsched_services *services, const libsched_view *view, const libsched_object_change *change);
  /* For state of the plugin's own that follows the cluster's forks. `reverted` and `committed` end
     the latest of them. */
  void (*forked)(void *instance, const libsched_view *view);
  void (*reverted)(void *instance, const libsched_view *view);
  void (*committed)(void *instance, const libsched_view *view);
  /* Around all calls on a thread of the library's own (see libsched_evaluator_set_parallelism()):
     once on it when it starts and once when it ends, for every plugin of the framework that is not
     CALLER_THREAD, whether its other slots are called there or not. */
  void (*thread_attach)(void *user_data);
  void (*thread_detach)(void *user_data);
  void (*reserved[16])(void); /* NULL: for later slots */
} libsched_plugin;

/* Adds a plugin under its name. The struct is copied. `user_data` passes to the library in any
   case: plugin->destroy(user_data) runs exactly once.
   Errors: EXISTS, INVALID (no name; a slot that means nothing without another one, such as
   normalize_score without a Score slot), UNSUPPORTED (unknown version, flags or slots). */
libsched_rc libsched_registry_add(libsched_registry *registry, const libsched_plugin *plugin, LIBSCHED_OWN void *user_data,
                                  LIBSCHED_OWN libsched_error **error);

/* Loads a shared object and calls its one exported function
     LIBSCHED_EXPORT libsched_rc libsched_plugin_init(const libsched_host *host, libsched_registry *registry, libsched_error **error);
   which adds plugins with host->registry_add or, linked against libsched, libsched_registry_add();
   either all of them are added or, if it fails, none. The shared object stays loaded as long as one
   of its plugins lives. A path without a slash is looked for as the dynamic loader does.
   Errors: INVALID (an empty path), IO (with the loader's text), UNSUPPORTED (no such function), and
   the function's own. */
libsched_rc libsched_registry_load(libsched_registry *registry, libsched_str path, LIBSCHED_OWN libsched_error **error);
typedef struct libsched_host {
  uint32_t struct_size; /* sizeof(libsched_host) */
  uint32_t abi_version; /* of the library that loads the plugin */
  libsched_rc (*registry_add)(libsched_registry *registry, const libsched_plugin *plugin, void *user_data, libsched_error **error);
} libsched_host;
#define LIBSCHED_PLUGIN_INIT_NAME "libsched_plugin_init"
/* Makes that function visible where functions are hidden by default. */
#define LIBSCHED_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
}
#endif
#endif
