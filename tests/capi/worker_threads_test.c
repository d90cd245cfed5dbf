/* The library's own threads: preemption and PreBind on several threads give the same bytes as on
   one; plugins are notified of each thread once, and plugins on the caller's thread of none.
   This test also runs under ThreadSanitizer. */
#include <pthread.h>
#include <stdatomic.h>

#include "fixture.h"

enum { kNodes = 120, kPods = 4 };

/* A plugin's record of threads. */
typedef struct watcher {
  pthread_t caller;
  atomic_int attached, detached, elsewhere, unknown, clones, destroys;
  long plain; /* not atomic: the plugin's calls are serialised */
  bool serialised;
} watcher;
static _Thread_local int here; /* attached minus detached, of all plugins in this test */

static void w_attach(void* user_data) {
  watcher* w = user_data;
  ++here;
  ++w->attached;
}
static void w_detach(void* user_data) {
  watcher* w = user_data;
  --here;
  ++w->detached;
}
/* Records a call of a slot, by the caller or on an attached thread. */
static void seen(watcher* w) {
  if (w->serialised) ++w->plain;
  if (pthread_equal(w->caller, pthread_self())) return;
  ++w->elsewhere;
  if (here <= 0) ++w->unknown;
}

static watcher* cloned_by;
static void* w_clone(void* data) {
  ++cloned_by->clones;
  int* copy = malloc(sizeof *copy);
  *copy = *(int*)data;
  return copy;
}
static void w_destroy(void* data) {
  ++cloned_by->destroys;
  free(data);
}
static void write_value(watcher* w, libsched_cycle_state* state) {
  int* value = malloc(sizeof *value);
  *value = 0;
  cloned_by = w;
  libsched_cycle_state_write(state, text("pods"), value, w_clone, w_destroy, NULL);
}

static libsched_code w_pre_filter(void* i, libsched_cycle_state* state, const libsched_pod* pod,
                                  libsched_prefilter_result* result, libsched_status* status) {
  (void)pod, (void)result, (void)status;
  seen(i);
  write_value(i, state);
  return LIBSCHED_CODE_SUCCESS;
}
/* The value follows pods that come and go; Filter rejects a node that too many have left. */
static libsched_code w_add(void* i, libsched_cycle_state* state, const libsched_pod* pod,
                           const libsched_pod* other, const libsched_node_info* node,
                           libsched_status* status) {
  (void)pod, (void)other, (void)node, (void)status;
  seen(i);
  ++*(int*)libsched_cycle_state_read(state, text("pods"));
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code w_remove(void* i, libsched_cycle_state* state, const libsched_pod* pod,
                              const libsched_pod* other, const libsched_node_info* node,
                              libsched_status* status) {
  (void)pod, (void)other, (void)node, (void)status;
  seen(i);
  --*(int*)libsched_cycle_state_read(state, text("pods"));
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code w_filter(void* i, const libsched_cycle_state* state, const libsched_pod* pod,
                              const libsched_node_info* node, libsched_status* status) {
  (void)pod;
  seen(i);
  const int* left = libsched_cycle_state_read(state, text("pods"));
  const int free_pods = kPods - (int)libsched_node_info_pod_count(node);
  if (*left != 0 && *left != -free_pods) {
    libsched_status_add_reason(status, text("miscounted"));
    return LIBSCHED_CODE_ERROR;
  }
  if (libsched_node_info_row(node) % 7 != 0) return LIBSCHED_CODE_SUCCESS;
  libsched_status_add_reason(status, text("every seventh"));
  return LIBSCHED_CODE_UNSCHEDULABLE;
}

static libsched_plugin plugin_of(watcher* w, uint32_t flags) {
  libsched_plugin p = LIBSCHED_PLUGIN_INIT;
  *w = (watcher){.caller = pthread_self(), .serialised = (flags & LIBSCHED_PLUGIN_CONCURRENT) == 0};
  p.name = LIBSCHED_STR("Watcher");
  p.flags = flags;
  p.pre_filter = w_pre_filter;
  p.add_pod = w_add;
  p.remove_pod = w_remove;
  p.filter = w_filter;
  p.thread_attach = w_attach;
  p.thread_detach = w_detach;
  return p;
}

static libsched_framework* framework_with(const libsched_plugin* plugin, watcher* w) {
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  CHECK_OK(libsched_registry_add(registry, plugin, w, err));
  CHECK_OK(libsched_registry_enable(registry, plugin->name, 1, err));
  CHECK_OK(libsched_framework_create(NULL, text(""), registry, NULL, &framework, err));
  libsched_registry_unref(registry);
  return framework;
}

/* A cluster full of pods of several priorities, with affinities, spreading and a budget. */
static libsched_cluster* full_cluster(void) {
  libsched_cluster* cluster = NULL;
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  for (int i = 0; i < kNodes; ++i)
    add_node(cluster, node_of(format("n%03d", i), 4, i % 3 == 0 ? "a" : "b", ""));
  for (int i = 0; i < kNodes * kPods; ++i)
    add_pod(cluster,
            pod_of(format("low-%03d", i), 1000,
                   format(", \"priority\": %d%s", i % 5,
                          i % 11 != 0 ? ""
                                      : ", \"affinity\": {\"podAntiAffinity\": "
                                        "{\"requiredDuringSchedulingIgnoredDuringExecution\": "
                                        "[{\"topologyKey\": \"kubernetes.io/hostname\", "
                                        "\"labelSelector\": {\"matchLabels\": {\"app\": "
                                        "\"high\"}}}]}}")),
            format("n%03d", i / kPods));
  CHECK_OK(libsched_objects_parse(
      LIBSCHED_STR("apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, "
                   "namespace: default}\nspec: {selector: {matchLabels: {app: low-007}}}\nstatus: "
                   "{disruptionsAllowed: 0}\n"),
      NULL, &objects, err));
  CHECK_OK(libsched_cluster_apply(cluster, objects, err));
  libsched_objects_unref(objects);
  return cluster;
}

static libsched_pod* preemptor(void) {
  return pod_of("high", 2500,
                ", \"priority\": 9, \"topologySpreadConstraints\": [{\"maxSkew\": 1, "
                "\"topologyKey\": \"topology.kubernetes.io/zone\", \"whenUnsatisfiable\": "
                "\"DoNotSchedule\", \"labelSelector\": {\"matchLabels\": {\"app\": \"high\"}}}]");
}

/* The result and the requests of a preemption; the caller frees it. */
static char* preempted(const libsched_framework* framework, uint32_t threads, bool value) {
  libsched_cluster* cluster = full_cluster();
  libsched_pod* pod = preemptor();
  libsched_evaluator* evaluator = NULL;
  libsched_cycle_state* state = NULL;
  libsched_decision* decision = NULL;
  libsched_text *explained = NULL, *requests = NULL;
  libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_evaluator_set_parallelism(evaluator, threads, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  /* Nominated pods are counted as well. */
  libsched_nomination nomination = LIBSCHED_NOMINATION_INIT;
  nomination.mode = LIBSCHED_NOMINATION_OVERRIDE;
  nomination.node = text("n001");
  libsched_pod* nominated = pod_of("nominated", 1000, ", \"priority\": 9");
  CHECK_OK(libsched_services_nominate(libsched_evaluator_services(evaluator), nominated,
                                      &nomination, err));
  libsched_pod_unref(nominated);
  if (value) {
    int* mine = calloc(1, sizeof *mine);
    CHECK_OK(libsched_cycle_state_write(state, text("mine"), mine, w_clone, w_destroy, err));
  }
  options.post_filter = true;
  options.state = state;
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, &options, &decision, err));
  CHECK_OK(libsched_decision_explain_json(decision, &explained, err));
  CHECK_OK(libsched_memory_api_requests_json(
      libsched_services_memory_api(libsched_evaluator_services(evaluator)), &requests, err));
  const libsched_str a = libsched_text_get(explained), b = libsched_text_get(requests);
  char* all = malloc(a.len + b.len + 2);
  snprintf(all, a.len + b.len + 2, "%s\n%s", a.ptr, b.ptr);
  libsched_text_unref(explained);
  libsched_text_unref(requests);
  libsched_decision_unref(decision);
  libsched_cycle_state_unref(state);
  libsched_evaluator_unref(evaluator);
  libsched_pod_unref(pod);
  libsched_cluster_unref(cluster);
  return all;
}

static void test_preemption(uint32_t flags, bool value, bool threads_expected) {
  watcher w;
  const libsched_plugin plugin = plugin_of(&w, flags);
  libsched_framework* framework = framework_with(&plugin, &w);
  cloned_by = &w;
  char* alone = preempted(framework, 1, value);
  CHECK(strstr(alone, "\"nominatedNode\"") != NULL && strstr(alone, "\"victims\"") != NULL);
  CHECK(strstr(alone, "deletePod") == NULL); /* a query makes no requests */
  CHECK(strstr(alone, "every seventh") != NULL && strstr(alone, "miscounted") == NULL);
  CHECK(w.attached == 0 && w.elsewhere == 0);
  const uint32_t counts[] = {2, 3, 8};
  for (size_t i = 0; i < 3; ++i) {
    w.attached = w.detached = w.elsewhere = 0;
    char* beside = preempted(framework, counts[i], value);
    CHECK(strcmp(alone, beside) == 0);
    free(beside);
    CHECK(w.attached == (threads_expected ? (int)counts[i] - 1 : 0));
    CHECK(w.detached == w.attached && w.unknown == 0);
    if (!threads_expected) CHECK(w.elsewhere == 0);
  }
  free(alone);
  libsched_framework_unref(framework);
  CHECK(w.clones > 0 && w.destroys > w.clones);
}

/* Both PreBind plugins run at the same time; otherwise they would wait in vain. */
typedef struct meeting {
  watcher w;
  atomic_int* inside;
  int expected;
} meeting;
static libsched_code m_flight(void* i, libsched_cycle_state* state, const libsched_pod* pod,
                              libsched_str node, bool* parallel, libsched_status* status) {
  (void)i, (void)state, (void)pod, (void)node, (void)status;
  *parallel = true;
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code m_pre_bind(void* i, libsched_cycle_state* state, const libsched_pod* pod,
                                libsched_str node, libsched_status* status) {
  meeting* m = i;
  (void)state, (void)pod, (void)node, (void)status;
  seen(&m->w);
  ++*m->inside;
  while (*m->inside < m->expected) sched_yield();
  return LIBSCHED_CODE_SUCCESS;
}

static void test_pre_bind(uint32_t threads) {
  atomic_int inside = 0;
  meeting both[2];
  libsched_registry* registry = NULL;
  libsched_framework* framework = NULL;
  CHECK_OK(libsched_registry_create(&registry, err));
  for (int i = 0; i < 2; ++i) {
    libsched_plugin p = plugin_of(&both[i].w, LIBSCHED_PLUGIN_CONCURRENT);
    both[i].inside = &inside;
    both[i].expected = threads > 1 ? 2 : 1;
    p.name = i == 0 ? LIBSCHED_STR("First") : LIBSCHED_STR("Second");
    p.pre_filter = NULL;
    p.filter = NULL;
    p.add_pod = p.remove_pod = NULL;
    p.pre_bind_pre_flight = m_flight;
    p.pre_bind = m_pre_bind;
    CHECK_OK(libsched_registry_add(registry, &p, &both[i], err));
    CHECK_OK(libsched_registry_enable(registry, p.name, 1, err));
  }
  CHECK_OK(libsched_framework_create(NULL, text(""), registry, NULL, &framework, err));
  libsched_registry_unref(registry);
  libsched_cluster* cluster = five_nodes();
  libsched_evaluator* evaluator = NULL;
  libsched_cycle_state* state = NULL;
  libsched_status* status = NULL;
  libsched_pod* pod = pod_of("p", 100, "");
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_evaluator_set_parallelism(evaluator, threads, err));
  CHECK_OK(libsched_cycle_state_create(&state, err));
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_run_pre_filter_plugins(evaluator, state, pod, NULL, status, err));
  CHECK_OK(libsched_run_pre_bind_pre_flights(evaluator, state, pod, text("big"), status, err));
  CHECK_OK(libsched_run_pre_bind_plugins(evaluator, state, pod, text("big"), status, err));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_SUCCESS);
  for (int i = 0; i < 2; ++i) {
    CHECK(both[i].w.attached == (threads > 1 ? 1 : 0));
    CHECK(both[i].w.detached == both[i].w.attached && both[i].w.unknown == 0);
  }
  libsched_pod_unref(pod);
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
}

static void test_errors(void) {
  libsched_framework* framework = default_framework();
  libsched_cluster* cluster = five_nodes();
  libsched_evaluator* evaluator = NULL;
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "1 to 1024",
              libsched_evaluator_set_parallelism(evaluator, 0, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "1025",
              libsched_evaluator_set_parallelism(evaluator, 1025, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_evaluator_set_parallelism(NULL, 1, err));
  CHECK_OK(libsched_evaluator_set_parallelism(evaluator, 1024, err));
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
}

int main(void) {
  test_preemption(0, false, true);
  test_preemption(LIBSCHED_PLUGIN_CONCURRENT, false, true);
  test_preemption(LIBSCHED_PLUGIN_CALLER_THREAD, false, false);
  /* A caller's value is cloned only on the caller's thread. */
  test_preemption(LIBSCHED_PLUGIN_CONCURRENT, true, false);
  test_pre_bind(1);
  test_pre_bind(2);
  test_errors();
  return finish();
}
