/* Writing a plugin: a struct of function pointers. Include <libsched.h>.

   A slot that is NULL is an extension point that the plugin does not implement. Slots get the
   plugin's instance first, borrowed handles next, outputs last; borrowed handles are valid until
   the slot returns. A slot must not unwind or longjmp. It may look at the cluster and ask an
   evaluator of its own; changing the cluster, or asking the evaluator that is asking it for more
   than one node, is MISUSE. @since 0.1, where nothing else is said. */
#ifndef LIBSCHED_PLUGIN_H
#define LIBSCHED_PLUGIN_H

#include <libsched/evaluator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One node as Filter sees it; borrowed until the slot returns, and what it gives with it. Amounts are
   in the units of libsched_view_allocatable(). */
typedef struct libsched_node_info libsched_node_info;
uint32_t libsched_node_info_row(const libsched_node_info *info);
const libsched_node *libsched_node_info_node(const libsched_node_info *info);
size_t libsched_node_info_pod_count(const libsched_node_info *info);
const libsched_pod *libsched_node_info_pod(const libsched_node_info *info, size_t index);
int64_t libsched_node_info_allocatable(const libsched_node_info *info, libsched_str resource);
int64_t libsched_node_info_requested(const libsched_node_info *info, libsched_str resource);

/* The nodes of a batch, with their rows in the order of the results; borrowed until the slot returns. */
typedef struct libsched_node_set libsched_node_set;
size_t libsched_node_set_count(const libsched_node_set *set);
const uint32_t *libsched_node_set_rows(const libsched_node_set *set);
const libsched_view *libsched_node_set_view(const libsched_node_set *set);
/* The node at a position of the set; borrowed until the next call on this set. */
const libsched_node_info *libsched_node_set_at(const libsched_node_set *set, size_t index);

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
     there is none). On failure returns an error code other than LIBSCHED_SUCCESS and says why in
     `status`. NULL: the instance is `user_data`. */
  libsched_code (*create)(void *user_data, libsched_str args, void **instance, libsched_status *status);
  void (*release)(void *user_data, void *instance); /* NULL: nothing to do */
  /* Runs exactly once, when the last registry and framework with the plugin have gone, also if
     the registration fails. NULL: nothing to do. */
  void (*destroy)(void *user_data);

  /* PreFilter: returns a code, with reasons in `status`. LIBSCHED_SKIP skips Filter. */
  libsched_code (*pre_filter)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                              libsched_prefilter_result *result, libsched_status *status);
  /* Filter of one node: returns a code, with reasons in `status`. */
  libsched_code (*filter)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                          const libsched_node_info *node, libsched_status *status);
  /* Filter of many nodes: writes codes[i] (all are LIBSCHED_SUCCESS at first) and, for the
     others, the index of a reason into reason_indexes[i]. Used instead of `filter` where it is there.
     Returns LIBSCHED_SUCCESS, or LIBSCHED_ERROR with the text in `status`. */
  libsched_code (*filter_batch)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                                const libsched_node_set *nodes, int8_t *codes, uint16_t *reason_indexes,
                                libsched_status *status);

  /* The slots from here on: @since 0.1. PreScore of the nodes that fit, in the order in which they
     were found: returns a code, with reasons in `status`. LIBSCHED_SKIP skips Score. */
  libsched_code (*pre_score)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                             const libsched_node_set *nodes, libsched_status *status);
  /* Score of one node: writes a number to `score`. Any other code than LIBSCHED_SUCCESS is an error
     of the whole scoring. After normalising, scores must be 0 to 100. */
  libsched_code (*score)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                         const libsched_node_info *node, int64_t *score, libsched_status *status);
  /* Score of many nodes: writes scores[i]. Used instead of `score` where it is there. */
  libsched_code (*score_batch)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                               const libsched_node_set *nodes, int64_t *scores, libsched_status *status);
  /* NormalizeScore: changes scores[i] in place. */
  libsched_code (*normalize_score)(void *instance, const libsched_cycle_state *state, const libsched_pod *pod,
                                   const libsched_node_set *nodes, int64_t *scores, libsched_status *status);
  /* Reserve: returns a code, with reasons in `status`; all but LIBSCHED_SUCCESS refuse the node. */
  libsched_code (*reserve)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                           uint32_t row, libsched_str node_name, libsched_status *status);
  /* Unreserve: must be idempotent, and is also called where `reserve` never was. Without a node
     (LIBSCHED_NO_ROW, empty name) if it has gone. */
  void (*unreserve)(void *instance, libsched_cycle_state *state, const libsched_pod *pod,
                    uint32_t row, libsched_str node_name);
} libsched_plugin;

/* Adds a plugin under its name. The struct is copied. `user_data` passes to the library in any
   case: plugin->destroy(user_data) runs exactly once.
   Errors: EXISTS, INVALID (no name), UNSUPPORTED (unknown version, flags or slots). */
libsched_rc libsched_registry_add(libsched_registry *registry, const libsched_plugin *plugin, LIBSCHED_OWN void *user_data,
                                  LIBSCHED_OWN libsched_error **error);

#ifdef __cplusplus
}
#endif
#endif
