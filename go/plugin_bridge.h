/* Plugins of Go: the slots of libsched_plugin as functions of C that call Go.

   An instance is a number in a table of Go; it goes through the void pointers of the C API as a
   number. Strings and lists cross as bridge.h says. */
#ifndef LIBSCHED_GO_PLUGIN_BRIDGE_H
#define LIBSCHED_GO_PLUGIN_BRIDGE_H

#include "bridge.h"

/* Which slots a plugin has. */
enum {
  LSGO_PRE_FILTER = 1 << 0,
  LSGO_FILTER = 1 << 1,
  LSGO_FILTER_BATCH = 1 << 2,
  LSGO_PRE_SCORE = 1 << 3,
  LSGO_SCORE = 1 << 4,
  LSGO_SCORE_BATCH = 1 << 5,
  LSGO_NORMALIZE_SCORE = 1 << 6,
  LSGO_RESERVE = 1 << 7,
  LSGO_QUEUE_SORT = 1 << 8,
  LSGO_PRE_ENQUEUE = 1 << 9,
  LSGO_ADD_REMOVE_POD = 1 << 10,
  LSGO_POST_FILTER = 1 << 11,
  LSGO_PERMIT = 1 << 12,
  LSGO_PRE_BIND = 1 << 13,
  LSGO_BIND = 1 << 14,
  LSGO_POST_BIND = 1 << 15,
  LSGO_SIGN = 1 << 16,
  LSGO_EVENTS = 1 << 17,
  LSGO_ON_EVENT = 1 << 18,
  LSGO_FORKS = 1 << 19
};

/* Forks, as lsgoFork hears of them. */
enum { LSGO_FORKED, LSGO_REVERTED, LSGO_COMMITTED };

/* Copies a text that C reads when Go has returned; on this thread, until the next one. */
libsched_str lsgo_keep(const char *text, size_t len);

/* Texts lie one after another in `reasons`; lengths[i] is the length of the i-th. `handle` passes
   to the library in any case. */
libsched_rc lsgo_registry_add(libsched_registry *registry, const char *name, size_t name_len,
                              uint32_t flags, uint32_t slots, const char *reasons,
                              const size_t *lengths, size_t reason_count, uintptr_t handle,
                              libsched_error **error);

/* Narrows a PreFilter result to nodes; names as the reasons above. False: out of memory. */
bool lsgo_prefilter_result_set(libsched_prefilter_result *result, const char *names,
                               const size_t *lengths, size_t count);

/* Of all nodes of a set in one crossing. A label that is not there has ptr NULL. */
void lsgo_node_set_names(const libsched_node_set *set, libsched_str *out);
void lsgo_node_set_label(const libsched_node_set *set, const char *key, size_t key_len,
                         libsched_str *out);
void lsgo_node_set_allocatable(const libsched_node_set *set, const char *resource, size_t len,
                               int64_t *out);
void lsgo_node_set_requested(const libsched_node_set *set, const char *resource, size_t len,
                             int64_t *out);

/* For a plugin's questions to the evaluator that asks it: shares it, with results of its own. NULL:
   out of memory. Freed as any other, before the plugin returns. */
lsgo_evaluator *lsgo_evaluator_share(const lsgo_frame *asking);

#endif
