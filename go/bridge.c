/* See bridge.h. */
#include "bridge.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

/* ---- the calling evaluator ---- */

static __thread lsgo_frame *innermost;

void lsgo_enter(lsgo_frame *frame) {
  frame->outer = innermost;
  innermost = frame;
}
void lsgo_leave(lsgo_frame *frame) { innermost = frame->outer; }
const lsgo_frame *lsgo_asking(void) { return innermost; }

bool lsgo_inside(const libsched_view *view) {
  for (const lsgo_frame *frame = innermost; frame != NULL; frame = frame->outer)
    if (frame->view == view) return true;
  return false;
}

int lsgo_holds(const libsched_services *services) {
  int most = LSGO_HOLDS_NOT;
  for (const lsgo_frame *frame = innermost; frame != NULL; frame = frame->outer)
    if (frame->services == services && frame->holds > most) most = frame->holds;
  return most;
}

/* Wraps a call of the library that may call plugins: lsgo_ended(e, libsched_x(lsgo_asked(e), ...)).
 */
libsched_evaluator *lsgo_asked(lsgo_evaluator *e) {
  lsgo_enter(&e->frame);
  return e->evaluator;
}
libsched_rc lsgo_ended(lsgo_evaluator *e, libsched_rc rc) {
  lsgo_leave(&e->frame);
  return rc;
}

/* ---- evaluators ---- */

static libsched_rc finish_evaluator(libsched_evaluator *evaluator, const libsched_view *view,
                                    lsgo_evaluator **out, libsched_error **error) {
  lsgo_evaluator *e = calloc(1, sizeof *e);
  if (e == NULL) {
    libsched_evaluator_unref(evaluator);
    return LIBSCHED_ERR_NO_MEMORY;
  }
  e->evaluator = evaluator;
  e->frame.view = view;
  e->frame.evaluator = e;
  libsched_rc rc = libsched_status_create(&e->status, error);
  if (rc == LIBSCHED_OK) rc = libsched_prefilter_result_create(&e->result, error);
  if (rc == LIBSCHED_OK) rc = libsched_cancel_create(&e->cancel, error);
  if (rc != LIBSCHED_OK) {
    lsgo_evaluator_free(e);
    return rc;
  }
  *out = e;
  return LIBSCHED_OK;
}

libsched_rc lsgo_evaluator_on_cluster(const libsched_framework *framework,
                                      libsched_cluster *cluster, lsgo_evaluator **out,
                                      libsched_error **error) {
  libsched_evaluator *evaluator = NULL;
  const libsched_rc rc = libsched_evaluator_create(framework, cluster, NULL, &evaluator, error);
  if (rc != LIBSCHED_OK) return rc;
  return finish_evaluator(evaluator, libsched_cluster_view(cluster), out, error);
}

libsched_rc lsgo_evaluator_on_snapshot(const libsched_framework *framework,
                                       const libsched_snapshot *snapshot, lsgo_evaluator **out,
                                       libsched_error **error) {
  libsched_evaluator *evaluator = NULL;
  libsched_evaluator_options options = LIBSCHED_EVALUATOR_OPTIONS_INIT;
  options.snapshot = snapshot;
  const libsched_rc rc = libsched_evaluator_create(framework, NULL, &options, &evaluator, error);
  if (rc != LIBSCHED_OK) return rc;
  return finish_evaluator(evaluator, libsched_snapshot_view(snapshot), out, error);
}

void lsgo_evaluator_free(lsgo_evaluator *e) {
  if (e == NULL) return;
  libsched_prefilter_result_unref(e->result);
  libsched_status_unref(e->status);
  libsched_score_table_unref(e->scores);
  libsched_cancel_unref(e->cancel);
  if (!e->shared) libsched_evaluator_unref(e->evaluator);
  free(e->waits);
  free(e);
}

/* Reads `status` after a call that returned OK. */
libsched_rc lsgo_with_status(lsgo_evaluator *e, libsched_rc rc) {
  if (rc != LIBSCHED_OK) return rc;
  e->code = libsched_status_code(e->status);
  e->reason_count = 0;
  if (e->code == LIBSCHED_CODE_SUCCESS) return rc;
  e->plugin = libsched_status_plugin(e->status);
  e->reason_count = libsched_status_reason_count(e->status);
  for (size_t i = 0; i < e->reason_count && i < LSGO_REASONS; ++i)
    e->reasons[i] = libsched_status_reason(e->status, i);
  libsched_str error;
  e->one_error = e->reason_count > 1 && libsched_status_as_error(e->status, &error) &&
                 error.len == e->reasons[0].len;
  return rc;
}

libsched_rc lsgo_pre_enqueue(lsgo_evaluator *e, const libsched_pod *pod) {
  return lsgo_with_status(
      e, lsgo_ended(e, libsched_run_pre_enqueue_plugins(lsgo_asked(e), pod, e->status, &e->error)));
}

libsched_rc lsgo_pre_filter(lsgo_evaluator *e, libsched_cycle_state *state,
                            const libsched_pod *pod) {
  const libsched_rc rc = lsgo_with_status(
      e, lsgo_ended(e, libsched_run_pre_filter_plugins(lsgo_asked(e), state, pod, e->result,
                                                       e->status, &e->error)));
  if (rc != LIBSCHED_OK) return rc;
  e->all_nodes = libsched_prefilter_result_all_nodes(e->result);
  e->node_count = libsched_prefilter_result_node_count(e->result);
  e->plugin_count = libsched_prefilter_result_plugin_count(e->result);
  return rc;
}

libsched_rc lsgo_filter(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                        const char *node, size_t node_len) {
  return lsgo_with_status(e, lsgo_ended(e, libsched_run_filter_plugins(
                                               lsgo_asked(e), state, pod, lsgo_str(node, node_len),
                                               NULL, e->status, &e->error)));
}

libsched_rc lsgo_filter_at(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                           uint32_t row, bool nominated) {
  libsched_run_filter_options options = LIBSCHED_RUN_FILTER_OPTIONS_INIT;
  options.row = row;
  options.by_row = true;
  options.nominated = nominated;
  return lsgo_with_status(
      e, lsgo_ended(e, libsched_run_filter_plugins(lsgo_asked(e), state, pod, lsgo_str(NULL, 0),
                                                   &options, e->status, &e->error)));
}

static libsched_filter_options filter_options(const lsgo_evaluator *e, const uint64_t *accept,
                                              size_t accept_words, size_t start) {
  libsched_filter_options options = LIBSCHED_FILTER_OPTIONS_INIT;
  options.accept = accept;
  options.accept_words = accept_words;
  options.start = start;
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  return options;
}

libsched_rc lsgo_filter_nodes(lsgo_evaluator *e, libsched_cycle_state *state,
                              const libsched_pod *pod, uint32_t limit, const uint64_t *accept,
                              size_t accept_words, size_t start, uint64_t *feasible, size_t words) {
  libsched_filter_options options = filter_options(e, accept, accept_words, start);
  options.limit = limit;
  return lsgo_ended(e, libsched_filter_nodes(lsgo_asked(e), state, pod, &options, feasible, words,
                                             &e->found, &e->first, &e->error));
}

libsched_rc lsgo_first_fit(lsgo_evaluator *e, const libsched_pod *pod, const uint64_t *accept,
                           size_t accept_words, size_t start) {
  const libsched_filter_options options = filter_options(e, accept, accept_words, start);
  const libsched_fit none = LIBSCHED_FIT_INIT;
  e->fit = none;
  return lsgo_with_status(e, lsgo_ended(e, libsched_first_fit(lsgo_asked(e), NULL, pod, &options,
                                                              &e->fit, e->status, &e->error)));
}

static libsched_check_options check_options(const lsgo_evaluator *e, bool judge_excluded,
                                            bool score, bool facts) {
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  options.facts = facts;
  options.judge_excluded = judge_excluded;
  options.score = score;
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  return options;
}

libsched_rc lsgo_check_pod_fits(lsgo_evaluator *e, libsched_cycle_state *state,
                                const libsched_pod *pod, const char *node, size_t node_len,
                                bool judge_excluded, bool score, bool facts) {
  libsched_check_options options = check_options(e, judge_excluded, score, facts);
  options.state = state;
  return lsgo_ended(e, libsched_check_pod_fits(lsgo_asked(e), pod, lsgo_str(node, node_len),
                                               &options, &e->decision, &e->error));
}

libsched_rc lsgo_check_pods_fit(lsgo_evaluator *e, libsched_pod *const *pods, size_t count,
                                bool judge_excluded, bool score, bool facts,
                                uint32_t extender_calls, libsched_decision **decisions) {
  libsched_check_options options = check_options(e, judge_excluded, score, facts);
  options.extender_calls = extender_calls;
  return lsgo_ended(e, libsched_check_pods_fit(lsgo_asked(e), (const libsched_pod *const *)pods,
                                               count, &options, decisions, &e->error));
}

libsched_rc lsgo_pre_score(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                           const uint64_t *feasible, size_t words) {
  return lsgo_with_status(
      e, lsgo_ended(e, libsched_run_pre_score_plugins(lsgo_asked(e), state, pod, feasible, words,
                                                      e->status, &e->error)));
}

libsched_rc lsgo_score(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                       const uint64_t *feasible, size_t words, int64_t *totals,
                       size_t total_count) {
  if (totals == NULL && e->scores == NULL) {
    const libsched_rc rc = libsched_score_table_create(&e->scores, &e->error);
    if (rc != LIBSCHED_OK) return rc;
  }
  return lsgo_with_status(
      e, lsgo_ended(e, libsched_run_score_plugins(
                           lsgo_asked(e), state, pod, feasible, words, totals, total_count,
                           totals == NULL ? e->scores : NULL, e->status, &e->error)));
}

libsched_rc lsgo_cycle(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                       uint32_t ties, uint64_t seed, bool sampling, size_t start) {
  libsched_cycle_options options = LIBSCHED_CYCLE_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.sampling = sampling;
  options.fit_error = true;
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  const libsched_cycle_outcome none = LIBSCHED_CYCLE_OUTCOME_INIT;
  e->outcome = none;
  libsched_evaluator_set_next_start(e->evaluator, start);
  const libsched_rc rc =
      lsgo_with_status(e, lsgo_ended(e, libsched_run_cycle(lsgo_asked(e), state, pod, &options,
                                                           &e->outcome, e->status, &e->error)));
  e->next_start = libsched_evaluator_next_start(e->evaluator);
  return rc;
}

libsched_rc lsgo_assume(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_view *view,
                        const libsched_pod *pod, const char *node, size_t node_len) {
  const uint32_t row = libsched_view_find_node(view, lsgo_str(node, node_len));
  return lsgo_with_status(e, lsgo_ended(e, libsched_evaluator_assume(lsgo_asked(e), state, pod, row,
                                                                     NULL, e->status, &e->error)));
}

libsched_rc lsgo_forget(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod) {
  return lsgo_ended(e, libsched_evaluator_forget(lsgo_asked(e), state, pod, &e->error));
}

void lsgo_score_names(const libsched_view *view, const libsched_score_table *table,
                      libsched_str *out) {
  const uint32_t *rows = libsched_score_table_rows(table);
  const size_t count = libsched_score_table_row_count(table);
  for (size_t i = 0; i < count; ++i) out[i] = libsched_node_name(libsched_view_node(view, rows[i]));
}

void lsgo_decision_score_names(const libsched_decision *decision, const libsched_score_table *table,
                               libsched_str *out) {
  const uint32_t *rows = libsched_score_table_rows(table);
  const size_t count = libsched_score_table_row_count(table);
  for (size_t i = 0; i < count; ++i) out[i] = libsched_decision_node(decision, rows[i]);
}

libsched_rc lsgo_framework_create(const libsched_config *config, libsched_str profile,
                                  const libsched_registry *registry,
                                  libsched_framework_options options, libsched_framework **out,
                                  libsched_error **error) {
  // The extenders of the configuration, which the framework keeps.
  const size_t count = libsched_config_extender_count(config);
  libsched_extender **extenders = count == 0 ? NULL : calloc(count, sizeof *extenders);
  libsched_rc rc = LIBSCHED_OK;
  if (count != 0 && extenders == NULL)
    rc = libsched_error_create(LIBSCHED_ERR_NO_MEMORY, LIBSCHED_STR("out of memory"),
                               LIBSCHED_STR(""), LIBSCHED_STR(""), error);
  for (size_t i = 0; i < count && rc == LIBSCHED_OK; ++i)
    rc = libsched_config_load_extender(config, i, &extenders[i], error);
  options.extenders = (const libsched_extender *const *)extenders;
  options.extender_count = count;
  if (rc == LIBSCHED_OK)
    rc = libsched_framework_create(config, profile, registry, &options, out, error);
  for (size_t i = 0; extenders != NULL && i < count; ++i) libsched_extender_unref(extenders[i]);
  free(extenders);
  return rc;
}

void lsgo_error_get(const libsched_error *error, lsgo_error_parts *out) {
  out->code = libsched_error_code(error);
  out->message = libsched_error_message(error);
  out->path = libsched_error_path(error);
  out->plugin = libsched_error_plugin(error);
}

void lsgo_decision_get(const libsched_decision *decision, size_t index, lsgo_verdict *out) {
  out->node = libsched_decision_node(decision, index);
  out->plugin = libsched_decision_plugin(decision, index);
  out->code = libsched_decision_code(decision, index);
  out->reason_count = libsched_decision_reason_count(decision, index);
  for (size_t i = 0; i < out->reason_count && i < LSGO_REASONS; ++i)
    out->reasons[i] = libsched_decision_reason(decision, index, i);
}

size_t lsgo_view_names(const libsched_view *view, const uint64_t *rows, size_t words,
                       libsched_str *out, size_t capacity) {
  size_t written = 0;
  for (size_t word = 0; word < words; ++word) {
    for (uint64_t bits = rows[word]; bits != 0 && written < capacity; bits &= bits - 1) {
      const uint32_t row = (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
      const libsched_node *node = libsched_view_node(view, row);
      if (node != NULL) out[written++] = libsched_node_name(node);
    }
  }
  return written;
}

libsched_rc lsgo_edit(libsched_cluster *cluster, const libsched_str *edits, size_t edit_count,
                      libsched_pod **pods, const libsched_str *kinds, const size_t *replicas,
                      size_t count, libsched_edited **out, libsched_error **error) {
  return libsched_cluster_edit(cluster, edits, edit_count, (const libsched_pod *const *)pods, kinds,
                               replicas, count, out, error);
}

libsched_rc lsgo_add_pods(libsched_cluster *cluster, libsched_pod **pods, const char *names,
                          const size_t *lengths, size_t count, libsched_error **error) {
  const libsched_pod *const *list = (const libsched_pod *const *)pods;
  if (lengths == NULL) return libsched_cluster_add_pods(cluster, list, NULL, count, error);
  libsched_str one;
  libsched_str *strs = count == 1 ? &one : malloc(count * sizeof *strs);
  if (strs == NULL) return LIBSCHED_ERR_NO_MEMORY;
  for (size_t i = 0; i < count; ++i) {
    strs[i] = lsgo_str(names, lengths[i]);
    names += lengths[i];
  }
  const libsched_rc rc = libsched_cluster_add_pods(cluster, list, strs, count, error);
  if (strs != &one) free(strs);
  return rc;
}

/* ---- values of Go in a cycle state ---- */

/* The copy that stands for the first Clone method that panicked during the clone that runs on this
   thread; the state that is made owns it. */
static __thread uintptr_t clone_panic;

static void *make_box(uintptr_t handle) {
  uintptr_t *box = malloc(sizeof *box);
  if (box == NULL) {
    lsgoDeleteValue(handle);
    return NULL;
  }
  *box = handle;
  return box;
}

static void destroy_box(void *data) {
  if (data == NULL) return;
  lsgoDeleteValue(*(uintptr_t *)data);
  free(data);
}

static void *clone_box(void *data) {
  bool panicked = false;
  const uintptr_t copy = lsgoCloneValue(*(uintptr_t *)data, &panicked);
  if (panicked && clone_panic == 0) clone_panic = copy;
  return make_box(copy);
}

libsched_rc lsgo_state_write(libsched_cycle_state *state, const char *key, size_t key_len,
                             uintptr_t handle, libsched_error **error) {
  void *box = make_box(handle);
  if (box == NULL) return LIBSCHED_ERR_NO_MEMORY;
  return libsched_cycle_state_write(state, lsgo_str(key, key_len), box, clone_box, destroy_box,
                                    error);
}

uintptr_t lsgo_state_read(const libsched_cycle_state *state, const char *key, size_t key_len) {
  const uintptr_t *box = libsched_cycle_state_read(state, lsgo_str(key, key_len));
  return box == NULL ? 0 : *box;
}

libsched_rc lsgo_state_clone(const libsched_cycle_state *state, libsched_cycle_state **out,
                             uintptr_t *panicked, libsched_error **error) {
  clone_panic = 0;
  const libsched_rc rc = libsched_cycle_state_clone(state, out, error);
  *panicked = rc == LIBSCHED_OK ? clone_panic : 0;
  return rc;
}
