/* The functions that Go calls: those of libsched.h, shaped so that a query crosses to C once.

   Strings are passed as pointer and length (a pointer into Go memory may be stored in a struct in Go
   memory only if it is pinned, which costs time), and results are left in C memory that belongs to an
   evaluator. Nothing here decides anything. */
#ifndef LIBSCHED_GO_BRIDGE_H
#define LIBSCHED_GO_BRIDGE_H

#include <libsched.h>

/* The number of reasons returned with the call; further reasons are fetched one by one. */
#define LSGO_REASONS 4

/* A call of the library that runs on this thread; frames are linked, innermost first. Plugins in Go
   learn from it which evaluator calls them, and on which view. */
typedef struct lsgo_frame {
  const libsched_view *view;
  const libsched_services *services; /* services that the call holds, or NULL */
  int holds;                         /* LSGO_HOLDS_* */
  struct lsgo_evaluator *evaluator;  /* NULL for a change */
  struct lsgo_frame *outer;
} lsgo_frame;
void lsgo_enter(lsgo_frame *frame);
void lsgo_leave(lsgo_frame *frame);
/* Returns the frame of the plugin call on this thread; NULL on the library's own threads. */
const lsgo_frame *lsgo_asking(void);
/* Tells whether this thread is inside a call that holds this view. */
bool lsgo_inside(const libsched_view *view);
/* Tells how calls of this thread hold these services. */
enum { LSGO_HOLDS_NOT = 0, LSGO_HOLDS_SHARED = 1, LSGO_HOLDS_ALONE = 2 };
int lsgo_holds(const libsched_services *services);

/* An evaluator with room for the results of its calls. It runs one call at a time. */
typedef struct lsgo_evaluator {
  libsched_evaluator *evaluator;
  bool shared; /* `evaluator` belongs to another lsgo_evaluator */
  lsgo_frame frame;
  uintptr_t self; /* the number of the Go evaluator in a Go table */
  libsched_status *status;
  libsched_prefilter_result *result;
  libsched_cancel *cancel;      /* ends the running call */
  int64_t deadline_ns;          /* of the next call with a deadline; 0: none */
  libsched_score_table *scores; /* of lsgo_score; made when first needed */

  /* Results of the last call. The reader takes over the error and the decision; the rest is
     borrowed from `status` and `result`. */
  libsched_error *error;
  libsched_decision *decision;
  libsched_code code;
  libsched_str plugin;
  size_t reason_count;
  libsched_str reasons[LSGO_REASONS];
  bool all_nodes;
  size_t node_count, plugin_count;
  size_t found;
  uint32_t first;
  libsched_fit fit; /* of lsgo_first_fit */
  libsched_cycle_outcome outcome;
  size_t next_start; /* for the next cycle */
  struct lsgo_placement *placements; /* of lsgo_schedule; made when first needed */
  size_t placement_count, placement_room;
  libsched_nomination nomination;
  libsched_permit_wait *waits; /* of lsgo_run_permit; made when first needed */
  size_t wait_count;
  bool one_error; /* the first reason is the error */
} lsgo_evaluator;

/* These wrap a call that may call plugins: lsgo_ended(e, libsched_x(lsgo_asked(e), ...));
   lsgo_with_status() around that leaves the status in `e`. */
libsched_evaluator *lsgo_asked(lsgo_evaluator *e);
libsched_rc lsgo_ended(lsgo_evaluator *e, libsched_rc rc);
libsched_rc lsgo_with_status(lsgo_evaluator *e, libsched_rc rc);

libsched_rc lsgo_evaluator_on_cluster(const libsched_framework *framework,
                                      libsched_cluster *cluster, lsgo_evaluator **out,
                                      libsched_error **error);
libsched_rc lsgo_evaluator_on_snapshot(const libsched_framework *framework,
                                       const libsched_snapshot *snapshot, lsgo_evaluator **out,
                                       libsched_error **error);
void lsgo_evaluator_free(lsgo_evaluator *e);

/* Queries. On failure they leave the error in e->error. */
libsched_rc lsgo_pre_enqueue(lsgo_evaluator *e, const libsched_pod *pod);
libsched_rc lsgo_pre_filter(lsgo_evaluator *e, libsched_cycle_state *state,
                            const libsched_pod *pod);
libsched_rc lsgo_filter(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                        const char *node, size_t node_len);
libsched_rc lsgo_filter_at(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                           uint32_t row, bool nominated);
libsched_rc lsgo_filter_nodes(lsgo_evaluator *e, libsched_cycle_state *state,
                              const libsched_pod *pod, uint32_t limit, const uint64_t *accept,
                              size_t accept_words, size_t start, uint64_t *feasible, size_t words);
/* Sets e->fit. */
libsched_rc lsgo_first_fit(lsgo_evaluator *e, const libsched_pod *pod, const uint64_t *accept,
                           size_t accept_words, size_t start);
/* Sets e->decision. `state` may be NULL. */
libsched_rc lsgo_check_pod_fits(lsgo_evaluator *e, libsched_cycle_state *state,
                                const libsched_pod *pod, const char *node, size_t node_len,
                                bool judge_excluded, bool score, bool facts);
/* Writes `count` decisions, unless it fails. */
libsched_rc lsgo_check_pods_fit(lsgo_evaluator *e, libsched_pod *const *pods, size_t count,
                                bool judge_excluded, bool score, bool facts,
                                uint32_t extender_calls, libsched_decision **decisions);

libsched_rc lsgo_pre_score(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                           const uint64_t *feasible, size_t words);
/* Writes `totals` by row, or sets e->scores if `totals` is NULL. */
libsched_rc lsgo_score(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                       const uint64_t *feasible, size_t words, int64_t *totals, size_t total_count);
/* Sets e->outcome and e->next_start. */
libsched_rc lsgo_cycle(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                       uint32_t ties, uint64_t seed, bool sampling, size_t start);
libsched_rc lsgo_assume(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_view *view,
                        const libsched_pod *pod, const char *node, size_t node_len);
libsched_rc lsgo_forget(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod);

/* Writes the names of the scored nodes, one for each row of the table. */
void lsgo_score_names(const libsched_view *view, const libsched_score_table *table,
                      libsched_str *out);
void lsgo_decision_score_names(const libsched_decision *decision, const libsched_score_table *table,
                               libsched_str *out);

/* With the extenders of the configuration. */
libsched_rc lsgo_framework_create(const libsched_config *config, libsched_str profile,
                                  const libsched_registry *registry,
                                  libsched_framework_options options, libsched_framework **out,
                                  libsched_error **error);

/* All parts of an error; borrowed from `error`. */
typedef struct lsgo_error_parts {
  libsched_rc code;
  libsched_str message, path, plugin;
} lsgo_error_parts;
void lsgo_error_get(const libsched_error *error, lsgo_error_parts *out);

/* One verdict of a decision; reasons beyond LSGO_REASONS are fetched one by one. */
typedef struct lsgo_verdict {
  libsched_str node, plugin;
  libsched_code code;
  size_t reason_count;
  libsched_str reasons[LSGO_REASONS];
} lsgo_verdict;
void lsgo_decision_get(const libsched_decision *decision, size_t index, lsgo_verdict *out);

/* Writes the names of the nodes of a bitmap to `out` in the order of their rows, without rows that
   have no node. Returns the number written. */
size_t lsgo_view_names(const libsched_view *view, const uint64_t *rows, size_t words,
                       libsched_str *out, size_t capacity);

/* Adds pods. `names` is the concatenation of all names; lengths[i] is the length of the i-th. */
libsched_rc lsgo_edit(libsched_cluster *cluster, const libsched_str *edits, size_t edit_count,
                      libsched_pod **pods, const libsched_str *kinds, const size_t *replicas,
                      size_t count, libsched_edited **out, libsched_error **error);
libsched_rc lsgo_add_pods(libsched_cluster *cluster, libsched_pod **pods, const char *names,
                          const size_t *lengths, size_t count, libsched_error **error);

/* Go values in a cycle state: each is a runtime/cgo handle in a box in C memory. */
libsched_rc lsgo_state_write(libsched_cycle_state *state, const char *key, size_t key_len,
                             uintptr_t handle, libsched_error **error);
uintptr_t lsgo_state_read(const libsched_cycle_state *state, const char *key, size_t key_len);
/* `panicked` receives the handle in *out that stands for a Clone method that panicked; 0 if none did. */
libsched_rc lsgo_state_clone(const libsched_cycle_state *state, libsched_cycle_state **out,
                             uintptr_t *panicked, libsched_error **error);

static inline libsched_str lsgo_str(const char *ptr, size_t len) {
  libsched_str s = {ptr, len};
  return s;
}

#endif
