/* Schedulers: delivered changes, runs on a virtual clock and on the machine's, API clients,
   observers, what plugins and clients must not do, and the end. */
#include <pthread.h>

#include "fixture.h"

static const int64_t kSecond = INT64_C(1000000000);

/* Guards what binding threads and the test share. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* An API client that tells the scheduler what it has bound, as a watch would. */
typedef struct server {
  libsched_scheduler* scheduler;
  libsched_cluster* cluster; /* NULL: requests come from threads that must not use it */
  const char* refusal;       /* of bindings; NULL: none */
  int bound, patched, events, destroyed;
  libsched_rc inside;                 /* of a run in a request */
  enum { kServe, kHold, kHeld } hold; /* kHold: the next request waits until that is taken back */
} server;

/* Callbacks may not change the cluster. */
static void try_to_change(libsched_cluster* cluster) {
  if (cluster != NULL) CHECK(libsched_cluster_fork(cluster, NULL) == LIBSCHED_ERR_MISUSE);
}

static libsched_code answer_bind(server* s, const libsched_pod* pod, libsched_str node,
                                 libsched_status* status) {
  try_to_change(s->cluster);
  if (s->refusal != NULL) {
    libsched_status_set_error(status, text(s->refusal));
    return LIBSCHED_CODE_ERROR;
  }
  libsched_pod* bound = NULL;
  const libsched_str same = {NULL, 0};
  CHECK_OK(libsched_pod_copy(pod, same, same, same, node, &bound, err));
  CHECK_OK(libsched_scheduler_deliver_pod(s->scheduler, pod, bound, err));
  libsched_pod_unref(bound);
  ++s->bound;
  return LIBSCHED_CODE_SUCCESS;
}
static libsched_code serve_bind(void* user_data, const libsched_pod* pod, libsched_str node,
                                libsched_status* status) {
  server* s = user_data;
  pthread_mutex_lock(&mutex);
  if (s->hold == kHold) {
    s->hold = kHeld;
    pthread_cond_broadcast(&changed);
    while (s->hold == kHeld) pthread_cond_wait(&changed, &mutex);
  }
  s->inside = libsched_scheduler_run_one(s->scheduler, NULL, NULL);
  const libsched_code code = answer_bind(s, pod, node, status);
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  return code;
}
static libsched_code serve_patch(void* user_data, const libsched_pod* pod, libsched_str patch,
                                 libsched_status* status) {
  (void)pod;
  (void)patch;
  (void)status;
  try_to_change(((server*)user_data)->cluster);
  ++((server*)user_data)->patched;
  return LIBSCHED_CODE_SUCCESS;
}
static void serve_event(void* user_data, const libsched_pod* pod, libsched_str type,
                        libsched_str reason, libsched_str action, libsched_str note) {
  (void)pod;
  (void)type;
  (void)reason;
  (void)action;
  (void)note;
  try_to_change(((server*)user_data)->cluster);
  ++((server*)user_data)->events;
}
static void serve_destroy(void* user_data) { ++((server*)user_data)->destroyed; }

/* What an observer was told. */
typedef struct told {
  char text[2000];
  libsched_scheduler* scheduler;
  libsched_cluster* cluster;
} told;
static void note(told* t, const char* what, const libsched_queued_pod* queued, libsched_str node,
                 libsched_str why) {
  libsched_queued_pod_info info = LIBSCHED_QUEUED_POD_INFO_INIT;
  CHECK_OK(libsched_queued_pod_get(queued, &info, err));
  const libsched_str name = libsched_pod_name(info.pod);
  const size_t at = strlen(t->text);
  snprintf(t->text + at, sizeof t->text - at, "%s %.*s %.*s%.*s;", what, (int)name.len, name.ptr,
           (int)node.len, node.ptr, (int)why.len, why.ptr);
  CHECK(libsched_scheduler_run_one(t->scheduler, NULL, NULL) == LIBSCHED_ERR_MISUSE);
  try_to_change(t->cluster);
}
static void on_popped(void* t, const libsched_queued_pod* queued) {
  note(t, "popped", queued, text(""), text(""));
}
static void on_assumed(void* t, const libsched_queued_pod* queued, libsched_str node) {
  note(t, "assumed", queued, node, text(""));
}
static void on_bound(void* t, const libsched_queued_pod* queued, libsched_str node) {
  note(t, "bound", queued, node, text(""));
}
static void on_failed(void* t, const libsched_queued_pod* queued, libsched_str node,
                      const libsched_status* status) {
  CHECK(libsched_status_code(status) != LIBSCHED_CODE_SUCCESS);
  note(t, "failed", queued, node, libsched_status_reason(status, 0));
}

typedef struct bench {
  server api;
  told told;
  libsched_clock* clock;
  libsched_cluster* cluster;
  libsched_framework* framework;
  libsched_scheduler* scheduler;
} bench;

static libsched_scheduler_options options_of(bench* b, libsched_api_client* client,
                                             libsched_scheduler_observer* observer) {
  const libsched_api_client calls = {sizeof(libsched_api_client),
                                     0,
                                     serve_bind,
                                     NULL,
                                     serve_patch,
                                     NULL,
                                     serve_event,
                                     serve_destroy,
                                     NULL,
                                     NULL};
  *client = calls;
  const libsched_scheduler_observer tells = {
      sizeof(libsched_scheduler_observer), 0, on_popped, on_assumed, on_bound, on_failed, NULL};
  *observer = tells;
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.clock = b->clock;
  options.api = client;
  options.api_user_data = &b->api;
  options.observer = observer;
  options.observer_user_data = &b->told;
  return options;
}

static void setup(bench* b, bool is_virtual, uint32_t threads) {
  memset(b, 0, sizeof *b);
  if (is_virtual) CHECK_OK(libsched_clock_create_virtual(1000 * kSecond, &b->clock, err));
  b->cluster = five_nodes();
  b->framework = default_framework();
  libsched_api_client client;
  libsched_scheduler_observer observer;
  libsched_scheduler_options options = options_of(b, &client, &observer);
  options.binding_threads = threads;
  const libsched_framework* profiles[] = {b->framework};
  CHECK_OK(libsched_scheduler_create(profiles, 1, b->cluster, &options, &b->scheduler, err));
  b->api.scheduler = b->told.scheduler = b->scheduler;
  b->told.cluster = b->cluster;
  if (threads == 0) b->api.cluster = b->cluster;
}
static void teardown(bench* b) {
  CHECK(b->api.destroyed == 0);
  libsched_scheduler_unref(b->scheduler);
  libsched_framework_unref(b->framework);
  libsched_cluster_unref(b->cluster);
  libsched_clock_unref(b->clock);
  CHECK(b->api.destroyed == 1);
}
static void deliver(bench* b, const char* name, int milli_cpu) {
  libsched_pod* pod = pod_of(name, milli_cpu, ", \"schedulerName\": \"default-scheduler\"");
  CHECK_OK(libsched_scheduler_deliver_pod(b->scheduler, NULL, pod, err));
  libsched_pod_unref(pod);
}
static bool is_on(const bench* b, const char* name, const char* node) {
  const libsched_view* view = libsched_cluster_view(b->cluster);
  uint32_t row = LIBSCHED_NO_ROW;
  const libsched_pod* pod = libsched_view_find_pod(view, text("default"), text(name), &row);
  return pod != NULL && str_is(libsched_node_name(libsched_view_node(view, row)), node);
}

static void test_a_pod_is_bound(void) {
  bench b;
  setup(&b, true, 0);
  CHECK_OK(libsched_scheduler_start(b.scheduler, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "", libsched_scheduler_start(b.scheduler, err));
  deliver(&b, "web", 2000);
  bool acted = false;
  CHECK_OK(libsched_scheduler_run_one(b.scheduler, &acted, err));
  CHECK(acted);
  CHECK_OK(libsched_scheduler_settle(b.scheduler, false, 0, err));
  CHECK(b.api.bound == 1 && b.api.inside == LIBSCHED_ERR_MISUSE);
  CHECK(is_on(&b, "web", "big"));
  CHECK_STR(text(b.told.text), "popped web ;assumed web big;bound web big;");
  CHECK_OK(libsched_scheduler_run_one(b.scheduler, &acted, err));
  CHECK(!acted);

  /* A pod that fits nowhere waits for an event, a new node. */
  deliver(&b, "huge", 20000);
  CHECK_OK(libsched_scheduler_settle(b.scheduler, false, 0, err));
  CHECK(strstr(b.told.text, "failed huge ") != NULL && b.api.patched == 1 && b.api.events == 2);
  libsched_queue_counts counts = LIBSCHED_QUEUE_COUNTS_INIT;
  CHECK_OK(libsched_queue_get(libsched_scheduler_queue(b.scheduler), &counts, err));
  CHECK(counts.unschedulable == 1 && counts.active == 0 && counts.scheduling_cycle == 2);
  libsched_node* node = node_of("huge-node", 64, "a", "");
  CHECK_OK(libsched_scheduler_deliver_node(b.scheduler, NULL, node, err));
  libsched_scheduler_state state = LIBSCHED_SCHEDULER_STATE_INIT;
  CHECK_OK(libsched_scheduler_get(b.scheduler, &state, err));
  CHECK(!state.in_cycle && state.bindings == 0 && state.now_ns > 1000 * kSecond);
  CHECK(state.now_ns == libsched_clock_now(b.clock));
  int64_t due = 0;
  CHECK(libsched_scheduler_next_due(b.scheduler, &due) && due > state.now_ns);
  CHECK(libsched_scheduler_next_due(b.scheduler, NULL));
  CHECK_OK(libsched_scheduler_run_until(b.scheduler, 1100 * kSecond, NULL, err));
  CHECK(is_on(&b, "huge", "huge-node"));
  CHECK(libsched_clock_now(b.clock) >= 1100 * kSecond);

  /* Deleted, by documents of any kind. */
  libsched_objects* old = NULL;
  CHECK_OK(libsched_objects_parse(text("{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":"
                                       "{\"name\":\"huge-node\"}}"),
                                  NULL, &old, err));
  CHECK_OK(libsched_scheduler_deliver_object(b.scheduler, old, NULL, err));
  CHECK_OK(libsched_scheduler_settle(b.scheduler, false, 0, err));
  CHECK(libsched_view_find_node(libsched_cluster_view(b.cluster), text("huge-node")) ==
        LIBSCHED_NO_ROW);
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "neither",
              libsched_scheduler_deliver_object(b.scheduler, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "neither",
              libsched_scheduler_deliver_pod(b.scheduler, NULL, NULL, err));
  libsched_node* other = node_of("other", 1, "a", "");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "different names",
              libsched_scheduler_deliver_node(b.scheduler, node, other, err));
  libsched_node_unref(other);
  libsched_node_unref(node);
  libsched_objects_unref(old);

  libsched_text* metrics = NULL;
  CHECK_OK(libsched_scheduler_metrics_text(b.scheduler, &metrics, err));
  CHECK(strstr(libsched_text_get(metrics).ptr,
               "scheduler_schedule_attempts_total{profile=\"default-scheduler\","
               "result=\"scheduled\"} 2") != NULL);
  libsched_text_unref(metrics);
  CHECK_OK(libsched_scheduler_stop(b.scheduler, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "", libsched_scheduler_stop(b.scheduler, err));
  deliver(&b, "late", 1);
  CHECK_OK(libsched_queue_get(libsched_scheduler_queue(b.scheduler), &counts, err));
  CHECK(counts.closed);
  teardown(&b);
}

static void test_objects_of_a_change(void) {
  bench b;
  setup(&b, true, 0);
  const char* documents[] = {
      "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[]}",
      "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"x\"}}",
      "{\"kind\":\"StorageClass\",\"apiVersion\":\"storage.k8s.io/v1\",\"provisioner\":\"p\","
      "\"metadata\":{\"name\":\"x\"}}"};
  libsched_objects* objects[3];
  for (int i = 0; i < 3; ++i)
    CHECK_OK(libsched_objects_parse(text(documents[i]), NULL, &objects[i], err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "`after` has 0 objects",
              libsched_scheduler_deliver_object(b.scheduler, NULL, objects[0], err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "`before` has 0 objects",
              libsched_scheduler_deliver_object(b.scheduler, objects[0], objects[1], err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "different kinds",
              libsched_scheduler_deliver_object(b.scheduler, objects[1], objects[2], err));
  CHECK_OK(libsched_scheduler_deliver_object(b.scheduler, NULL, objects[2], err));
  CHECK_OK(libsched_scheduler_deliver_object(b.scheduler, objects[2], objects[2], err));
  CHECK_OK(libsched_scheduler_settle(b.scheduler, true, 0, err));
  CHECK_OK(
      libsched_cluster_remove_object(b.cluster, text("StorageClass"), text(""), text("x"), err));
  for (int i = 0; i < 3; ++i) libsched_objects_unref(objects[i]);
  teardown(&b);
}

/* Bindings that the server refuses are tried again after their backoff. */
static void test_refusals_and_limits(void) {
  bench b;
  setup(&b, true, 0);
  CHECK_OK(libsched_scheduler_start(b.scheduler, err));
  b.api.refusal = "the server is away";
  deliver(&b, "web", 100);
  deliver(&b, "db", 100);
  CHECK_OK(libsched_scheduler_settle(b.scheduler, true, 0, err)); /* no cycles */
  CHECK(b.told.text[0] == '\0');
  CHECK_FAILS(LIBSCHED_ERR_LIMIT, "", "there is more to do after 1 actions",
              libsched_scheduler_settle(b.scheduler, false, 1, err));
  CHECK_OK(libsched_scheduler_settle(b.scheduler, false, 0, err));
  CHECK(strstr(b.told.text, "the server is away") != NULL && b.api.bound == 0);
  b.api.refusal = NULL;
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  CHECK_OK(libsched_scheduler_run_until(b.scheduler, 1010 * kSecond, cancel, err));
  CHECK(b.api.bound == 2 && libsched_clock_now(b.clock) >= 1010 * kSecond);
  libsched_cancel_set(cancel);
  CHECK_FAILS(LIBSCHED_ERR_CANCELLED, "", "",
              libsched_scheduler_run_until(b.scheduler, 2000 * kSecond, cancel, err));
  CHECK(libsched_clock_now(b.clock) < 1011 * kSecond);
  libsched_cancel_unref(cancel);
  teardown(&b);
}

/* Sets the flag of a running call. */
static void* set_soon(void* cancel) {
  libsched_cancel_set(cancel);
  return NULL;
}

static int bound_of(bench* b) {
  pthread_mutex_lock(&mutex);
  const int bound = b->api.bound;
  pthread_mutex_unlock(&mutex);
  return bound;
}

static void test_the_machines_clock(void) {
  for (uint32_t threads = 0; threads <= 2; threads += 2) {
    bench b;
    setup(&b, false, threads);
    libsched_services* services = libsched_scheduler_services(b.scheduler);
    libsched_clock* clock = libsched_services_clock(services);
    CHECK(libsched_services_memory_api(services) == NULL);
    for (int i = 0; i < 20; ++i) deliver(&b, format("web-%d", i), 100);
    for (int i = 0; i < 500 && bound_of(&b) < 20; ++i)
      CHECK_OK(libsched_scheduler_run_until(b.scheduler, libsched_clock_now(clock) + kSecond / 100,
                                            NULL, err));
    CHECK(bound_of(&b) == 20);
    libsched_cancel* cancel = NULL;
    CHECK_OK(libsched_cancel_create(&cancel, err));
    pthread_t other;
    CHECK(pthread_create(&other, NULL, set_soon, cancel) == 0);
    CHECK_FAILS(LIBSCHED_ERR_CANCELLED, "", "",
                libsched_scheduler_run_until(b.scheduler, INT64_MAX, cancel, err));
    pthread_join(other, NULL);
    libsched_cancel_unref(cancel);
    CHECK_OK(libsched_scheduler_stop(b.scheduler, err));
    teardown(&b);
  }
}

static bool is_held(bench* b) {
  pthread_mutex_lock(&mutex);
  const bool held = b->api.hold == kHeld;
  pthread_mutex_unlock(&mutex);
  return held;
}

/* A binding thread must not run its scheduler, also not between two runs. */
static void test_a_run_between_runs(void) {
  bench b;
  setup(&b, false, 2);
  b.api.hold = kHold;
  b.api.inside = LIBSCHED_OK;
  deliver(&b, "web", 100);
  libsched_clock* clock = libsched_services_clock(libsched_scheduler_services(b.scheduler));
  while (!is_held(&b))
    CHECK_OK(libsched_scheduler_run_until(b.scheduler, libsched_clock_now(clock) + kSecond / 1000,
                                          NULL, err));
  pthread_mutex_lock(&mutex);
  b.api.hold = kServe; /* no run is under way */
  pthread_cond_broadcast(&changed);
  while (b.api.bound == 0) pthread_cond_wait(&changed, &mutex);
  CHECK(b.api.inside == LIBSCHED_ERR_MISUSE);
  pthread_mutex_unlock(&mutex);
  CHECK_OK(libsched_scheduler_stop(b.scheduler, err));
  CHECK_STR(text(b.told.text), "popped web ;assumed web big;bound web big;");
  teardown(&b);
}

static void test_an_api_server(void) {
  bench b;
  setup(&b, true, 0); /* for its objects */
  libsched_scheduler* scheduler = NULL;
  libsched_api_server* server = NULL;
  libsched_clock *clock = NULL, *other = NULL;
  CHECK_OK(libsched_clock_create_virtual(1000 * kSecond, &clock, err));
  CHECK_OK(libsched_clock_create_virtual(1000 * kSecond, &other, err));
  libsched_api_server_options how = LIBSCHED_API_SERVER_OPTIONS_INIT;
  how.clock = clock;
  how.keep_calls = true;
  how.grace_ns = 30 * kSecond;
  CHECK_OK(libsched_api_server_create(&how, &server, err));
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      text("apiVersion: v1\nkind: Node\nmetadata: {name: only}\n"
           "status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}\n---\n"
           "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default, uid: u}\n"
           "spec: {schedulerName: default-scheduler, containers: [{name: c}]}\n"),
      NULL, &objects, err));
  CHECK_OK(libsched_api_server_create_objects(server, objects, err));
  libsched_cluster* cluster = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &cluster, err));
  const libsched_framework* profiles[] = {b.framework};
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.api_server = server;
  options.clock = other;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "the API server has another clock",
              libsched_scheduler_create(profiles, 1, cluster, &options, &scheduler, err));
  options.clock = NULL; /* the server's */
  CHECK_OK(libsched_scheduler_create(profiles, 1, cluster, &options, &scheduler, err));
  CHECK_OK(libsched_scheduler_settle(scheduler, false, 0, err));
  libsched_text* calls = NULL;
  CHECK_OK(libsched_api_server_take_calls_json(server, &calls, err));
  CHECK(strstr(libsched_text_get(calls).ptr, "\"bind\"") != NULL);
  libsched_text_unref(calls);
  CHECK(libsched_clock_now(libsched_services_clock(libsched_scheduler_services(scheduler))) ==
        libsched_clock_now(clock));
  /* The scheduler runs the end of a grace period. */
  CHECK_OK(libsched_api_server_delete(server, text("Pod"), text("default"), text("p"), err));
  CHECK_OK(libsched_scheduler_run_until(scheduler, 1010 * kSecond, NULL, err));
  CHECK(libsched_view_pod_count(libsched_cluster_view(cluster)) == 1);
  CHECK_OK(libsched_scheduler_run_until(scheduler, 1040 * kSecond, NULL, err));
  CHECK(libsched_view_pod_count(libsched_cluster_view(cluster)) == 0);
  libsched_scheduler_unref(scheduler);
  /* Nobody watches any more. */
  CHECK_OK(libsched_api_server_delete(server, text("Node"), text(""), text("only"), err));
  CHECK(libsched_view_node_count(libsched_cluster_view(cluster)) == 1);
  libsched_objects_unref(objects);
  libsched_cluster_unref(cluster);
  libsched_api_server_unref(server);
  libsched_clock_unref(clock);
  libsched_clock_unref(other);
  teardown(&b);
}

static void test_options(void) {
  bench b;
  setup(&b, true, 0);
  libsched_api_client client;
  libsched_scheduler_observer observer;
  const libsched_framework* profiles[] = {b.framework, b.framework};
  libsched_scheduler* scheduler = NULL;
  libsched_scheduler_options options = options_of(&b, &client, &observer);
  int destroyed = b.api.destroyed;
  /* Each call is made twice by CHECK_FAILS, and destroys the client each time. */
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "the clock drives another scheduler",
              libsched_scheduler_create(profiles, 1, b.cluster, &options, &scheduler, err));
  options.clock = NULL;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "",
              libsched_scheduler_create(profiles, 2, b.cluster, &options, &scheduler, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "",
              libsched_scheduler_create(profiles, 0, b.cluster, &options, &scheduler, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "",
              libsched_scheduler_create(profiles, 1, NULL, &options, &scheduler, err));
  options.queue.max_backoff_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "",
              libsched_scheduler_create(profiles, 1, b.cluster, &options, &scheduler, err));
  options.queue.max_backoff_ns = 0;
  options.ties = 9;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "", "unknown ties",
              libsched_scheduler_create(profiles, 1, b.cluster, &options, &scheduler, err));
  options.ties = 0;
  options.reserved[0] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "", "reserved field is set",
              libsched_scheduler_create(profiles, 1, b.cluster, &options, &scheduler, err));
  options.reserved[0] = false;
  CHECK(b.api.destroyed == destroyed + 14);
  b.api.destroyed = 0;
  CHECK(scheduler == NULL);

  libsched_memory_api* api = NULL;
  CHECK_OK(libsched_memory_api_create(&api, err));
  options.memory_api = api;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "api, memory_api and api_server: one at most",
              libsched_scheduler_create(profiles, 1, b.cluster, &options, &scheduler, err));
  b.api.destroyed = 0;

  /* Requests are recorded; without options they succeed without effect. */
  libsched_cluster* cluster = five_nodes();
  libsched_pod* pod = pod_of("web", 100, ", \"schedulerName\": \"default-scheduler\"");
  const libsched_scheduler_options defaults = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  for (int recorded = 0; recorded < 2; ++recorded) {
    libsched_scheduler_unref(scheduler);
    options = defaults;
    options.memory_api = api;
    CHECK_OK(libsched_cluster_forget(cluster, text("default"), text("web"), err));
    CHECK_OK(libsched_scheduler_create(profiles, 1, cluster, recorded ? &options : NULL, &scheduler,
                                       err));
    CHECK_OK(libsched_scheduler_deliver_pod(scheduler, NULL, pod, err));
    CHECK_OK(libsched_scheduler_settle(scheduler, false, 0, err));
    uint32_t row = LIBSCHED_NO_ROW;
    CHECK(libsched_view_find_pod(libsched_cluster_view(cluster), text("default"), text("web"),
                                 &row) != NULL);
    libsched_text* requests = NULL;
    CHECK_OK(libsched_memory_api_requests_json(api, &requests, err));
    CHECK((strstr(libsched_text_get(requests).ptr, "\"verb\":\"bind\"") != NULL) == recorded);
    libsched_text_unref(requests);
  }
  libsched_pod_unref(pod);
  libsched_memory_api_unref(api);
  libsched_scheduler* again = libsched_scheduler_ref(scheduler);
  CHECK(again == scheduler);
  libsched_scheduler_unref(again);
  /* The queue and the services may be kept longer. */
  libsched_queue* queue = libsched_queue_ref(libsched_scheduler_queue(scheduler));
  libsched_services* services = libsched_services_ref(libsched_scheduler_services(scheduler));
  libsched_scheduler_unref(scheduler);
  libsched_queue_counts counts = LIBSCHED_QUEUE_COUNTS_INIT;
  CHECK_OK(libsched_queue_get(queue, &counts, err));
  CHECK(libsched_clock_now(libsched_services_clock(services)) != 0);
  libsched_queue_unref(queue);
  libsched_services_unref(services);
  libsched_cluster_unref(cluster);
  teardown(&b);

  CHECK(libsched_scheduler_ref(NULL) == NULL && libsched_scheduler_queue(NULL) == NULL);
  CHECK(libsched_scheduler_services(NULL) == NULL && !libsched_scheduler_next_due(NULL, NULL));
  libsched_scheduler_unref(NULL);
}

/* The lines of a log. */
typedef struct lines {
  libsched_cluster* cluster;
  char text[4000];
  int errors;
} lines;
static void on_log(void* user_data, const libsched_log_record* record) {
  lines* l = user_data;
  CHECK(record->struct_size == sizeof *record && record->time_ns >= 1000 * kSecond);
  try_to_change(l->cluster);
  l->errors += record->error;
  size_t at = strlen(l->text);
  at += (size_t)snprintf(l->text + at, sizeof l->text - at, "%u %.*s", record->level,
                         (int)record->message.len, record->message.ptr);
  for (size_t i = 0; i < record->field_count; ++i)
    at += (size_t)snprintf(l->text + at, sizeof l->text - at, " %.*s=%.*s",
                           (int)record->fields[i].key.len, record->fields[i].key.ptr,
                           (int)record->fields[i].value.len, record->fields[i].value.ptr);
  snprintf(l->text + at, sizeof l->text - at, "\n");
}

static void test_a_log(void) {
  for (uint32_t verbosity = 0; verbosity < 4; ++verbosity) {
    bench b;
    memset(&b, 0, sizeof b);
    CHECK_OK(libsched_clock_create_virtual(1000 * kSecond, &b.clock, err));
    b.cluster = five_nodes();
    b.framework = default_framework();
    lines* told = calloc(1, sizeof *told);
    told->cluster = b.cluster;
    libsched_scheduler_observer observer = LIBSCHED_SCHEDULER_OBSERVER_INIT;
    observer.verbosity = verbosity;
    observer.log = on_log;
    libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
    options.clock = b.clock;
    options.observer = &observer;
    options.observer_user_data = told;
    const libsched_framework* profiles[] = {b.framework};
    CHECK_OK(libsched_scheduler_create(profiles, 1, b.cluster, &options, &b.scheduler, err));
    deliver(&b, "web", 2000);
    CHECK_OK(libsched_scheduler_settle(b.scheduler, false, 0, err));
    if (verbosity < 2) CHECK_STR(text(told->text), "");
    if (verbosity == 2)
      CHECK_STR(text(told->text),
                "2 Successfully bound pod to node pod=default/web node=big evaluatedNodes=5 "
                "feasibleNodes=1\n");
    if (verbosity == 3)
      CHECK(strstr(told->text,
                   "3 Add event for unscheduled pod pod=default/web\n"
                   "3 Attempting to schedule pod pod=default/web\n2 Success") == told->text);
    CHECK(told->errors == 0);
    /* Without the scheduler nothing is logged. */
    libsched_queue* queue = libsched_queue_ref(libsched_scheduler_queue(b.scheduler));
    libsched_scheduler_unref(b.scheduler);
    free(told);
    libsched_pod* pod = pod_of("late", 1, "");
    CHECK_OK(libsched_queue_add(queue, pod, err));
    libsched_pod_unref(pod);
    libsched_queue_unref(queue);
    libsched_framework_unref(b.framework);
    libsched_cluster_unref(b.cluster);
    libsched_clock_unref(b.clock);
  }
}

int main(void) {
  test_a_pod_is_bound();
  test_objects_of_a_change();
  test_refusals_and_limits();
  test_the_machines_clock();
  test_a_run_between_runs();
  test_an_api_server();
  test_options();
  test_a_log();
  return finish();
}
