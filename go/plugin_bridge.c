/* See plugin_bridge.h. */
#include "plugin_bridge.h"

#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

/* The cast removes const, which cgo does not have. */
#define ASKING ((lsgo_frame*)lsgo_asking())
#define STATE(state) ((libsched_cycle_state*)(state))
#define POD(pod) ((libsched_pod*)(pod))
#define INFO(info) ((libsched_node_info*)(info))
#define SET(set) ((libsched_node_set*)(set))
#define ROWS(set) ((uint32_t*)libsched_node_set_rows(set))

static libsched_code slot_create(void* user_data, libsched_str args, void** instance,
                                 libsched_status* status) {
  uintptr_t handle = 0;
  const libsched_code code =
      lsgoCreatePlugin((uintptr_t)user_data, (char*)args.ptr, args.len, &handle, status);
  *instance = (void*)handle;
  return code;
}

static void slot_release(void* user_data, void* instance) {
  (void)user_data;
  lsgoReleasePlugin((uintptr_t)instance);
}

static void slot_destroy(void* user_data) { lsgoDeleteValue((uintptr_t)user_data); }

static libsched_code slot_pre_filter(void* instance, libsched_cycle_state* state,
                                     const libsched_pod* pod, libsched_prefilter_result* result,
                                     libsched_status* status) {
  return lsgoPreFilter((uintptr_t)instance, ASKING, state, POD(pod), result, status);
}

static libsched_code slot_filter(void* instance, const libsched_cycle_state* state,
                                 const libsched_pod* pod, const libsched_node_info* info,
                                 libsched_status* status) {
  return lsgoFilter((uintptr_t)instance, ASKING, STATE(state), POD(pod), INFO(info), status);
}

static libsched_code slot_filter_batch(void* instance, const libsched_cycle_state* state,
                                       const libsched_pod* pod, const libsched_node_set* nodes,
                                       int8_t* codes, uint16_t* reason_indexes,
                                       libsched_status* status) {
  return lsgoFilterBatch((uintptr_t)instance, ASKING, STATE(state), POD(pod), SET(nodes),
                         ROWS(nodes), libsched_node_set_count(nodes), codes, reason_indexes,
                         status);
}

static libsched_code slot_pre_score(void* instance, libsched_cycle_state* state,
                                    const libsched_pod* pod, const libsched_node_set* nodes,
                                    libsched_status* status) {
  return lsgoPreScore((uintptr_t)instance, ASKING, state, POD(pod), SET(nodes), ROWS(nodes),
                      libsched_node_set_count(nodes), status);
}

static libsched_code slot_score(void* instance, const libsched_cycle_state* state,
                                const libsched_pod* pod, const libsched_node_info* info,
                                int64_t* score, libsched_status* status) {
  return lsgoScore((uintptr_t)instance, ASKING, STATE(state), POD(pod), INFO(info), score, status);
}

#define SCORES(slot, call)                                                                    \
  static libsched_code slot(void* instance, const libsched_cycle_state* state,                \
                            const libsched_pod* pod, const libsched_node_set* nodes,          \
                            int64_t* scores, libsched_status* status) {                       \
    return call((uintptr_t)instance, ASKING, STATE(state), POD(pod), SET(nodes), ROWS(nodes), \
                libsched_node_set_count(nodes), scores, status);                              \
  }
SCORES(slot_score_batch, lsgoScoreBatch)
SCORES(slot_normalize_score, lsgoNormalizeScore)

static libsched_code slot_reserve(void* instance, libsched_cycle_state* state,
                                  const libsched_pod* pod, uint32_t row, libsched_str node_name,
                                  libsched_status* status) {
  (void)row;
  return lsgoReserve((uintptr_t)instance, ASKING, state, POD(pod), (char*)node_name.ptr,
                     node_name.len, status);
}

static void slot_unreserve(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                           uint32_t row, libsched_str node_name) {
  (void)row;
  lsgoUnreserve((uintptr_t)instance, ASKING, state, POD(pod), (char*)node_name.ptr, node_name.len);
}

static bool slot_less(void* instance, const libsched_pod* a, int64_t a_since_ns,
                      const libsched_pod* b, int64_t b_since_ns) {
  return lsgoLess((uintptr_t)instance, ASKING, POD(a), a_since_ns, POD(b), b_since_ns);
}

static libsched_code slot_pre_enqueue(void* instance, const libsched_pod* pod,
                                      libsched_status* status) {
  return lsgoPreEnqueue((uintptr_t)instance, ASKING, POD(pod), status);
}

#define CHANGES(slot, added)                                                                      \
  static libsched_code slot(void* instance, libsched_cycle_state* state, const libsched_pod* pod, \
                            const libsched_pod* other, const libsched_node_info* info,            \
                            libsched_status* status) {                                            \
    return lsgoChangePod((uintptr_t)instance, ASKING, state, POD(pod), POD(other), INFO(info),    \
                         added, status);                                                          \
  }
CHANGES(slot_add_pod, true)
CHANGES(slot_remove_pod, false)

static libsched_code slot_post_filter(void* instance, libsched_cycle_state* state,
                                      const libsched_pod* pod,
                                      const libsched_node_statuses* statuses,
                                      libsched_nomination* nomination, libsched_status* status) {
  return lsgoPostFilter((uintptr_t)instance, ASKING, state, POD(pod),
                        (libsched_node_statuses*)statuses, nomination, status);
}

static libsched_code slot_permit(void* instance, libsched_cycle_state* state,
                                 const libsched_pod* pod, libsched_str node, int64_t* timeout_ns,
                                 libsched_status* status) {
  return lsgoPermit((uintptr_t)instance, ASKING, state, POD(pod), node, timeout_ns, status);
}

static libsched_code slot_pre_bind_pre_flight(void* instance, libsched_cycle_state* state,
                                              const libsched_pod* pod, libsched_str node,
                                              bool* allow_parallel, libsched_status* status) {
  return lsgoPreBindPreFlight((uintptr_t)instance, ASKING, state, POD(pod), node, allow_parallel,
                              status);
}

#define AT_NODE(slot, call)                                                                       \
  static libsched_code slot(void* instance, libsched_cycle_state* state, const libsched_pod* pod, \
                            libsched_str node, libsched_status* status) {                         \
    return call((uintptr_t)instance, ASKING, state, POD(pod), node, status);                      \
  }
AT_NODE(slot_pre_bind, lsgoPreBind)
AT_NODE(slot_bind, lsgoBind)

static void slot_post_bind(void* instance, libsched_cycle_state* state, const libsched_pod* pod,
                           libsched_str node) {
  lsgoPostBind((uintptr_t)instance, ASKING, state, POD(pod), node);
}

static libsched_code slot_sign(void* instance, const libsched_pod* pod,
                               libsched_signature* signature, libsched_status* status) {
  return lsgoSign((uintptr_t)instance, ASKING, POD(pod), signature, status);
}

static libsched_code slot_events_to_register(void* instance, libsched_events* events,
                                             libsched_status* status) {
  return lsgoEventsToRegister((uintptr_t)instance, ASKING, events, status);
}

static libsched_code slot_queueing_hint(void* instance, size_t index, const libsched_pod* pod,
                                        const libsched_object_change* change, bool* queue,
                                        libsched_status* status) {
  return lsgoQueueingHint((uintptr_t)instance, ASKING, index, POD(pod),
                          (libsched_object_change*)change, queue, status);
}

/* Changes of a cluster are no calls of an evaluator, so their frame is made here. */

static void slot_on_event(void* instance, libsched_services* services, const libsched_view* view,
                          const libsched_object_change* change) {
  lsgo_frame frame = {.view = view};
  lsgo_enter(&frame);
  lsgoOnEvent((uintptr_t)instance, &frame, services, (libsched_object_change*)change);
  lsgo_leave(&frame);
}

static void on_fork(void* instance, const libsched_view* view, int what) {
  lsgo_frame frame = {.view = view};
  lsgo_enter(&frame);
  lsgoFork((uintptr_t)instance, &frame, what);
  lsgo_leave(&frame);
}
static void slot_forked(void* instance, const libsched_view* view) {
  on_fork(instance, view, LSGO_FORKED);
}
static void slot_reverted(void* instance, const libsched_view* view) {
  on_fork(instance, view, LSGO_REVERTED);
}
static void slot_committed(void* instance, const libsched_view* view) {
  on_fork(instance, view, LSGO_COMMITTED);
}

libsched_str lsgo_keep(const char* text, size_t len) {
  static __thread char* kept;
  static __thread size_t room;
  if (len + 1 > room) {
    char* more = realloc(kept, len + 1);
    if (more == NULL) return lsgo_str(NULL, 0);
    kept = more;
    room = len + 1;
  }
  memcpy(kept, text, len);
  kept[len] = 0;
  return lsgo_str(kept, len);
}

static libsched_str slot_instance_name(void* instance) {
  libsched_str name = {0};
  lsgoInstanceName((uintptr_t)instance, &name);
  return name;
}

libsched_rc lsgo_registry_add(libsched_registry* registry, libsched_str name, uint32_t flags,
                              uint32_t slots, const libsched_str* reasons, size_t reason_count,
                              uintptr_t handle, libsched_error** error) {
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  p.name = name;
  p.flags = flags;
  p.reasons = reasons;
  p.reason_count = (uint32_t)reason_count;
  p.create = slot_create;
  p.release = slot_release;
  p.destroy = slot_destroy;
  if (slots & LSGO_PRE_FILTER) p.pre_filter = slot_pre_filter;
  if (slots & LSGO_FILTER) p.filter = slot_filter;
  if (slots & LSGO_FILTER_BATCH) p.filter_batch = slot_filter_batch;
  if (slots & LSGO_PRE_SCORE) p.pre_score = slot_pre_score;
  if (slots & LSGO_SCORE) p.score = slot_score;
  if (slots & LSGO_SCORE_BATCH) p.score_batch = slot_score_batch;
  if (slots & LSGO_NORMALIZE_SCORE) p.normalize_score = slot_normalize_score;
  if (slots & LSGO_RESERVE) {
    p.reserve = slot_reserve;
    p.unreserve = slot_unreserve;
  }
  if (slots & LSGO_QUEUE_SORT) p.less = slot_less;
  if (slots & LSGO_PRE_ENQUEUE) p.pre_enqueue = slot_pre_enqueue;
  if (slots & LSGO_ADD_REMOVE_POD) {
    p.add_pod = slot_add_pod;
    p.remove_pod = slot_remove_pod;
  }
  if (slots & LSGO_POST_FILTER) p.post_filter = slot_post_filter;
  if (slots & LSGO_PERMIT) p.permit = slot_permit;
  if (slots & LSGO_PRE_BIND) {
    p.pre_bind_pre_flight = slot_pre_bind_pre_flight;
    p.pre_bind = slot_pre_bind;
  }
  if (slots & LSGO_BIND) p.bind = slot_bind;
  if (slots & LSGO_POST_BIND) p.post_bind = slot_post_bind;
  if (slots & LSGO_SIGN) p.sign = slot_sign;
  if (slots & LSGO_EVENTS) {
    p.events_to_register = slot_events_to_register;
    p.queueing_hint = slot_queueing_hint;
  }
  if (slots & LSGO_ON_EVENT) p.on_event = slot_on_event;
  if (slots & LSGO_FORKS) {
    p.forked = slot_forked;
    p.reverted = slot_reverted;
    p.committed = slot_committed;
  }
  p.instance_name = slot_instance_name;
  return libsched_registry_add(registry, &p, (void*)handle, error);
}

void lsgo_node_set_names(const libsched_node_set* set, libsched_str* out) {
  const size_t count = libsched_node_set_count(set);
  for (size_t i = 0; i < count; ++i)
    out[i] = libsched_node_name(libsched_node_info_node(libsched_node_set_at(set, i)));
}

void lsgo_node_set_label(const libsched_node_set* set, const char* key, size_t key_len,
                         libsched_str* out) {
  const size_t count = libsched_node_set_count(set);
  for (size_t i = 0; i < count; ++i) {
    const libsched_node* node = libsched_node_info_node(libsched_node_set_at(set, i));
    if (!libsched_node_label(node, lsgo_str(key, key_len), &out[i])) out[i] = lsgo_str(NULL, 0);
  }
}

typedef int64_t amount(const libsched_node_info* info, libsched_str resource);
static void amounts(const libsched_node_set* set, amount* of, libsched_str resource, int64_t* out) {
  const size_t count = libsched_node_set_count(set);
  for (size_t i = 0; i < count; ++i) out[i] = of(libsched_node_set_at(set, i), resource);
}
void lsgo_node_set_allocatable(const libsched_node_set* set, const char* resource, size_t len,
                               int64_t* out) {
  amounts(set, libsched_node_info_allocatable, lsgo_str(resource, len), out);
}
void lsgo_node_set_requested(const libsched_node_set* set, const char* resource, size_t len,
                             int64_t* out) {
  amounts(set, libsched_node_info_requested, lsgo_str(resource, len), out);
}

lsgo_evaluator* lsgo_evaluator_share(const lsgo_frame* asking, libsched_evaluator* evaluator,
                                     const libsched_view* view) {
  lsgo_evaluator* e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->evaluator = evaluator;
  e->shared = true;
  e->frame.view = view;
  e->frame.services = asking->services;
  e->frame.evaluator = e;
  if (libsched_status_create(&e->status, NULL) != LIBSCHED_OK ||
      libsched_prefilter_result_create(&e->result, NULL) != LIBSCHED_OK ||
      libsched_cancel_create(&e->cancel, NULL) != LIBSCHED_OK) {
    lsgo_evaluator_free(e);
    return NULL;
  }
  return e;
}
