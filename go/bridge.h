/* What Go calls: the functions of libsched.h, shaped so that a query is one crossing.

   Strings come as pointer and length (a pointer into Go memory must not be stored in a struct that
   lies in Go memory), results are left in C memory that belongs to an evaluator. Nothing here
   decides anything. */
#ifndef LIBSCHED_GO_BRIDGE_H
#define LIBSCHED_GO_BRIDGE_H

#include <libsched.h>

/* Reasons of a status that come along with the call; further ones are fetched one by one. */
#define LSGO_REASONS 4

/* Calls of the library that run on this thread, innermost first: plugins in Go learn from it who
   asks them, and on which view. */
typedef struct lsgo_frame {
  const libsched_view *view;
  const libsched_services *services; /* those that the call holds, if any */
  int holds;                         /* LSGO_HOLDS_* */
  struct lsgo_evaluator *evaluator;  /* NULL: a change, not a query */
  struct lsgo_frame *outer;
} lsgo_frame;
void lsgo_enter(lsgo_frame *frame);
void lsgo_leave(lsgo_frame *frame);
/* Who asks the plugin that is called on this thread; NULL for threads of the library's own. */
const lsgo_frame *lsgo_asking(void);
/* Whether this thread is inside a call that holds this view. */
bool lsgo_inside(const libsched_view *view);
/* How calls of this thread hold these services. */
enum { LSGO_HOLDS_NOT = 0, LSGO_HOLDS_SHARED = 1, LSGO_HOLDS_ALONE = 2 };
int lsgo_holds(const libsched_services *services);

/* An evaluator with room for what its calls give back. One call at a time. */
typedef struct lsgo_evaluator {
  libsched_evaluator *evaluator;
  bool shared; /* another one owns `evaluator` */
  lsgo_frame frame;
  uintptr_t self; /* the evaluator of Go, a number in a table there */
  libsched_status *status;
  libsched_prefilter_result *result;
  libsched_cancel *cancel;      /* ends the running call */
  int64_t deadline_ns;          /* of the next call that has one; 0: none */
  libsched_score_table *scores; /* of lsgo_score; made when first needed */

  /* Results of the last call. The error and the decision pass to whoever takes them, the rest is
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
  size_t next_start; /* of the cycle after this one */
  struct lsgo_placement *placements; /* of lsgo_schedule; made when first needed */
  size_t placement_count, placement_room;
  libsched_nomination nomination;
  libsched_permit_wait *waits; /* of lsgo_run_permit; made when first needed */
  size_t wait_count;
  bool one_error; /* the first reason is the error, the others come beside it */
} lsgo_evaluator;

/* Around a call of the library that may ask plugins: lsgo_ended(e, libsched_x(lsgo_asked(e), ...));
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

/* Queries. A failure leaves its error in e->error. */
libsched_rc lsgo_pre_enqueue(lsgo_evaluator *e, const libsched_pod *pod);
libsched_rc lsgo_pre_filter(lsgo_evaluator *e, libsched_cycle_state *state,
                            const libsched_pod *pod);
libsched_rc lsgo_filter(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                        const char *node, size_t node_len);
libsched_rc lsgo_filter_at(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                           uint32_t row);
libsched_rc lsgo_filter_nodes(lsgo_evaluator *e, libsched_cycle_state *state,
                              const libsched_pod *pod, uint32_t limit, const uint64_t *accept,
                              size_t accept_words, size_t start, uint64_t *feasible, size_t words);
/* Leaves e->fit. */
libsched_rc lsgo_first_fit(lsgo_evaluator *e, const libsched_pod *pod, const uint64_t *accept,
                           size_t accept_words, size_t start);
/* Leaves e->decision. `state` may be NULL. */
libsched_rc lsgo_check_pod_fits(lsgo_evaluator *e, libsched_cycle_state *state,
                                const libsched_pod *pod, const char *node, size_t node_len,
                                bool judge_excluded, bool score);

libsched_rc lsgo_pre_score(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                           const uint64_t *feasible, size_t words);
/* Writes `totals` by row, or leaves e->scores if `totals` is NULL. */
libsched_rc lsgo_score(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                       const uint64_t *feasible, size_t words, int64_t *totals, size_t total_count);
/* Leaves e->outcome and e->next_start. */
libsched_rc lsgo_cycle(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                       uint32_t ties, uint64_t seed, bool sampling, size_t start);
/* What libsched_schedule() told of a pod; the texts are copies, which lsgo_forget_placements frees. */
typedef struct lsgo_placement {
  size_t pod, replica; /* the place among the pods, and which replica */
  uint32_t outcome;
  bool scored;
  int64_t score;
  size_t feasible, count;
  libsched_str name_space, name, node, text, plugin;
} lsgo_placement;
/* Leaves e->placements; all pods are judged by the evaluator's framework, whose profile is given.
   `replicas` may be NULL. */
libsched_rc lsgo_schedule(lsgo_evaluator *e, libsched_pod **pods, const size_t *replicas,
                          size_t count, const char *profile, size_t profile_len, uint32_t ties,
                          uint64_t seed, bool sampling, bool stop_at_failure);
void lsgo_forget_placements(lsgo_evaluator *e);
libsched_rc lsgo_assume(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_view *view,
                        const libsched_pod *pod, const char *node, size_t node_len);
libsched_rc lsgo_forget(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod);

/* Names of the scored nodes, as many as the table has rows. */
void lsgo_score_names(const libsched_view *view, const libsched_score_table *table,
                      libsched_str *out);
void lsgo_decision_score_names(const libsched_decision *decision, const libsched_score_table *table,
                               libsched_str *out);

libsched_rc lsgo_framework_create(const libsched_config *config, const char *profile,
                                  size_t profile_len, const char *gates, size_t gates_len,
                                  const char *semantics, size_t semantics_len,
                                  bool several_queue_sorts, const libsched_registry *registry,
                                  libsched_framework **out, libsched_error **error);

/* Everything of an error at once; borrowed from `error`. */
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

/* Names of the nodes of a bitmap, written to `out` in the order of their rows; the number written.
   Rows without a node are left out. */
size_t lsgo_view_names(const libsched_view *view, const uint64_t *rows, size_t words,
                       libsched_str *out, size_t capacity);

/* Names lie one after another in `names`; lengths[i] is the length of the i-th. */
libsched_rc lsgo_add_pods(libsched_cluster *cluster, libsched_pod **pods, const char *names,
                          const size_t *lengths, size_t count, libsched_error **error);

/* Values of Go in a cycle state: a box in C memory with a handle of runtime/cgo in it. */
libsched_rc lsgo_state_write(libsched_cycle_state *state, const char *key, size_t key_len,
                             uintptr_t handle, libsched_error **error);
uintptr_t lsgo_state_read(const libsched_cycle_state *state, const char *key, size_t key_len);
/* `panicked` gets the handle of what a Clone method panicked with, 0 if none did. */
libsched_rc lsgo_state_clone(const libsched_cycle_state *state, libsched_cycle_state **out,
                             uintptr_t *panicked, libsched_error **error);

static inline libsched_str lsgo_str(const char *ptr, size_t len) {
  libsched_str s = {ptr, len};
  return s;
}

#endif
