/* Answers: capacity, drain, and why a pod waits. */
#include <string.h>

#include "bench.h"

static bool count_placed(void* placed, const libsched_placement* p) {
  if (p->outcome == LIBSCHED_OUTCOME_PLACED) ++*(size_t*)placed;
  return true;
}

static void test_capacity(void) {
  bench b = setup();
  libsched_evaluator* const* profiles = &b.evaluator;
  libsched_pod* pod = pod_of("web", 500, ", \"nodeName\": \"small\"");
  libsched_pod* plain = pod_of("web", 500, "");
  const libsched_pod* const list[] = {pod, plain};

  /* As many as libsched_schedule() places. */
  size_t placed = 0;
  const size_t replicas[] = {1000000};
  CHECK_OK(libsched_cluster_fork(b.cluster, err));
  CHECK_OK(libsched_schedule(profiles, 1, list + 1, replicas, 1, NULL, count_placed, &placed, err));
  CHECK_OK(libsched_cluster_revert(b.cluster, err));
  CHECK(placed > 1);
  const uint64_t version = libsched_view_version(libsched_cluster_view(b.cluster));
  libsched_capacity* capacity = NULL;
  CHECK_OK(libsched_count_capacity(profiles, 1, list, 1, NULL, &capacity, err));
  CHECK(libsched_view_version(libsched_cluster_view(b.cluster)) == version);
  CHECK(libsched_capacity_end(capacity) == LIBSCHED_CAPACITY_STOPPED);
  CHECK(libsched_capacity_count(capacity) == placed);
  CHECK(libsched_capacity_count_of(capacity, 0) == placed);
  CHECK(libsched_capacity_count_of(capacity, 1) == 0);
  size_t sum = 0;
  CHECK(libsched_capacity_node_count(capacity) == 5);
  for (size_t i = 0; i < 5; ++i) {
    size_t pods = 1000;
    CHECK(libsched_capacity_node(capacity, i, &pods).len > 0);
    sum += pods;
  }
  CHECK(sum == placed);
  CHECK(libsched_capacity_node(capacity, 5, &sum).len == 0 && sum == placed);
  CHECK_STR(libsched_capacity_node(capacity, 0, NULL), "big");

  /* It outlives everything that it was made of. */
  libsched_capacity* same = libsched_capacity_ref(capacity);
  libsched_capacity_unref(capacity);
  teardown(&b);
  libsched_pod_unref(pod);
  libsched_pod_unref(plain);
  libsched_placement next = {.struct_size = sizeof next};
  CHECK(libsched_capacity_next(same, &next));
  CHECK(next.outcome == LIBSCHED_OUTCOME_UNSCHEDULABLE && next.count == 1);
  CHECK_STR(next.profile, "default-scheduler");
  CHECK_STR(libsched_pod_name(next.pod), format("web-%zu", placed));
  const libsched_decision* decision = libsched_capacity_decision(same);
  CHECK(libsched_decision_node_count(decision) == 5);
  CHECK(libsched_decision_fact_count(decision, 0) + libsched_decision_fact_count(decision, 1) > 0);
  CHECK_STR(libsched_decision_fit_error(decision), next.text.ptr);
  next.struct_size = 0;
  CHECK(!libsched_capacity_next(same, &next));
  libsched_capacity_unref(same);
}

static void test_capacity_ends(void) {
  bench b = setup();
  libsched_evaluator* const* profiles = &b.evaluator;
  libsched_pod* pods[] = {pod_of("a", 1, ""), pod_of("b", 1, "")};
  const libsched_pod* const* list = (const libsched_pod* const*)pods;
  libsched_capacity_options options = LIBSCHED_CAPACITY_OPTIONS_INIT;
  options.max = 3;
  libsched_capacity* capacity = NULL;
  CHECK_OK(libsched_count_capacity(profiles, 1, list, 2, &options, &capacity, err));
  CHECK(libsched_capacity_end(capacity) == LIBSCHED_CAPACITY_MAXIMUM);
  CHECK(libsched_capacity_count(capacity) == 3);
  CHECK(libsched_capacity_count_of(capacity, 0) == 2);
  CHECK(libsched_capacity_count_of(capacity, 1) == 1);
  libsched_placement next = {.struct_size = sizeof next, .count = 77};
  CHECK(!libsched_capacity_next(capacity, &next) && next.count == 77);
  CHECK(libsched_capacity_decision(capacity) == NULL);
  libsched_capacity_unref(capacity);

  options.deadline_ns = -1;
  CHECK_OK(libsched_count_capacity(profiles, 1, list, 2, &options, &capacity, err));
  CHECK(libsched_capacity_end(capacity) == LIBSCHED_CAPACITY_DEADLINE);
  CHECK(libsched_capacity_count(capacity) == 0);
  libsched_capacity_unref(capacity);
  options.deadline_ns = 0;
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  libsched_cancel_set(cancel);
  options.cancel = cancel;
  CHECK_OK(libsched_count_capacity(profiles, 1, list, 2, &options, &capacity, err));
  CHECK(libsched_capacity_end(capacity) == LIBSCHED_CAPACITY_CANCELLED);
  libsched_capacity_unref(capacity);
  libsched_cancel_unref(cancel);
  options.cancel = NULL;

  options.ties = 99;
  capacity = NULL;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "unknown ties",
              libsched_count_capacity(profiles, 1, list, 2, &options, &capacity, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "needs a pod",
              libsched_count_capacity(profiles, 1, list, 0, NULL, &capacity, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_count_capacity(profiles, 0, list, 1, NULL, &capacity, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_count_capacity(profiles, 1, list, 1, NULL, NULL, err));
  CHECK(capacity == NULL);
  CHECK(libsched_capacity_count(NULL) == 0 && libsched_capacity_end(NULL) == 0);
  CHECK(libsched_capacity_node(NULL, 0, NULL).len == 0);
  CHECK(libsched_capacity_decision(NULL) == NULL && !libsched_capacity_next(NULL, &next));
  libsched_capacity_unref(NULL);
  for (size_t i = 0; i < 2; ++i) libsched_pod_unref(pods[i]);
  teardown(&b);
}

/* A pod with a controller on the node "small". */
static libsched_pod* owned(const char* name, const char* kind) {
  const char* text = format(
      "{\"metadata\": {\"name\": \"%s\", \"namespace\": \"default\", \"ownerReferences\": [{\"kind\": "
      "\"%s\", \"name\": \"o\", \"controller\": true}]}, \"spec\": {\"nodeName\": \"small\", "
      "\"containers\": [{\"name\": \"c\"}]}, \"status\": {\"phase\": \"Running\"}}",
      name, kind);
  libsched_pod* pod = NULL;
  CHECK_OK(libsched_pod_parse(libsched_str_from(text), NULL, &pod, err));
  return pod;
}

static void test_drain(void) {
  bench b = setup();
  libsched_evaluator* const* profiles = &b.evaluator;
  libsched_pod* pods[] = {owned("web", "ReplicaSet"), owned("agent", "DaemonSet")};
  CHECK_OK(libsched_cluster_add_pods(b.cluster, (const libsched_pod* const*)pods, NULL, 2, err));
  const uint64_t version = libsched_view_version(libsched_cluster_view(b.cluster));
  const libsched_str nodes[] = {libsched_str_from("small"), libsched_str_from("nowhere")};
  libsched_drain* drain = NULL;
  CHECK_OK(libsched_drain_nodes(profiles, 1, nodes, 1, NULL, &drain, err));
  CHECK(libsched_view_version(libsched_cluster_view(b.cluster)) == version);
  CHECK(libsched_drain_complete(drain) && libsched_drain_pod_count(drain) == 2);
  CHECK(libsched_drain_node_count(drain) == 1 && libsched_drain_node(drain, 1).len == 0);
  CHECK_STR(libsched_drain_node(drain, 0), nodes[0].ptr);
  /* It outlives everything that it was made of. */
  libsched_drain* same = libsched_drain_ref(drain);
  libsched_drain_unref(drain);
  for (size_t i = 0; i < 2; ++i) libsched_pod_unref(pods[i]);

  const libsched_drain_options hasty = {.struct_size = sizeof hasty, .deadline_ns = -1};
  drain = NULL;
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, NULL, NULL,
              libsched_drain_nodes(profiles, 1, nodes, 1, &hasty, &drain, err));
  const libsched_drain_options tied = {.struct_size = sizeof tied, .ties = 99};
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "unknown ties",
              libsched_drain_nodes(profiles, 1, nodes, 1, &tied, &drain, err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "there is no node \"nowhere\"",
              libsched_drain_nodes(profiles, 1, nodes, 2, NULL, &drain, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_drain_nodes(profiles, 0, nodes, 1, NULL, &drain, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_drain_nodes(profiles, 1, nodes, 1, NULL, NULL, err));
  CHECK(drain == NULL);
  teardown(&b);

  libsched_drained_pod p = LIBSCHED_DRAINED_POD_INIT;
  CHECK(libsched_drain_pod(same, 0, &p) && p.outcome == LIBSCHED_DRAIN_STAYS);
  CHECK_STR(libsched_pod_name(p.pod), "agent");
  CHECK_STR(p.text, "ignoring DaemonSet-managed Pods");
  CHECK(p.to_node.len == 0);
  CHECK(libsched_drain_pod(same, 1, &p) && p.outcome == LIBSCHED_DRAIN_MOVED);
  CHECK_STR(p.from_node, "small");
  CHECK_STR(p.profile, "default-scheduler");
  CHECK(p.to_node.len > 0 && p.text.len == 0 && p.budget.len == 0);
  CHECK(!libsched_drain_pod(same, 2, &p));
  p.struct_size = 0;
  CHECK(!libsched_drain_pod(same, 1, &p));
  libsched_drain_unref(same);
  CHECK(libsched_drain_pod_count(NULL) == 0 && !libsched_drain_complete(NULL));
  CHECK(libsched_drain_node_count(NULL) == 0 && libsched_drain_node(NULL, 0).len == 0);
  libsched_drain_unref(NULL);
}

static bool contains(libsched_str text, const char* part) { return strstr(text.ptr, part) != NULL; }

static void test_why(void) {
  bench b = setup();
  libsched_evaluator* const* profiles = &b.evaluator;
  libsched_pod* pod = pod_of("web", 500000, "");
  const uint64_t version = libsched_view_version(libsched_cluster_view(b.cluster));
  libsched_text* text_of = NULL;
  libsched_why_options options = LIBSCHED_WHY_OPTIONS_INIT;
  options.nearest = 2;
  CHECK_OK(libsched_why_json(profiles, 1, pod, &options, &text_of, err));
  CHECK(libsched_view_version(libsched_cluster_view(b.cluster)) == version);
  const libsched_str json = libsched_text_get(text_of);
  CHECK(contains(json, "\"pod\":\"default/web\",\"profile\":\"default-scheduler\",\"nodes\":5,\"fits\":0"));
  CHECK(contains(json, "{\"kind\":\"LessResource\",\"subject\":\"cpu\",\"text\":\"request at most "));
  CHECK(contains(json, "\"edit\":\"set default/web:requests.cpu="));
  CHECK(contains(json, "\"nearest\":[{\"node\":"));
  libsched_text_unref(text_of);

  text_of = NULL;
  options.deadline_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, NULL, NULL,
              libsched_why_json(profiles, 1, pod, &options, &text_of, err));
  options.reserved[1] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_why_json(profiles, 1, pod, &options, &text_of, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_why_json(profiles, 0, pod, NULL, &text_of, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_why_json(profiles, 1, NULL, NULL, &text_of, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_why_json(profiles, 1, pod, NULL, NULL, err));
  CHECK(text_of == NULL);
  libsched_pod_unref(pod);
  teardown(&b);
}

int main(void) {
  test_capacity();
  test_capacity_ends();
  test_drain();
  test_why();
  return finish();
}
