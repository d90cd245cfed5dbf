/* fork(2) while other threads query one snapshot, call a plugin whose calls are serialised, use
   shared services and free handles: the child may use the parent's objects, and never hangs. */
#define _POSIX_C_SOURCE 200809L /* fork, nanosleep */

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"

enum { kThreads = 4, kNodes = 40, kPods = 400, kSelectors = 64, kForks = 150, kSeconds = 60 };

typedef struct world {
  libsched_framework* framework;
  libsched_snapshot* snapshot;
  libsched_services* services;
  libsched_cycle_state* state; /* for keyed values */
  libsched_pod* spread[kSelectors];
  libsched_pod* waits; /* waits on Permit while the test runs */
  libsched_evaluator* waits_on;
  atomic_bool stop;
  atomic_int wrong;
} world;

/* A pod that spreads over the pods of its own app. */
static libsched_pod* spread_pod(int app) {
  return pod_of(format("app-%d", app), 100,
                format(", \"topologySpreadConstraints\": [{\"maxSkew\": 1000, \"topologyKey\": "
                       "\"topology.kubernetes.io/zone\", \"whenUnsatisfiable\": \"DoNotSchedule\", "
                       "\"labelSelector\": {\"matchLabels\": {\"app\": \"app-%d\"}}}]",
                       app));
}

/* Reports whether `count` rows pass, for which the library counts pods by the pod's selector. */
static bool asks(libsched_evaluator* evaluator, const libsched_pod* pod) {
  libsched_cycle_state* state = NULL;
  libsched_status* status = NULL;
  uint64_t rows[1];
  size_t count = 0;
  const bool right =
      libsched_cycle_state_create(&state, NULL) == LIBSCHED_OK &&
      libsched_status_create(&status, NULL) == LIBSCHED_OK &&
      libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, NULL) == LIBSCHED_OK &&
      libsched_filter_nodes(evaluator, state, pod, NULL, rows, 1, &count, NULL, NULL) ==
          LIBSCHED_OK &&
      count == kNodes;
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  return right;
}

/* Everything that any thread may do with the shared objects. */
static bool uses_all(world* w, int round) {
  static int value;
  const libsched_permit_wait wait = {text("A"), 1000};
  const libsched_str key = text(round % 2 == 0 ? "even" : "odd");
  const libsched_pod* pod = w->spread[round % kSelectors];
  bool right = libsched_services_add_waiting_pod(w->services, pod, &wait, 1, NULL) == LIBSCHED_OK &&
               libsched_cycle_state_write(w->state, key, &value, NULL, NULL, NULL) == LIBSCHED_OK &&
               libsched_cycle_state_read(w->state, key) == &value;
  libsched_waiting_pod* waiting = waiting_of(w->services, text("uid-waits"));
  right = right && waiting != NULL;
  libsched_waiting_pod_allow(waiting, text("nobody"));
  libsched_waiting_pod_unref(waiting);
  /* Parsers share quantities with more digits than fit into 128 bits. */
  libsched_pod* big = NULL;
  right =
      right && libsched_pod_parse(text("{\"kind\": \"Pod\", \"metadata\": {\"name\": \"b\"}, "
                                       "\"spec\": {\"containers\": [{\"name\": \"c\", "
                                       "\"resources\": {\"requests\": {\"memory\": "
                                       "\"0.1234567890123456789012345678901234567890123\"}}}]}}"),
                                  NULL, &big, NULL) == LIBSCHED_OK;
  libsched_pod_unref(big);
  return right;
}

static void* work(void* argument) {
  world* w = argument;
  for (int round = 0; !atomic_load(&w->stop); ++round) {
    libsched_evaluator* evaluator = NULL;
    bool right = evaluate_snapshot(w->framework, w->snapshot, &evaluator, NULL) == LIBSCHED_OK;
    for (int i = 0; i < 8 && right; ++i)
      right = asks(evaluator, w->spread[(round * 8 + i) % kSelectors]) && uses_all(w, i);
    if (!right) atomic_fetch_add(&w->wrong, 1);
    libsched_evaluator_unref(evaluator);
  }
  return NULL;
}

static void* wait_on_permit(void* argument) {
  world* w = argument;
  libsched_status* status = NULL;
  const bool right = libsched_status_create(&status, NULL) == LIBSCHED_OK &&
                     libsched_wait_on_permit(w->waits_on, w->waits, status, NULL) == LIBSCHED_OK &&
                     libsched_status_code(status) == LIBSCHED_CODE_SUCCESS;
  if (!right) atomic_fetch_add(&w->wrong, 1);
  libsched_status_unref(status);
  return NULL;
}

/* The exit code of a child: 0 if all checks pass. */
static int child(world* w) {
  alarm(kSeconds); /* kills a child that hangs */
  libsched_evaluator* evaluator = NULL;
  if (evaluate_snapshot(w->framework, w->snapshot, &evaluator, NULL) != LIBSCHED_OK) return 2;
  for (int i = 0; i < kSelectors; i += 7)
    if (!asks(evaluator, w->spread[i])) return 3;
  if (!uses_all(w, 1)) return 4;
  libsched_waiting_pod* waiting = waiting_of(w->services, text("uid-waits"));
  libsched_waiting_pod_allow(waiting, text("A"));
  if (!libsched_waiting_pod_decided(waiting, NULL)) return 5;
  libsched_waiting_pod_unref(waiting);
  /* The child starts threads, and so does a child of its own. */
  pthread_t thread;
  w->stop = false;
  if (pthread_create(&thread, NULL, work, w) != 0) return 6;
  const pid_t grandchild = fork();
  if (grandchild == 0) _exit(asks(evaluator, w->spread[1]) && uses_all(w, 2) ? 0 : 7);
  int status = 0;
  if (waitpid(grandchild, &status, 0) != grandchild || status != 0) return 8;
  atomic_store(&w->stop, true);
  if (pthread_join(thread, NULL) != 0 || w->wrong != 0) return 9;
  libsched_evaluator_unref(evaluator);
  libsched_snapshot_unref(libsched_snapshot_ref(w->snapshot));
  return 0;
}

/* A new snapshot has no counts yet, so its first query takes longest. */
static libsched_snapshot* fresh_snapshot(libsched_cluster* cluster, int round) {
  libsched_snapshot* snapshot = NULL;
  libsched_pod* pod = pod_of(format("round-%d", round), 10, "");
  add_pod(cluster, pod, format("n%d", round % kNodes));
  CHECK_OK(libsched_cluster_snapshot(cluster, &snapshot, err));
  return snapshot;
}

static libsched_code slow_filter(void* instance, const libsched_cycle_state* state,
                                 const libsched_pod* pod, const libsched_node_info* node,
                                 libsched_status* status) {
  (void)state, (void)pod, (void)node, (void)status;
  ++*(long*)instance;
  return LIBSCHED_CODE_SUCCESS;
}

static libsched_framework* framework_with(long* calls) {
  libsched_plugin plugin = LIBSCHED_PLUGIN_INIT;
  plugin.name = LIBSCHED_STR("Slow");
  plugin.filter = slow_filter;
  libsched_registry* registry = NULL;
  libsched_config* config = NULL;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, &plugin, calls, err));
  CHECK_OK(libsched_config_parse(
      LIBSCHED_STR("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                   "profiles: [{plugins: {multiPoint: {enabled: [{name: Slow}]}}}]\n"),
      NULL, &config, err));
  CHECK_OK(libsched_framework_create(config, text(""), registry, NULL, &framework, err));
  libsched_config_unref(config);
  libsched_registry_unref(registry);
  return framework;
}

/* The allocator of AddressSanitizer does not survive a fork of a process with several threads. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(ASAN)
enum { kRounds = 0 };
#else
enum { kRounds = kForks / 10 };
#endif

int main(void) {
  long calls = 0;
  world w = {0};
  w.framework = framework_with(&calls);
  CHECK_OK(libsched_cycle_state_create(&w.state, err));
  libsched_clock* clock = NULL;
  CHECK_OK(libsched_clock_create_system(&clock, err));
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  options.clock = clock;
  CHECK_OK(libsched_services_create(&options, &w.services, err));
  libsched_clock_unref(clock);
  for (int i = 0; i < kSelectors; ++i) w.spread[i] = spread_pod(i);
  w.waits = pod_of("waits", 100, "");
  const libsched_permit_wait wait = {text("A"), INT64_MAX};
  CHECK_OK(libsched_services_add_waiting_pod(w.services, w.waits, &wait, 1, err));

  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  for (int i = 0; i < kNodes; ++i)
    add_node(cluster, node_of(format("n%d", i), 64, i % 2 == 0 ? "a" : "b", ""));
  for (int i = 0; i < kPods; ++i)
    add_pod(cluster, pod_of(format("pod-%d", i), 10, ""), format("n%d", i % kNodes));

  libsched_snapshot* snapshot = fresh_snapshot(cluster, kRounds);
  CHECK_OK(evaluate_snapshot(w.framework, snapshot, &w.waits_on, err));
  libsched_snapshot_unref(snapshot);
  CHECK_OK(libsched_evaluator_set_services(w.waits_on, w.services, err));
  pthread_t waiter;
  CHECK(pthread_create(&waiter, NULL, wait_on_permit, &w) == 0);
  int done = 0;
  for (int round = 0; round < kRounds; ++round) {
    w.snapshot = fresh_snapshot(cluster, round);
    atomic_store(&w.stop, false);
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) CHECK(pthread_create(&threads[i], NULL, work, &w) == 0);
    for (int i = 0; i < 10; ++i) {
      const struct timespec moment = {0, 100000 * (i + 1)};
      nanosleep(&moment, NULL);
      const pid_t pid = fork();
      if (pid == 0) _exit(child(&w));
      int status = 0;
      CHECK(waitpid(pid, &status, 0) == pid);
      if (status != 0)
        fprintf(stderr, "  the child ended with %d, signal %d\n", WEXITSTATUS(status),
                WTERMSIG(status));
      CHECK(status == 0);
      done += status == 0;
    }
    atomic_store(&w.stop, true);
    for (int i = 0; i < kThreads; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    libsched_snapshot_unref(w.snapshot);
  }
  CHECK(done == kRounds * 10);
  libsched_waiting_pod* waiting = waiting_of(w.services, text("uid-waits"));
  libsched_waiting_pod_allow(waiting, text("A"));
  libsched_waiting_pod_unref(waiting);
  CHECK(pthread_join(waiter, NULL) == 0);
  CHECK(w.wrong == 0);
  for (int i = 0; i < kSelectors; ++i) libsched_pod_unref(w.spread[i]);
  libsched_pod_unref(w.waits);
  libsched_evaluator_unref(w.waits_on);
  libsched_cluster_unref(cluster);
  libsched_cycle_state_unref(w.state);
  libsched_services_unref(w.services);
  libsched_framework_unref(w.framework);
  return finish();
}
