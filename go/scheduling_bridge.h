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
/* `judges` are evaluators of one cluster, at least one; the first has the services, and gets the error. */

/* Leaves the placements in the first evaluator until lsgo_forget_placements(). */
libsched_rc lsgo_schedule(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                          const size_t *replicas, size_t count,
                          const libsched_schedule_options *options);
void lsgo_forget_placements(lsgo_evaluator *e);

libsched_rc lsgo_count_capacity(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                                size_t count, const libsched_capacity_options *options,
                                libsched_capacity **out);
libsched_rc lsgo_why_json(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pod,
                          const libsched_why_options *options, libsched_text **out);
libsched_rc lsgo_compare_place(libsched_comparison *comparison, bool after, lsgo_evaluator **judges,
                               size_t judge_count, libsched_pod **pods, size_t count,
                               const libsched_compare_options *options);
libsched_rc lsgo_drain_nodes(lsgo_evaluator **judges, size_t judge_count, const libsched_str *nodes,
                             size_t count, const libsched_drain_options *options,
                             libsched_drain **out);
libsched_rc lsgo_schedule_one(lsgo_evaluator **judges, size_t judge_count, const libsched_pod *pod,
                              const libsched_scheduling_options *options,
                              libsched_scheduling **out);
/* `self`: the number of the Go evaluator that plugins find as their caller. */
libsched_rc lsgo_bind(libsched_scheduling *scheduling, uintptr_t self, libsched_error **error);
/* With the cluster and these services held alone. */
libsched_rc lsgo_apply(libsched_writer_queue *queue, libsched_cluster *cluster,
                       libsched_services **services, size_t count, size_t *applied,
                       size_t *dropped, libsched_error **error);

#endif
