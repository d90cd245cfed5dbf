/* Edits of clusters and of what is asked about. */
#include "bench.h"

static void test_edits(void) {
  bench b = setup();
  const libsched_view* view = libsched_cluster_view(b.cluster);
  libsched_pod* pod = pod_of("web", 500, "");
  const libsched_pod* const asked[] = {pod, pod};
  const libsched_str kinds[] = {LIBSCHED_STR("Deployment"), LIBSCHED_STR("")};
  const size_t replicas[] = {3, 1};
  const libsched_str edits[] = {LIBSCHED_STR("add-node big=2"), LIBSCHED_STR("remove-node small"),
                                LIBSCHED_STR("scale default/web=9")};
  libsched_edited* edited = NULL;
  CHECK_OK(libsched_cluster_edit(b.cluster, edits, 3, asked, kinds, replicas, 2, &edited, err));
  CHECK(libsched_view_node_count(view) == 6);
  CHECK(libsched_view_find_node(view, LIBSCHED_STR("big-1")) != LIBSCHED_NO_ROW);
  CHECK(libsched_view_find_node(view, LIBSCHED_STR("small")) == LIBSCHED_NO_ROW);
  libsched_edited* same = libsched_edited_ref(edited);
  libsched_edited_unref(edited);
  CHECK(libsched_edited_pod_count(same) == 2);
  size_t origin = 7, count = 0;
  CHECK(libsched_edited_pod(same, 0, &origin, &count) == pod && origin == 0 && count == 9);
  CHECK(libsched_edited_pod(same, 1, &origin, NULL) == pod && origin == 1);
  CHECK(libsched_edited_pod(same, 2, &origin, &count) == NULL && origin == 1);
  libsched_edited_unref(same);

  /* Errors change nothing. */
  const uint64_t version = libsched_view_version(view);
  const libsched_str wrong[] = {LIBSCHED_STR("cordon big"), LIBSCHED_STR("cordon bog")};
  edited = NULL;
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL,
              "\"cordon bog\": there is no node \"bog\"; did you mean \"big\"?",
              libsched_cluster_edit(b.cluster, wrong, 2, NULL, NULL, NULL, 0, &edited, err));
  const libsched_str unknown = LIBSCHED_STR("drop big");
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_cluster_edit(b.cluster, &unknown, 1, NULL, NULL, NULL, 0, &edited, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "cluster",
              libsched_cluster_edit(NULL, NULL, 0, NULL, NULL, NULL, 0, &edited, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "pods",
              libsched_cluster_edit(b.cluster, NULL, 0, NULL, NULL, NULL, 1, &edited, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "edits",
              libsched_cluster_edit(b.cluster, NULL, 1, NULL, NULL, NULL, 0, &edited, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_cluster_edit(b.cluster, NULL, 0, NULL, NULL, NULL, 0, NULL, err));
  CHECK(edited == NULL && libsched_view_version(view) == version);
  CHECK(libsched_edited_pod_count(NULL) == 0 && libsched_edited_pod(NULL, 0, NULL, NULL) == NULL);
  libsched_edited_unref(NULL);
  libsched_pod_unref(pod);
  teardown(&b);
}

int main(void) {
  test_edits();
  return finish();
}
