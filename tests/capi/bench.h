/* An evaluator of the default framework on a cluster of five nodes, with the objects that queries
   fill. */
#ifndef LIBSCHED_TESTS_CAPI_BENCH_H
#define LIBSCHED_TESTS_CAPI_BENCH_H

#include "fixture.h"

typedef struct bench {
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator* evaluator;
  libsched_cycle_state* state;
  libsched_prefilter_result* result;
  libsched_status* status;
} bench;

static inline bench setup(void) {
  bench b = {default_framework(), five_nodes(), NULL, NULL, NULL, NULL};
  CHECK_OK(libsched_evaluator_create(b.framework, b.cluster, NULL, &b.evaluator, err));
  CHECK_OK(libsched_cycle_state_create(&b.state, err));
  CHECK_OK(libsched_prefilter_result_create(&b.result, err));
  CHECK_OK(libsched_status_create(&b.status, err));
  return b;
}

static inline void teardown(bench* b) {
  libsched_framework_unref(b->framework);
  libsched_cluster_unref(b->cluster);
  libsched_evaluator_unref(b->evaluator);
  libsched_cycle_state_unref(b->state);
  libsched_prefilter_result_unref(b->result);
  libsched_status_unref(b->status);
}

#endif
