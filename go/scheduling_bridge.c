/* See scheduling_bridge.h. */
#include "scheduling_bridge.h"

#include <stdlib.h>
#include <string.h>

typedef struct lsgo_told {
  lsgo_evaluator *e;
  const size_t *replicas;
  size_t pod, done; /* the current pod, and how many of its replicas have been reported */
  bool no_memory;
} lsgo_told;

static libsched_str copied(libsched_str s, lsgo_told *told) {
  if (s.len == 0) return lsgo_str("", 0);
  char *room = malloc(s.len);
  if (room == NULL) {
    told->no_memory = true;
    return lsgo_str("", 0);
  }
  memcpy(room, s.ptr, s.len);
  return lsgo_str(room, s.len);
}

static bool keep_placement(void *user_data, const libsched_placement *p) {
  lsgo_told *told = user_data;
  lsgo_evaluator *e = told->e;
  while (told->done >= (told->replicas == NULL ? 1 : told->replicas[told->pod])) {
    ++told->pod; /* stays within the list, because the current pod is in it */
    told->done = 0;
  }
  if (e->placement_count == e->placement_room) {
    const size_t room = e->placement_room == 0 ? 16 : 2 * e->placement_room;
    lsgo_placement *list = realloc(e->placements, room * sizeof *list);
    if (list == NULL) {
      told->no_memory = true;
      return false;
    }
    e->placements = list;
    e->placement_room = room;
  }
  const lsgo_placement placement = {told->pod,
                                    told->done,
                                    p->outcome,
                                    p->scored,
                                    p->score,
                                    p->feasible,
                                    p->count,
                                    copied(libsched_pod_namespace(p->pod), told),
                                    copied(libsched_pod_name(p->pod), told),
                                    copied(p->profile, told),
                                    copied(p->node_name, told),
                                    copied(p->text, told),
                                    copied(p->plugin, told)};
  e->placements[e->placement_count++] = placement;
  told->done += p->count;
  return !told->no_memory;
}

void lsgo_forget_placements(lsgo_evaluator *e) {
  for (size_t i = 0; i < e->placement_count; ++i) {
    const lsgo_placement *p = &e->placements[i];
    const libsched_str texts[] = {p->name_space, p->name, p->profile, p->node, p->text, p->plugin};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; ++k)
      if (texts[k].len != 0) free((char *)texts[k].ptr);
  }
  free(e->placements);
  e->placements = NULL;
  e->placement_count = e->placement_room = 0;
}

/* Enters the frames of all evaluators, the first one's innermost, and lists them for the library.
 */
static libsched_evaluator **asked(lsgo_evaluator **judges, size_t count) {
  libsched_evaluator **list = malloc(count * sizeof *list);
  if (list == NULL) return NULL;
  for (size_t i = count; i-- > 0;) list[i] = lsgo_asked(judges[i]);
  return list;
}
static libsched_rc ended(lsgo_evaluator **judges, size_t count, libsched_evaluator **list,
                         libsched_rc rc) {
  for (size_t i = 0; i < count; ++i) lsgo_ended(judges[i], rc);
  free(list);
  return rc;
}

/* Returns what `call` returns, which asks the evaluators in `list`. */
#define ASK(call)                                               \
  libsched_evaluator **const list = asked(judges, judge_count); \
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;              \
  return ended(judges, judge_count, list, call)

static libsched_rc schedule(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                            size_t count, const libsched_schedule_options *options,
                            lsgo_told *told) {
  ASK(libsched_schedule(list, judge_count, (const libsched_pod *const *)pods, told->replicas, count,
                        options, keep_placement, told, &told->e->error));
}
libsched_rc lsgo_schedule(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                          const size_t *replicas, size_t count,
                          const libsched_schedule_options *options) {
  lsgo_told told = {judges[0], replicas, 0, 0, false};
  const libsched_rc rc = schedule(judges, judge_count, pods, count, options, &told);
  return told.no_memory ? LIBSCHED_ERR_NO_MEMORY : rc;
}

libsched_rc lsgo_count_capacity(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                                size_t count, const libsched_capacity_options *options,
                                libsched_capacity **out) {
  ASK(libsched_count_capacity(list, judge_count, (const libsched_pod *const *)pods, count, options,
                              out, &judges[0]->error));
}

libsched_rc lsgo_why_json(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pod,
                          const libsched_why_options *options, libsched_text **out) {
  ASK(libsched_why_json(list, judge_count, pod[0], options, out, &judges[0]->error));
}

libsched_rc lsgo_compare_place(libsched_comparison *comparison, bool after, lsgo_evaluator **judges,
                               size_t judge_count, libsched_pod **pods, size_t count,
                               const libsched_compare_options *options) {
  ASK(libsched_comparison_place(comparison, after, list, judge_count,
                                (const libsched_pod *const *)pods, count, options,
                                &judges[0]->error));
}

libsched_rc lsgo_drain_nodes(lsgo_evaluator **judges, size_t judge_count, const libsched_str *nodes,
                             size_t count, const libsched_drain_options *options,
                             libsched_drain **out) {
  ASK(libsched_drain_nodes(list, judge_count, nodes, count, options, out, &judges[0]->error));
}

libsched_rc lsgo_schedule_one(lsgo_evaluator **judges, size_t judge_count, const libsched_pod *pod,
                              const libsched_scheduling_options *options,
                              libsched_scheduling **out) {
  ASK(libsched_schedule_one(list, judge_count, pod, options, out, &judges[0]->error));
}

libsched_rc lsgo_bind(libsched_scheduling *scheduling, uintptr_t self, libsched_error **error) {
  libsched_status *status = NULL;
  const libsched_rc made = libsched_status_create(&status, error);
  if (made != LIBSCHED_OK) return made;
  lsgo_evaluator nobody = {.self = self};
  nobody.frame.evaluator = &nobody;
  lsgo_enter(&nobody.frame);
  const libsched_rc rc = libsched_scheduling_bind(scheduling, status, error);
  lsgo_leave(&nobody.frame);
  libsched_status_unref(status);
  return rc;
}

libsched_rc lsgo_apply(libsched_writer_queue *queue, libsched_cluster *cluster,
                       libsched_services **services, size_t count, size_t *applied, size_t *dropped,
                       libsched_error **error) {
  lsgo_frame *const frames = calloc(count + 1, sizeof *frames);
  if (frames == NULL) return LIBSCHED_ERR_NO_MEMORY;
  for (size_t i = 0; i <= count; ++i) {
    frames[i].view = libsched_cluster_view(cluster);
    frames[i].services = i < count ? services[i] : NULL;
    frames[i].holds = i < count ? LSGO_HOLDS_ALONE : LSGO_HOLDS_NOT;
    lsgo_enter(&frames[i]);
  }
  const libsched_rc rc = libsched_writer_queue_apply(queue, cluster, applied, dropped, error);
  for (size_t i = count + 1; i-- > 0;) lsgo_leave(&frames[i]);
  free(frames);
  return rc;
}
