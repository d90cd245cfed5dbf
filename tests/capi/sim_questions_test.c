/* Questions to a simulated cluster: every answer, its verdict, limits and errors. */
#include "sim_fixture.h"

static libsched_sim_verdict checked(libsched_sim* sim, uint64_t pod, uint64_t node) {
  libsched_sim_verdict verdict;
  memset(&verdict, 0x5a, sizeof verdict);
  CHECK_OK(libsched_sim_check(sim, pod, node, NULL, &verdict, err));
  return verdict;
}

static libsched_sim_hit first(libsched_sim* sim, uint64_t pod, const libsched_sim_query* query,
                              libsched_sim_verdict* verdict) {
  libsched_sim_hit hit = {kUntouched, kUntouched, 77};
  CHECK_OK(libsched_sim_first(sim, pod, query, &hit, verdict, err));
  return hit;
}

static void test_check(void) {
  sim_world w = open_sim();
  libsched_sim_verdict verdict = checked(w.sim, w.half, w.nodes[0]);
  CHECK(verdict.stage == LIBSCHED_STAGE_PASSED && verdict.code == LIBSCHED_CODE_SUCCESS);
  CHECK(verdict.texts == 0 && verdict.reserved == 0);
  CHECK(libsched_sim_verdict_reason_count(w.sim, 0) == 0);
  CHECK(libsched_sim_verdict_plugin(w.sim, 0).len == 0);

  verdict = checked(w.sim, w.huge, w.nodes[0]);
  CHECK(verdict.stage == LIBSCHED_STAGE_FILTER_REJECTED);
  CHECK(verdict.code == LIBSCHED_CODE_UNSCHEDULABLE_AND_UNRESOLVABLE);
  CHECK_STR(libsched_sim_verdict_plugin(w.sim, verdict.texts), "NodeResourcesFit");
  CHECK(libsched_sim_verdict_reason_count(w.sim, verdict.texts) == 1);
  CHECK_STR(libsched_sim_verdict_reason(w.sim, verdict.texts, 0), "Insufficient cpu");
  CHECK(libsched_sim_verdict_reason(w.sim, verdict.texts, 1).len == 0);
  CHECK(libsched_sim_verdict_excluder_count(w.sim, verdict.texts) == 0);
  CHECK(libsched_sim_verdict_excluder(w.sim, verdict.texts, 0).len == 0);
  /* Equal verdicts share their texts. */
  CHECK(checked(w.sim, w.huge, w.nodes[1]).texts == verdict.texts);
  CHECK(libsched_sim_verdict_reason_count(w.sim, UINT32_MAX) == 0);
  CHECK(libsched_sim_verdict_plugin(w.sim, UINT32_MAX).len == 0);

  verdict = checked(w.sim, w.half, w.nodes[2]);
  CHECK(verdict.stage == LIBSCHED_STAGE_FILTER_REJECTED);
  CHECK_STR(libsched_sim_verdict_plugin(w.sim, verdict.texts), "NodeUnschedulable");
  CHECK_STR(libsched_sim_verdict_reason(w.sim, verdict.texts, 0), "node(s) were unschedulable");

  /* A required node affinity by name narrows the nodes. */
  const uint64_t only_n1 = pod_like(
      w.catalog, "web", 100,
      ", \"affinity\": {\"nodeAffinity\": {\"requiredDuringSchedulingIgnoredDuringExecution\": "
      "{\"nodeSelectorTerms\": [{\"matchFields\": [{\"key\": \"metadata.name\", \"operator\": "
      "\"In\", \"values\": [\"n1\"]}]}]}}}");
  verdict = checked(w.sim, only_n1, w.nodes[0]);
  CHECK(verdict.stage == LIBSCHED_STAGE_PREFILTER_EXCLUDED);
  CHECK(libsched_sim_verdict_excluder_count(w.sim, verdict.texts) == 1);
  CHECK_STR(libsched_sim_verdict_excluder(w.sim, verdict.texts, 0), "NodeAffinity");
  CHECK(libsched_sim_verdict_reason_count(w.sim, verdict.texts) == 0);
  CHECK(checked(w.sim, only_n1, w.nodes[1]).stage == LIBSCHED_STAGE_PASSED);

  const uint64_t wants = pod_like(w.catalog, "web", 100,
                                  ", \"volumes\": [{\"name\": \"v\", \"persistentVolumeClaim\": "
                                  "{\"claimName\": \"data\"}}]");
  verdict = checked(w.sim, wants, w.nodes[0]);
  CHECK(verdict.stage == LIBSCHED_STAGE_PREFILTER_REJECTED);
  CHECK(libsched_sim_verdict_plugin(w.sim, verdict.texts).len != 0);
  CHECK_STR(libsched_sim_verdict_reason(w.sim, verdict.texts, 0),
            "persistentvolumeclaim \"data\" not found");

  CHECK_OK(libsched_sim_check(w.sim, w.half, w.nodes[0], NULL, NULL, err));
  memset(&verdict, 0x5a, sizeof verdict);
  const libsched_sim_verdict before = verdict;
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_check(w.sim, 0, w.nodes[0], NULL, &verdict, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_check(w.sim, w.small_a, w.nodes[0], NULL, &verdict, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_check(w.sim, w.half, 0, NULL, &verdict, err));
  CHECK(memcmp(&before, &verdict, sizeof verdict) == 0);
  close_sim(&w);
}

static void test_changes_are_seen(void) {
  sim_world w = open_sim();
  CHECK(checked(w.sim, w.whole, w.nodes[0]).stage == LIBSCHED_STAGE_PASSED);
  CHECK_OK(libsched_sim_fork(w.sim, err));
  const uint64_t pod = put(w.sim, w.half, w.nodes[0]);
  CHECK(checked(w.sim, w.whole, w.nodes[0]).stage == LIBSCHED_STAGE_FILTER_REJECTED);
  CHECK_OK(libsched_sim_remove_pods(w.sim, &pod, 1, err));
  CHECK(checked(w.sim, w.whole, w.nodes[0]).stage == LIBSCHED_STAGE_PASSED);
  put(w.sim, w.half, w.nodes[0]);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK(checked(w.sim, w.whole, w.nodes[0]).stage == LIBSCHED_STAGE_PASSED);
  CHECK_OK(libsched_sim_replace_node(w.sim, w.nodes[0], w.closed, err));
  CHECK(checked(w.sim, w.whole, w.nodes[0]).stage == LIBSCHED_STAGE_FILTER_REJECTED);
  close_sim(&w);
}

static void test_first(void) {
  sim_world w = open_sim();
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  libsched_sim_verdict verdict;
  libsched_sim_hit hit = first(w.sim, w.half, NULL, NULL);
  CHECK(hit.node == w.nodes[0] && hit.position == 0 && hit.pod == 0);
  hit = first(w.sim, w.half, &query, &verdict);
  CHECK(hit.node == w.nodes[0] && verdict.stage == LIBSCHED_STAGE_PASSED);
  hit = first(w.sim, w.huge, &query, &verdict);
  CHECK(hit.node == 0 && hit.pod == 0 && verdict.stage == LIBSCHED_STAGE_NO_NODE);
  const uint64_t wants = pod_like(w.catalog, "web", 100,
                                  ", \"volumes\": [{\"name\": \"v\", \"persistentVolumeClaim\": "
                                  "{\"claimName\": \"data\"}}]");
  hit = first(w.sim, wants, NULL, &verdict);
  CHECK(hit.node == 0 && verdict.stage == LIBSCHED_STAGE_PREFILTER_REJECTED);

  query.start = 1;
  hit = first(w.sim, w.half, &query, NULL);
  CHECK(hit.node == w.nodes[1] && hit.position == 1);
  query.start = 2; /* n2 is unschedulable, so the search wraps around */
  hit = first(w.sim, w.half, &query, NULL);
  CHECK(hit.node == w.nodes[0] && hit.position == 0);
  query.count = 1;
  CHECK(first(w.sim, w.half, &query, NULL).node == 0);
  query.start = query.count = 0;
  uint64_t accept[1] = {UINT64_C(1) << (w.nodes[1] & UINT32_MAX)};
  query.accept = accept;
  query.accept_words = 1;
  CHECK(first(w.sim, w.half, &query, NULL).node == w.nodes[1]);
  query.accept_words = 0; /* nodes beyond the bitmap are not accepted */
  CHECK(first(w.sim, w.half, &query, NULL).node == 0);
  query.accept = NULL;

  const uint64_t order[] = {w.nodes[2], w.nodes[1], w.nodes[0]};
  query.order = order;
  query.order_count = 3;
  hit = first(w.sim, w.half, &query, NULL);
  CHECK(hit.node == w.nodes[1] && hit.position == 1); /* in the order that was searched */
  query.order_count = 1;
  CHECK(first(w.sim, w.half, &query, NULL).node == 0);
  const uint64_t gone = 12345;
  query.order = &gone;
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_first(w.sim, w.half, &query, &hit, NULL, err));
  query.order = NULL;
  query.order_count = 0;

  /* Placed on one node after the other, as behind the latest hit. */
  libsched_sim_ring ring = {0, 0};
  query.ring = &ring;
  query.place = true;
  hit = first(w.sim, w.half, &query, NULL);
  CHECK(hit.node == w.nodes[0] && hit.pod != 0 && ring.last == 0);
  CHECK(libsched_sim_pod_node(w.sim, hit.pod) == w.nodes[0]);
  ring.offset = 1;
  hit = first(w.sim, w.half, &query, NULL);
  CHECK(hit.node == w.nodes[1] && ring.last == 1 && ring.offset == 1);
  CHECK(libsched_sim_pod_count(w.sim) == 2);
  hit = first(w.sim, w.huge, &query, NULL);
  CHECK(hit.node == 0 && hit.pod == 0 && ring.last == 1 && libsched_sim_pod_count(w.sim) == 2);
  close_sim(&w);
}

static void test_skip_unschedulable(void) {
  sim_world w = open_sim();
  const uint64_t tolerant =
      pod_like(w.catalog, "web", 5000,
               ", \"tolerations\": [{\"key\": \"node.kubernetes.io/unschedulable\", \"operator\": "
               "\"Exists\"}]");
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  CHECK(first(w.sim, tolerant, &query, NULL).node == w.nodes[2]);
  query.skip_unschedulable = true;
  CHECK(first(w.sim, tolerant, &query, NULL).node == 0);
  CHECK(checked(w.sim, tolerant, w.nodes[2]).stage == LIBSCHED_STAGE_PASSED);
  close_sim(&w);
}

static void test_feasible(void) {
  sim_world w = open_sim();
  const size_t words = (libsched_sim_node_limit(w.sim) + 63) / 64;
  uint64_t bits[4] = {kUntouched, kUntouched, kUntouched, kUntouched};
  size_t count = 77;
  CHECK(words == 1);
  CHECK_FAILS(LIBSCHED_ERR_BUFFER, NULL, NULL,
              libsched_sim_feasible(w.sim, w.half, NULL, bits, 0, &count, err));
  CHECK(bits[0] == kUntouched);
  count = 77;
  CHECK_OK(libsched_sim_feasible(w.sim, w.half, NULL, bits, 1, &count, err));
  const uint64_t n0 = UINT64_C(1) << (w.nodes[0] & UINT32_MAX);
  const uint64_t n1 = UINT64_C(1) << (w.nodes[1] & UINT32_MAX);
  CHECK(count == 2 && bits[0] == (n0 | n1) && bits[1] == kUntouched);
  CHECK_OK(libsched_sim_feasible(w.sim, w.half, NULL, bits, 2, NULL, err));
  CHECK(bits[0] == (n0 | n1) && bits[1] == 0 && bits[2] == kUntouched);
  CHECK_OK(libsched_sim_feasible(w.sim, w.huge, NULL, bits, 1, &count, err));
  CHECK(count == 0 && bits[0] == 0);
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  query.accept = &n1;
  query.accept_words = 1;
  CHECK_OK(libsched_sim_feasible(w.sim, w.half, &query, bits, 1, &count, err));
  CHECK(count == 1 && bits[0] == n1);
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_feasible(w.sim, 0, NULL, bits, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_feasible(w.sim, w.half, NULL, NULL, 1, &count, err));
  close_sim(&w);
}

static void test_check_many(void) {
  sim_world w = open_sim();
  const uint64_t pods[] = {w.half, w.huge, w.half};
  uint8_t out[9];
  memset(out, 0x5a, sizeof out);
  CHECK(libsched_sim_plugin_count(w.sim) > 10 && libsched_sim_plugin_count(w.sim) < 255);
  CHECK_OK(libsched_sim_check_many(w.sim, pods, 3, w.nodes, 3, NULL, out, err));
  CHECK(out[0] == 0 && out[1] == 0 && out[6] == 0 && out[7] == 0);
  CHECK_STR(libsched_sim_plugin(w.sim, out[2] - 1U), "NodeUnschedulable");
  CHECK_STR(libsched_sim_plugin(w.sim, out[3] - 1U), "NodeResourcesFit");
  CHECK_STR(libsched_sim_plugin(w.sim, out[5] - 1U), "NodeUnschedulable"); /* the first one */
  CHECK(libsched_sim_plugin(w.sim, libsched_sim_plugin_count(w.sim)).len == 0);
  CHECK_OK(libsched_sim_check_many(w.sim, pods, 0, w.nodes, 3, NULL, NULL, err));
  CHECK_OK(libsched_sim_check_many(w.sim, pods, 3, w.nodes, 0, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_check_many(w.sim, w.nodes, 3, w.nodes, 3, NULL, out, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_check_many(w.sim, pods, 3, pods, 3, NULL, out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_check_many(w.sim, NULL, 3, w.nodes, 3, NULL, out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_check_many(w.sim, pods, 3, NULL, 3, NULL, out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_check_many(w.sim, pods, 3, w.nodes, 3, NULL, NULL, err));
  close_sim(&w);
}

/* A document in place of all objects that there are. */
static void test_reset_objects(void) {
  sim_world w = open_sim();
  libsched_objects *first = NULL, *second = NULL, *wrong = NULL;
  CHECK_OK(
      libsched_objects_parse(text("{kind: Namespace, apiVersion: v1, metadata: {name: a}}\n---\n"
                                  "{kind: Service, apiVersion: v1, metadata: {name: s}}"),
                             NULL, &first, err));
  CHECK_OK(libsched_objects_parse(text("{kind: Namespace, apiVersion: v1, metadata: {name: b}}"),
                                  NULL, &second, err));
  CHECK_OK(libsched_objects_parse(text("{kind: Node, apiVersion: v1, metadata: {name: n9}}"), NULL,
                                  &wrong, err));
  const libsched_view* view = libsched_sim_view(w.sim);
  CHECK_OK(libsched_sim_put_objects(w.sim, first, err));
  const uint64_t services = libsched_view_objects_version(view, text("Service"));
  CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK_OK(libsched_sim_reset_objects(w.sim, second, err));
  libsched_text* list = NULL;
  CHECK_OK(libsched_view_objects_json(view, text("Namespace"), text(""), text(""), &list, err));
  CHECK(strstr(libsched_text_get(list).ptr, "\"b\"") &&
        !strstr(libsched_text_get(list).ptr, "\"a\""));
  libsched_text_unref(list);
  CHECK(libsched_view_objects_version(view, text("Service")) != services);
  CHECK_REFUSED(LIBSCHED_ERR_INVALID, NULL, w.sim, libsched_sim_reset_objects(w.sim, wrong, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_reset_objects(w.sim, NULL, err));
  CHECK(libsched_sim_node_count(w.sim) == 3);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK(libsched_view_objects_version(view, text("Service")) == services);
  libsched_objects_unref(first);
  libsched_objects_unref(second);
  libsched_objects_unref(wrong);
  close_sim(&w);
}

static void test_copies(void) {
  sim_world w = open_sim();
  size_t out[3] = {77, 77, 77};
  /* n2 is cordoned; an eighth of a node fits eight times, and what one node has is not counted on
   * another. */
  CHECK_OK(libsched_sim_copies(w.sim, w.half, w.nodes, 3, 0, NULL, out, err));
  CHECK(out[0] == 8 && out[1] == 8 && out[2] == 0);
  CHECK_OK(libsched_sim_copies(w.sim, w.half, w.nodes, 2, 1, NULL, out, err));
  CHECK(out[0] == 1 && out[1] == 1);
  const uint64_t pod = put(w.sim, w.half, w.nodes[0]);
  const uint64_t version = libsched_view_version(libsched_sim_view(w.sim));
  CHECK_OK(libsched_sim_copies(w.sim, w.half, w.nodes, 2, 0, NULL, out, err));
  CHECK(out[0] == 7 && out[1] == 8);
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  query.without = &pod;
  query.without_count = 1;
  CHECK_OK(libsched_sim_copies(w.sim, w.half, w.nodes, 2, 0, &query, out, err));
  CHECK(out[0] == 8 && out[1] == 8);
  CHECK(libsched_sim_pod_count(w.sim) == 1 && libsched_sim_pod_node(w.sim, pod) == w.nodes[0]);
  CHECK(libsched_view_version(libsched_sim_view(w.sim)) == version);
  CHECK_OK(libsched_sim_copies(w.sim, w.half, NULL, 0, 0, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_copies(w.sim, 0, w.nodes, 2, 0, NULL, out, err));
  CHECK_FAILS(
      LIBSCHED_ERR_STALE, "nodes[1]", NULL,
      libsched_sim_copies(w.sim, w.half, (const uint64_t[]){w.nodes[0], 0}, 2, 0, NULL, out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_copies(w.sim, w.half, NULL, 2, 0, NULL, out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_copies(w.sim, w.half, w.nodes, 2, 0, NULL, NULL, err));
  close_sim(&w);
}

/* As if pods were not where they are. */
static void test_without(void) {
  sim_world w = open_sim();
  const uint64_t pods[] = {put(w.sim, w.whole, w.nodes[0]), put(w.sim, w.whole, w.nodes[1])};
  const uint64_t version = libsched_view_version(libsched_sim_view(w.sim));
  libsched_sim_verdict verdict;
  libsched_sim_hit hit;
  uint64_t bits[1];
  uint8_t out[2];
  size_t count = 77;
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  query.without = &pods[1];
  query.without_count = 1;
  CHECK_OK(libsched_sim_check(w.sim, w.half, w.nodes[1], NULL, &verdict, err));
  CHECK(verdict.stage == LIBSCHED_STAGE_FILTER_REJECTED);
  CHECK_OK(libsched_sim_check(w.sim, w.half, w.nodes[1], &query, &verdict, err));
  CHECK(verdict.stage == LIBSCHED_STAGE_PASSED);
  CHECK_OK(libsched_sim_first(w.sim, w.half, NULL, &hit, &verdict, err));
  CHECK(hit.node == 0);
  CHECK_OK(libsched_sim_first(w.sim, w.half, &query, &hit, &verdict, err));
  CHECK(hit.node == w.nodes[1] && hit.pod == 0);
  CHECK_OK(libsched_sim_feasible(w.sim, w.half, &query, bits, 1, &count, err));
  CHECK(count == 1 && bits[0] == UINT64_C(1) << (w.nodes[1] & UINT32_MAX));
  CHECK_OK(libsched_sim_check_many(w.sim, &w.half, 1, w.nodes, 2, &query, out, err));
  CHECK(out[0] != 0 && out[1] == 0);
  CHECK(libsched_sim_pod_count(w.sim) == 2 && libsched_sim_fork_depth(w.sim) == 0);
  CHECK(libsched_view_version(libsched_sim_view(w.sim)) == version);
  CHECK_OK(libsched_sim_check(w.sim, w.half, w.nodes[1], NULL, &verdict, err));
  CHECK(verdict.stage == LIBSCHED_STAGE_FILTER_REJECTED);

  const uint64_t twice[] = {pods[0], pods[0]};
  query.without = twice;
  query.without_count = 2;
  CHECK_FAILS(LIBSCHED_ERR_STALE, "query->without[1]", NULL,
              libsched_sim_check(w.sim, w.half, w.nodes[0], &query, &verdict, err));
  CHECK(libsched_sim_pod_count(w.sim) == 2);
  query.without_count = 1;
  query.place = true;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "query->without", NULL,
              libsched_sim_first(w.sim, w.half, &query, &hit, &verdict, err));
  query.place = false;
  size_t placed;
  bool removed;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "query->without", NULL,
              libsched_sim_place_many(w.sim, &w.half, 1, &query, NULL, &hit, &placed, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "query->without", NULL,
              libsched_sim_remove(w.sim, w.nodes[0], pods, 1, &query, NULL, &hit, &removed, err));
  query.without = NULL;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, "query->without", NULL,
              libsched_sim_check(w.sim, w.half, w.nodes[0], &query, &verdict, err));
  CHECK(libsched_sim_pod_count(w.sim) == 2);
  close_sim(&w);
}

/* Questions to some plugins. */
static void test_plugins(void) {
  sim_world w = open_sim();
  const uint64_t all = (UINT64_C(1) << libsched_sim_plugin_count(w.sim)) - 1;
  uint64_t cordons = 0, asked;
  for (size_t i = 0; i < libsched_sim_plugin_count(w.sim); ++i) {
    const libsched_str name = libsched_sim_plugin(w.sim, i);
    if (strncmp(name.ptr, "NodeUnschedulable", name.len) == 0) cordons = UINT64_C(1) << i;
  }
  libsched_sim_verdict verdict;
  libsched_sim_hit hit;
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  query.plugins = &asked;
  query.plugin_words = 1;
  asked = all & ~cordons;
  CHECK_OK(libsched_sim_check(w.sim, w.half, w.nodes[2], &query, &verdict, err));
  CHECK(verdict.stage == LIBSCHED_STAGE_PASSED);
  CHECK_OK(libsched_sim_check(w.sim, w.half, w.nodes[2], NULL, &verdict, err));
  CHECK(verdict.stage == LIBSCHED_STAGE_FILTER_REJECTED);
  asked = cordons;
  uint64_t bits[1];
  uint8_t out[3];
  size_t count, copies[3];
  CHECK_OK(libsched_sim_first(w.sim, w.huge, &query, &hit, &verdict, err));
  CHECK(hit.node == w.nodes[0] && hit.pod == 0);
  CHECK_OK(libsched_sim_feasible(w.sim, w.huge, &query, bits, 1, &count, err));
  CHECK(count == 2);
  CHECK_OK(libsched_sim_check_many(w.sim, &w.huge, 1, w.nodes, 3, &query, out, err));
  CHECK(out[0] == 0 && out[1] == 0);
  CHECK_STR(libsched_sim_plugin(w.sim, out[2] - 1U), "NodeUnschedulable");
  CHECK_OK(libsched_sim_copies(w.sim, w.huge, w.nodes, 3, 5, &query, copies, err));
  CHECK(copies[0] == 5 && copies[2] == 0);
  query.plugin_words = 0; /* none */
  CHECK_OK(libsched_sim_check(w.sim, w.huge, w.nodes[2], &query, &verdict, err));
  CHECK(verdict.stage == LIBSCHED_STAGE_PASSED);
  CHECK_OK(libsched_sim_first(w.sim, w.huge, NULL, &hit, &verdict, err));
  CHECK(hit.node == 0);
  const uint64_t on_first = put(w.sim, w.whole, w.nodes[0]);
  query.without = &on_first;
  query.without_count = 1;
  query.plugin_words = 1;
  asked = all & ~cordons;
  CHECK_OK(libsched_sim_feasible(w.sim, w.whole, &query, bits, 1, &count, err));
  CHECK(count == 3);
  query.without_count = 0;
  query.place = true;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "query->plugins", NULL,
              libsched_sim_first(w.sim, w.half, &query, &hit, &verdict, err));
  query.place = false;
  size_t placed;
  bool removed;
  CHECK_FAILS(LIBSCHED_ERR_INVALID, "query->plugins", NULL,
              libsched_sim_place_many(w.sim, &w.half, 1, &query, NULL, &hit, &placed, NULL, err));
  CHECK_FAILS(
      LIBSCHED_ERR_INVALID, "query->plugins", NULL,
      libsched_sim_remove(w.sim, w.nodes[0], &on_first, 1, &query, NULL, &hit, &removed, err));
  close_sim(&w);
}

static void test_place_many(void) {
  sim_world w = open_sim();
  const uint64_t pods[] = {w.half, w.whole, w.huge, w.huge, w.half};
  libsched_sim_hit hits[5];
  size_t placed = 77;
  bool ended = true;
  libsched_sim_place_options options = LIBSCHED_SIM_PLACE_OPTIONS_INIT;
  CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK_OK(libsched_sim_place_many(w.sim, pods, 5, NULL, NULL, hits, &placed, &ended, err));
  CHECK(placed == 3 && !ended && libsched_sim_pod_count(w.sim) == 3);
  CHECK(hits[0].node == w.nodes[0] && hits[1].node == w.nodes[1] && hits[4].node == w.nodes[0]);
  CHECK(hits[2].node == 0 && hits[2].pod == 0 && hits[3].node == 0 && hits[3].pod == 0);
  CHECK(libsched_sim_pod_node(w.sim, hits[1].pod) == w.nodes[1]);
  CHECK(libsched_sim_pod_ref(w.sim, hits[1].pod) == w.whole);
  CHECK_OK(libsched_sim_revert(w.sim, err));

  CHECK_OK(libsched_sim_fork(w.sim, err));
  options.stop_at_failure = true;
  CHECK_OK(libsched_sim_place_many(w.sim, pods, 5, NULL, &options, hits, &placed, NULL, err));
  CHECK(placed == 2 && hits[2].node == 0 && hits[4].node == 0);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  options.stop_at_failure = false;

  /* A hint comes before all others if the query accepts it; one that is stale is passed over. */
  CHECK_OK(libsched_sim_fork(w.sim, err));
  const uint64_t hints[] = {w.nodes[1], 0, 0, 12345, 12345};
  options.hints = hints;
  options.retry_failed = true;
  CHECK_OK(libsched_sim_place_many(w.sim, pods, 5, NULL, &options, hits, &placed, NULL, err));
  CHECK(placed == 3 && hits[0].node == w.nodes[1] && hits[1].node == w.nodes[0]);
  CHECK(hits[4].node == w.nodes[1]);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  const uint64_t n0 = UINT64_C(1) << (w.nodes[0] & UINT32_MAX);
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  query.accept = &n0;
  query.accept_words = 1;
  CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK_OK(libsched_sim_place_many(w.sim, pods, 2, &query, &options, hits, &placed, NULL, err));
  CHECK(placed == 1 && hits[0].node == w.nodes[0] && hits[1].node == 0);
  CHECK_OK(libsched_sim_revert(w.sim, err));

  /* As by the autoscaler, whoever has a hint comes first. */
  const uint64_t second[] = {0, w.nodes[0]};
  const uint64_t wholes[] = {w.whole, w.whole};
  libsched_sim_place_options turns = LIBSCHED_SIM_PLACE_OPTIONS_INIT;
  turns.hints = second;
  for (int round = 0; round < 2; ++round) {
    turns.as_autoscaler = round == 1;
    CHECK_OK(libsched_sim_fork(w.sim, err));
    CHECK_OK(libsched_sim_place_many(w.sim, wholes, 2, NULL, &turns, hits, &placed, NULL, err));
    CHECK(hits[0].node == w.nodes[round]);
    CHECK(hits[1].node == w.nodes[1 - round]);
    CHECK_OK(libsched_sim_revert(w.sim, err));
  }

  placed = 77;
  const uint64_t stale[] = {w.half, 0};
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_place_many(w.sim, stale, 2, NULL, NULL, hits, &placed, NULL, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_place_many(w.sim, NULL, 2, NULL, NULL, hits, &placed, NULL, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_place_many(w.sim, pods, 2, NULL, NULL, NULL, &placed, NULL, err));
  CHECK(placed == 77);
  CHECK_OK(libsched_sim_place_many(w.sim, NULL, 0, NULL, NULL, NULL, &placed, NULL, err));
  CHECK(placed == 0);
  close_sim(&w);
}

static void test_limits(void) {
  sim_world w = open_sim();
  libsched_cancel* cancel = NULL;
  CHECK_OK(libsched_cancel_create(&cancel, err));
  libsched_cancel_set(cancel);
  libsched_sim_query query = LIBSCHED_SIM_QUERY_INIT;
  libsched_sim_verdict verdict;
  libsched_sim_hit hits[3] = {{kUntouched, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  const uint64_t pods[] = {w.half, w.half, w.half};
  uint64_t bits = 0;
  uint8_t out[9];
  size_t placed = 77;
  bool ended = false, removed = true;
  for (int round = 0; round < 2; ++round) {
    const libsched_rc expected = round == 0 ? LIBSCHED_ERR_CANCELLED : LIBSCHED_ERR_DEADLINE;
    query.cancel = round == 0 ? cancel : NULL;
    query.deadline_ns = round == 0 ? 0 : 1; /* 1970 */
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_check(w.sim, w.half, w.nodes[0], &query, &verdict, err));
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_first(w.sim, w.half, &query, hits, &verdict, err));
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_feasible(w.sim, w.half, &query, &bits, 1, NULL, err));
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_check_many(w.sim, pods, 3, w.nodes, 3, &query, out, err));
    CHECK(hits[0].node == kUntouched);
    const uint64_t moved = put(w.sim, w.half, w.nodes[0]);
    CHECK_REFUSED(
        expected, NULL, w.sim,
        libsched_sim_remove(w.sim, w.nodes[0], &moved, 1, &query, NULL, hits, &removed, err));
    CHECK(removed);
    CHECK_OK(libsched_sim_remove_pods(w.sim, &moved, 1, err));
    /* What has been placed until then counts. */
    CHECK_OK(libsched_sim_place_many(w.sim, pods, 3, &query, NULL, hits, &placed, &ended, err));
    CHECK(ended && placed == 0 && hits[2].node == 0);
    hits[0].node = kUntouched;
    ended = false;
    libsched_sim_pack_options pack = LIBSCHED_SIM_PACK_OPTIONS_INIT;
    pack.prefix = text("new-");
    pack.cancel = query.cancel;
    pack.deadline_ns = query.deadline_ns;
    const libsched_sim_group group = {w.half, 3};
    libsched_sim_packing packing;
    CHECK_OK(libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &pack, &packing, err));
    CHECK(packing.stop == LIBSCHED_STOP_DEADLINE && packing.placed == 0);
    CHECK(libsched_sim_fork_depth(w.sim) == 1);
    CHECK_OK(libsched_sim_revert(w.sim, err));
  }
  libsched_cancel_reset(cancel);
  query.cancel = cancel;
  query.deadline_ns = INT64_MAX;
  CHECK_OK(libsched_sim_check(w.sim, w.half, w.nodes[0], &query, &verdict, err));
  libsched_cancel_unref(cancel);
  close_sim(&w);
}

int main(void) {
  test_check();
  test_changes_are_seen();
  test_first();
  test_skip_unschedulable();
  test_feasible();
  test_check_many();
  test_reset_objects();
  test_copies();
  test_without();
  test_plugins();
  test_place_many();
  test_limits();
  return finish();
}
