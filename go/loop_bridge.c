/* See loop_bridge.h. */
#include "loop_bridge.h"

#include <stdlib.h>

#include "_cgo_export.h"

/* ---- frames ---- */

lsgo_evaluator *lsgo_own_frame(const libsched_view *view, const libsched_services *services,
                               uintptr_t self) {
  lsgo_evaluator *e = calloc(1, sizeof *e);
  if (e == NULL) return NULL;
  e->shared = true;
  e->self = self;
  e->frame.view = view;
  e->frame.services = services;
  e->frame.evaluator = e;
  if (libsched_cancel_create(&e->cancel, NULL) != LIBSCHED_OK) {
    lsgo_evaluator_free(e);
    return NULL;
  }
  return e;
}

bool lsgo_inside_frame(const lsgo_frame *frame) {
  for (const lsgo_frame *at = lsgo_asking(); at != NULL; at = at->outer)
    if (at == frame) return true;
  return false;
}

const lsgo_frame *lsgo_enclosing_own_frame(const lsgo_frame *frame) {
  for (; frame != NULL; frame = frame->outer)
    if (frame->evaluator != NULL && frame->evaluator->evaluator == NULL) return frame;
  return NULL;
}

/* ---- queues ---- */

libsched_rc lsgo_queue_create(lsgo_evaluator **profiles, size_t count,
                              const libsched_queue_options *options, libsched_queue **out,
                              libsched_error **error) {
  libsched_evaluator **list = malloc(count * sizeof *list);
  if (list == NULL) return LIBSCHED_ERR_NO_MEMORY;
  for (size_t i = 0; i < count; ++i) list[i] = profiles[i]->evaluator;
  const libsched_rc rc = libsched_queue_create(list, count, options, out, error);
  free(list);
  return rc;
}

/* ---- schedulers ---- */

typedef struct lsgo_noticing {
  lsgo_frame frame;
  bool entered;
} lsgo_noticing;
static void begin_notice(const lsgo_observer *o, lsgo_noticing *n) {
  n->entered = !lsgo_inside_frame(&o->frame->frame);
  if (!n->entered) return;
  n->frame.view = o->frame->frame.view;
  n->frame.services = o->frame->frame.services;
  n->frame.holds = LSGO_HOLDS_ALONE; /* by the run, which waits */
  n->frame.evaluator = NULL;
  lsgo_enter(&n->frame);
}
static void end_notice(lsgo_noticing *n) {
  if (n->entered) lsgo_leave(&n->frame);
}
static void notice(const lsgo_observer *o, int what, const libsched_queued_pod *queued,
                   libsched_str node, const libsched_status *status) {
  lsgo_noticing n;
  begin_notice(o, &n);
  lsgoObserve(o->handle, o->frame->self, what, (libsched_queued_pod *)queued, node,
              (libsched_status *)status);
  end_notice(&n);
}
static void on_popped(void *o, const libsched_queued_pod *queued) {
  notice(o, LSGO_POPPED, queued, lsgo_str("", 0), NULL);
}
static void on_assumed(void *o, const libsched_queued_pod *queued, libsched_str node) {
  notice(o, LSGO_ASSUMED, queued, node, NULL);
}
static void on_bound(void *o, const libsched_queued_pod *queued, libsched_str node) {
  notice(o, LSGO_BOUND, queued, node, NULL);
}
static void on_failed(void *o, const libsched_queued_pod *queued, libsched_str node,
                      const libsched_status *status) {
  notice(o, LSGO_FAILED, queued, node, status);
}
static void on_log(void *data, const libsched_log_record *record) {
  const lsgo_observer *o = data;
  lsgo_noticing n;
  begin_notice(o, &n);
  lsgoLog(o->handle, o->frame->self, (libsched_log_record *)record);
  end_notice(&n);
}

libsched_rc lsgo_scheduler_create(const libsched_framework *const *profiles, size_t profile_count,
                                  libsched_cluster *cluster,
                                  const libsched_scheduler_options *options, uintptr_t api,
                                  lsgo_observer *observer, libsched_scheduler **out,
                                  libsched_error **error) {
  const libsched_api_client client = lsgo_api_client();
  libsched_scheduler_observer tells = LIBSCHED_SCHEDULER_OBSERVER_INIT;
  if (observer != NULL && observer->observes) {
    tells.popped = on_popped;
    tells.assumed = on_assumed;
    tells.bound = on_bound;
    tells.failed = on_failed;
  }
  if (observer != NULL && observer->logs) {
    tells.log = on_log;
    tells.verbosity = observer->verbosity;
  }
  libsched_scheduler_options whole = *options;
  if (api != 0) {
    whole.api = &client;
    whole.api_user_data = (void *)api;
  }
  if (observer != NULL) {
    whole.observer = &tells;
    whole.observer_user_data = observer;
  }
  return libsched_scheduler_create(profiles, profile_count, cluster, &whole, out, error);
}

/* ---- simulations ---- */

static bool tell(void *user_data, const libsched_progress *progress) {
  return lsgoProgress((uintptr_t)user_data, (libsched_progress *)progress);
}

libsched_rc lsgo_simulation_run(libsched_simulation *simulation, int64_t until_ns,
                                const libsched_cancel *cancel, uintptr_t progress,
                                libsched_error **error) {
  return libsched_simulation_run(simulation, until_ns, cancel, progress == 0 ? NULL : tell,
                                 (void *)progress, error);
}

static bool write_piece(void *user_data, libsched_str piece) {
  return lsgoWritePiece((uintptr_t)user_data, piece);
}

libsched_rc lsgo_table_write(const libsched_table *table, uint32_t format, uintptr_t writer,
                             libsched_error **error) {
  return libsched_table_write(table, format, write_piece, (void *)writer, error);
}
