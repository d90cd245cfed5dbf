/* Comparisons of two sides. */
#include "bench.h"

static void test_comparison(void) {
  bench b = setup();
  libsched_evaluator* const* profiles = &b.evaluator;
  libsched_pod* pods[] = {pod_of("web", 500, ""), pod_of("huge", 900000, "")};
  const libsched_pod* const* list = (const libsched_pod* const*)pods;
  libsched_comparison* comparison = NULL;
  CHECK_OK(libsched_comparison_create(&comparison, err));
  CHECK(libsched_comparison_pod_count(comparison) == 0);
  const uint64_t version = libsched_view_version(libsched_cluster_view(b.cluster));
  CHECK_OK(libsched_comparison_place(comparison, false, profiles, 1, list, 2, NULL, err));
  CHECK(libsched_view_version(libsched_cluster_view(b.cluster)) == version);
  CHECK(libsched_comparison_pod_count(comparison) == 2);
  CHECK(libsched_comparison_changed_count(comparison) == 2);
  CHECK_OK(libsched_comparison_place(comparison, true, profiles, 1, list, 2, NULL, err));
  CHECK(libsched_comparison_changed_count(comparison) == 0);

  libsched_compared_pod p = LIBSCHED_COMPARED_POD_INIT;
  CHECK(libsched_comparison_pod(comparison, 0, &p) && !p.changed && p.pod == pods[0]);
  CHECK(p.before.present && p.after.present && p.before.outcome == LIBSCHED_OUTCOME_PLACED);
  CHECK(p.before.node.len > 0 && p.after.text.len == 0);
  CHECK_STR(p.after.profile, "default-scheduler");
  CHECK(libsched_comparison_pod(comparison, 1, &p) && p.before.node.len == 0);
  CHECK(p.after.outcome == LIBSCHED_OUTCOME_UNSCHEDULABLE && p.after.text.len > 0);
  CHECK(!libsched_comparison_pod(comparison, 2, &p));
  p.struct_size = 0;
  CHECK(!libsched_comparison_pod(comparison, 0, &p));

  libsched_text* use = NULL;
  CHECK_OK(libsched_comparison_use_json(comparison, false, &use, err));
  CHECK(strstr(libsched_text_get(use).ptr, "\"nodesInUse\":") != NULL);
  libsched_text_unref(use);
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "comparison", libsched_comparison_use_json(NULL, false, &use, err));

  /* Errors keep what there is. */
  libsched_compare_options options = LIBSCHED_COMPARE_OPTIONS_INIT;
  options.deadline_ns = -1;
  CHECK_FAILS(LIBSCHED_ERR_DEADLINE, NULL, NULL,
              libsched_comparison_place(comparison, true, profiles, 1, list, 2, &options, err));
  options.deadline_ns = 0;
  options.ties = 99;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "unknown ties",
              libsched_comparison_place(comparison, true, profiles, 1, list, 2, &options, err));
  options.ties = 0;
  options.reserved[5] = true;
  CHECK_FAILS(LIBSCHED_ERR_UNSUPPORTED, NULL, "reserved",
              libsched_comparison_place(comparison, true, profiles, 1, list, 2, &options, err));
  options.reserved[5] = false;
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, NULL,
              libsched_comparison_place(comparison, true, profiles, 0, list, 2, NULL, err));
  CHECK_FAILS(LIBSCHED_ERR_MISUSE, NULL, "comparison",
              libsched_comparison_place(NULL, true, profiles, 1, list, 2, NULL, err));
  CHECK(libsched_comparison_changed_count(comparison) == 0);

  /* All pods of the cluster, too. */
  options.all = true;
  CHECK_OK(libsched_comparison_place(comparison, true, profiles, 1, list, 2, &options, err));
  CHECK(libsched_view_version(libsched_cluster_view(b.cluster)) == version);
  const size_t all = libsched_view_pod_count(libsched_cluster_view(b.cluster));
  CHECK(all > 0 && libsched_comparison_pod_count(comparison) == all + 2);
  libsched_comparison* same = libsched_comparison_ref(comparison);
  libsched_comparison_unref(comparison);
  libsched_comparison_unref(same);
  CHECK(libsched_comparison_pod_count(NULL) == 0 && libsched_comparison_changed_count(NULL) == 0);
  for (size_t i = 0; i < 2; ++i) libsched_pod_unref(pods[i]);
  teardown(&b);
}

int main(void) {
  test_comparison();
  return finish();
}
