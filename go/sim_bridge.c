/* See sim_bridge.h. */
#include "sim_bridge.h"

#include <stdlib.h>

#include "_cgo_export.h"

/* Wrap a call that may ask plugins in Go: ENDED(libsched_sim_x(ASKED, ...)). */
static libsched_sim* asked(lsgo_sim* s) {
  lsgo_enter(&s->frame->frame);
  return s->sim;
}
static libsched_rc ended(lsgo_sim* s, libsched_rc rc) {
  lsgo_leave(&s->frame->frame);
  return rc;
}
#define ASKED asked(s)
#define ENDED(call) ended(s, call)

/* Texts that are concatenated, as an array in C memory; NULL without memory. */
static libsched_str* texts_of(const char* text, const size_t* lengths, size_t count) {
  libsched_str* texts = malloc((count + 1) * sizeof *texts);
  if (texts == NULL) return NULL;
  for (size_t i = 0; i < count; ++i) {
    texts[i] = lsgo_str(text, lengths[i]);
    text += lengths[i];
  }
  return texts;
}

/* ---- the catalog ---- */

void lsgo_catalog_has(const libsched_catalog* catalog, bool nodes, const uint64_t* refs,
                      size_t count, bool* known) {
  for (size_t i = 0; i < count; ++i)
    known[i] = nodes ? libsched_catalog_has_node(catalog, refs[i])
                     : libsched_catalog_has_pod(catalog, refs[i]);
}

/* ---- the simulated cluster ---- */

libsched_rc lsgo_sim_create(const libsched_framework* framework, libsched_catalog* catalog,
                            lsgo_evaluator* frame, lsgo_sim** out, libsched_error** error) {
  lsgo_sim* s = calloc(1, sizeof *s);
  if (s == NULL) return LIBSCHED_ERR_NO_MEMORY;
  const libsched_rc rc = libsched_sim_create(framework, catalog, &s->sim, error);
  if (rc != LIBSCHED_OK) {
    free(s);
    return rc;
  }
  s->frame = frame;
  s->query.struct_size = sizeof s->query;
  *out = s;
  return LIBSCHED_OK;
}

void lsgo_sim_free(lsgo_sim* s) {
  if (s == NULL) return;
  libsched_sim_unref(s->sim);
  free(s);
}

libsched_rc lsgo_sim_reset(lsgo_sim* s, const uint64_t* nodes, const char* names,
                           const size_t* lengths, size_t node_count, const uint64_t* pods,
                           const uint32_t* on_node, size_t pod_count, uint64_t* node_ids,
                           uint64_t* pod_ids) {
  libsched_str* texts = texts_of(names, lengths, node_count);
  if (texts == NULL) return LIBSCHED_ERR_NO_MEMORY;
  const libsched_rc rc = ENDED(libsched_sim_reset(ASKED, nodes, texts, node_count, pods, on_node,
                                                  pod_count, node_ids, pod_ids, &s->error));
  free(texts);
  return rc;
}

libsched_rc lsgo_sim_load(lsgo_sim* s, const libsched_objects* objects) {
  return ENDED(libsched_sim_load(ASKED, objects, &s->error));
}

libsched_rc lsgo_sim_add_node(lsgo_sim* s, uint64_t like, const char* name, size_t length) {
  const libsched_str text = lsgo_str(name, length);
  return ENDED(libsched_sim_add_nodes(ASKED, like, &text, 1, &s->id, &s->error));
}

libsched_rc lsgo_sim_add_nodes(lsgo_sim* s, uint64_t like, const char* names, const size_t* lengths,
                               size_t count, uint64_t* ids) {
  libsched_str* texts = texts_of(names, lengths, count);
  if (texts == NULL) return LIBSCHED_ERR_NO_MEMORY;
  const libsched_rc rc = ENDED(libsched_sim_add_nodes(ASKED, like, texts, count, ids, &s->error));
  free(texts);
  return rc;
}

libsched_rc lsgo_sim_remove_node(lsgo_sim* s, uint64_t node) {
  return ENDED(libsched_sim_remove_node(ASKED, node, &s->error));
}

libsched_rc lsgo_sim_replace_node(lsgo_sim* s, uint64_t node, uint64_t like) {
  return ENDED(libsched_sim_replace_node(ASKED, node, like, &s->error));
}

libsched_rc lsgo_sim_add_pod(lsgo_sim* s, uint64_t pod, uint64_t node) {
  return ENDED(libsched_sim_add_pods(ASKED, &pod, &node, 1, &s->id, &s->error));
}

libsched_rc lsgo_sim_add_pods(lsgo_sim* s, const uint64_t* pods, const uint64_t* nodes,
                              size_t count, uint64_t* ids) {
  return ENDED(libsched_sim_add_pods(ASKED, pods, nodes, count, ids, &s->error));
}

libsched_rc lsgo_sim_remove_pods(lsgo_sim* s, const uint64_t* ids, size_t count) {
  return ENDED(libsched_sim_remove_pods(ASKED, ids, count, &s->error));
}

libsched_rc lsgo_sim_unplace_pods(lsgo_sim* s, const uint64_t* ids, size_t count) {
  return ENDED(libsched_sim_unplace_pods(ASKED, ids, count, &s->error));
}

libsched_rc lsgo_sim_put_objects(lsgo_sim* s, const libsched_objects* objects) {
  return ENDED(libsched_sim_put_objects(ASKED, objects, &s->error));
}
libsched_rc lsgo_sim_reset_objects(lsgo_sim* s, const libsched_objects* objects) {
  return ENDED(libsched_sim_reset_objects(ASKED, objects, &s->error));
}

libsched_rc lsgo_sim_remove_object(lsgo_sim* s, const char* kind, size_t kind_length,
                                   const char* name_space, size_t name_space_length,
                                   const char* name, size_t name_length) {
  return ENDED(libsched_sim_remove_object(ASKED, lsgo_str(kind, kind_length),
                                          lsgo_str(name_space, name_space_length),
                                          lsgo_str(name, name_length), &s->error));
}

libsched_rc lsgo_sim_fork(lsgo_sim* s) { return ENDED(libsched_sim_fork(ASKED, &s->error)); }
libsched_rc lsgo_sim_commit(lsgo_sim* s) { return ENDED(libsched_sim_commit(ASKED, &s->error)); }
libsched_rc lsgo_sim_revert(lsgo_sim* s) { return ENDED(libsched_sim_revert(ASKED, &s->error)); }

libsched_rc lsgo_sim_read(lsgo_sim* s, int what, uint64_t node, void* into, size_t room) {
  switch (what) {
    case LSGO_SIM_NODES: return libsched_sim_nodes(s->sim, into, room, &s->count, &s->error);
    case LSGO_SIM_PODS_ON:
      return libsched_sim_pods_on(s->sim, node, into, room, &s->count, &s->error);
    case LSGO_SIM_REQUESTED:
      return libsched_sim_requested(s->sim, node, into, room, &s->count, &s->error);
    default: return libsched_sim_allocatable(s->sim, node, into, room, &s->count, &s->error);
  }
}

libsched_rc lsgo_sim_objects(lsgo_sim* s, const char* kind, size_t kind_length,
                             const char* name_space, size_t name_space_length, const char* name,
                             size_t name_length, libsched_text** out) {
  return libsched_view_objects_json(libsched_sim_view(s->sim), lsgo_str(kind, kind_length),
                                    lsgo_str(name_space, name_space_length),
                                    lsgo_str(name, name_length), out, &s->error);
}

/* ---- questions ---- */

/* The query of a call: the scalars of `s` with the pointers of the call. */
static libsched_sim_query query_of(lsgo_sim* s, const uint64_t* order, size_t order_count,
                                   const uint64_t* accept, size_t accept_words) {
  libsched_sim_query query = s->query;
  query.ring = s->with_ring ? &s->ring : NULL;
  query.order = order;
  query.order_count = order_count;
  query.accept = accept;
  query.accept_words = accept_words;
  query.cancel = s->cancellable ? s->frame->cancel : NULL;
  return query;
}

static void leave_out(libsched_sim_query* query, const uint64_t* pods, size_t pod_count,
                      const uint64_t* plugins, size_t plugin_words) {
  query->without = pods;
  query->without_count = pod_count;
  query->plugins = plugins;
  query->plugin_words = plugin_words;
}

libsched_rc lsgo_sim_check(lsgo_sim* s, uint64_t pod, uint64_t node, const uint64_t* without,
                           size_t without_count, const uint64_t* plugins, size_t plugin_words) {
  libsched_sim_query query = query_of(s, NULL, 0, NULL, 0);
  leave_out(&query, without, without_count, plugins, plugin_words);
  return ENDED(libsched_sim_check(ASKED, pod, node, &query, &s->verdict, &s->error));
}

libsched_rc lsgo_sim_first(lsgo_sim* s, uint64_t pod, const uint64_t* order, size_t order_count,
                           const uint64_t* accept, size_t accept_words, const uint64_t* without,
                           size_t without_count, const uint64_t* plugins, size_t plugin_words) {
  libsched_sim_query query = query_of(s, order, order_count, accept, accept_words);
  leave_out(&query, without, without_count, plugins, plugin_words);
  return ENDED(libsched_sim_first(ASKED, pod, &query, &s->hit, &s->verdict, &s->error));
}

libsched_rc lsgo_sim_feasible(lsgo_sim* s, uint64_t pod, const uint64_t* order, size_t order_count,
                              const uint64_t* accept, size_t accept_words, const uint64_t* without,
                              size_t without_count, const uint64_t* plugins, size_t plugin_words,
                              uint64_t* bits, size_t words) {
  libsched_sim_query query = query_of(s, order, order_count, accept, accept_words);
  leave_out(&query, without, without_count, plugins, plugin_words);
  return ENDED(libsched_sim_feasible(ASKED, pod, &query, bits, words, &s->count, &s->error));
}

libsched_rc lsgo_sim_check_many(lsgo_sim* s, const uint64_t* pods, size_t pod_count,
                                const uint64_t* nodes, size_t node_count, const uint64_t* without,
                                size_t without_count, const uint64_t* plugins, size_t plugin_words,
                                uint8_t* out) {
  libsched_sim_query query = query_of(s, NULL, 0, NULL, 0);
  leave_out(&query, without, without_count, plugins, plugin_words);
  return ENDED(
      libsched_sim_check_many(ASKED, pods, pod_count, nodes, node_count, &query, out, &s->error));
}

libsched_rc lsgo_sim_copies(lsgo_sim* s, uint64_t pod, const uint64_t* nodes, size_t node_count,
                            size_t most, const uint64_t* without, size_t without_count,
                            const uint64_t* plugins, size_t plugin_words, size_t* out) {
  libsched_sim_query query = query_of(s, NULL, 0, NULL, 0);
  leave_out(&query, without, without_count, plugins, plugin_words);
  return ENDED(libsched_sim_copies(ASKED, pod, nodes, node_count, most, &query, out, &s->error));
}

libsched_rc lsgo_sim_place_many(lsgo_sim* s, const uint64_t* pods, size_t count,
                                const uint64_t* hints, const uint64_t* order, size_t order_count,
                                const uint64_t* accept, size_t accept_words, bool stop_at_failure,
                                bool retry_failed, bool as_autoscaler, libsched_sim_hit* hits) {
  const libsched_sim_query query = query_of(s, order, order_count, accept, accept_words);
  libsched_sim_place_options options = LIBSCHED_SIM_PLACE_OPTIONS_INIT;
  options.stop_at_failure = stop_at_failure;
  options.retry_failed = retry_failed;
  options.as_autoscaler = as_autoscaler;
  options.hints = hints;
  s->count = 0;
  s->ended = false;
  return ENDED(libsched_sim_place_many(ASKED, pods, count, &query, &options, hits, &s->count,
                                       &s->ended, &s->error));
}

static bool permit_node(void* user_data) { return lsgoPermitNode((uintptr_t)user_data); }

libsched_rc lsgo_sim_bin_pack(lsgo_sim* s, const libsched_sim_group* groups, size_t count,
                              uint64_t like, const char* prefix, size_t prefix_length,
                              const uint64_t* node_pods, size_t node_pod_count, bool keep_order,
                              bool existing_too, size_t max_nodes, const char* objects_of,
                              size_t objects_of_length, uintptr_t permit) {
  libsched_sim_pack_options options = LIBSCHED_SIM_PACK_OPTIONS_INIT;
  options.keep_order = keep_order;
  options.existing_too = existing_too;
  options.prefix = lsgo_str(prefix, prefix_length);
  options.max_nodes = max_nodes;
  options.objects_of = lsgo_str(objects_of, objects_of_length);
  options.node_pods = node_pods;
  options.node_pod_count = node_pod_count;
  if (permit != 0) options.permit = permit_node;
  options.user_data = (void*)permit;
  options.ring = s->with_ring ? &s->ring : NULL;
  options.cancel = s->cancellable ? s->frame->cancel : NULL;
  options.deadline_ns = s->query.deadline_ns;
  return ENDED(libsched_sim_bin_pack(ASKED, groups, count, like, &options, &s->packing, &s->error));
}

libsched_rc lsgo_sim_remove(lsgo_sim* s, uint64_t node, const uint64_t* move, size_t count,
                            const uint64_t* hints, const uint64_t* order, size_t order_count,
                            const uint64_t* accept, size_t accept_words, bool keep,
                            bool as_autoscaler, uint64_t ghost, libsched_sim_hit* hits) {
  const libsched_sim_query query = query_of(s, order, order_count, accept, accept_words);
  libsched_sim_remove_options options = LIBSCHED_SIM_REMOVE_OPTIONS_INIT;
  options.keep = keep;
  options.as_autoscaler = as_autoscaler;
  options.ghost = ghost;
  options.hints = hints;
  return ENDED(
      libsched_sim_remove(ASKED, node, move, count, &query, &options, hits, &s->ended, &s->error));
}

libsched_rc lsgo_sim_explain(lsgo_sim* s, uint64_t pod, uint64_t node, libsched_text** out) {
  return ENDED(libsched_sim_explain_json(ASKED, pod, node, out, &s->error));
}
