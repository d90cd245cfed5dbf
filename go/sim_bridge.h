/* The functions of catalog.h and sim.h for Go, shaped as in bridge.h: no pointer into Go memory is
   stored in a struct in Go memory, and none is kept in C. */
#ifndef LIBSCHED_GO_SIM_BRIDGE_H
#define LIBSCHED_GO_SIM_BRIDGE_H

#include "loop_bridge.h"

/* Writes to known[i] whether the catalog has the content. */
void lsgo_catalog_has(const libsched_catalog* catalog, bool nodes, const uint64_t* refs,
                      size_t count, bool* known);

/* A simulated cluster with room for the scalars of its calls, and for their results. */
typedef struct lsgo_sim {
  libsched_sim* sim;
  lsgo_evaluator* frame; /* for plugins in Go; its `cancel` ends a call */
  libsched_error* error; /* of the last call; the reader takes it over */

  /* Of the next questions. `query` has no pointers; each call adds them to a copy. */
  libsched_sim_query query;
  libsched_sim_ring ring;
  bool with_ring, cancellable;

  libsched_sim_verdict verdict;
  libsched_sim_hit hit;
  libsched_sim_packing packing;
  uint64_t id;
  size_t count;
  bool ended;
} lsgo_sim;
/* `frame` must outlive it. */
libsched_rc lsgo_sim_create(const libsched_framework* framework, libsched_catalog* catalog,
                            lsgo_evaluator* frame, lsgo_sim** out, libsched_error** error);
/* Leaves the frame. */
void lsgo_sim_free(lsgo_sim* s);

/* Changes. They leave an error in s->error, and a single id in s->id. Names are concatenated. */
libsched_rc lsgo_sim_reset(lsgo_sim* s, const uint64_t* nodes, const char* names,
                           const size_t* lengths, size_t node_count, const uint64_t* pods,
                           const uint32_t* on_node, size_t pod_count, uint64_t* node_ids,
                           uint64_t* pod_ids);
libsched_rc lsgo_sim_load(lsgo_sim* s, const libsched_objects* objects);
libsched_rc lsgo_sim_add_node(lsgo_sim* s, uint64_t like, const char* name, size_t length);
libsched_rc lsgo_sim_add_nodes(lsgo_sim* s, uint64_t like, const char* names, const size_t* lengths,
                               size_t count, uint64_t* ids);
libsched_rc lsgo_sim_remove_node(lsgo_sim* s, uint64_t node);
libsched_rc lsgo_sim_replace_node(lsgo_sim* s, uint64_t node, uint64_t like);
libsched_rc lsgo_sim_add_pod(lsgo_sim* s, uint64_t pod, uint64_t node);
libsched_rc lsgo_sim_add_pods(lsgo_sim* s, const uint64_t* pods, const uint64_t* nodes,
                              size_t count, uint64_t* ids);
libsched_rc lsgo_sim_remove_pods(lsgo_sim* s, const uint64_t* ids, size_t count);
libsched_rc lsgo_sim_unplace_pods(lsgo_sim* s, const uint64_t* ids, size_t count);
libsched_rc lsgo_sim_put_objects(lsgo_sim* s, const libsched_objects* objects);
libsched_rc lsgo_sim_reset_objects(lsgo_sim* s, const libsched_objects* objects);
libsched_rc lsgo_sim_remove_object(lsgo_sim* s, const char* kind, size_t kind_length,
                                   const char* name_space, size_t name_space_length,
                                   const char* name, size_t name_length);
libsched_rc lsgo_sim_fork(lsgo_sim* s);
libsched_rc lsgo_sim_commit(lsgo_sim* s);
libsched_rc lsgo_sim_revert(lsgo_sim* s);

/* Reading. The number that there is comes back in s->count, also if the room is too small. */
enum { LSGO_SIM_NODES, LSGO_SIM_PODS_ON, LSGO_SIM_REQUESTED, LSGO_SIM_ALLOCATABLE };
libsched_rc lsgo_sim_read(lsgo_sim* s, int what, uint64_t node, void* into, size_t room);

libsched_rc lsgo_sim_objects(lsgo_sim* s, const char* kind, size_t kind_length,
                             const char* name_space, size_t name_space_length, const char* name,
                             size_t name_length, libsched_text** out);

/* Questions. s->query has the scalars; they leave their results in `s`. */
libsched_rc lsgo_sim_check(lsgo_sim* s, uint64_t pod, uint64_t node, const uint64_t* without,
                           size_t without_count, const uint64_t* plugins, size_t plugin_words);
libsched_rc lsgo_sim_first(lsgo_sim* s, uint64_t pod, const uint64_t* order, size_t order_count,
                           const uint64_t* accept, size_t accept_words, const uint64_t* without,
                           size_t without_count, const uint64_t* plugins, size_t plugin_words);
libsched_rc lsgo_sim_feasible(lsgo_sim* s, uint64_t pod, const uint64_t* order, size_t order_count,
                              const uint64_t* accept, size_t accept_words, const uint64_t* without,
                              size_t without_count, const uint64_t* plugins, size_t plugin_words,
                              uint64_t* bits, size_t words);
libsched_rc lsgo_sim_copies(lsgo_sim* s, uint64_t pod, const uint64_t* nodes, size_t node_count,
                            size_t most, const uint64_t* without, size_t without_count,
                            const uint64_t* plugins, size_t plugin_words, size_t* out);
libsched_rc lsgo_sim_check_many(lsgo_sim* s, const uint64_t* pods, size_t pod_count,
                                const uint64_t* nodes, size_t node_count, const uint64_t* without,
                                size_t without_count, const uint64_t* plugins, size_t plugin_words,
                                uint8_t* out);
libsched_rc lsgo_sim_place_many(lsgo_sim* s, const uint64_t* pods, size_t count,
                                const uint64_t* hints, const uint64_t* order, size_t order_count,
                                const uint64_t* accept, size_t accept_words, bool stop_at_failure,
                                bool retry_failed, bool as_autoscaler, libsched_sim_hit* hits);
/* `permit` is the number that lsgoPermitNode gets; 0: every node is permitted. */
libsched_rc lsgo_sim_bin_pack(lsgo_sim* s, const libsched_sim_group* groups, size_t count,
                              uint64_t like, const char* prefix, size_t prefix_length,
                              const uint64_t* node_pods, size_t node_pod_count, bool keep_order,
                              bool existing_too, size_t max_nodes, const char* objects_of,
                              size_t objects_of_length, uintptr_t permit);
libsched_rc lsgo_sim_remove(lsgo_sim* s, uint64_t node, const uint64_t* move, size_t count,
                            const uint64_t* hints, const uint64_t* order, size_t order_count,
                            const uint64_t* accept, size_t accept_words, bool keep,
                            bool as_autoscaler, uint64_t ghost, libsched_sim_hit* hits);
libsched_rc lsgo_sim_explain(lsgo_sim* s, uint64_t pod, uint64_t node, libsched_text** out);

#endif
