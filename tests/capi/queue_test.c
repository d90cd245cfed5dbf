/* The scheduling queue: pods that pass through it, its getters, and errors. */
#include "fixture.h"

typedef struct bench {
  libsched_framework* framework;
  libsched_cluster* cluster;
  libsched_evaluator* evaluator;
  libsched_clock* clock;
  libsched_services* services;
  libsched_queue* queue;
} bench;

static const int64_t kSecond = INT64_C(1000000000);

static bench setup(void) {
  bench b = {default_framework(), five_nodes(), NULL, NULL, NULL, NULL};
  libsched_services_options options = LIBSCHED_SERVICES_OPTIONS_INIT;
  CHECK_OK(libsched_clock_create_virtual(1000 * kSecond + 300000000, &b.clock, err));
  options.clock = b.clock;
  CHECK_OK(libsched_services_create(&options, &b.services, err));
  CHECK_OK(libsched_evaluator_create(b.framework, b.cluster, NULL, &b.evaluator, err));
  CHECK_OK(libsched_evaluator_set_services(b.evaluator, b.services, err));
  CHECK_OK(libsched_queue_create(&b.evaluator, 1, NULL, &b.queue, err));
  return b;
}

static void teardown(bench* b) {
  libsched_framework_unref(b->framework);
  libsched_cluster_unref(b->cluster);
  libsched_evaluator_unref(b->evaluator);
  libsched_clock_unref(b->clock);
  libsched_services_unref(b->services);
  libsched_queue_unref(b->queue);
}

static libsched_pod* queued_pod(const char* name, int priority, const char* more) {
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(text(format("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"
                                          "\"name\":\"%s\",\"namespace\":\"d\",\"uid\":\"%s\"},"
                                          "\"spec\":{\"schedulerName\":\"default-scheduler\","
                                          "\"priority\":%d,\"containers\":[{\"name\":\"c\"}]%s}",
                                          name, name, priority, more)),
                              NULL, &pod, err));
  return pod;
}

/* "a b": a part of the queue. */
static const char* part(const bench* b, uint32_t which) {
  static char out[256];
  const libsched_queued_pod* pods[8];
  size_t count = 0;
  CHECK_OK(libsched_queue_list(b->queue, which, pods, 8, &count, err));
  out[0] = '\0';
  for (size_t i = 0; i < count; ++i) {
    libsched_queued_pod_info info = LIBSCHED_QUEUED_POD_INFO_INIT;
    CHECK_OK(libsched_queued_pod_get(pods[i], &info, err));
    if (i != 0) strcat(out, " ");
    strcat(out, libsched_pod_name(info.pod).ptr);
  }
  return out;
}
static int part_is(const bench* b, uint32_t which, const char* expected) {
  const char* is = part(b, which);
  if (strcmp(is, expected) != 0) fprintf(stderr, "  part %u is \"%s\"\n", (unsigned)which, is);
  return strcmp(is, expected) == 0;
}

static void test_a_pods_way(void) {
  bench b = setup();
  libsched_pod *low = queued_pod("low", 0, "}"), *high = queued_pod("high", 5, "}");
  libsched_pod* shut = queued_pod("shut", 0, ",\"schedulingGates\":[{\"name\":\"g\"}]}");
  CHECK_OK(libsched_queue_add(b.queue, low, err));
  CHECK_OK(libsched_queue_add(b.queue, high, err));
  CHECK_OK(libsched_queue_add(b.queue, shut, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_ACTIVE, "high low"));
  CHECK(part_is(&b, LIBSCHED_QUEUE_GATED, "shut"));
  CHECK(part_is(&b, LIBSCHED_QUEUE_UNSCHEDULABLE, "shut"));

  libsched_queued_pod *popped = NULL, *none = UNTOUCHED;
  CHECK_OK(libsched_queue_pop(b.queue, &popped, err));
  libsched_queued_pod_info info = LIBSCHED_QUEUED_POD_INFO_INIT;
  CHECK_OK(libsched_queued_pod_get(popped, &info, err));
  CHECK(info.pod == high && info.attempts == 1 && info.gating_plugin.len == 0);
  CHECK(info.timestamp_ns == 1000 * kSecond + 300000000);
  CHECK(info.initial_attempt_ns == info.timestamp_ns);
  CHECK(info.backoff_expiration_ns == LIBSCHED_NO_TIME);

  /* A pod that a plugin with an event for new nodes rejected, and a pod with a pending plugin. */
  const libsched_str rejectors[] = {LIBSCHED_STR("NodeResourcesFit"), LIBSCHED_STR("NodeAffinity")};
  libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
  rejection.unschedulable = rejectors;
  rejection.unschedulable_count = 2;
  CHECK_OK(libsched_queue_add_unschedulable(b.queue, popped, NULL, &rejection, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_UNSCHEDULABLE, "high shut"));
  libsched_str names[1];
  size_t count = 0;
  CHECK_OK(libsched_queued_pod_plugins(popped, false, names, 1, &count, err));
  CHECK(count == 2);
  CHECK_STR(names[0], "NodeAffinity");
  CHECK_OK(libsched_queued_pod_plugins(popped, true, NULL, 0, &count, err));
  CHECK(count == 0);
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, "", "Pod d/high is already present in unschedulable queue",
              libsched_queue_add_unschedulable(b.queue, popped, NULL, NULL, err));

  libsched_node* node = node_of_json(
      "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"new\"},"
      "\"status\":{\"allocatable\":{\"cpu\":\"4\",\"memory\":\"8Gi\",\"pods\":\"110\"}}}");
  libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
  event.resource = text("Node");
  event.actions = 1;
  event.new_node = node;
  event.check = LIBSCHED_MOVE_MAX_PRIORITY;
  event.max_priority = 4;
  CHECK_OK(libsched_queue_move_all(b.queue, &event, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_BACKOFF, ""));
  event.check = LIBSCHED_MOVE_EXCEPT;
  event.except = high;
  CHECK_OK(libsched_queue_move_all(b.queue, &event, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_BACKOFF, ""));
  event.check = LIBSCHED_MOVE_ALL;
  CHECK_OK(libsched_queue_move_all(b.queue, &event, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_BACKOFF, "high"));

  /* One that failed backs off apart, and a timer brings both back. */
  libsched_queued_pod* second = NULL;
  CHECK_OK(libsched_queue_pop_specific(b.queue, low, &second, err));
  CHECK_OK(libsched_queue_pop_specific(b.queue, shut, &none, err));
  CHECK(none == NULL);
  CHECK_OK(libsched_queue_add_unschedulable(b.queue, second, low, NULL, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_ERROR_BACKOFF, "low"));
  int64_t due = 7;
  CHECK(!libsched_queue_next_due(b.queue, &due) && due == 7);
  CHECK_OK(libsched_queue_run(b.queue, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "runs", libsched_queue_run(b.queue, err));
  while (libsched_queue_next_due(b.queue, &due) && due <= 1002 * kSecond) {
    CHECK_OK(libsched_clock_advance_to(b.clock, due, err));
    CHECK_OK(libsched_queue_run_due(b.queue, err));
  }
  CHECK(part_is(&b, LIBSCHED_QUEUE_ACTIVE, "high low"));

  libsched_text* json = NULL;
  CHECK_OK(libsched_queue_metrics_json(b.queue, &json, err));
  CHECK_STR(libsched_text_get(json),
            "{\"incoming\":["
            "{\"queue\":\"active\",\"event\":\"BackoffComplete\",\"count\":2},"
            "{\"queue\":\"active\",\"event\":\"UnscheduledPodAdd\",\"count\":2},"
            "{\"queue\":\"backoff\",\"event\":\"NodeAdd\",\"count\":1},"
            "{\"queue\":\"backoff\",\"event\":\"ScheduleAttemptFailure\",\"count\":1},"
            "{\"queue\":\"unschedulable\",\"event\":\"ScheduleAttemptFailure\",\"count\":1},"
            "{\"queue\":\"unschedulable\",\"event\":\"UnscheduledPodAdd\",\"count\":1}],"
            "\"unschedulable\":["
            "{\"plugin\":\"NodeAffinity\",\"profile\":\"default-scheduler\",\"count\":1},"
            "{\"plugin\":\"NodeResourcesFit\",\"profile\":\"default-scheduler\",\"count\":1},"
            "{\"plugin\":\"SchedulingGates\",\"profile\":\"default-scheduler\",\"count\":1}],"
            "\"inFlightEvents\":[]}");
  libsched_text_unref(json);

  /* A popped pod outlives its queue. */
  libsched_queue_unref(b.queue);
  b.queue = NULL;
  CHECK_OK(libsched_queued_pod_plugins(popped, false, names, 1, &count, err));
  CHECK_STR(names[0], "NodeAffinity");
  libsched_queued_pod_unref(libsched_queued_pod_ref(popped));
  libsched_queued_pod_unref(popped);
  libsched_queued_pod_unref(second);
  libsched_node_unref(node);
  libsched_pod_unref(low);
  libsched_pod_unref(high);
  libsched_pod_unref(shut);
  teardown(&b);
}

static void test_what_is_in_flight_and_nominated(void) {
  bench b = setup();
  libsched_pod *a = queued_pod("a", 0, "},\"status\":{\"nominatedNodeName\":\"n\"}"),
               *other = queued_pod("b", 0, "}");
  libsched_pod* changed = queued_pod("a", 7, "}");
  CHECK_OK(libsched_queue_add(b.queue, a, err));
  libsched_nominated_pod nominated[2];
  CHECK(libsched_services_nominated_pods(b.services, nominated, 2) == 1);
  CHECK_STR(nominated[0].node_name, "n");
  CHECK(nominated[0].pod == a);
  libsched_queued_pod* popped = NULL;
  CHECK_OK(libsched_queue_pop(b.queue, &popped, err));
  CHECK_OK(libsched_queue_update(b.queue, a, changed, err));
  const libsched_pod* const activated[] = {a, other};
  CHECK_OK(libsched_queue_activate(b.queue, activated, 2, err));
  libsched_in_flight entries[4];
  CHECK(libsched_queue_in_flight(b.queue, NULL, 0) == 3);
  CHECK(libsched_queue_in_flight(b.queue, entries, 4) == 3);
  CHECK(entries[0].pod == a && entries[0].event.len == 0);
  CHECK(entries[1].pod == NULL);
  CHECK_STR(entries[1].event, "TargetPodUpdate");
  CHECK_STR(entries[2].event, "ForceActivate");
  libsched_queue_counts counts = LIBSCHED_QUEUE_COUNTS_INIT;
  CHECK_OK(libsched_queue_get(b.queue, &counts, err));
  CHECK(counts.in_flight_pods == 1 && counts.in_flight_events == 2);
  CHECK(counts.scheduling_cycle == 1 && counts.move_request_cycle == 1 && !counts.closed);
  CHECK_OK(libsched_queue_delete(b.queue, a, err));
  CHECK(libsched_services_nominated_pods(b.services, NULL, 0) == 0);
  CHECK_OK(libsched_queue_done(b.queue, text("a"), err));
  CHECK(libsched_queue_in_flight(b.queue, NULL, 0) == 0);
  CHECK_OK(libsched_queue_close(b.queue, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "closed", libsched_queue_close(b.queue, err));
  CHECK_OK(libsched_queue_get(b.queue, &counts, err));
  CHECK(counts.closed);
  libsched_queued_pod_unref(popped);
  libsched_pod_unref(a);
  libsched_pod_unref(other);
  libsched_pod_unref(changed);
  teardown(&b);
}

static void test_events_of_any_object(void) {
  bench b = setup();
  libsched_pod* pod = queued_pod(
      "p", 0,
      ",\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"claim\"}}]}");
  libsched_objects *claim = NULL, *two = NULL;
  CHECK_OK(libsched_objects_parse(text("{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\","
                                       "\"metadata\":{\"name\":\"claim\",\"namespace\":\"d\"}}"),
                                  NULL, &claim, err));
  CHECK_OK(
      libsched_objects_parse(text("kind: Node\napiVersion: v1\nmetadata: {name: a}\n---\nkind: "
                                  "Node\napiVersion: v1\nmetadata: {name: b}\n"),
                             NULL, &two, err));
  CHECK_OK(libsched_queue_add(b.queue, pod, err));
  libsched_queued_pod* popped = NULL;
  CHECK_OK(libsched_queue_pop(b.queue, &popped, err));
  const libsched_str rejector = LIBSCHED_STR("VolumeBinding");
  libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
  rejection.unschedulable = &rejector;
  rejection.unschedulable_count = 1;
  CHECK_OK(libsched_queue_add_unschedulable(b.queue, popped, NULL, &rejection, err));
  libsched_queue_event event = LIBSCHED_QUEUE_EVENT_INIT;
  event.resource = text("PersistentVolumeClaim");
  event.actions = 1;
  event.new_object = two;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "2 objects", libsched_queue_move_all(b.queue, &event, err));
  event.new_object = claim;
  event.new_pod = pod;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "more than once",
              libsched_queue_move_all(b.queue, &event, err));
  event.new_pod = NULL;
  event.old_pod = pod;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "different kinds",
              libsched_queue_move_all(b.queue, &event, err));
  event.old_pod = NULL;
  event.resource = text("Node"); /* its hints would take the claim for a node */
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "",
              "an event of \"Node\" cannot have an object of kind PersistentVolumeClaim",
              libsched_queue_move_all(b.queue, &event, err));
  event.resource = text("PersistentVolumeClaim");
  CHECK(part_is(&b, LIBSCHED_QUEUE_UNSCHEDULABLE, "p"));
  CHECK_OK(libsched_queue_move_all(b.queue, &event, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_BACKOFF, "p"));
  event.resource = text("");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "no resource",
              libsched_queue_move_all(b.queue, &event, err));
  event.check = 9;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "", "check", libsched_queue_move_all(b.queue, &event, err));
  event.check = LIBSCHED_MOVE_EXCEPT;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "except", libsched_queue_move_all(b.queue, &event, err));
  libsched_queued_pod_unref(popped);
  libsched_objects_unref(claim);
  libsched_objects_unref(two);
  libsched_pod_unref(pod);
  teardown(&b);
}

static void test_events_of_nodes_and_pods_on_them(void) {
  bench b = setup();
  libsched_pod* pod = queued_pod("p", 0, "}");
  libsched_pod* placed = queued_pod("x", 0, ",\"nodeName\":\"n\"}");
  CHECK_OK(libsched_queue_add(b.queue, pod, err));
  libsched_queued_pod* popped = NULL;
  CHECK_OK(libsched_queue_pop(b.queue, &popped, err));
  const libsched_str rejectors[] = {LIBSCHED_STR("NodeAffinity"),
                                    LIBSCHED_STR("PodTopologySpread")};
  libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
  rejection.unschedulable = rejectors;
  rejection.unschedulable_count = 2;
  CHECK_OK(libsched_queue_add_unschedulable(b.queue, popped, NULL, &rejection, err));
  libsched_node* before =
      node_of_json("{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\"}}");
  libsched_node* after = node_of_json(
      "{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\",\"labels\":{\"a\":"
      "\"b\"}}}");
  CHECK_OK(libsched_queue_node_updated(b.queue, before, before, NULL, err));
  libsched_queue_counts counts = LIBSCHED_QUEUE_COUNTS_INIT;
  CHECK_OK(libsched_queue_get(b.queue, &counts, err));
  CHECK(counts.move_request_cycle == -1);
  CHECK_OK(libsched_queue_node_updated(b.queue, before, after, NULL, err));
  CHECK_OK(libsched_queue_assigned_pod_added(b.queue, placed, err));
  CHECK_OK(libsched_queue_assigned_pod_updated(b.queue, placed, placed, err));
  CHECK_OK(libsched_queue_get(b.queue, &counts, err));
  CHECK(counts.move_request_cycle == 1);
  CHECK_OK(libsched_queue_flush_backoff(b.queue, err));
  CHECK_OK(libsched_clock_advance_to(b.clock, 2000 * kSecond, err));
  CHECK_OK(libsched_queue_flush_backoff(b.queue, err));
  CHECK_OK(libsched_queue_flush_unschedulable(b.queue, err));
  CHECK(part_is(&b, LIBSCHED_QUEUE_ACTIVE, "p"));
  libsched_queued_pod_unref(popped);
  libsched_node_unref(before);
  libsched_node_unref(after);
  libsched_pod_unref(pod);
  libsched_pod_unref(placed);
  teardown(&b);
}

static void test_how_queues_are_made(void) {
  bench b = setup();
  libsched_queue* queue = UNTOUCHED;
  libsched_evaluator* const two[] = {b.evaluator, b.evaluator};
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "no evaluator",
              libsched_queue_create(NULL, 0, NULL, &queue, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "profile", libsched_queue_create(two, 2, NULL, &queue, err));
  libsched_queue_options options = LIBSCHED_QUEUE_OPTIONS_INIT;
  options.initial_backoff_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "negative",
              libsched_queue_create(two, 1, &options, &queue, err));
  options.initial_backoff_ns = 0;
  options.reserved = 1;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, "", "reserved",
              libsched_queue_create(two, 1, &options, &queue, err));
  options.struct_size = 0;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "struct_size",
              libsched_queue_create(two, 1, &options, &queue, err));
  CHECK(queue == UNTOUCHED);
  libsched_snapshot* snapshot = NULL;
  libsched_evaluator* still = NULL;
  CHECK_OK(libsched_cluster_snapshot(b.cluster, &snapshot, err));
  CHECK_OK(evaluate_snapshot(b.framework, snapshot, &still, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, "", "snapshot",
              libsched_queue_create(&still, 1, NULL, &queue, err));
  libsched_evaluator_unref(still);
  libsched_snapshot_unref(snapshot);

  /* Nothing for nothing. */
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "queue", libsched_queue_add(NULL, NULL, err));
  CHECK(libsched_queue_in_flight(NULL, NULL, 0) == 0);
  CHECK(libsched_services_nominated_pods(NULL, NULL, 0) == 0);
  CHECK(!libsched_queue_next_due(NULL, NULL));
  CHECK(libsched_queue_ref(NULL) == NULL);
  libsched_queue_unref(libsched_queue_ref(b.queue));
  size_t count = 3;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "", "part",
              libsched_queue_list(b.queue, 5, NULL, 0, &count, err));
  CHECK(count == 3);
  libsched_queued_pod* popped = UNTOUCHED;
  CHECK_OK(libsched_queue_pop(b.queue, &popped, err));
  CHECK(popped == NULL);

  /* A pod of another queue. */
  libsched_queue* other = NULL;
  libsched_pod* pod = queued_pod("p", 0, "}");
  CHECK_OK(libsched_queue_create(&b.evaluator, 1, NULL, &other, err));
  CHECK_OK(libsched_queue_add(other, pod, err));
  CHECK_OK(libsched_queue_pop(other, &popped, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "another queue",
              libsched_queue_add_unschedulable(b.queue, popped, NULL, NULL, err));
  libsched_rejection rejection = LIBSCHED_REJECTION_INIT;
  rejection.pending_count = 2;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "", "NULL",
              libsched_queue_add_unschedulable(other, popped, NULL, &rejection, err));
  libsched_queued_pod_unref(popped);
  libsched_pod_unref(pod);
  libsched_queue_unref(other);
  teardown(&b);
}

int main(void) {
  test_a_pods_way();
  test_what_is_in_flight_and_nominated();
  test_events_of_any_object();
  test_events_of_nodes_and_pods_on_them();
  test_how_queues_are_made();
  return finish();
}
