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

/* The copy of a cordoned node is not, and a note says so; selectors choose nodes. */
static void test_notes_and_selectors(void) {
  bench b = setup();
  const libsched_view* view = libsched_cluster_view(b.cluster);
  libsched_pod* pod = pod_of("web", 500, ", \"nodeName\": \"small\"");
  const libsched_pod* const asked[] = {pod};
  const libsched_str edits[] = {
      LIBSCHED_STR("label small pool=a"),    LIBSCHED_STR("label big pool=a"),
      LIBSCHED_STR("cordon pool=a"),         LIBSCHED_STR("taint big gpu:NoSchedule"),
      LIBSCHED_STR("uncordon small"),        LIBSCHED_STR("add-node big=1"),
      LIBSCHED_STR("untaint pool in (a) gpu"), LIBSCHED_STR("remove-node small")};
  libsched_edited* edited = NULL;
  CHECK_OK(libsched_cluster_edit(b.cluster, edits, 8, asked, NULL, NULL, 1, &edited, err));
  const libsched_pod* freed = libsched_edited_pod(edited, 0, NULL, NULL);
  CHECK(freed != pod && libsched_pod_node_name(freed).len == 0);
  CHECK(libsched_edited_note_count(edited) == 1);
  CHECK_STR(libsched_edited_note(edited, 0),
            "the copies of big are taken to be healthy; they are without its cordon, taint "
            "node.kubernetes.io/unschedulable:NoSchedule");
  CHECK(libsched_edited_note(edited, 1).len == 0 && libsched_edited_note(NULL, 0).len == 0);
  CHECK(libsched_edited_note_count(NULL) == 0);
  libsched_edited_unref(edited);

  libsched_text* names = NULL;
  CHECK_OK(libsched_view_choose_nodes(view, text("pool=a"), &names, err));
  CHECK_STR(libsched_text_get(names), "big\nbig-0");
  libsched_text_unref(names);
  names = NULL;
  CHECK_FAILS(LIBSCHED_ERR_NOT_FOUND, NULL, "no node has labels like \"pool=b\"; did you mean \"pool=a\"?",
              libsched_view_choose_nodes(view, text("pool=b"), &names, err));
  CHECK_FAILS(LIBSCHED_ERR_INVALID, NULL, NULL,
              libsched_view_choose_nodes(view, text("pool=b="), &names, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "view",
              libsched_view_choose_nodes(NULL, text("big"), &names, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "result",
              libsched_view_choose_nodes(view, text("big"), NULL, err));
  CHECK(names == NULL);
  libsched_pod_unref(pod);
  teardown(&b);
}

int main(void) {
  test_edits();
  test_notes_and_selectors();
  return finish();
}
