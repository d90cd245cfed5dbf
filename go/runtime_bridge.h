/* The functions of services.h and runtime.h for Go, shaped as in bridge.h. */
#ifndef LIBSCHED_GO_RUNTIME_BRIDGE_H
#define LIBSCHED_GO_RUNTIME_BRIDGE_H

#include "bridge.h"

/* The extension points that take a pod and its node. */
enum {
  LSGO_AT_RESERVE,
  LSGO_AT_UNRESERVE, /* leaves Success */
  LSGO_AT_PERMIT,    /* sets e->waits and e->wait_count, at most LSGO_MOST_WAITS */
  LSGO_AT_PRE_BIND_PRE_FLIGHTS,
  LSGO_AT_PRE_BIND,
  LSGO_AT_BIND,
  LSGO_AT_POST_BIND, /* leaves Success */
  LSGO_AT_ADD_POD,   /* adds `other` to the node */
  LSGO_AT_REMOVE_POD
};
#define LSGO_MOST_WAITS 256
libsched_rc lsgo_run_at(lsgo_evaluator *e, int point, libsched_cycle_state *state,
                        const libsched_pod *pod, const libsched_pod *other, const char *node,
                        size_t node_len);
/* Sets e->nomination. */
libsched_rc lsgo_post_filter(lsgo_evaluator *e, libsched_cycle_state *state,
                             const libsched_pod *pod, const libsched_node_statuses *statuses);
libsched_rc lsgo_wait_on_permit(lsgo_evaluator *e, const libsched_pod *pod);
libsched_rc lsgo_sign_pod(lsgo_evaluator *e, const libsched_pod *pod, libsched_text **out);

/* A clock whose source is a runtime/cgo handle, which passes to the library. */
libsched_rc lsgo_clock_create(uintptr_t source, libsched_clock **out);
/* An API client in Go; its user data is a runtime/cgo handle. */
libsched_api_client lsgo_api_client(void);
/* `api` is a runtime/cgo handle, which passes to the library; 0: requests are only recorded. */
libsched_rc lsgo_services_create(bool random_preemption, uint64_t seed, uint64_t preemption_offset,
                                 libsched_clock *clock, uintptr_t api, libsched_services **out,
                                 libsched_error **error);
#endif
