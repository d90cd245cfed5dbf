/* The functions of queue.h, loop.h and simulation.h for Go, shaped as in bridge.h. */
#ifndef LIBSCHED_GO_LOOP_BRIDGE_H
#define LIBSCHED_GO_LOOP_BRIDGE_H

#include "runtime_bridge.h"

/* A frame for calls that no evaluator makes: `self` is the number of the Go evaluator that plugins find
   as their caller. NULL: out of memory. lsgo_evaluator_free() frees it. */
lsgo_evaluator *lsgo_own_frame(const libsched_view *view, const libsched_services *services,
                               uintptr_t self);
/* Tells whether this thread is inside a call with this frame. */
bool lsgo_inside_frame(const lsgo_frame *frame);
/* The innermost frame from `frame` outwards that lsgo_own_frame() made, or NULL. */
const lsgo_frame *lsgo_enclosing_own_frame(const lsgo_frame *frame);

libsched_rc lsgo_queue_create(lsgo_evaluator **profiles, size_t count,
                              const libsched_queue_options *options, libsched_queue **out,
                              libsched_error **error);
/* What lsgoObserve is called for. */
enum { LSGO_POPPED, LSGO_ASSUMED, LSGO_BOUND, LSGO_FAILED };
/* The observer of a scheduler; `handle` is a runtime/cgo handle. On a thread of the library's own the
   callbacks enter a frame with the view and the services of `frame`. */
typedef struct lsgo_observer {
  uintptr_t handle;
  lsgo_evaluator *frame;
  bool observes, logs; /* which callbacks there are */
  uint32_t verbosity;
} lsgo_observer;
/* `api` is a runtime/cgo handle, which passes to the library; 0: requests are only recorded. `observer`
   (may be NULL) lives as long as the scheduler. */
libsched_rc lsgo_scheduler_create(const libsched_framework *const *profiles, size_t profile_count,
                                  libsched_cluster *cluster,
                                  const libsched_scheduler_options *options, uintptr_t api,
                                  lsgo_observer *observer, libsched_scheduler **out,
                                  libsched_error **error);

/* `progress` is a runtime/cgo handle, or 0. */
libsched_rc lsgo_simulation_run(libsched_simulation *simulation, int64_t until_ns,
                                const libsched_cancel *cancel, uintptr_t progress,
                                libsched_error **error);
/* `writer` is a runtime/cgo handle. */
libsched_rc lsgo_table_write(const libsched_table *table, uint32_t format, uintptr_t writer,
                             libsched_error **error);

#endif
