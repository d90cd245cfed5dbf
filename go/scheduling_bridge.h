/* The functions of scheduler.h for Go, shaped as in bridge.h. */
#ifndef LIBSCHED_GO_SCHEDULING_BRIDGE_H
#define LIBSCHED_GO_SCHEDULING_BRIDGE_H

#include "bridge.h"

/* The outcome of a pod of libsched_schedule(); lsgo_forget_placements frees the texts. */
typedef struct lsgo_placement {
  size_t pod, replica; /* indexes of the pod and of the replica */
  uint32_t outcome;
  bool scored;
  int64_t score;
  size_t feasible, count;
  libsched_str name_space, name, profile, node, text, plugin;
} lsgo_placement;
/* `judges` are evaluators of one cluster, at least one; the first has the services, the `cancel` and the
   deadline of the call, and gets its error. */

/* Leaves the placements in the first evaluator until lsgo_forget_placements(). */
libsched_rc lsgo_schedule(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                          const size_t *replicas, size_t count, const char *profile,
                          size_t profile_len, uint32_t ties, uint64_t seed, bool sampling,
                          bool stop_at_failure, bool no_claims);
void lsgo_forget_placements(lsgo_evaluator *e);

libsched_rc lsgo_count_capacity(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                                size_t count, const char *profile, size_t profile_len, size_t max,
                                uint32_t ties, uint64_t seed, bool no_claims,
                                libsched_capacity **out);

/* Of one pod. `max_nodes` and `nearest` 0: the defaults. */
libsched_rc lsgo_why_json(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pod,
                          const char *profile, size_t profile_len, bool keep_nodes,
                          size_t max_nodes, size_t nearest, bool no_claims, libsched_text **out);

libsched_rc lsgo_compare_place(libsched_comparison *comparison, bool after, lsgo_evaluator **judges,
                               size_t judge_count, libsched_pod **pods, size_t count,
                               const char *profile, size_t profile_len, bool all, uint32_t ties,
                               uint64_t seed, bool no_claims);
libsched_rc lsgo_drain_nodes(lsgo_evaluator **judges, size_t judge_count, const libsched_str *nodes,
                             size_t count, const char *profile, size_t profile_len, bool force,
                             bool delete_emptydir_data, uint32_t ties, uint64_t seed,
                             libsched_drain **out);

libsched_rc lsgo_schedule_one(lsgo_evaluator **judges, size_t judge_count, const libsched_pod *pod,
                              libsched_cycle_state *state, libsched_writer_queue *writer,
                              const char *profile, size_t profile_len, uint32_t ties, uint64_t seed,
                              bool sampling, bool node_by_node, libsched_scheduling **out);
/* `self`: the number of the Go evaluator that plugins find as their caller. */
libsched_rc lsgo_bind(libsched_scheduling *scheduling, uintptr_t self, libsched_error **error);
/* With the cluster and these services held alone. */
libsched_rc lsgo_apply(libsched_writer_queue *queue, libsched_cluster *cluster,
                       libsched_services **services, size_t count, size_t *applied,
                       size_t *dropped, libsched_error **error);

#endif
