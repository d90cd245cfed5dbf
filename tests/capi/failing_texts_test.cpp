// Texts that are asked for when memory runs out, wherever that is: no text, no crash, and the same
// text afterwards.
#include <doctest/doctest.h>

#include <libsched.h>

#include <functional>
#include <string>

#include "failing_allocation.hpp"

#define MUST(call)                        \
  do {                                    \
    libsched_error** const err = nullptr; \
    REQUIRE((call) == LIBSCHED_OK);       \
  } while (false)

namespace {

std::string taken(libsched_text* text) {
  const libsched_str s = libsched_text_get(text);
  std::string copy(s.ptr, s.len);
  libsched_text_unref(text);
  return copy;
}

// Asks until no allocation fails: each in turn, alone, and with all after it.
void try_all(const std::function<libsched_rc(libsched_text**)>& ask) {
  libsched_text* whole = nullptr;
  REQUIRE(ask(&whole) == LIBSCHED_OK);
  const std::string expected = taken(whole);
  CHECK(expected.starts_with('{'));
  for (const bool all : {false, true}) {
    for (long fail = 1;; ++fail) {
      libsched_text* text = nullptr;
      for_ever = all;
      const long before = failures;
      left = fail;
      const libsched_rc rc = ask(&text);
      left = 0;
      for_ever = false;
      if (rc == LIBSCHED_OK) {
        REQUIRE(taken(text) == expected);
      } else {
        REQUIRE(rc == LIBSCHED_ERR_NO_MEMORY);
      }
      if (failures == before) break;
    }
  }
}

TEST_CASE("whatever allocation of an explanation fails, it is made the next time") {
  libsched_framework* framework = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_evaluator* evaluator = nullptr;
  MUST(libsched_framework_create(nullptr, LIBSCHED_STR(""), nullptr, nullptr, &framework, err));
  MUST(libsched_cluster_create(nullptr, &cluster, err));
  libsched_objects* objects = nullptr;
  MUST(libsched_objects_parse(
      LIBSCHED_STR(
          R"([{"kind":"Node","apiVersion":"v1","metadata":{"name":"a"},"spec":{"taints":[)"
          R"({"key":"k","effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"1","pods":"9"}}},)"
          R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"b"},"status":{"allocatable":{)"
          R"("cpu":"1","pods":"9"}}},)"
          R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"c"},"status":{"allocatable":{)"
          R"("cpu":"8","pods":"9"}}}])"),
      nullptr, &objects, err));
  MUST(libsched_cluster_apply(cluster, objects, err));
  MUST(libsched_evaluator_create(framework, cluster, nullptr, &evaluator, err));
  for (const char* cpu : {"2", "20"}) {
    const std::string document =
        std::string(
            R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":{"containers":[)") +
        R"({"name":"c","resources":{"requests":{"cpu":")" + cpu + "\"}}}]}}";
    libsched_pod* pod = nullptr;
    libsched_decision* decision = nullptr;
    MUST(libsched_pod_parse({document.data(), document.size()}, nullptr, &pod, err));
    libsched_check_options options = LIBSCHED_CHECK_OPTIONS_INIT;
    options.score = options.post_filter = options.facts = true;
    MUST(libsched_check_pod_fits(evaluator, pod, LIBSCHED_ANY_NODE, &options, &decision, err));
    try_all([&](libsched_text** out) {
      return libsched_decision_explain_json(decision, out, nullptr);
    });
    libsched_decision_unref(decision);
    libsched_pod_unref(pod);
  }
  libsched_evaluator_unref(evaluator);
  libsched_objects_unref(objects);
  libsched_cluster_unref(cluster);
  libsched_framework_unref(framework);
}

}  // namespace
