// Cycles that run out of memory, wherever that is: with answers kept by class the next cycle still
// gives what it gives without.
#include <doctest/doctest.h>

#include <libsched.h>

#include <string>

#include "failing_allocation.hpp"

#define MUST(call)                        \
  do {                                    \
    libsched_error** const err = nullptr; \
    REQUIRE((call) == LIBSCHED_OK);       \
  } while (false)

namespace {

constexpr int kCycleNodes = 70;

struct ChosenNode {
  libsched_rc rc;
  uint32_t row;
  int64_t total;
  size_t feasible;
};
ChosenNode run_one_cycle(libsched_evaluator* evaluator, const libsched_pod* pod, long fail,
                         bool all, bool* failed) {
  libsched_cycle_state* state = nullptr;
  libsched_status* status = nullptr;
  MUST(libsched_cycle_state_create(&state, err));
  MUST(libsched_status_create(&status, err));
  libsched_cycle_outcome out = LIBSCHED_CYCLE_OUTCOME_INIT;
  for_ever = all;
  left = fail;
  const libsched_rc rc = libsched_run_cycle(evaluator, state, pod, nullptr, &out, status, nullptr);
  *failed = fail != 0 && (all ? left == 1 : left == 0);
  left = 0;
  for_ever = false;
  libsched_status_unref(status);
  libsched_cycle_state_unref(state);
  return {rc, out.row, out.total, out.feasible};
}

TEST_CASE("whatever allocation of a cycle fails, what is kept by class is right afterwards") {
  libsched_framework* framework = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_evaluator *kept = nullptr, *fresh = nullptr;
  libsched_pod* pod = nullptr;
  MUST(
      libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework, err));
  MUST(libsched_cluster_create(nullptr, &cluster, err));
  const auto apply = [&](const std::string& text) {
    libsched_objects* objects = nullptr;
    MUST(libsched_objects_parse({text.data(), text.size()}, nullptr, &objects, err));
    MUST(libsched_cluster_apply(cluster, objects, err));
    libsched_objects_unref(objects);
  };
  // A part of the nodes has a taint that other plugins' scores are weighed against.
  for (int i = 0; i < kCycleNodes; ++i)
    apply("{\"kind\": \"Node\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"n" +
          std::to_string(i) + "\"}, \"spec\": {\"taints\": [" +
          (i % 3 == 0 ? "{\"key\": \"soft\", \"effect\": \"PreferNoSchedule\"}" : "") +
          "]}, \"status\": {\"allocatable\": {\"cpu\": \"8\", \"memory\": \"8Gi\", \"pods\": "
          "\"9\"}}}");
  MUST(libsched_evaluator_create(framework, cluster, nullptr, &kept, err));
  MUST(libsched_evaluator_create(framework, cluster, nullptr, &fresh, err));
  MUST(libsched_evaluator_keep_classes(fresh, LIBSCHED_CLASSES_OFF, 0, err));
  MUST(libsched_pod_parse(
      libsched_str_from("{\"metadata\": {\"name\": \"p\"}, \"spec\": {\"containers\": [{\"name\": "
                        "\"c\", \"resources\": {\"requests\": {\"cpu\": \"1\"}}}]}}"),
      nullptr, &pod, err));
  bool failed = false;
  int placed = 0, no_memory = 0;
  // From the first cycle of the class on, and where it has been there before.
  for (const int before : {0, 1, 2})
    for (const bool all : {false, true}) {
      for (long n = 1;; ++n) {
        MUST(libsched_evaluator_keep_classes(kept, LIBSCHED_CLASSES_ALWAYS, 0, err));
        for (int i = 0; i < before; ++i) run_one_cycle(kept, pod, 0, false, &failed);
        apply("{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"x" +
              std::to_string(placed) + "\"}, \"spec\": {\"nodeName\": \"n" +
              std::to_string(placed % kCycleNodes) +
              "\", \"containers\": [{\"name\": \"c\", \"resources\": {\"requests\": {\"cpu\": "
              "\"10m\"}}}]}}");
        ++placed;
        CAPTURE(n);
        const ChosenNode starved = run_one_cycle(kept, pod, n, all, &failed);
        const bool hit = failed;
        // Some parts do without what they would rather have allocated.
        no_memory += starved.rc == LIBSCHED_ERR_NO_MEMORY;
        CHECK((starved.rc == LIBSCHED_ERR_NO_MEMORY || starved.rc == LIBSCHED_OK));
        for (int i = 0; i < 3; ++i) {
          const ChosenNode now = run_one_cycle(kept, pod, 0, false, &failed);
          const ChosenNode want = run_one_cycle(fresh, pod, 0, false, &failed);
          REQUIRE(now.rc == LIBSCHED_OK);
          REQUIRE(want.rc == LIBSCHED_OK);
          CHECK(now.row == want.row);
          CHECK(now.total == want.total);
          CHECK(now.feasible == want.feasible);
          if (starved.rc == LIBSCHED_OK) CHECK(starved.row == want.row);
        }
        if (!hit) break;
      }
    }
  CHECK(no_memory > 60);
  libsched_pod_unref(pod);
  libsched_evaluator_unref(kept);
  libsched_evaluator_unref(fresh);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
}

TEST_CASE("a number that is no way of keeping classes is refused") {
  libsched_framework* framework = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_evaluator* evaluator = nullptr;
  MUST(
      libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework, err));
  MUST(libsched_cluster_create(nullptr, &cluster, err));
  MUST(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, err));
  for (uint32_t when = LIBSCHED_CLASSES_AUTO; when <= LIBSCHED_CLASSES_CHECKED; ++when)
    MUST(libsched_evaluator_keep_classes(evaluator, when, when, err));
  libsched_error* error = nullptr;
  CHECK(libsched_evaluator_keep_classes(evaluator, 4, 0, &error) == LIBSCHED_ERR_UNSUPPORTED);
  CHECK(std::string(libsched_error_message(error).ptr).find("4") != std::string::npos);
  libsched_error_unref(error);
  CHECK(libsched_evaluator_keep_classes(nullptr, 0, 0, nullptr) == LIBSCHED_ERR_MISUSE);
  libsched_evaluator_unref(evaluator);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
}

}  // namespace
