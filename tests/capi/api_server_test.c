/* The API server in memory, and clocks written in C. */
#include <time.h>

#include "fixture.h"

static libsched_objects* objects_of(const char* yaml) {
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(text(yaml), NULL, &objects, err));
  return objects;
}
static const char* kPods =
    "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n---\napiVersion: v1\nkind: Pod\nmetadata: "
    "{name: a, namespace: d}\n---\n"
    "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: d}\n---\n"
    "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 7\n";

static libsched_api_server* server_with(const libsched_api_server_options* options) {
  libsched_api_server* server = NULL;
  CHECK_OK(libsched_api_server_create(options, &server, err));
  libsched_objects* objects = objects_of(kPods);
  CHECK_OK(libsched_api_server_create_objects(server, objects, err));
  libsched_objects_unref(objects);
  return server;
}

static void test_writes(void) {
  libsched_api_server* server = server_with(NULL);
  const uint64_t version = libsched_api_server_version(server);
  CHECK(version == 4);
  CHECK(libsched_api_server_version(NULL) == 0);
  libsched_objects* again = objects_of(
      "apiVersion: v1\nkind: Pod\nmetadata: {name: c, namespace: d}\n---\n"
      "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: d}\n");
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "", "pods \"a\" already exists",
              libsched_api_server_create_objects(server, again, err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "pods \"c\" not found",
              libsched_api_server_update_objects(server, again, err));
  CHECK(libsched_api_server_version(server) == version); /* nothing was changed */
  libsched_objects_unref(again);

  libsched_pod* pod = NULL;
  libsched_objects *all = NULL, *newer = NULL;
  CHECK_OK(libsched_api_server_objects(server, &all, err));
  newer = objects_of("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: d, uid: newer}\n");
  CHECK_OK(libsched_api_server_update_objects(server, newer, err));
  libsched_objects_unref(newer);
  CHECK_OK(libsched_api_server_find_pod(server, text("d"), text("a"), &pod, err));
  CHECK(libsched_pod_uid(pod).len == 5);
  libsched_pod_unref(pod);
  CHECK(libsched_pod_uid(libsched_objects_get_pod(all, 0)).len == 0); /* as it was */
  CHECK(libsched_objects_pod_count(all) == 2 && libsched_objects_node_count(all) == 1);
  libsched_objects_unref(all);

  CHECK_OK(libsched_api_server_bind(server, text("d"), text("a"), text("n1"), err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "", "pod a is already assigned to node \"n1\"",
              libsched_api_server_bind(server, text("d"), text("a"), text("n1"), err));
  CHECK_OK(libsched_api_server_finish_pod(server, text("d"), text("a"), err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "pods \"a\" not found",
              libsched_api_server_finish_pod(server, text("d"), text("a"), err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "pods \"a\" not found",
              libsched_api_server_find_pod(server, text("d"), text("a"), &pod, err));
  libsched_api_server_unref(server);
}

static void test_deletes(void) {
  libsched_api_server* server = server_with(NULL);
  libsched_node* node = NULL;
  CHECK_OK(libsched_api_server_find_node(server, text("n1"), &node, err));
  libsched_node_unref(node);
  CHECK_OK(libsched_api_server_delete(server, text("Pod"), text("d"), text("a"), err));
  CHECK_OK(libsched_api_server_delete(server, text("Pod"), text("d"), text("b"), err));
  CHECK_OK(libsched_api_server_delete(server, text("Node"), text(""), text("n1"), err));
  CHECK_OK(libsched_api_server_delete(server, text("PriorityClass"), text(""), text("high"), err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "nodes \"n1\" not found",
              libsched_api_server_delete(server, text("Node"), text(""), text("n1"), err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "nodes \"n1\" not found",
              libsched_api_server_find_node(server, text("n1"), &node, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "the server keeps no objects of kind \"Secret\"",
              libsched_api_server_delete(server, text("Secret"), text(""), text("n1"), err));
  libsched_objects* all = NULL;
  CHECK_OK(libsched_api_server_objects(server, &all, err));
  CHECK(libsched_objects_pod_count(all) == 0 && libsched_objects_node_count(all) == 0);
  libsched_objects_unref(all);
  libsched_api_server* same = libsched_api_server_ref(server);
  CHECK(same == server);
  libsched_api_server_unref(same);
  libsched_api_server_unref(server);
}

static void test_single_objects(void) {
  libsched_api_server* server = server_with(NULL);
  libsched_pod *pod = pod_of("p", 100, ""), *other = pod_of("q", 100, "");
  libsched_node *node = node_of("n2", 4, "z", ""), *unknown = node_of("n3", 4, "z", "");
  CHECK_OK(libsched_api_server_create_pod(server, pod, err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "", "pods \"p\" already exists",
              libsched_api_server_create_pod(server, pod, err));
  CHECK_OK(libsched_api_server_create_node(server, node, err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "", "nodes \"n2\" already exists",
              libsched_api_server_create_node(server, node, err));
  CHECK(libsched_api_server_version(server) == 6);
  CHECK_OK(libsched_api_server_update_pod(server, pod, err));
  CHECK_OK(libsched_api_server_update_node(server, node, err));
  CHECK(libsched_api_server_version(server) == 8);
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "pods \"q\" not found",
              libsched_api_server_update_pod(server, other, err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, "", "nodes \"n3\" not found",
              libsched_api_server_update_node(server, unknown, err));
  libsched_pod_unref(pod);
  libsched_pod_unref(other);
  libsched_node_unref(node);
  libsched_node_unref(unknown);
  libsched_api_server_unref(server);
}

static void test_grace(void) {
  libsched_api_server_options options = LIBSCHED_API_SERVER_OPTIONS_INIT;
  options.grace_ns = INT64_C(30000000000);
  libsched_api_server* server = server_with(&options);
  CHECK_OK(libsched_api_server_bind(server, text("d"), text("a"), text("n1"), err));
  CHECK_OK(libsched_api_server_delete(server, text("Pod"), text("d"), text("a"), err));
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_api_server_find_pod(server, text("d"), text("a"), &pod, err)); /* terminating */
  libsched_pod_unref(pod);
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "", "pod a is being deleted",
              libsched_api_server_bind(server, text("d"), text("a"), text("n1"), err));
  libsched_api_server_unref(server);
}

static void test_options(void) {
  libsched_api_server* server = NULL;
  libsched_api_server_options options = LIBSCHED_API_SERVER_OPTIONS_INIT;
  options.grace_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "a time is negative",
              libsched_api_server_create(&options, &server, err));
  options.grace_ns = 0;
  options.slow_rate = 1.5;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "not between 0 and 1",
              libsched_api_server_create(&options, &server, err));
  options.slow_rate = 0;
  options.provision_ns = 1;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "a time to make a volume needs a controller",
              libsched_api_server_create(&options, &server, err));
  options.bind_volumes = true;
  options.provision_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "a time is negative",
              libsched_api_server_create(&options, &server, err));
  options.provision_ns = 0;
  options.release_claims = true;
  CHECK_OK(libsched_api_server_create(&options, &server, err));
  libsched_api_server_unref(server);
}

/* A ResourceClaim is changed in its latest version alone. */
static void test_stale_claim(void) {
  libsched_api_server* server = NULL;
  CHECK_OK(libsched_api_server_create(NULL, &server, err));
  libsched_objects *first = NULL, *stale = NULL;
  CHECK_OK(libsched_objects_parse(text("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, "
                                       "metadata: {name: c, namespace: ns}, spec: {}}"),
                                  NULL, &first, err));
  CHECK_OK(libsched_objects_parse(
      text("{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: "
           "ns, resourceVersion: '1'}, spec: {}}"),
      NULL, &stale, err));
  CHECK_OK(libsched_api_server_create_objects(server, first, err));
  CHECK_OK(libsched_api_server_update_objects(server, stale, err)); /* it is not stale yet */
  const uint64_t version = libsched_api_server_version(server);
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "", "the object has been modified",
              libsched_api_server_update_objects(server, stale, err));
  CHECK(libsched_api_server_version(server) == version);
  CHECK_OK(libsched_api_server_update_objects(server, first, err));
  libsched_objects_unref(first);
  libsched_objects_unref(stale);
  libsched_api_server_unref(server);
}

static void test_faults(void) {
  libsched_api_server* server = server_with(NULL);
  libsched_api_fault fault = LIBSCHED_API_FAULT_INIT;
  fault.verb = text("eat");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "a scheduler makes no call \"eat\"",
              libsched_api_server_add_fault(server, &fault, err));
  fault.verb = text("bind");
  fault.slow_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "slow_ns is negative",
              libsched_api_server_add_fault(server, &fault, err));
  fault.slow_ns = 0;
  CHECK_OK(libsched_api_server_add_fault(server, &fault, err));
  libsched_api_server_clear_faults(server);
  libsched_text* none = NULL;
  CHECK_OK(libsched_api_server_take_calls_json(server, &none, err));
  CHECK(strcmp(libsched_text_get(none).ptr, "[]") == 0);
  libsched_text_unref(none);
  CHECK_OK(libsched_api_server_take_events_json(server, &none, err));
  CHECK(strcmp(libsched_text_get(none).ptr, "[]") == 0);
  libsched_text_unref(none);
  libsched_api_server_unref(server);
}

/* A clock that would sleep for an hour, but has reached any time after its first sleep. */
static const int64_t kHour = INT64_C(3600000000000);
static int64_t hasty_now(void* data) { return *(int*)data == 0 ? 0 : 2 * kHour; }
static int64_t hasty_sleep(void* data, int64_t deadline_ns) {
  (void)deadline_ns;
  ++*(int*)data;
  return kHour;
}

/* A sleep ends after a second, however long the clock wants to sleep. */
static void test_the_longest_sleep(void) {
  int sleeps = 0;
  libsched_clock* clock = NULL;
  libsched_clock_functions functions = LIBSCHED_CLOCK_FUNCTIONS_INIT;
  functions.now = hasty_now;
  functions.sleep = hasty_sleep;
  CHECK_OK(libsched_clock_create(&functions, &sleeps, &clock, err));
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.clock = clock;
  libsched_cluster* cluster = five_nodes();
  libsched_framework* framework = default_framework();
  const libsched_framework* profiles[] = {framework};
  libsched_scheduler* scheduler = NULL;
  CHECK_OK(libsched_scheduler_create(profiles, 1, cluster, &options, &scheduler, err));
  const time_t begin = time(NULL);
  CHECK_OK(libsched_scheduler_run_until(scheduler, 2 * kHour, NULL, err));
  CHECK(sleeps == 1 && time(NULL) - begin < 60);
  libsched_scheduler_unref(scheduler);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
  libsched_clock_unref(clock);
}

/* A clock that steps forward whenever it is to sleep. */
typedef struct stepping {
  int64_t now;
  int sleeps, destroyed;
} stepping;
static int64_t stepping_now(void* data) { return ((stepping*)data)->now; }
static int64_t stepping_sleep(void* data, int64_t deadline_ns) {
  stepping* clock = data;
  ++clock->sleeps;
  clock->now += (deadline_ns - clock->now + 1) / 2;
  return 0;
}
static void stepping_destroy(void* data) { ++((stepping*)data)->destroyed; }

static void test_clock(void) {
  stepping data = {1000, 0, 0};
  libsched_clock_functions functions = LIBSCHED_CLOCK_FUNCTIONS_INIT;
  functions.destroy = stepping_destroy;
  libsched_clock* clock = NULL;
  CHECK(libsched_clock_create(&functions, &data, &clock, NULL) == LIBSCHED_ERR_MISUSE);
  CHECK(data.destroyed == 1);
  functions.now = stepping_now;
  functions.reserved = 1;
  CHECK(libsched_clock_create(&functions, &data, &clock, NULL) == LIBSCHED_ERR_UNSUPPORTED);
  CHECK(data.destroyed == 2);
  functions.reserved = 0;
  functions.sleep = stepping_sleep;
  CHECK_OK(libsched_clock_create(&functions, &data, &clock, err));
  CHECK(libsched_clock_now(clock) == 1000);
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "the clock cannot be moved",
              libsched_clock_advance_to(clock, 5000, err));

  /* A waiting pod's hour passes by this clock. */
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  options.clock = clock;
  libsched_services* services = NULL;
  CHECK_OK(libsched_services_create(&options, &services, err));
  libsched_framework* framework = default_framework();
  libsched_cluster* cluster = five_nodes();
  libsched_evaluator* evaluator = NULL;
  CHECK_OK(libsched_evaluator_create(framework, cluster, NULL, &evaluator, err));
  CHECK_OK(libsched_evaluator_set_services(evaluator, services, err));
  libsched_pod* pod = pod_of("p", 100, "");
  const libsched_permit_wait waits[] = {{text("Gate"), INT64_C(3600000000000)}};
  CHECK_OK(libsched_services_add_waiting_pod(services, pod, waits, 1, err));
  libsched_status* status = NULL;
  CHECK_OK(libsched_status_create(&status, err));
  CHECK_OK(libsched_wait_on_permit(evaluator, pod, status, err));
  CHECK(libsched_status_code(status) == LIBSCHED_CODE_UNSCHEDULABLE);
  CHECK(data.sleeps > 10 && data.now >= INT64_C(3600000000000));
  libsched_status_unref(status);
  libsched_pod_unref(pod);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
  libsched_services_unref(services);
  CHECK(data.destroyed == 2);
  libsched_clock_unref(clock);
  CHECK(data.destroyed == 3);
}

int main(void) {
  test_writes();
  test_deletes();
  test_single_objects();
  test_grace();
  test_options();
  test_stale_claim();
  test_faults();
  test_clock();
  test_the_longest_sleep();
  return finish();
}
