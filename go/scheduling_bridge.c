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

libsched_rc lsgo_schedule(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                          const size_t *replicas, size_t count, const char *profile,
                          size_t profile_len, uint32_t ties, uint64_t seed, bool sampling,
                          bool stop_at_failure, bool no_claims) {
  lsgo_evaluator *const e = judges[0];
  libsched_schedule_options options = LIBSCHED_SCHEDULE_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.sampling = sampling;
  options.stop_at_failure = stop_at_failure;
  options.no_claims_from_templates = no_claims;
  options.other_profile = lsgo_str(profile, profile_len);
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  lsgo_told told = {e, replicas, 0, 0, false};
  libsched_evaluator **const list = asked(judges, judge_count);
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;
  const libsched_rc rc =
      ended(judges, judge_count, list,
            libsched_schedule(list, judge_count, (const libsched_pod *const *)pods, replicas, count,
                              &options, keep_placement, &told, &e->error));
  return told.no_memory ? LIBSCHED_ERR_NO_MEMORY : rc;
}

libsched_rc lsgo_count_capacity(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pods,
                                size_t count, const char *profile, size_t profile_len, size_t max,
                                uint32_t ties, uint64_t seed, bool no_claims,
                                libsched_capacity **out) {
  lsgo_evaluator *const e = judges[0];
  libsched_capacity_options options = LIBSCHED_CAPACITY_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.max = max;
  options.no_claims_from_templates = no_claims;
  options.other_profile = lsgo_str(profile, profile_len);
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  libsched_evaluator **const list = asked(judges, judge_count);
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;
  return ended(judges, judge_count, list,
               libsched_count_capacity(list, judge_count, (const libsched_pod *const *)pods, count,
                                       &options, out, &e->error));
}

libsched_rc lsgo_why_json(lsgo_evaluator **judges, size_t judge_count, libsched_pod **pod,
                          const char *profile, size_t profile_len, bool keep_nodes,
                          size_t max_nodes, size_t nearest, bool no_claims, libsched_text **out) {
  lsgo_evaluator *const e = judges[0];
  libsched_why_options options = LIBSCHED_WHY_OPTIONS_INIT;
  options.keep_nodes = keep_nodes;
  options.max_nodes = max_nodes;
  options.nearest = nearest;
  options.no_claims_from_templates = no_claims;
  options.other_profile = lsgo_str(profile, profile_len);
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  libsched_evaluator **const list = asked(judges, judge_count);
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;
  return ended(judges, judge_count, list,
               libsched_why_json(list, judge_count, pod[0], &options, out, &e->error));
}

libsched_rc lsgo_compare_place(libsched_comparison *comparison, bool after, lsgo_evaluator **judges,
                               size_t judge_count, libsched_pod **pods, size_t count,
                               const char *profile, size_t profile_len, bool all, uint32_t ties,
                               uint64_t seed, bool no_claims) {
  lsgo_evaluator *const e = judges[0];
  libsched_compare_options options = LIBSCHED_COMPARE_OPTIONS_INIT;
  options.all = all;
  options.no_claims_from_templates = no_claims;
  options.ties = ties;
  options.seed = seed;
  options.other_profile = lsgo_str(profile, profile_len);
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  libsched_evaluator **const list = asked(judges, judge_count);
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;
  return ended(judges, judge_count, list,
               libsched_comparison_place(comparison, after, list, judge_count,
                                         (const libsched_pod *const *)pods, count, &options,
                                         &e->error));
}

libsched_rc lsgo_drain_nodes(lsgo_evaluator **judges, size_t judge_count, const libsched_str *nodes,
                             size_t count, const char *profile, size_t profile_len, bool force,
                             bool delete_emptydir_data, uint32_t ties, uint64_t seed,
                             libsched_drain **out) {
  lsgo_evaluator *const e = judges[0];
  libsched_drain_options options = LIBSCHED_DRAIN_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.force = force;
  options.delete_emptydir_data = delete_emptydir_data;
  options.other_profile = lsgo_str(profile, profile_len);
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  libsched_evaluator **const list = asked(judges, judge_count);
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;
  return ended(judges, judge_count, list,
               libsched_drain_nodes(list, judge_count, nodes, count, &options, out, &e->error));
}

libsched_rc lsgo_schedule_one(lsgo_evaluator **judges, size_t judge_count, const libsched_pod *pod,
                              libsched_cycle_state *state, libsched_writer_queue *writer,
                              const char *profile, size_t profile_len, uint32_t ties, uint64_t seed,
                              bool sampling, bool node_by_node, libsched_scheduling **out) {
  lsgo_evaluator *const e = judges[0];
  libsched_scheduling_options options = LIBSCHED_SCHEDULING_OPTIONS_INIT;
  options.ties = ties;
  options.seed = seed;
  options.sampling = sampling;
  options.node_by_node = node_by_node;
  options.other_profile = lsgo_str(profile, profile_len);
  options.state = state;
  options.writer = writer;
  options.cancel = e->cancel;
  options.deadline_ns = e->deadline_ns;
  libsched_evaluator **const list = asked(judges, judge_count);
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;
  return ended(judges, judge_count, list,
               libsched_schedule_one(list, judge_count, pod, &options, out, &e->error));
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
