// The copy of an assumed pod with the name of its node: where there is no memory for it, a reader
// gets NULL, never the pod without the name, and the next reader gets the copy.
#include <doctest/doctest.h>

#include <libsched.h>

#include <functional>
#include <string>

#include "failing_scheduler.hpp"

namespace failing_scheduler_test {
namespace {

TEST_CASE("an assumed pod without memory for its copy is not given, and given when there is some") {
  const std::string home = "another-node-with-a-long-name";
  libsched_cluster* cluster = nullptr;
  SURE(libsched_cluster_create(nullptr, &cluster, err));
  libsched_objects* objects = parse(kNodes + pod_text("p", 1, 7));
  SURE(libsched_cluster_apply(cluster, objects, err));
  const libsched_pod* const given = libsched_objects_get_pod(objects, 0);
  // What a cycle assumes is kept as it was given, until somebody looks at it.
  libsched_framework* framework = nullptr;
  libsched_evaluator* evaluator = nullptr;
  libsched_cycle_state* state = nullptr;
  libsched_status* status = nullptr;
  SURE(
      libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework, err));
  SURE(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, err));
  SURE(libsched_cycle_state_create(&state, err));
  SURE(libsched_status_create(&status, err));
  const uint32_t row =
      libsched_view_find_node(libsched_cluster_view(cluster), {home.data(), home.size()});
  SURE(libsched_evaluator_assume(evaluator, state, given, row, nullptr, status, err));

  using Read = std::function<const libsched_pod*(const libsched_view*)>;
  const Read readers[] = {[&](const libsched_view* view) {
                            return libsched_view_node_pod(
                                view, libsched_view_find_node(view, {home.data(), home.size()}), 0);
                          },
                          [](const libsched_view* view) {
                            return libsched_view_find_pod(view, libsched_str_from("d"),
                                                          libsched_str_from("p"), nullptr);
                          }};
  long tried = 0;
  for (const Read& read : readers)
    for (const bool of_snapshot : {false, true})
      for (const bool ever : {false, true})
        for (long n = 1;; ++n) {
          CAPTURE(of_snapshot);
          CAPTURE(n);
          // A copied view has made no copies of pods yet.
          libsched_cluster* fresh = nullptr;
          libsched_snapshot* snapshot = nullptr;
          SURE(libsched_cluster_clone(cluster, &fresh, err));
          SURE(libsched_cluster_snapshot(fresh, &snapshot, err));
          const libsched_view* const view =
              of_snapshot ? libsched_snapshot_view(snapshot) : libsched_cluster_view(fresh);
          const libsched_pod* pod = nullptr;
          libsched_rc rc = LIBSCHED_OK;
          const bool failed = starved(
              n, ever,
              [&] {
                pod = read(view);
                return LIBSCHED_OK;
              },
              &rc);
          CHECK((pod == nullptr) == failed);
          pod = read(view);
          REQUIRE(pod != nullptr);
          CHECK(pod != given);
          CHECK(out(libsched_pod_node_name(pod)) == home);
          CHECK(out(libsched_pod_node_name(given)).empty());
          CHECK(read(view) == pod);
          libsched_snapshot_unref(snapshot);
          libsched_cluster_unref(fresh);
          if (!failed) {
            CHECK(n > 2);
            break;
          }
          ++tried;
        }
  CHECK(tried > 16);
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  libsched_evaluator_unref(evaluator);
  libsched_framework_unref(framework);
  libsched_objects_unref(objects);
  libsched_cluster_unref(cluster);
}

}  // namespace
}  // namespace failing_scheduler_test
