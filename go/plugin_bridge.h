/* Plugins in Go: the slots of libsched_plugin as C functions that call Go.

   An instance is a number in a Go table, passed through the void pointers of the C API as a
   number. Strings and lists are passed as in bridge.h. */
#ifndef LIBSCHED_GO_PLUGIN_BRIDGE_H
#define LIBSCHED_GO_PLUGIN_BRIDGE_H

#include "bridge.h"

/* Bits for the slots that a plugin has. */
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

/* Events of forks for lsgoFork. */
enum { LSGO_FORKED, LSGO_REVERTED, LSGO_COMMITTED };

/* Copies a text that C reads after Go has returned; valid on this thread until the next call. */
libsched_str lsgo_keep(const char *text, size_t len);

/* Adds a plugin. `handle` passes to the library, even on failure. */
libsched_rc lsgo_registry_add(libsched_registry *registry, libsched_str name, uint32_t flags,
                              uint32_t slots, const libsched_str *reasons, size_t reason_count,
                              uintptr_t handle, libsched_error **error);

/* These read all nodes of a set in one crossing. A missing label has ptr NULL. */
void lsgo_node_set_names(const libsched_node_set *set, libsched_str *out);
void lsgo_node_set_label(const libsched_node_set *set, const char *key, size_t key_len,
                         libsched_str *out);
void lsgo_node_set_allocatable(const libsched_node_set *set, const char *resource, size_t len,
                               int64_t *out);
void lsgo_node_set_requested(const libsched_node_set *set, const char *resource, size_t len,
                             int64_t *out);

/* Makes an evaluator for a plugin's queries on a view that shares the calling one but has its own
   results. NULL: out of memory. It is freed like any other, before the plugin returns. */
lsgo_evaluator *lsgo_evaluator_share(const lsgo_frame *asking, libsched_evaluator *evaluator,
                                     const libsched_view *view);

#endif
