/* The state of a cluster: all-or-nothing changes, forks, snapshots, reading. */
#include "fixture.h"

static size_t nodes_of(const libsched_cluster* c) {
  return libsched_view_node_count(libsched_cluster_view(c));
}
static size_t pods_of(const libsched_cluster* c) {
  return libsched_view_pod_count(libsched_cluster_view(c));
}

static int64_t requested(const libsched_view* view, const char* node, const char* resource) {
  return libsched_view_requested(view, libsched_view_find_node(view, text(node)), text(resource));
}

static void test_reading(void) {
  libsched_cluster* c = five_nodes();
  const libsched_view* view = libsched_cluster_view(c);
  CHECK(libsched_view_node_count(view) == 5);
  CHECK(libsched_view_pod_count(view) == 1);
  CHECK(libsched_view_row_count(view) >= 5);
  const uint32_t row = libsched_view_find_node(view, LIBSCHED_STR("full"));
  CHECK(row < libsched_view_row_count(view));
  CHECK(libsched_view_find_node(view, LIBSCHED_STR("ful")) == LIBSCHED_NO_ROW);
  CHECK_STR(libsched_node_name(libsched_view_node(view, row)), "full");
  CHECK(libsched_view_node(view, LIBSCHED_NO_ROW) == NULL);
  CHECK(libsched_view_node_pod_count(view, row) == 1);
  CHECK_STR(libsched_pod_name(libsched_view_node_pod(view, row, 0)), "hog");
  CHECK(libsched_view_node_pod(view, row, 1) == NULL);
  CHECK(libsched_view_node_pod(view, LIBSCHED_NO_ROW, 0) == NULL);
  CHECK(libsched_view_node_pod_count(view, LIBSCHED_NO_ROW) == 0);
  uint32_t found = LIBSCHED_NO_ROW;
  CHECK_STR(libsched_pod_name(libsched_view_find_pod(view, text("default"), text("hog"), &found)),
            "hog");
  CHECK(found == row);
  CHECK(libsched_view_find_pod(view, text("default"), text("hog"), NULL) != NULL);
  CHECK(libsched_view_find_pod(view, text("other"), text("hog"), NULL) == NULL);
  CHECK(libsched_view_allocatable(view, row, text("cpu")) == 4000);
  CHECK(libsched_view_allocatable(view, row, text("pods")) == 110);
  CHECK(libsched_view_requested(view, row, text("cpu")) == 4000);
  CHECK(libsched_view_requested(view, row, text("memory")) == INT64_C(1) << 30);
  CHECK(libsched_view_requested(view, row, text("pods")) == 1);
  CHECK(libsched_view_requested(view, row, text("example.com/none")) == 0);
  CHECK(libsched_view_allocatable(view, LIBSCHED_NO_ROW, text("cpu")) == 0);
  libsched_cluster_unref(c);
}

/* Zones take turns: a, b, c, a, b for nodes of zones a b c a b. */
static void test_order(void) {
  libsched_cluster* c = five_nodes();
  CHECK_OK(libsched_cluster_refresh(c, err));
  size_t count = 0;
  const libsched_view* view = libsched_cluster_view(c);
  const uint32_t* order = libsched_view_order(view, &count);
  static const char* const upstream[] = {"small", "big", "full", "tainted", "closed"};
  CHECK(count == 5);
  for (size_t i = 0; i < count; ++i)
    CHECK_STR(libsched_node_name(libsched_view_node(view, order[i])), upstream[i]);
  libsched_cluster_unref(c);

  libsched_cluster_options options = LIBSCHED_CLUSTER_OPTIONS_INIT;
  options.node_order = LIBSCHED_ORDER_INSERTION;
  CHECK_OK(libsched_cluster_create(&options, &c, err));
  static const char* const names[] = {"z", "y", "x"};
  for (size_t i = 0; i < 3; ++i) add_node(c, node_of(names[i], 1, i == 2 ? "b" : "a", ""));
  CHECK_OK(libsched_cluster_refresh(c, err));
  view = libsched_cluster_view(c);
  order = libsched_view_order(view, &count);
  CHECK(count == 3);
  for (size_t i = 0; i < count; ++i)
    CHECK_STR(libsched_node_name(libsched_view_node(view, order[i])), names[i]);
  libsched_cluster_unref(c);

  c = UNTOUCHED;
  options.node_order = 17;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL, libsched_cluster_create(&options, &c, err));
  struct {
    libsched_cluster_options options;
    uint32_t newer;
  } future = {LIBSCHED_CLUSTER_OPTIONS_INIT, 1};
  future.options.struct_size = sizeof future;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, NULL,
              libsched_cluster_create(&future.options, &c, err));
  CHECK(c == UNTOUCHED);
  options.struct_size = sizeof options.struct_size; /* from a header before node_order */
  CHECK_OK(libsched_cluster_create(&options, &c, err));
  libsched_cluster_unref(c);
}

static void test_nodes(void) {
  libsched_cluster* c = five_nodes();
  libsched_node *a = node_of("new-a", 2, "a", ""), *big = node_of("big", 2, "b", "");
  const libsched_node *twice[] = {a, a}, *half[] = {a, big};
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, "new-a", libsched_cluster_add_nodes(c, twice, 2, err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, "big", libsched_cluster_add_nodes(c, half, 2, err));
  CHECK(nodes_of(c) == 5); /* nothing was applied */
  CHECK_OK(libsched_cluster_add_nodes(c, NULL, 0, err));

  CHECK_OK(libsched_cluster_update_node(c, big, err));
  const libsched_view* view = libsched_cluster_view(c);
  CHECK(libsched_view_allocatable(view, libsched_view_find_node(view, text("big")), text("cpu")) ==
        2000);
  CHECK_OK(libsched_cluster_update_node(c, a, err)); /* adds */
  CHECK(nodes_of(c) == 6);
  libsched_node_unref(a);
  libsched_node_unref(big);

  /* The cluster keeps the pods aside, and they return with their node. */
  CHECK_OK(libsched_cluster_remove_node(c, LIBSCHED_STR("full"), err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "full",
              libsched_cluster_remove_node(c, LIBSCHED_STR("full"), err));
  CHECK(nodes_of(c) == 5 && pods_of(c) == 1);
  add_node(c, node_of("full", 4, "c", ""));
  CHECK(requested(view, "full", "cpu") == 4000);
  libsched_cluster_unref(c);
}

static void test_pods(void) {
  libsched_cluster* c = five_nodes();
  const libsched_view* view = libsched_cluster_view(c);
  libsched_pod *p1 = pod_of("p1", 500, ""), *p2 = pod_of("p2", 500, ", \"nodeName\": \"big\"");
  libsched_pod* hog = pod_of("hog", 1, "");
  const libsched_pod *both[] = {p1, p2}, *with_hog[] = {p1, hog}, *twice[] = {p2, p2};
  const libsched_str to[] = {LIBSCHED_STR("small"), LIBSCHED_STR("small")};
  const libsched_str nowhere[] = {{NULL, 0}, LIBSCHED_STR("small")};

  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_cluster_add_pods(c, both, NULL, 2, err)); /* p1 has no node */
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_cluster_add_pods(c, both, nowhere, 2, err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, "hog", libsched_cluster_add_pods(c, with_hog, to, 2, err));
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, "p2", libsched_cluster_add_pods(c, twice, NULL, 2, err));
  CHECK(pods_of(c) == 1 && requested(view, "small", "cpu") == 0);

  CHECK_OK(libsched_cluster_add_pods(c, both, to, 2, err));
  CHECK(requested(view, "small", "cpu") == 1000);
  CHECK_OK(libsched_cluster_update_pod(c, p2, LIBSCHED_STR(""), err)); /* to its own nodeName */
  CHECK(requested(view, "small", "cpu") == 500 && requested(view, "big", "cpu") == 500);
  CHECK_OK(libsched_cluster_remove_pod(c, text("default"), text("p1"), err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "p1",
              libsched_cluster_remove_pod(c, text("default"), text("p1"), err));
  CHECK(requested(view, "small", "cpu") == 0 && pods_of(c) == 2);

  /* A pod waits for a missing node. */
  const libsched_str later[] = {LIBSCHED_STR("later")};
  const libsched_pod* one[] = {p1};
  CHECK_OK(libsched_cluster_add_pods(c, one, later, 1, err));
  CHECK(pods_of(c) == 3);
  add_node(c, node_of("later", 2, "a", ""));
  CHECK(requested(view, "later", "cpu") == 500);
  CHECK_OK(libsched_cluster_add_pods(c, NULL, NULL, 0, err));
  libsched_pod_unref(p1);
  libsched_pod_unref(p2);
  libsched_pod_unref(hog);
  libsched_cluster_unref(c);
}

static void test_apply(void) {
  libsched_cluster* c = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &c, err));
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_objects_parse(
      LIBSCHED_STR(
          "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4}}\n---\n"
          "apiVersion: v1\nkind: Pod\nmetadata: {name: bound, namespace: d}\nspec: {nodeName: "
          "n1}\n---\n"
          "apiVersion: v1\nkind: Pod\nmetadata: {name: done, namespace: d}\nspec: {nodeName: "
          "n1}\nstatus: "
          "{phase: Succeeded}\n---\n"
          "apiVersion: v1\nkind: Pod\nmetadata: {name: pending, namespace: d}\n"),
      NULL, &objects, err));
  for (int i = 0; i < 2; ++i) { /* the second time changes nothing */
    CHECK_OK(libsched_cluster_apply(c, objects, err));
    CHECK(nodes_of(c) == 1 && pods_of(c) == 1);
  }
  CHECK_OK(libsched_cluster_remove_node(c, text("n1"), err));
  CHECK_OK(libsched_cluster_fork(c, err));
  CHECK_OK(libsched_cluster_apply(c, objects, err));
  CHECK(nodes_of(c) == 1 && pods_of(c) == 1);
  CHECK_OK(libsched_cluster_revert(c, err));
  CHECK(nodes_of(c) == 0);
  libsched_objects_unref(objects);
  libsched_cluster_unref(c);
}

/* Objects other than pods and nodes are removed by kind and name, in a fork as well. */
static void test_remove_object(void) {
  libsched_cluster* c = NULL;
  libsched_objects* objects = NULL;
  CHECK_OK(libsched_cluster_create(NULL, &c, err));
  CHECK_OK(libsched_objects_parse(
      LIBSCHED_STR("{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}}\n---\n"
                   "{apiVersion: v1, kind: Service, metadata: {name: s, namespace: x}}\n---\n"
                   "{apiVersion: v1, kind: Namespace, metadata: {name: x}}\n"),
      NULL, &objects, err));
  CHECK_OK(libsched_cluster_apply(c, objects, err));
  libsched_objects_unref(objects);
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "Service \"y/s\" is not in the cluster",
              libsched_cluster_remove_object(c, text("Service"), text("y"), text("s"), err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "Secret",
              libsched_cluster_remove_object(c, text("Secret"), text("x"), text("s"), err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "Pod",
              libsched_cluster_remove_object(c, text("Pod"), text("x"), text("s"), err));
  CHECK_OK(libsched_cluster_fork(c, err));
  CHECK_OK(libsched_cluster_remove_object(c, text("PersistentVolume"), text(""), text("pv"), err));
  CHECK_FAILS(
      LIBSCHED_ERR_NOT_FOUND, NULL, "PersistentVolume \"pv\"",
      libsched_cluster_remove_object(c, text("PersistentVolume"), text(""), text("pv"), err));
  CHECK_OK(libsched_cluster_revert(c, err));
  CHECK_OK(libsched_cluster_remove_object(c, text("PersistentVolume"), text(""), text("pv"), err));
  CHECK_OK(libsched_cluster_remove_object(c, text("Service"), text("x"), text("s"), err));
  CHECK_OK(libsched_cluster_remove_object(c, text("Namespace"), text(""), text("x"), err));
  libsched_cluster_unref(c);
}

static void test_load(void) {
  libsched_cluster* c = NULL;
  CHECK_OK(libsched_cluster_load(LIBSCHED_STR(LIBSCHED_SOURCE_DIR "/examples/clusters/shop.yaml"),
                                 &c, err));
  CHECK(nodes_of(c) == 41 && pods_of(c) > 200);
  libsched_cluster_unref(c);
  c = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_IO, NULL, "no-such-file",
              libsched_cluster_load(text("no-such-file"), &c, err));
  CHECK(c == UNTOUCHED);
}

static void test_forks(void) {
  libsched_cluster* c = five_nodes();
  const libsched_view* view = libsched_cluster_view(c);
  CHECK(libsched_cluster_fork_depth(c) == 0);
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "fork", libsched_cluster_revert(c, err));
  CHECK_FAILS(LIBSCHED_ERR_STATE, NULL, "fork", libsched_cluster_commit(c, err));

  CHECK_OK(libsched_cluster_fork(c, err));
  add_node(c, node_of("outer", 2, "a", ""));
  CHECK_OK(libsched_cluster_fork(c, err));
  CHECK(libsched_cluster_fork_depth(c) == 2);
  add_pod(c, pod_of("inner", 100, ""), "outer");
  CHECK_OK(libsched_cluster_remove_node(c, text("big"), err));
  CHECK_OK(libsched_cluster_revert(c, err));
  CHECK(libsched_cluster_fork_depth(c) == 1);
  CHECK(nodes_of(c) == 6 && pods_of(c) == 1 && requested(view, "outer", "cpu") == 0);

  CHECK_OK(libsched_cluster_fork(c, err));
  add_pod(c, pod_of("kept", 100, ""), "outer");
  CHECK_OK(libsched_cluster_commit(c, err));
  CHECK(requested(view, "outer", "cpu") == 100);
  CHECK_OK(libsched_cluster_revert(c, err)); /* also reverts changes that were committed inside */
  CHECK(nodes_of(c) == 5 && pods_of(c) == 1 && libsched_cluster_fork_depth(c) == 0);

  for (int i = 0; i < 1000; ++i) CHECK_OK(libsched_cluster_fork(c, err));
  CHECK(libsched_cluster_fork_depth(c) == 1000);
  for (int i = 0; i < 1000; ++i) CHECK_OK(libsched_cluster_revert(c, err));
  libsched_cluster_unref(c);
}

/* A failed batch inside a fork leaves neither the fork nor the state changed. */
static void test_failure_inside_fork(void) {
  libsched_cluster* c = five_nodes();
  CHECK_OK(libsched_cluster_fork(c, err));
  libsched_node *fresh = node_of("fresh", 1, "a", ""), *big = node_of("big", 1, "a", "");
  const libsched_node* nodes[] = {fresh, big};
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, NULL, libsched_cluster_add_nodes(c, nodes, 2, err));
  CHECK(nodes_of(c) == 5 && libsched_cluster_fork_depth(c) == 1);
  CHECK(libsched_view_find_node(libsched_cluster_view(c), text("fresh")) == LIBSCHED_NO_ROW);
  CHECK_OK(libsched_cluster_revert(c, err));
  libsched_node_unref(fresh);
  libsched_node_unref(big);
  libsched_cluster_unref(c);
}

static void test_snapshots_and_clones(void) {
  libsched_cluster *c = five_nodes(), *clone = NULL;
  libsched_snapshot *inside = NULL, *before = NULL, *same = NULL;
  CHECK_OK(libsched_cluster_snapshot(c, &before, err));
  CHECK_OK(libsched_cluster_snapshot(c, &same, err));
  CHECK_OK(libsched_cluster_fork(c, err));
  add_node(c, node_of("forked", 2, "a", ""));
  add_pod(c, pod_of("p", 100, ""), "forked");
  CHECK_OK(libsched_cluster_snapshot(c, &inside, err));
  CHECK_OK(libsched_cluster_clone(c, &clone, err));
  CHECK_OK(libsched_cluster_revert(c, err));

  CHECK(nodes_of(c) == 5);
  CHECK(libsched_view_node_count(libsched_snapshot_view(before)) == 5);
  CHECK(libsched_view_node_count(libsched_snapshot_view(inside)) == 6);
  CHECK(requested(libsched_snapshot_view(inside), "forked", "cpu") == 100);
  CHECK(nodes_of(clone) == 6 && libsched_cluster_fork_depth(clone) == 0);
  CHECK_OK(libsched_cluster_remove_node(clone, text("big"), err));
  CHECK(nodes_of(c) == 5 &&
        libsched_view_find_node(libsched_cluster_view(c), text("big")) != LIBSCHED_NO_ROW);

  /* A snapshot and a clone outlive the cluster; references count. */
  libsched_cluster* again = libsched_cluster_ref(c);
  libsched_cluster_unref(c);
  CHECK(nodes_of(again) == 5);
  libsched_cluster_unref(again);
  CHECK(nodes_of(clone) == 5);
  libsched_snapshot* kept = libsched_snapshot_ref(inside);
  libsched_snapshot_unref(inside);
  CHECK(requested(libsched_snapshot_view(kept), "full", "cpu") == 4000);
  libsched_snapshot_unref(kept);
  libsched_snapshot_unref(before);
  libsched_snapshot_unref(same);
  libsched_snapshot_unref(NULL);
  libsched_cluster_unref(clone);
  libsched_cluster_unref(NULL);
}

static void test_null_handles(void) {
  libsched_cluster *c = five_nodes(), *clone = UNTOUCHED;
  libsched_snapshot* snapshot = UNTOUCHED;
  const libsched_node* no_node[] = {NULL};
  const libsched_pod* no_pod[] = {NULL};
  const libsched_str name[] = {LIBSCHED_STR("a")};
#define MISUSED(call) CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, call)
  MISUSED(libsched_cluster_create(NULL, NULL, err));
  MISUSED(libsched_cluster_load(text("f"), NULL, err));
  MISUSED(libsched_cluster_apply(NULL, NULL, err));
  MISUSED(libsched_cluster_apply(c, NULL, err));
  MISUSED(libsched_cluster_apply_changes(c, NULL, NULL, err));
  MISUSED(libsched_cluster_apply_changes(NULL, NULL, NULL, err));
  MISUSED(libsched_changes_create(NULL, err));
  MISUSED(libsched_cluster_add_nodes(NULL, no_node, 1, err));
  MISUSED(libsched_cluster_add_nodes(c, no_node, 1, err));
  MISUSED(libsched_cluster_add_nodes(c, NULL, 1, err));
  MISUSED(libsched_cluster_update_node(c, NULL, err));
  MISUSED(libsched_cluster_update_node(NULL, NULL, err));
  MISUSED(libsched_cluster_remove_node(NULL, name[0], err));
  MISUSED(libsched_cluster_add_pods(NULL, no_pod, name, 1, err));
  MISUSED(libsched_cluster_add_pods(c, no_pod, name, 1, err));
  MISUSED(libsched_cluster_add_pods(c, NULL, name, 1, err));
  MISUSED(libsched_cluster_update_pod(c, NULL, name[0], err));
  MISUSED(libsched_cluster_update_pod(NULL, NULL, name[0], err));
  MISUSED(libsched_cluster_remove_pod(NULL, name[0], name[0], err));
  MISUSED(libsched_cluster_remove_object(NULL, name[0], name[0], name[0], err));
  MISUSED(libsched_cluster_fork(NULL, err));
  MISUSED(libsched_cluster_commit(NULL, err));
  MISUSED(libsched_cluster_revert(NULL, err));
  MISUSED(libsched_cluster_refresh(NULL, err));
  MISUSED(libsched_cluster_clone(NULL, &clone, err));
  MISUSED(libsched_cluster_clone(c, NULL, err));
  MISUSED(libsched_cluster_snapshot(NULL, &snapshot, err));
  MISUSED(libsched_cluster_snapshot(c, NULL, err));
  CHECK(clone == UNTOUCHED && snapshot == UNTOUCHED && nodes_of(c) == 5);
  CHECK(libsched_cluster_view(NULL) == NULL && libsched_snapshot_view(NULL) == NULL);
  CHECK(libsched_cluster_ref(NULL) == NULL && libsched_snapshot_ref(NULL) == NULL);
  CHECK(libsched_cluster_fork_depth(NULL) == 0);
  CHECK(libsched_view_node_count(NULL) == 0 && libsched_view_pod_count(NULL) == 0);
  CHECK(libsched_view_row_count(NULL) == 0 && libsched_view_node(NULL, 0) == NULL);
  CHECK(libsched_view_find_node(NULL, name[0]) == LIBSCHED_NO_ROW);
  size_t count = 7;
  CHECK(libsched_view_order(NULL, &count) == NULL && count == 0);
  CHECK(libsched_view_node_pod_count(NULL, 0) == 0 && libsched_view_node_pod(NULL, 0, 0) == NULL);
  CHECK(libsched_view_find_pod(NULL, name[0], name[0], NULL) == NULL);
  CHECK(libsched_view_allocatable(NULL, 0, name[0]) == 0 &&
        libsched_view_requested(NULL, 0, name[0]) == 0);
  libsched_cluster_unref(c);
}

/* A pod may need objects other than nodes and pods, such as its claim. */
static void put(libsched_cluster* c, const libsched_objects* objects, uint32_t how, size_t wanted) {
  libsched_changes* changes = NULL;
  size_t count = 99;
  CHECK_OK(libsched_changes_create(&changes, err));
  how |= LIBSCHED_PUT_NO_NODES | LIBSCHED_PUT_NO_PODS;
  CHECK_OK(libsched_changes_put_objects(changes, objects, how, err));
  CHECK_OK(libsched_cluster_apply_changes(c, changes, &count, err));
  CHECK(count == wanted);
  libsched_changes_unref(changes);
}
static void test_put_objects(void) {
  libsched_cluster* c = five_nodes();
  libsched_objects *objects = NULL, *other = NULL;
  libsched_evaluator* evaluator = NULL;
  libsched_framework* framework = NULL;
  libsched_decision* decision = NULL;
  static const char kText[] =
      "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\n"
      "spec: {storageClassName: late}\n"
      "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: late}\n"
      "provisioner: x.y/z\nvolumeBindingMode: %s\n"
      "---\napiVersion: v1\nkind: Node\nmetadata: {name: left-out}\n"
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: left-out}\n"
      "spec: {nodeName: big, containers: [{name: c}]}\n";
  CHECK_OK(
      libsched_objects_parse(text(format(kText, "WaitForFirstConsumer")), NULL, &objects, err));
  CHECK_OK(libsched_objects_parse(text(format(kText, "Immediate")), NULL, &other, err));
  CHECK_OK(libsched_framework_create(NULL, text(""), NULL, NULL, &framework, err));
  CHECK_OK(libsched_evaluator_create(framework, c, NULL, &evaluator, err));
  libsched_pod* pod = pod_of("p", 100,
                             ", \"volumes\": [{\"name\": \"v\", \"persistentVolumeClaim\": "
                             "{\"claimName\": \"data\"}}]");
#define FITS(n)                                                                               \
  CHECK_OK(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, NULL, &decision, err)); \
  CHECK((libsched_decision_feasible_count(decision) != 0) == (n));                            \
  libsched_decision_unref(decision)
  FITS(false);
  CHECK_OK(libsched_cluster_fork(c, err));
  put(c, objects, LIBSCHED_PUT_APPLY, 2);
  FITS(true);
  CHECK_OK(libsched_cluster_revert(c, err));
  FITS(false);
  put(c, objects, LIBSCHED_PUT_MISSING, 2);
  FITS(true);
  put(c, other, LIBSCHED_PUT_MISSING, 0);
  FITS(true);
  put(c, other, LIBSCHED_PUT_APPLY, 1); /* the claim is unchanged */
  FITS(false);                          /* the claim is not bound, and nothing waits for its pod */
  CHECK(nodes_of(c) == 5 && pods_of(c) == 1);
#undef FITS
  libsched_pod_unref(pod);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_objects_unref(objects);
  libsched_objects_unref(other);
  libsched_cluster_unref(c);
}

/* The CSINode of a node template is added and removed with it in a what-if. */
static void test_a_template_node_and_its_csi_node(void) {
  libsched_cluster* c = five_nodes();
  libsched_objects* objects = NULL;
  libsched_parse_options raw = LIBSCHED_PARSE_OPTIONS_INIT;
  libsched_str found = text("?");
  raw.keep_raw = true;
  CHECK_OK(libsched_objects_parse(
      text("apiVersion: storage.k8s.io/v1\nkind: CSINode\nmetadata: {name: fresh}\nspec: {drivers: "
           "[{name: x.y, nodeID: fresh, allocatable: {count: 1}}]}\n"),
      &raw, &objects, err));
  CHECK_OK(libsched_cluster_fork(c, err));
  add_node(c, node_of("fresh", 4, "a", ""));
  put(c, objects, LIBSCHED_PUT_APPLY, 1);
  CHECK_OK(libsched_view_object_raw(libsched_cluster_view(c), text("CSINode"), text(""),
                                    text("fresh"), &found, err));
  CHECK(found.len > 10);
  CHECK_OK(libsched_cluster_revert(c, err));
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, NULL,
              libsched_view_object_raw(libsched_cluster_view(c), text("CSINode"), text(""),
                                       text("fresh"), &found, err));
  libsched_objects_unref(objects);
  libsched_cluster_unref(c);
}

/* Changes of all kinds happen together or not at all. */
static void test_changes(void) {
  libsched_cluster *c = five_nodes(), *fresh = NULL;
  libsched_changes *changes = NULL, *wrong = NULL;
  libsched_objects* objects = NULL;
  size_t count = 99;
  libsched_node* node = node_of("n9", 1, "z", "");
  libsched_pod* pod = pod_of("p", 100, "");
  const libsched_view* view = libsched_cluster_view(c);
  const uint64_t version = libsched_view_version(view);
  CHECK_OK(libsched_objects_parse(
      text("{apiVersion: v1, kind: Service, metadata: {name: s, namespace: default}}\n---\n"
           "{apiVersion: v1, kind: Node, metadata: {name: n8}}\n"),
      NULL, &objects, err));
  CHECK_OK(libsched_changes_create(&changes, err));
  CHECK_OK(libsched_cluster_apply_changes(c, changes, &count, err));
  CHECK(count == 0 && libsched_view_version(view) == version);
  CHECK(libsched_changes_ref(changes) == changes && libsched_changes_ref(NULL) == NULL);
  libsched_changes_unref(changes);
  libsched_changes_unref(NULL);
  CHECK_OK(libsched_changes_put_objects(changes, objects, LIBSCHED_PUT_APPLY, err));
  CHECK_OK(libsched_changes_put_node(changes, node, LIBSCHED_PUT_NEW, err));
  CHECK_OK(libsched_changes_put_pod(changes, pod, text("n9"), LIBSCHED_PUT_UPDATE, err));
  CHECK_OK(libsched_changes_remove(changes, text("Pod"), text("default"), text("hog"), err));
  CHECK_OK(libsched_changes_remove(changes, text("Node"), text(""), text("big"), err));
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "1024",
              libsched_changes_put_objects(changes, objects, 1024, err));
  libsched_objects_unref(objects);
  libsched_node_unref(node);
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "257",
              libsched_changes_put_pod(changes, pod, text(""), 257, err));
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "4",
              libsched_changes_put_node(changes, libsched_view_node(view, 0), 4, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "no objects of kind \"Secret\"",
              libsched_changes_remove(changes, text("Secret"), text("x"), text("s"), err));
  MISUSED(libsched_changes_put_objects(changes, NULL, 0, err));
  MISUSED(libsched_changes_put_node(changes, NULL, 0, err));
  MISUSED(libsched_changes_put_pod(changes, NULL, text(""), 0, err));
  MISUSED(libsched_changes_remove(NULL, text("Pod"), text(""), text("p"), err));

  /* The last change fails, so the others have no effect. */
  CHECK_OK(libsched_changes_create(&wrong, err));
  CHECK_OK(libsched_changes_remove(wrong, text("Node"), text(""), text("big"), err));
  CHECK_OK(libsched_changes_put_pod(wrong, pod, text(""), LIBSCHED_PUT_UPDATE, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, "\"default/p\" has no nodeName",
              libsched_cluster_apply_changes(c, wrong, &count, err));
  CHECK(count == 0 && libsched_view_version(view) == version && nodes_of(c) == 5);

  CHECK_OK(libsched_cluster_fork(c, err));
  CHECK_OK(libsched_cluster_apply_changes(c, changes, &count, err));
  CHECK(count == 6 && nodes_of(c) == 6 && pods_of(c) == 1);
  CHECK_FAILS(LIBSCHED_ERR_EXISTS, NULL, "\"n9\" is there already",
              libsched_cluster_apply_changes(c, changes, &count, err));
  CHECK_OK(libsched_cluster_revert(c, err));
  CHECK(libsched_view_version(view) == version && nodes_of(c) == 5 && pods_of(c) == 1);
  /* The list is only read. */
  CHECK_OK(libsched_cluster_clone(c, &fresh, err));
  CHECK_OK(libsched_cluster_apply_changes(c, changes, NULL, err));
  CHECK_OK(libsched_cluster_apply_changes(fresh, changes, &count, err));
  CHECK(count == 6 && nodes_of(c) == 6 && nodes_of(fresh) == 6);
  libsched_changes_unref(changes);
  libsched_changes_unref(wrong);
  libsched_pod_unref(pod);
  libsched_cluster_unref(c);
  libsched_cluster_unref(fresh);
}

int main(void) {
  test_reading();
  test_put_objects();
  test_a_template_node_and_its_csi_node();
  test_changes();
  test_order();
  test_nodes();
  test_pods();
  test_apply();
  test_remove_object();
  test_load();
  test_forks();
  test_failure_inside_fork();
  test_snapshots_and_clones();
  test_null_handles();
  return finish();
}
