/* Whole answers of a simulated cluster: packing onto new nodes, removing a node on trial,
   explaining; and the structs of options of every question. */
#include "sim_fixture.h"

static void test_bin_pack(void) {
  sim_world w = open_sim();
  const char* const before = contents_of(w.sim);
  char kept[8192];
  snprintf(kept, sizeof kept, "%s", before);
  libsched_sim_pack_options options = LIBSCHED_SIM_PACK_OPTIONS_INIT;
  options.prefix = LIBSCHED_STR("new-");
  /* Largest first: the two of 4 CPUs take a node each, then eight of half a CPU share one. */
  const libsched_sim_group groups[] = {{w.half, 9}, {w.whole, 2}, {w.huge, 1}};
  libsched_sim_packing packing;
  memset(&packing, 0, sizeof packing);
  CHECK_OK(libsched_sim_bin_pack(w.sim, groups, 3, w.small_a, &options, &packing, err));
  CHECK(libsched_sim_fork_depth(w.sim) == 1);
  CHECK(packing.pod_count == 12 && packing.placed == 11 && packing.stop == LIBSCHED_STOP_NONE);
  CHECK(packing.node_count >= 4);
  CHECK(packing.on_node[11] == -1 && packing.pod_ids[11] == 0);
  CHECK(packing.on_node[9] != packing.on_node[10]);
  for (size_t i = 0; i < 11; ++i) {
    CHECK(packing.on_node[i] >= 0 && (size_t)packing.on_node[i] < packing.node_count);
    CHECK(libsched_sim_pod_node(w.sim, packing.pod_ids[i]) == packing.nodes[packing.on_node[i]]);
  }
  CHECK_STR(libsched_sim_node_name(w.sim, packing.nodes[0]), "new-0");
  CHECK(libsched_sim_node_ref(w.sim, packing.nodes[0]) == w.small_a);
  CHECK(libsched_sim_node_count(w.sim) == 3 + packing.node_count);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK(strcmp(kept, contents_of(w.sim)) == 0);

  /* The groups as they come; numbers of names that exist are left out. */
  add_like(w.sim, w.closed, "new-0");
  options.keep_order = true;
  CHECK_OK(libsched_sim_bin_pack(w.sim, groups, 1, w.small_a, &options, &packing, err));
  CHECK(packing.node_count == 2 && packing.on_node[7] == 0 && packing.on_node[8] == 1);
  CHECK_STR(libsched_sim_node_name(w.sim, packing.nodes[0]), "new-1");
  CHECK_OK(libsched_sim_commit(w.sim, err)); /* the pods stay */
  CHECK(libsched_sim_pod_count(w.sim) == 9 && libsched_sim_fork_depth(w.sim) == 0);
  close_sim(&w);
}

static bool permit_some(void* left) {
  int* const some = left;
  return (*some)-- > 0;
}

static void test_packing_ends(void) {
  sim_world w = open_sim();
  libsched_sim_pack_options options = LIBSCHED_SIM_PACK_OPTIONS_INIT;
  options.prefix = LIBSCHED_STR("new-");
  options.max_nodes = 2;
  const libsched_sim_group group = {w.whole, 5};
  libsched_sim_packing packing;
  CHECK_OK(libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &options, &packing, err));
  CHECK(packing.stop == LIBSCHED_STOP_NODES && packing.node_count == 2 && packing.placed == 2);
  CHECK(packing.on_node[2] == -1 && packing.pod_ids[2] == 0);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  options.max_nodes = 0;
  int left = 1;
  options.permit = permit_some;
  options.user_data = &left;
  CHECK_OK(libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &options, &packing, err));
  CHECK(packing.stop == LIBSCHED_STOP_PERMIT && packing.node_count == 1 && packing.placed == 1);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  options.permit = NULL;

  /* Nodes that are there already, and pods that every new node has. */
  options.existing_too = true;
  CHECK_OK(libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &options, &packing, err));
  CHECK(packing.placed == 5 && packing.on_node[0] == -2 && packing.on_node[1] == -2);
  CHECK(libsched_sim_pod_node(w.sim, packing.pod_ids[0]) == w.nodes[0]);
  CHECK(packing.node_count == 3 && packing.on_node[2] == 0);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  options.existing_too = false;
  options.node_pods = &w.half;
  options.node_pod_count = 1;
  const libsched_sim_group halves = {w.half, 8};
  CHECK_OK(libsched_sim_bin_pack(w.sim, &halves, 1, w.small_a, &options, &packing, err));
  CHECK(packing.node_count == 2 && packing.placed == 8);
  CHECK(libsched_sim_pod_count(w.sim) == 10);
  CHECK_OK(libsched_sim_revert(w.sim, err));

  /* Objects of a node that is not there, of which each new node gets copies. */
  libsched_objects* objects;
  libsched_text* list;
  CHECK_OK(libsched_objects_parse(text("{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: "
                                       "{name: like}, spec: {drivers: []}}"),
                                  NULL, &objects, err));
  CHECK_OK(libsched_sim_put_objects(w.sim, objects, err));
  libsched_objects_unref(objects);
  options.objects_of = LIBSCHED_STR("like");
  CHECK_OK(libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &options, &packing, err));
  CHECK_OK(libsched_view_objects_json(libsched_sim_view(w.sim), text("CSINode"), text(""), text(""),
                                      &list, err));
  CHECK(strstr(libsched_text_get(list).ptr, "new-0") != NULL);
  libsched_text_unref(list);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  CHECK_OK(libsched_view_objects_json(libsched_sim_view(w.sim), text("CSINode"), text(""),
                                      text("new-0"), &list, err));
  CHECK(strstr(libsched_text_get(list).ptr, "new-0") == NULL);
  libsched_text_unref(list);
  options.objects_of = LIBSCHED_STR("");

  libsched_sim_packing untouched;
  memset(&untouched, 0x5a, sizeof untouched);
  packing = untouched;
  const libsched_sim_group stale = {w.small_a, 1};
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_bin_pack(w.sim, &stale, 1, w.small_a, &options, &packing, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_bin_pack(w.sim, &group, 1, w.half, &options, &packing, err));
  options.node_pods = &w.small_a;
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &options, &packing, err));
  options.node_pods = NULL;
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &options, &packing, err));
  options.node_pod_count = 0;
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_bin_pack(w.sim, NULL, 1, w.small_a, &options, &packing, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &options, NULL, err));
  CHECK(memcmp(&packing, &untouched, sizeof packing) == 0);
  CHECK_OK(libsched_sim_bin_pack(w.sim, NULL, 0, w.small_a, &options, &packing, err));
  CHECK(packing.pod_count == 0 && packing.node_count == 0);
  CHECK_OK(libsched_sim_revert(w.sim, err));
  close_sim(&w);
}

static void test_remove(void) {
  sim_world w = open_sim();
  const uint64_t moved[] = {put(w.sim, w.half, w.nodes[0]), put(w.sim, w.half, w.nodes[0])};
  const uint64_t left_behind = put(w.sim, w.half, w.nodes[0]);
  const uint64_t other = put(w.sim, w.half, w.nodes[1]);
  libsched_sim_remove_options options = LIBSCHED_SIM_REMOVE_OPTIONS_INIT;
  libsched_sim_hit hits[2] = {{kUntouched, kUntouched, 0}, {kUntouched, kUntouched, 0}};
  bool removed = false;
  char before[8192];
  snprintf(before, sizeof before, "%s", contents_of(w.sim));
  CHECK_OK(libsched_sim_remove(w.sim, w.nodes[0], moved, 2, NULL, NULL, hits, &removed, err));
  CHECK(removed && hits[0].node == w.nodes[1] && hits[1].node == w.nodes[1]);
  CHECK(hits[0].pod == 0 && strcmp(before, contents_of(w.sim)) == 0);

  /* A ghost stands in for the node, and no pod is placed on it. */
  options.ghost = w.small_a;
  CHECK_OK(libsched_sim_remove(w.sim, w.nodes[0], moved, 2, NULL, &options, hits, &removed, err));
  CHECK(removed && hits[0].node == w.nodes[1] && strcmp(before, contents_of(w.sim)) == 0);
  options.ghost = 0;

  const uint64_t twice[] = {moved[0], moved[0]}, elsewhere[] = {moved[0], other};
  const uint64_t gone[] = {moved[0], 0};
  removed = true;
  CHECK_REFUSED(LIBSCHED_ERR_INVALID, NULL, w.sim,
                libsched_sim_remove(w.sim, w.nodes[0], twice, 2, NULL, NULL, hits, &removed, err));
  CHECK_REFUSED(
      LIBSCHED_ERR_INVALID, NULL, w.sim,
      libsched_sim_remove(w.sim, w.nodes[0], elsewhere, 2, NULL, NULL, hits, &removed, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_remove(w.sim, w.nodes[0], gone, 2, NULL, NULL, hits, &removed, err));
  CHECK_REFUSED(LIBSCHED_ERR_STALE, NULL, w.sim,
                libsched_sim_remove(w.sim, 0, moved, 2, NULL, NULL, hits, &removed, err));
  options.ghost = w.half;
  CHECK_REFUSED(
      LIBSCHED_ERR_STALE, NULL, w.sim,
      libsched_sim_remove(w.sim, w.nodes[0], moved, 2, NULL, &options, hits, &removed, err));
  options.ghost = 0;
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_remove(w.sim, w.nodes[0], NULL, 2, NULL, NULL, hits, &removed, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_remove(w.sim, w.nodes[0], moved, 2, NULL, NULL, NULL, &removed, err));
  CHECK_REFUSED(LIBSCHED_ERR_MISUSE, NULL, w.sim,
                libsched_sim_remove(w.sim, w.nodes[0], moved, 2, NULL, NULL, hits, NULL, err));
  CHECK(removed);

  /* The first pod that finds no place ends it, and nothing changes, not even with keep. */
  options.keep = true;
  const uint64_t full = put(w.sim, w.whole, w.nodes[1]);
  snprintf(before, sizeof before, "%s", contents_of(w.sim));
  CHECK_OK(libsched_sim_remove(w.sim, w.nodes[0], moved, 2, NULL, &options, hits, &removed, err));
  CHECK(!removed && hits[0].node == 0 && strcmp(before, contents_of(w.sim)) == 0);
  CHECK_OK(libsched_sim_remove_pods(w.sim, &full, 1, err));
  const uint64_t hints[] = {w.nodes[1], 0};
  options.hints = hints;
  CHECK_OK(libsched_sim_remove(w.sim, w.nodes[0], moved, 2, NULL, &options, hits, &removed, err));
  CHECK(removed && libsched_sim_node_ref(w.sim, w.nodes[0]) == 0);
  CHECK(hits[0].pod != 0 && libsched_sim_pod_node(w.sim, hits[0].pod) == w.nodes[1]);
  CHECK(libsched_sim_pod_ref(w.sim, left_behind) == 0 && libsched_sim_pod_count(w.sim) == 3);
  CHECK(libsched_sim_fork_depth(w.sim) == 0);
  CHECK_OK(libsched_sim_remove(w.sim, w.nodes[1], NULL, 0, NULL, NULL, NULL, &removed, err));
  CHECK(removed && libsched_sim_node_count(w.sim) == 2);
  close_sim(&w);
}

static void test_explain(void) {
  sim_world w = open_sim();
  libsched_text* out = NULL;
  CHECK_OK(libsched_sim_explain_json(w.sim, w.huge, w.nodes[0], &out, err));
  CHECK(strstr(libsched_text_get(out).ptr, "Insufficient cpu") != NULL);
  CHECK(strstr(libsched_text_get(out).ptr, "\"n1\"") == NULL);
  libsched_text_unref(out);
  CHECK_OK(libsched_sim_explain_json(w.sim, w.huge, 0, &out, err));
  CHECK(strstr(libsched_text_get(out).ptr, "\"n1\"") != NULL);
  CHECK(strstr(libsched_text_get(out).ptr, "node(s) were unschedulable") != NULL);
  libsched_text_unref(out);
  out = UNTOUCHED;
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_explain_json(w.sim, 0, w.nodes[0], &out, err));
  CHECK_FAILS(LIBSCHED_ERR_STALE, NULL, NULL,
              libsched_sim_explain_json(w.sim, w.huge, 12345, &out, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_explain_json(w.sim, w.huge, 0, NULL, err));
  CHECK(out == UNTOUCHED);
  close_sim(&w);
}

/* Older structs end earlier; of newer ones all that this version does not know must be zero. */
static void test_options(void) {
  sim_world w = open_sim();
  struct {
    libsched_sim_query options;
    uint64_t newer;
  } query = {LIBSCHED_SIM_QUERY_INIT, 1};
  struct {
    libsched_sim_place_options options;
    uint64_t newer;
  } place = {LIBSCHED_SIM_PLACE_OPTIONS_INIT, 1};
  struct {
    libsched_sim_pack_options options;
    uint64_t newer;
  } pack = {LIBSCHED_SIM_PACK_OPTIONS_INIT, 1};
  struct {
    libsched_sim_remove_options options;
    uint64_t newer;
  } removal = {LIBSCHED_SIM_REMOVE_OPTIONS_INIT, 1};
  pack.options.prefix = text("new-");
  const libsched_sim_group group = {w.half, 1};
  const uint64_t pod = put(w.sim, w.half, w.nodes[0]);
  libsched_sim_packing packing;
  libsched_sim_hit hit;
  uint64_t bits = 0;
  uint8_t out = 0;
  size_t placed = 0;
  bool removed = false;
  for (int round = 0; round < 3; ++round) {
    /* Round 0: newer with a field set. 1: the size is not set. 2: a reserved field is set. */
    const libsched_rc expected = round == 1 ? LIBSCHED_ERR_MISUSE : LIBSCHED_ERR_UNSUPPORTED;
    const uint32_t none = 0;
    query.options.struct_size = round == 1   ? none
                                : round == 0 ? sizeof query
                                             : sizeof query.options;
    place.options.struct_size = round == 1   ? none
                                : round == 0 ? sizeof place
                                             : sizeof place.options;
    pack.options.struct_size = round == 1 ? none : round == 0 ? sizeof pack : sizeof pack.options;
    removal.options.struct_size = round == 1   ? none
                                  : round == 0 ? sizeof removal
                                               : sizeof removal.options;
    query.options.reserved[0] = query.options.reserved[1] = round == 2;
    place.options.reserved[0] = pack.options.reserved[0] = removal.options.reserved[1] = round == 2;
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_check(w.sim, w.half, w.nodes[0], &query.options, NULL, err));
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_first(w.sim, w.half, &query.options, &hit, NULL, err));
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_feasible(w.sim, w.half, &query.options, &bits, 1, NULL, err));
    CHECK_REFUSED(
        expected, NULL, w.sim,
        libsched_sim_check_many(w.sim, &w.half, 1, w.nodes, 1, &query.options, &out, err));
    CHECK_REFUSED(
        expected, NULL, w.sim,
        libsched_sim_place_many(w.sim, &w.half, 1, &query.options, NULL, &hit, &placed, NULL, err));
    CHECK_REFUSED(
        expected, NULL, w.sim,
        libsched_sim_place_many(w.sim, &w.half, 1, NULL, &place.options, &hit, &placed, NULL, err));
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, &pack.options, &packing, err));
    CHECK_REFUSED(expected, NULL, w.sim,
                  libsched_sim_remove(w.sim, w.nodes[0], &pod, 1, NULL, &removal.options, &hit,
                                      &removed, err));
    CHECK_REFUSED(
        expected, NULL, w.sim,
        libsched_sim_remove(w.sim, w.nodes[0], &pod, 1, &query.options, NULL, &hit, &removed, err));
  }
  query.options.reserved[0] = query.options.reserved[1] = false;
  query.options.struct_size = 8; /* of a header that ends before `start` */
  query.options.start = 1;
  CHECK_OK(libsched_sim_first(w.sim, w.half, &query.options, &hit, NULL, err));
  CHECK(hit.node == w.nodes[0]);
  query.options.struct_size = sizeof query;
  query.newer = 0;
  CHECK_OK(libsched_sim_first(w.sim, w.half, &query.options, &hit, NULL, err));
  CHECK(hit.node == w.nodes[1]);
  CHECK_OK(libsched_sim_bin_pack(w.sim, &group, 1, w.small_a, NULL, &packing, err));
  CHECK_STR(libsched_sim_node_name(w.sim, packing.nodes[0]), "0"); /* without a prefix */
  CHECK_OK(libsched_sim_revert(w.sim, err));
  close_sim(&w);
}

static void test_handles(void) {
  libsched_sim_verdict verdict;
  libsched_sim_packing packing;
  libsched_sim_hit hit;
  libsched_text* out = UNTOUCHED;
  const uint64_t one = 1;
  uint64_t bits = 0;
  uint8_t byte = 0;
  size_t placed = 0;
  bool removed = false;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_check(NULL, 1, 1, NULL, &verdict, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_first(NULL, 1, NULL, &hit, &verdict, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_feasible(NULL, 1, NULL, &bits, 1, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_check_many(NULL, &one, 1, &one, 1, NULL, &byte, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_place_many(NULL, &one, 1, NULL, NULL, &hit, &placed, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_bin_pack(NULL, NULL, 0, 1, NULL, &packing, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_sim_remove(NULL, 1, &one, 1, NULL, NULL, &hit, &removed, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL, libsched_sim_explain_json(NULL, 1, 1, &out, err));
  CHECK(out == UNTOUCHED);
  CHECK(libsched_sim_plugin_count(NULL) == 0 && libsched_sim_plugin(NULL, 0).len == 0);
  CHECK(libsched_sim_verdict_plugin(NULL, 1).len == 0);
  CHECK(libsched_sim_verdict_reason_count(NULL, 1) == 0);
  CHECK(libsched_sim_verdict_reason(NULL, 1, 0).len == 0);
  CHECK(libsched_sim_verdict_excluder_count(NULL, 1) == 0);
  CHECK(libsched_sim_verdict_excluder(NULL, 1, 0).len == 0);
}

int main(void) {
  test_bin_pack();
  test_packing_ends();
  test_remove();
  test_explain();
  test_options();
  test_handles();
  return finish();
}
