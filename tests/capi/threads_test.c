/* Threads: many evaluators on one snapshot while its cluster changes, a plugin of their
   common framework whose calls are serialised, and references to shared objects taken and dropped
   concurrently. This test also runs under ThreadSanitizer. */
#include <pthread.h>

#include "fixture.h"

enum { kThreads = 4, kRounds = 200, kNodes = 130 };

/* Counts of `passed` and `failed` belong to the main thread: workers report here. */
typedef struct worker {
  const libsched_framework* framework;
  libsched_snapshot* snapshot;
  const libsched_pod* pod;
  libsched_cycle_state* shared_state; /* for keyed values */
  size_t expected;
  int wrong;
} worker;

static bool answers_right(worker* w, libsched_evaluator* evaluator, libsched_status* status) {
  libsched_cycle_state* state = NULL;
  libsched_decision* decision = NULL;
  uint64_t rows[4];
  size_t count = 0;
  bool right = libsched_cycle_state_create(&state, NULL) == LIBSCHED_OK &&
               libsched_run_pre_filter_plugins(evaluator, state, w->pod, NULL, status, NULL) ==
                   LIBSCHED_OK &&
               libsched_run_filter_plugins(evaluator, state, w->pod, LIBSCHED_STR("n001"), NULL,
                                           status, NULL) == LIBSCHED_OK &&
               libsched_filter_nodes(evaluator, state, w->pod, NULL, rows, 4, &count, NULL, NULL) ==
                   LIBSCHED_OK &&
               count == w->expected &&
               libsched_check_pod_fits(evaluator, w->pod, LIBSCHED_ANY_NODE, NULL, &decision,
                                       NULL) == LIBSCHED_OK &&
               libsched_decision_feasible_count(decision) == w->expected;
  libsched_decision_unref(decision);
  libsched_cycle_state_unref(state);
  return right;
}

static void* work(void* argument) {
  worker* w = argument;
  libsched_evaluator* evaluator = NULL;
  libsched_status* status = NULL;
  w->wrong += evaluate_snapshot(w->framework, w->snapshot, &evaluator, NULL) != LIBSCHED_OK;
  w->wrong += libsched_status_create(&status, NULL) != LIBSCHED_OK;
  static int value;
  for (int i = 0; i < kRounds && w->wrong == 0; ++i) {
    w->wrong += !answers_right(w, evaluator, status);
    /* Shared, immutable objects. */
    libsched_pod* pod = libsched_pod_ref(w->pod);
    libsched_pod* copy = NULL;
    w->wrong += libsched_pod_copy(pod, text("copy"), text("x"), text(""), text(""), &copy, NULL) !=
                LIBSCHED_OK;
    libsched_pod_unref(copy);
    libsched_pod_unref(pod);
    libsched_snapshot_unref(libsched_snapshot_ref(w->snapshot));
    const libsched_view* view = libsched_snapshot_view(w->snapshot);
    w->wrong += libsched_view_find_node(view, text("n001")) == LIBSCHED_NO_ROW;
    w->wrong += libsched_view_node_count(view) != kNodes;
    /* The keyed values of one state. */
    const libsched_str key = text(i % 2 == 0 ? "even" : "odd");
    w->wrong +=
        libsched_cycle_state_write(w->shared_state, key, &value, NULL, NULL, NULL) != LIBSCHED_OK;
    w->wrong += libsched_cycle_state_read(w->shared_state, key) != &value;
  }
  libsched_status_unref(status);
  libsched_evaluator_unref(evaluator);
  return NULL;
}

/* A plugin without LIBSCHED_PLUGIN_CONCURRENT may count without an atomic. */
static libsched_code counting_filter(void* instance, const libsched_cycle_state* state,
                                     const libsched_pod* pod, const libsched_node_info* node,
                                     libsched_status* status) {
  (void)state, (void)pod, (void)node, (void)status;
  ++*(long*)instance;
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_framework* framework_that_counts(long* calls) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = LIBSCHED_STR("Counting");
  plugin.filter = counting_filter;
  libsched_registry* registry = NULL;
  libsched_config* config = NULL;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, calls, err));
  CHECK_OK(libsched_config_parse(
      LIBSCHED_STR("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                   "profiles: [{plugins: {multiPoint: {enabled: [{name: Counting}]}}}]\n"),
      NULL, &config, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  libsched_config_unref(config);
  libsched_registry_unref(registry);
  return framework;
}

/* The actions of the cluster's only writer meanwhile. */
static void change(libsched_cluster* cluster, int round) {
  CHECK_OK(libsched_cluster_fork(cluster, err));
  add_pod(cluster, pod_of(format("extra-%d", round), 100, ""), "n001");
  CHECK_OK(libsched_cluster_remove_node(cluster, text("n002"), err));
  add_node(cluster, node_of(format("new-%d", round), 8, "z", ""));
  libsched_snapshot* snapshot = NULL;
  CHECK_OK(libsched_cluster_snapshot(cluster, &snapshot, err));
  CHECK(libsched_view_node_count(libsched_snapshot_view(snapshot)) == kNodes);
  libsched_snapshot_unref(snapshot);
  CHECK_OK(libsched_cluster_revert(cluster, err));
}

int main(void) {
  long calls = 0;
  libsched_framework* framework = framework_that_counts(&calls);
  libsched_cluster* cluster = NULL;
  libsched_snapshot* snapshot = NULL;
  libsched_cycle_state* state = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  for (int i = 0; i < kNodes; ++i)
    add_node(cluster, node_of(format("n%03d", i), i % 2 == 0 ? 1 : 8, "a", ""));
  CHECK_OK(libsched_cluster_snapshot(cluster, &snapshot, err));
  libsched_pod* pod = pod_of("p", 2000, "");

  pthread_t threads[kThreads];
  worker workers[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    workers[i] = (worker){framework, snapshot, pod, state, kNodes / 2, 0};
    CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0);
  }
  for (int round = 0; round < 50; ++round) change(cluster, round);
  for (int i = 0; i < kThreads; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(workers[i].wrong == 0);
  }
  /* Each round judges one node, then twice the nodes that earlier plugins accept. */
  CHECK(calls == (long)kThreads * kRounds * (1 + 2 * (kNodes / 2)));
  libsched_pod_unref(pod);
  libsched_snapshot_unref(snapshot);
  libsched_cluster_unref(cluster);
  libsched_cycle_state_unref(state);
  libsched_framework_unref(framework);
  return finish();
}
