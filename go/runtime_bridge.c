/* See runtime_bridge.h. */
#include "runtime_bridge.h"

#include <stdlib.h>

#include "_cgo_export.h"

static libsched_rc permit(lsgo_evaluator *e, libsched_cycle_state *state, const libsched_pod *pod,
                          libsched_str node) {
  if (e->waits == NULL) e->waits = malloc(LSGO_MOST_WAITS * sizeof *e->waits);
  if (e->waits == NULL) return LIBSCHED_ERR_NO_MEMORY;
  e->wait_count = 0;
  const libsched_rc rc = lsgo_ended(
      e, libsched_run_permit_plugins(lsgo_asked(e), state, pod, node, e->waits, LSGO_MOST_WAITS,
                                     &e->wait_count, e->status, &e->error));
  return rc == LIBSCHED_OK && e->wait_count > LSGO_MOST_WAITS ? LIBSCHED_ERR_LIMIT : rc;
}

static libsched_rc run_at(lsgo_evaluator *e, int point, libsched_cycle_state *state,
                          const libsched_pod *pod, const libsched_pod *other, libsched_str node) {
  libsched_evaluator *const evaluator = e->evaluator;
  libsched_status *const status = e->status;
  switch (point) {
    case LSGO_AT_RESERVE:
      return libsched_run_reserve_plugins_reserve(evaluator, state, pod, node, status, &e->error);
    case LSGO_AT_UNRESERVE:
      return libsched_run_reserve_plugins_unreserve(evaluator, state, pod, node, &e->error);
    case LSGO_AT_PRE_BIND_PRE_FLIGHTS:
      return libsched_run_pre_bind_pre_flights(evaluator, state, pod, node, status, &e->error);
    case LSGO_AT_PRE_BIND:
      return libsched_run_pre_bind_plugins(evaluator, state, pod, node, status, &e->error);
    case LSGO_AT_BIND:
      return libsched_run_bind_plugins(evaluator, state, pod, node, status, &e->error);
    case LSGO_AT_POST_BIND:
      return libsched_run_post_bind_plugins(evaluator, state, pod, node, &e->error);
    case LSGO_AT_ADD_POD:
      return libsched_run_pre_filter_extension_add_pod(evaluator, state, pod, other, node, status,
                                                       &e->error);
    case LSGO_AT_REMOVE_POD:
      return libsched_run_pre_filter_extension_remove_pod(evaluator, state, pod, other, node,
                                                          status, &e->error);
    default: return LIBSCHED_ERR_INTERNAL;
  }
}

libsched_rc lsgo_run_at(lsgo_evaluator *e, int point, libsched_cycle_state *state,
                        const libsched_pod *pod, const libsched_pod *other, const char *node,
                        size_t node_len) {
  const libsched_str name = lsgo_str(node, node_len);
  libsched_status_set(e->status, LIBSCHED_CODE_SUCCESS);
  if (point == LSGO_AT_PERMIT) return lsgo_with_status(e, permit(e, state, pod, name));
  lsgo_asked(e);
  return lsgo_with_status(e, lsgo_ended(e, run_at(e, point, state, pod, other, name)));
}

libsched_rc lsgo_post_filter(lsgo_evaluator *e, libsched_cycle_state *state,
                             const libsched_pod *pod, const libsched_node_statuses *statuses) {
  const libsched_nomination none = LIBSCHED_NOMINATION_INIT;
  e->nomination = none;
  return lsgo_with_status(
      e, lsgo_ended(e, libsched_run_post_filter_plugins(lsgo_asked(e), state, pod, statuses,
                                                        &e->nomination, e->status, &e->error)));
}

libsched_rc lsgo_wait_on_permit(lsgo_evaluator *e, const libsched_pod *pod) {
  return lsgo_with_status(
      e, lsgo_ended(e, libsched_wait_on_permit(lsgo_asked(e), pod, e->status, &e->error)));
}

libsched_rc lsgo_sign_pod(lsgo_evaluator *e, const libsched_pod *pod, libsched_text **out) {
  return lsgo_ended(e, libsched_sign_pod(lsgo_asked(e), pod, out, &e->error));
}

/* ---- clocks ---- */

static int64_t clock_now(void *source) { return lsgoClockNow((uintptr_t)source); }
static int64_t clock_sleep(void *source, int64_t deadline_ns) {
  return lsgoClockSleep((uintptr_t)source, deadline_ns);
}
static void clock_destroy(void *source) { lsgoDeleteValue((uintptr_t)source); }

libsched_rc lsgo_clock_create(uintptr_t source, libsched_clock **out) {
  libsched_clock_functions functions = LIBSCHED_CLOCK_FUNCTIONS_INIT;
  functions.now = clock_now;
  functions.sleep = clock_sleep;
  functions.destroy = clock_destroy;
  return libsched_clock_create(&functions, (void *)source, out, NULL);
}

/* ---- services ---- */

#define ASKING ((lsgo_frame *)lsgo_asking())
#define POD(pod) ((libsched_pod *)(pod))

static libsched_code api_bind(void *api, const libsched_pod *pod, libsched_str node,
                              libsched_status *status) {
  return lsgoApiBind((uintptr_t)api, ASKING, POD(pod), node, status);
}
static libsched_code api_delete_pod(void *api, const libsched_pod *pod, libsched_status *status) {
  return lsgoApiDeletePod((uintptr_t)api, ASKING, POD(pod), status);
}
static libsched_code api_patch_pod_status(void *api, const libsched_pod *pod, libsched_str patch,
                                          libsched_status *status) {
  return lsgoApiPatchPodStatus((uintptr_t)api, ASKING, POD(pod), patch, status);
}
static libsched_code api_patch_object(void *api, libsched_str kind, libsched_str namespace_,
                                      libsched_str name, libsched_str patch,
                                      libsched_status *status) {
  return lsgoApiPatchObject((uintptr_t)api, ASKING, kind, namespace_, name, patch, status);
}
static libsched_code api_create_object(void *api, libsched_str kind, libsched_str namespace_,
                                       libsched_str object, libsched_objects **created,
                                       libsched_status *status) {
  return lsgoApiCreateObject((uintptr_t)api, ASKING, kind, namespace_, object, created, status);
}
static libsched_code api_delete_object(void *api, libsched_str kind, libsched_str namespace_,
                                       libsched_str name, libsched_status *status) {
  return lsgoApiDeleteObject((uintptr_t)api, ASKING, kind, namespace_, name, status);
}
static void api_event(void *api, const libsched_pod *pod, libsched_str type, libsched_str reason,
                      libsched_str action, libsched_str note) {
  lsgoApiEvent((uintptr_t)api, ASKING, POD(pod), type, reason, action, note);
}
static void api_destroy(void *api) { lsgoDeleteValue((uintptr_t)api); }

libsched_api_client lsgo_api_client(void) {
  libsched_api_client client = LIBSCHED_API_CLIENT_INIT;
  client.bind = api_bind;
  client.delete_pod = api_delete_pod;
  client.patch_pod_status = api_patch_pod_status;
  client.patch_object = api_patch_object;
  client.event = api_event;
  client.create_object = api_create_object;
  client.delete_object = api_delete_object;
  client.destroy = api_destroy;
  return client;
}

libsched_rc lsgo_services_create(bool random_preemption, uint64_t seed, uint64_t preemption_offset,
                                 libsched_clock *clock, uintptr_t api, libsched_services **out,
                                 libsched_error **error) {
  const libsched_api_client client = lsgo_api_client();
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  options.random_preemption = random_preemption;
  options.seed = seed;
  options.preemption_offset = preemption_offset;
  options.clock = clock;
  if (api != 0) {
    options.api = &client;
    options.api_user_data = (void *)api;
  }
  /* Deadlines use the machine's time unless the caller gave a clock for everything. If memory for
     that clock runs out, they use `clock`. */
  if (clock == NULL) libsched_clock_create_system(&options.deadline_clock, NULL);
  const libsched_rc rc = libsched_services_create(&options, out, error);
  libsched_clock_unref(options.deadline_clock);
  return rc;
}
