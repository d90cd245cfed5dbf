/* The contents of a simulated cluster: every change and its errors, which change nothing; what-ifs;
   stale ids and references; reading. */
#include "sim_fixture.h"

static size_t pods_on(const libsched_sim* sim, uint64_t node) {
  size_t count = 0;
  uint64_t ids[64];
  CHECK_OK(libsched_sim_pods_on(sim, node, ids, 64, &count, err));
  return count;
}

static int64_t requested_cpu(const libsched_sim* sim, uint64_t node) {
  int64_t amounts[4] = {-1, -1, -1, -1};
  size_t count = 0;
  CHECK_OK(libsched_sim_requested(sim, node, amounts, 4, &count, err));
  CHECK(count >= 4 && count == libsched_sim_resource_count(sim));
  return amounts[0];
}

static void test_reading(void) {
  sim_world w = open_sim();
  CHECK(libsched_sim_node_count(w.sim) == 3 && libsched_sim_pod_count(w.sim) == 0);
  CHECK(libsched_sim_node_limit(w.sim) >= 3);
  uint64_t ids[3] = {kUntouched, kUntouched, kUntouched};
  size_t count = 0;
  CHECK_FAILS(LIBSCHED_ERR_BUFFER, NULL, NULL, libsched_sim_nodes(w.sim, ids, 2, &count, err));
  CHECK(count == 3 && ids[2] == kUntouched);
  CHECK_OK(libsched_sim_nodes(w.sim, ids, 3, &count, err));
  CHECK(count == 3 && memcmp(ids, w.nodes, sizeof ids) == 0);
  for (size_t i = 0; i < 3; ++i) {
    CHECK_STR(libsched_sim_node_name(w.sim, ids[i]), format("n%zu", i));
    CHECK(libsched_sim_find_node(w.sim, text(format("n%zu", i))) == ids[i]);
    CHECK(libsched_sim_position(w.sim, ids[i]) == i);
    CHECK((ids[i] & UINT32_MAX) < libsched_sim_node_limit(w.sim));
  }
  CHECK(libsched_sim_node_ref(w.sim, ids[0]) == w.small_a);
  CHECK(libsched_sim_find_node(w.sim, text("n3")) == 0);
  CHECK(libsched_sim_find_node(w.sim, text("")) == 0);

  const uint64_t pod = put(w.sim, w.half, w.nodes[1]);
  CHECK(libsched_sim_pod_count(w.sim) == 1);
  CHECK(libsched_sim_pod_ref(w.sim, pod) == w.half && libsched_sim_pod_node(w.sim, pod) == ids[1]);
  CHECK_FAILS(LIBSCHED_ERR_BUFFER, NULL, NULL,
              libsched_sim_pods_on(w.sim, ids[1], NULL, 0, &count, err));
  CHECK(count == 1);
  CHECK_OK(libsched_sim_pods_on(w.sim, ids[1], ids + 2, 1, &count, err));
  CHECK(count == 1 && ids[2] == pod);
  CHECK_OK(libsched_sim_pods_on(w.sim, ids[0], NULL, 0, &count, err));
  CHECK(count == 0);

  static const char* const names[] = {"cpu", "memory", "ephemeral-storage", "pods"};
  CHECK(libsched_sim_resource_count(w.sim) >= 4);
  for (size_t i = 0; i < 4; ++i) CHECK_STR(libsched_sim_resource(w.sim, i), names[i]);
  CHECK(libsched_sim_resource(w.sim, libsched_sim_resource_count(w.sim)).len == 0);
  int64_t amounts[5] = {-1, -1, -1, -1, -1};
  CHECK_OK(libsched_sim_requested(w.sim, ids[1], amounts, 4, &count, err));
  CHECK(amounts[0] == 500 && amounts[1] == INT64_C(1) << 30 && amounts[2] == 0 && amounts[3] == 1);
  CHECK_OK(libsched_sim_allocatable(w.sim, ids[1], amounts, 4, &count, err));
  CHECK(amounts[0] == 4000 && amounts[1] == INT64_C(16) << 30 && amounts[3] == 110);
  amounts[0] = amounts[1] = -1;
  CHECK_OK(libsched_sim_allocatable(w.sim, ids[1], amounts, 1, &count, err));
  CHECK(amounts[0] == 4000 && amounts[1] == -1 && count >= 4);
  CHECK_OK(libsched_sim_requested(w.sim, ids[1], NULL, 0, &count, err));

  const libsched_view* view = libsched_sim_view(w.sim);
  CHECK(libsched_view_node_count(view) == 3 && libsched_view_pod_count(view) == 1);
  CHECK(libsched_view_find_node(view, text("n1")) != LIBSCHED_NO_ROW);
  CHECK(libsched_sim_view(NULL) == NULL);

  /* A resource that no node and no pod had before is behind the others. */
  const size_t before = libsched_sim_resource_count(w.sim);
  uint64_t gpu = 0;
  const libsched_str document = text(
      "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"g\"}, \"status\": "
      "{\"allocatable\": {\"cpu\": \"1\", \"pods\": \"9\", \"example.com/gpu\": \"3\"}}}");
  CHECK_OK(libsched_catalog_add_nodes(w.catalog, &document, 1, NULL, &gpu, err));
  const uint64_t node = add_like(w.sim, gpu, "g");
  CHECK(libsched_sim_resource_count(w.sim) == before + 1);
  CHECK_STR(libsched_sim_resource(w.sim, before), "example.com/gpu");
  int64_t* all = calloc(before + 1, sizeof *all);
  CHECK_OK(libsched_sim_allocatable(w.sim, node, all, before + 1, &count, err));
  CHECK(all != NULL && count == before + 1 && all[before] == 3);
  free(all);
  close_sim(&w);
}

static void test_nodes(void) {
  sim_world w = open_sim();
  const libsched_str names[] = {LIBSCHED_STR("n3"), LIBSCHED_STR("n4")};
  const libsched_str twice[] = {LIBSCHED_STR("n5"), LIBSCHED_STR("n5")};
  const libsched_str taken[] = {LIBSCHED_STR("n5"), LIBSCHED_STR("n0")};
  const libsched_str empty[] = {LIBSCHED_STR("n5"), {NULL, 0}};
  uint64_t ids[2] = {kUntouched, kUntouched};
  CHECK_REFUSED(LIBSCHED_ERR_EXISTS, "n5", w.sim,
                libsched_sim_add_nodes(w.sim, w.small_a, twice, 2, ids, err));
  CHECK_REFUSED(LIBSCHED_ERR_EXISTS, "n0", w.sim,
                libsched_sim_add_nodes(w.sim, w.small_a, taken, 2, ids, err));
  CHECK_REFUSED(LIBSCHED_ERR_INVALID, NULL, w.sim,
                libsched_sim_add_nodes(w.sim, w.small_a, empty, 2, ids, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_add_nodes(w.sim, 0, names, 2, ids, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_add_nodes(w.sim, w.half, names, 2, ids, err)); /* of a pod */
  CHECK(ids[0] == kUntouched && ids[1] == kUntouched);
  CHECK_OK(libsched_sim_add_nodes(w.sim, w.small_a, names, 0, NULL, err));
  CHECK_OK(libsched_sim_add_nodes(w.sim, w.small_a, names, 2, ids, err));
  CHECK(libsched_sim_position(w.sim, ids[0]) == 3 && libsched_sim_position(w.sim, ids[1]) == 4);

  const uint64_t pod = put(w.sim, w.half, w.nodes[0]);
  CHECK_OK(libsched_sim_replace_node(w.sim, w.nodes[0], w.closed, err));
  CHECK(libsched_sim_node_ref(w.sim, w.nodes[0]) == w.closed);
  CHECK(libsched_sim_position(w.sim, w.nodes[0]) == 0);
  CHECK_STR(libsched_sim_node_name(w.sim, w.nodes[0]), "n0");
  CHECK(libsched_sim_pod_node(w.sim, pod) == w.nodes[0] && requested_cpu(w.sim, w.nodes[0]) == 500);
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_replace_node(w.sim, w.nodes[0], w.half, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_replace_node(w.sim, 0, w.small_a, err));

  CHECK_OK(libsched_sim_remove_node(w.sim, w.nodes[0], err));
  CHECK(libsched_sim_node_count(w.sim) == 4 && libsched_sim_pod_count(w.sim) == 0);
  CHECK(libsched_sim_position(w.sim, w.nodes[1]) == 0); /* those behind it move up */
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim, libsched_sim_remove_node(w.sim, w.nodes[0], err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_replace_node(w.sim, w.nodes[0], w.small_a, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim, libsched_sim_remove_node(w.sim, 0, err));
  /* A node that is gone has no name and no content, even if another one has its name or its index.
   */
  const uint64_t again = add_like(w.sim, w.small_a, "n0");
  CHECK(again != w.nodes[0] && libsched_sim_position(w.sim, again) == 4);
  CHECK(libsched_sim_node_name(w.sim, w.nodes[0]).len == 0);
  CHECK(libsched_sim_node_ref(w.sim, w.nodes[0]) == 0);
  CHECK(libsched_sim_position(w.sim, w.nodes[0]) == SIZE_MAX);
  CHECK(libsched_sim_pod_ref(w.sim, pod) == 0 && libsched_sim_pod_node(w.sim, pod) == 0);
  size_t count = 77;
  int64_t amount = -1;
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_requested(w.sim, w.nodes[0], &amount, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_allocatable(w.sim, w.nodes[0], &amount, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_pods_on(w.sim, w.nodes[0], ids, 1, &count, err));
  CHECK(count == 77 && amount == -1);
  close_sim(&w);
}

static void test_pods(void) {
  sim_world w = open_sim();
  const uint64_t same[] = {w.half, w.half, w.whole};
  const uint64_t to[] = {w.nodes[0], w.nodes[0], w.nodes[1]};
  const uint64_t stale_pod[] = {w.half, w.small_a}, stale_node[] = {w.nodes[0], 12345};
  uint64_t ids[3] = {kUntouched, kUntouched, kUntouched};
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_add_pods(w.sim, stale_pod, to, 2, ids, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_add_pods(w.sim, same, stale_node, 2, ids, err));
  CHECK_OK(libsched_sim_add_pods(w.sim, NULL, NULL, 0, NULL, err));
  CHECK(ids[0] == kUntouched);
  for (uint64_t index = 0; index < 100; ++index) { /* numbers that look like ids and references */
    const uint64_t next = w.whole + 100 + index;
    CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
                libsched_sim_add_pods(w.sim, &w.half, &index, 1, ids, err));
    CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
                libsched_sim_add_pods(w.sim, &next, w.nodes, 1, ids, err));
    CHECK(libsched_sim_pod_ref(w.sim, index) == 0 && libsched_sim_node_ref(w.sim, index) == 0);
  }
  /* One content may be placed any number of times, and nobody asks whether it fits. */
  CHECK_OK(libsched_sim_add_pods(w.sim, same, to, 3, ids, err));
  CHECK(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
  CHECK(pods_on(w.sim, w.nodes[0]) == 2 && requested_cpu(w.sim, w.nodes[0]) == 1000);
  CHECK_OK(libsched_sim_add_pods(w.sim, same, to, 3, NULL, err));
  CHECK(requested_cpu(w.sim, w.nodes[1]) == 8000 && libsched_sim_pod_count(w.sim) == 6);

  const uint64_t twice[] = {ids[0], ids[1], ids[0]}, gone[] = {ids[0], 0};
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim, libsched_sim_remove_pods(w.sim, twice, 3, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim, libsched_sim_remove_pods(w.sim, gone, 2, err));
  CHECK_OK(libsched_sim_remove_pods(w.sim, ids, 0, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim, libsched_sim_unplace_pods(w.sim, twice, 3, err));
  CHECK_OK(libsched_sim_unplace_pods(w.sim, ids, 0, err));
  CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK_OK(libsched_sim_unplace_pods(w.sim, ids, 2, err));
  CHECK(libsched_sim_pod_count(w.sim) == 4);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK_OK(libsched_sim_remove_pods(w.sim, ids, 2, err));
  CHECK(libsched_sim_pod_count(w.sim) == 4 && pods_on(w.sim, w.nodes[0]) == 2);
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim, libsched_sim_remove_pods(w.sim, ids, 1, err));
  CHECK(libsched_sim_pod_ref(w.sim, ids[0]) == 0 && libsched_sim_pod_node(w.sim, ids[0]) == 0);
  const uint64_t next = put(w.sim, w.half, w.nodes[0]);
  CHECK(next != ids[0] && next != ids[1]); /* the index may be the same, the id is not */
  close_sim(&w);
}

static void test_forks(void) {
  sim_world w = open_sim();
  CHECK_REFUSED(LIBSCHED_ERR_STATE, NULL, w.sim, libsched_sim_commit(w.sim, err));
  CHECK_REFUSED(LIBSCHED_ERR_STATE, NULL, w.sim, libsched_sim_revert(w.sim, err));
  const uint64_t first = put(w.sim, w.half, w.nodes[0]), second = put(w.sim, w.half, w.nodes[0]);
  char before[8192];
  snprintf(before, sizeof before, "%s", contents_of(w.sim));
  CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK(libsched_sim_fork_depth(w.sim) == 1);
  CHECK_OK(libsched_sim_remove_pods(w.sim, &first, 1, err));
  const uint64_t added = add_like(w.sim, w.small_b, "new");
  CHECK_OK(libsched_sim_fork(w.sim, err));
  put(w.sim, w.whole, added);
  CHECK_OK(libsched_sim_remove_node(w.sim, w.nodes[1], err));
  CHECK_OK(libsched_sim_replace_node(w.sim, w.nodes[0], w.small_b, err));
  CHECK(libsched_sim_fork_depth(w.sim) == 2 && libsched_sim_position(w.sim, added) == 2);
  CHECK_OK(libsched_sim_commit(w.sim, err));
  CHECK(libsched_sim_fork_depth(w.sim) == 1 && libsched_sim_node_count(w.sim) == 3);
  CHECK(libsched_sim_pod_node(w.sim, second) == w.nodes[0]);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK(strcmp(before, contents_of(w.sim)) == 0); /* ids, the order of nodes and that of pods */
  CHECK(libsched_sim_node_ref(w.sim, added) == 0);
  CHECK(libsched_sim_pod_node(w.sim, first) == w.nodes[0]);
  CHECK(libsched_sim_find_node(w.sim, text("new")) == 0);

  /* Without bound, and an id is not given away while a revert may bring it back. */
  for (int i = 0; i < 1000; ++i) CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK_OK(libsched_sim_remove_pods(w.sim, &first, 1, err));
  CHECK(put(w.sim, w.half, w.nodes[0]) != first);
  CHECK(libsched_sim_fork_depth(w.sim) == 1000);
  while (libsched_sim_fork_depth(w.sim) != 0) CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK(strcmp(before, contents_of(w.sim)) == 0);
  close_sim(&w);
}

static void test_reset(void) {
  sim_world w = open_sim();
  const uint64_t old = put(w.sim, w.half, w.nodes[0]);
  CHECK_OK(libsched_sim_fork(w.sim, err));
  const uint64_t nodes[] = {w.small_b, w.small_a}, pods[] = {w.half, w.whole};
  const libsched_str names[] = {LIBSCHED_STR("x"), LIBSCHED_STR("n0")};
  const libsched_str twice[] = {LIBSCHED_STR("x"), LIBSCHED_STR("x")};
  const libsched_str empty[] = {LIBSCHED_STR("x"), LIBSCHED_STR("")};
  const uint32_t on[] = {1, 0}, beyond[] = {1, 2};
  const uint64_t stale[] = {w.small_b, w.half};
  uint64_t ids[2] = {kUntouched, kUntouched}, placed[2] = {kUntouched, kUntouched};
  CHECK_REFUSED(LIBSCHED_ERR_EXISTS, "x", w.sim,
                libsched_sim_reset(w.sim, nodes, twice, 2, pods, on, 2, ids, placed, err));
  CHECK_REFUSED(LIBSCHED_ERR_INVALID, NULL, w.sim,
                libsched_sim_reset(w.sim, nodes, empty, 2, pods, on, 2, ids, placed, err));
  CHECK_REFUSED(LIBSCHED_ERR_INVALID, NULL, w.sim,
                libsched_sim_reset(w.sim, nodes, names, 2, pods, beyond, 2, ids, placed, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_reset(w.sim, stale, names, 2, pods, on, 2, ids, placed, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_reset(w.sim, nodes, names, 2, nodes, on, 2, ids, placed, err));
  CHECK(libsched_sim_fork_depth(w.sim) == 1 && ids[0] == kUntouched && placed[1] == kUntouched);
  CHECK_OK(libsched_sim_reset(w.sim, nodes, names, 2, pods, on, 2, ids, placed, err));
  CHECK(libsched_sim_fork_depth(w.sim) == 0 && libsched_sim_node_count(w.sim) == 2);
  CHECK(libsched_sim_find_node(w.sim, text("x")) == ids[0]);
  CHECK(libsched_sim_pod_node(w.sim, placed[0]) == ids[1]);
  CHECK(libsched_sim_pod_ref(w.sim, placed[1]) == w.whole && requested_cpu(w.sim, ids[0]) == 4000);
  CHECK(libsched_sim_pod_ref(w.sim, old) == 0 && libsched_sim_node_ref(w.sim, w.nodes[0]) == 0);
  CHECK_OK(libsched_sim_reset(w.sim, nodes, names, 2, NULL, NULL, 0, NULL, NULL, err));
  CHECK(libsched_sim_pod_count(w.sim) == 0 && libsched_sim_node_ref(w.sim, ids[0]) == 0);
  CHECK_OK(libsched_sim_reset(w.sim, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, err));
  CHECK(libsched_sim_node_count(w.sim) == 0);
  close_sim(&w);
}

static const char* const kCluster =
    "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"v1\", \"kind\": "
    "\"Node\", \"metadata\": {\"name\": \"a\", \"labels\": {\"kubernetes.io/hostname\": \"a\"}}, "
    "\"status\": {\"allocatable\": {\"cpu\": \"4\", \"memory\": \"8Gi\", \"pods\": \"110\"}}}, "
    "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"b\", \"labels\": "
    "{\"kubernetes.io/hostname\": \"b\"}}, \"status\": {\"allocatable\": {\"cpu\": \"4\", "
    "\"memory\": \"8Gi\", \"pods\": \"110\"}}}, "
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"runs\"}, \"spec\": "
    "{\"nodeName\": \"a\", \"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": "
    "{\"cpu\": \"1\"}}}]}}, "
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"waits\"}, \"spec\": "
    "{\"containers\": [{\"name\": \"c\"}]}}, "
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"ended\"}, \"spec\": "
    "{\"nodeName\": \"a\", \"containers\": [{\"name\": \"c\"}]}, \"status\": {\"phase\": "
    "\"Succeeded\"}}, "
    "{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"lost\"}, \"spec\": "
    "{\"nodeName\": \"gone\", \"containers\": [{\"name\": \"c\"}]}}, "
    "{\"apiVersion\": \"v1\", \"kind\": \"PersistentVolumeClaim\", \"metadata\": {\"name\": "
    "\"data\", \"namespace\": \"default\"}, \"spec\": {\"storageClassName\": \"slow\", "
    "\"accessModes\": [\"ReadWriteOnce\"], \"resources\": {\"requests\": {\"storage\": "
    "\"1Gi\"}}}}, "
    "{\"apiVersion\": \"storage.k8s.io/v1\", \"kind\": \"StorageClass\", \"metadata\": {\"name\": "
    "\"slow\"}, \"provisioner\": \"x.example.com\", \"volumeBindingMode\": "
    "\"WaitForFirstConsumer\"}]}";

static libsched_objects* parsed(const char* document) {
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(text(document), NULL, &objects, err));
  return objects;
}

static void test_load(void) {
  sim_world w = open_sim();
  CHECK_OK(libsched_sim_fork(w.sim, err));
  libsched_objects* objects = parsed(kCluster);
  CHECK_OK(libsched_sim_load(w.sim, objects, err));
  CHECK(libsched_sim_fork_depth(w.sim) == 0);
  CHECK(libsched_sim_node_count(w.sim) == 2 && libsched_sim_pod_count(w.sim) == 1);
  const uint64_t a = libsched_sim_find_node(w.sim, text("a"));
  const uint64_t b = libsched_sim_find_node(w.sim, text("b"));
  CHECK(a != 0 && b != 0 && requested_cpu(w.sim, a) == 1000);
  CHECK(libsched_sim_node_ref(w.sim, a) == libsched_sim_node_ref(w.sim, b));
  CHECK(libsched_catalog_has_node(w.catalog, libsched_sim_node_ref(w.sim, a)));
  libsched_objects_unref(objects);
  close_sim(&w);
}

static uint32_t stage_of(libsched_sim* sim, uint64_t pod, uint64_t node) {
  libsched_sim_verdict verdict;
  memset(&verdict, 0, sizeof verdict);
  CHECK_OK(libsched_sim_check(sim, pod, node, NULL, &verdict, err));
  return verdict.stage;
}

static void test_objects(void) {
  sim_world w = open_sim();
  libsched_objects* both = parsed(kCluster);
  CHECK_REFUSED(LIBSCHED_ERR_INVALID, NULL, w.sim, libsched_sim_put_objects(w.sim, both, err));
  libsched_objects_unref(both);
  const uint64_t wants = pod_like(w.catalog, "web", 100,
                                  ", \"volumes\": [{\"name\": \"v\", \"persistentVolumeClaim\": "
                                  "{\"claimName\": \"data\"}}]");
  CHECK(stage_of(w.sim, wants, w.nodes[0]) == LIBSCHED_STAGE_PREFILTER_REJECTED);
  libsched_objects* claim = parsed(
      "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [{\"apiVersion\": \"v1\", \"kind\": "
      "\"PersistentVolumeClaim\", \"metadata\": {\"name\": \"data\", \"namespace\": \"default\"}, "
      "\"spec\": {\"storageClassName\": \"slow\", \"accessModes\": [\"ReadWriteOnce\"], "
      "\"resources\": {\"requests\": {\"storage\": \"1Gi\"}}}}, {\"apiVersion\": "
      "\"storage.k8s.io/v1\", \"kind\": \"StorageClass\", \"metadata\": {\"name\": \"slow\"}, "
      "\"provisioner\": \"x.example.com\", \"volumeBindingMode\": \"WaitForFirstConsumer\"}]}");
  CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK_OK(libsched_sim_put_objects(w.sim, claim, err));
  CHECK(stage_of(w.sim, wants, w.nodes[0]) == LIBSCHED_STAGE_PASSED);
  CHECK_OK(libsched_sim_revert(w.sim, err)); /* objects are a part of what-ifs */
  CHECK(stage_of(w.sim, wants, w.nodes[0]) == LIBSCHED_STAGE_PREFILTER_REJECTED);
  CHECK_OK(libsched_sim_put_objects(w.sim, claim, err));
  const libsched_str kind = text("PersistentVolumeClaim"), ns = text("default");
  CHECK_OK(libsched_sim_reset(w.sim, &w.small_a, &kind, 1, NULL, NULL, 0, w.nodes, NULL, err));
  CHECK(stage_of(w.sim, wants, w.nodes[0]) == LIBSCHED_STAGE_PASSED); /* reset leaves them */
  CHECK_OK(libsched_sim_fork(w.sim, err));
  CHECK_OK(libsched_sim_remove_object(w.sim, kind, ns, text("data"), err));
  CHECK(stage_of(w.sim, wants, w.nodes[0]) == LIBSCHED_STAGE_PREFILTER_REJECTED);
  CHECK_REFUSED(LIBSCHED_ERR_NOT_FOUND, "data", w.sim,
                libsched_sim_remove_object(w.sim, kind, ns, text("data"), err));
  CHECK_REFUSED(LIBSCHED_ERR_INVALID, NULL, w.sim,
                libsched_sim_remove_object(w.sim, text("ConfigMap"), ns, text("data"), err));
  CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK(stage_of(w.sim, wants, w.nodes[0]) == LIBSCHED_STAGE_PASSED);
  libsched_objects_unref(claim);
  close_sim(&w);
}

static void test_handles(void) {
  sim_world w = open_sim();
  libsched_sim* out = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_create(NULL, w.catalog, &out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_create(w.framework, NULL, &out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_create(w.framework, w.catalog, NULL, err));
  CHECK(out == UNTOUCHED);
  /* Two clusters share a catalog, and keep it and their framework alive. */
  CHECK_OK(libsched_sim_create(w.framework, w.catalog, &out, err));
  libsched_sim* same = libsched_sim_ref(w.sim);
  CHECK(same == w.sim);
  close_sim(&w);
  CHECK(libsched_sim_node_count(same) == 3 && libsched_sim_node_count(out) == 0);
  const uint64_t there = add_like(out, w.small_a, "n0");
  CHECK(stage_of(out, w.half, there) == LIBSCHED_STAGE_PASSED);
  CHECK(libsched_sim_pod_count(same) == 0);
  libsched_sim_unref(out);
  libsched_sim_unref(same);
  libsched_sim_unref(NULL);

  const libsched_str name = text("a");
  size_t count = 0;
  uint64_t id = 1;
  int64_t amount = 0;
  CHECK(libsched_sim_ref(NULL) == NULL);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_reset(NULL, NULL, NULL, 0, NULL, NULL, 0, NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_load(NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_add_nodes(NULL, 1, &name, 1, &id, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_remove_node(NULL, 1, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_replace_node(NULL, 1, 1, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_add_pods(NULL, &id, &id, 1, &id, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_remove_pods(NULL, &id, 1, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_put_objects(NULL, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_remove_object(NULL, name, name, name, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_fork(NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_commit(NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_revert(NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_nodes(NULL, &id, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_pods_on(NULL, 1, &id, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_requested(NULL, 1, &amount, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_allocatable(NULL, 1, &amount, 1, &count, err));
  CHECK(libsched_sim_fork_depth(NULL) == 0 && libsched_sim_node_count(NULL) == 0);
  CHECK(libsched_sim_pod_count(NULL) == 0 && libsched_sim_node_limit(NULL) == 0);
  CHECK(libsched_sim_node_name(NULL, 1).len == 0 && libsched_sim_find_node(NULL, name) == 0);
  CHECK(libsched_sim_position(NULL, 1) == SIZE_MAX && libsched_sim_node_ref(NULL, 1) == 0);
  CHECK(libsched_sim_pod_ref(NULL, 1) == 0 && libsched_sim_pod_node(NULL, 1) == 0);
  CHECK(libsched_sim_resource_count(NULL) == 0 && libsched_sim_resource(NULL, 0).len == 0);
}

static void test_arrays(void) {
  sim_world w = open_sim();
  const libsched_str name = text("a");
  uint64_t id = kUntouched;
  size_t count = 77;
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_add_nodes(w.sim, w.small_a, NULL, 1, &id, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_add_pods(w.sim, NULL, w.nodes, 1, &id, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_add_pods(w.sim, &w.half, NULL, 1, &id, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim, libsched_sim_remove_pods(w.sim, NULL, 1, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_reset(w.sim, NULL, &name, 1, NULL, NULL, 0, NULL, NULL, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_reset(w.sim, &w.small_a, NULL, 1, NULL, NULL, 0, NULL, NULL, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_reset(w.sim, &w.small_a, &name, 1, &w.half, NULL, 1, NULL, NULL, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim, libsched_sim_load(w.sim, NULL, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim, libsched_sim_put_objects(w.sim, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_nodes(w.sim, NULL, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_nodes(w.sim, &id, 1, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_pods_on(w.sim, w.nodes[0], &id, 1, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_requested(w.sim, w.nodes[0], NULL, 1, &count, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_allocatable(w.sim, w.nodes[0], NULL, 1, &count, err));
  CHECK(id == kUntouched && count == 77);
  close_sim(&w);
}

int main(void) {
  test_reading();
  test_nodes();
  test_pods();
  test_forks();
  test_reset();
  test_load();
  test_objects();
  test_handles();
  test_arrays();
  return finish();
}
