// Texts of JSON with each allocation of the call failing in turn: it returns NO_MEMORY, and the
// next call gives the text.
#include <doctest/doctest.h>

#include <libsched.h>

#include <functional>
#include <string>

#include "failing_scheduler.hpp"

namespace failing_scheduler_test {
namespace {

// A text, or null where there is no memory for it.
struct JsonCall {
  const char* name;
  std::function<libsched_rc(libsched_text**)> call;
};

TEST_CASE("a text of JSON without memory is not given, and given when there is some") {
  libsched_memory_api* api = nullptr;
  libsched_cluster* cluster = nullptr;
  libsched_framework* framework = nullptr;
  libsched_scheduler* scheduler = nullptr;
  libsched_clock* clock = nullptr;
  SURE(libsched_clock_create_virtual(1000 * kSecond, &clock, err));
  SURE(libsched_memory_api_create(&api, err));
  SURE(libsched_cluster_create(nullptr, &cluster, err));
  SURE(
      libsched_framework_create(nullptr, libsched_str_from(""), nullptr, nullptr, &framework, err));
  libsched_objects* objects = parse(
      kNodes + kStorage + pod_text("v", 1, 7, kClaiming) + pod_text("huge", 50, 3) +
      "kind: ControllerRevision\napiVersion: apps/v1\nmetadata: {name: \"left \\\"out\\\"\"}\n---\n"
      "kind: ReplicaSet\napiVersion: apps/v1\nmetadata: {name: r, namespace: d}\nspec: {replicas: "
      "1, selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: "
      "{containers: [{name: c}]}}}\n");
  SURE(libsched_cluster_apply(cluster, objects, err));
  libsched_scheduler_options options = LIBSCHED_SCHEDULER_OPTIONS_INIT;
  options.clock = clock;
  options.memory_api = api;
  SURE(libsched_scheduler_create(&framework, 1, cluster, &options, &scheduler, err));
  SURE(libsched_scheduler_start(scheduler, err));
  for (size_t i = 0; i < libsched_objects_pod_count(objects); ++i)
    SURE(libsched_scheduler_deliver_pod(scheduler, nullptr, libsched_objects_get_pod(objects, i),
                                        err));
  SURE(libsched_scheduler_settle(scheduler, false, 0, err));
  const JsonCall calls[] = {
      {"requests",
       [&](libsched_text** text) { return libsched_memory_api_requests_json(api, text, nullptr); }},
      {"metrics",
       [&](libsched_text** text) {
         return libsched_queue_metrics_json(libsched_scheduler_queue(scheduler), text, nullptr);
       }},
      {"report",
       [&](libsched_text** text) { return libsched_objects_report_json(objects, text, nullptr); }},
      {"pod",
       [&](libsched_text** text) {
         return libsched_pod_json(libsched_objects_get_pod(objects, 0), text, nullptr);
       }},
  };
  for (const JsonCall& c : calls) {
    CAPTURE(c.name);
    const auto text_now = [&] {
      libsched_text* text = nullptr;
      REQUIRE(c.call(&text) == LIBSCHED_OK);
      const std::string s = out(libsched_text_get(text));
      libsched_text_unref(text);
      return s;
    };
    const std::string expected = text_now();
    for (const bool ever : {false, true})
      for (long n = 1;; ++n) {
        CAPTURE(n);
        libsched_text* text = nullptr;
        libsched_rc rc = LIBSCHED_OK;
        if (!starved(n, ever, [&] { return c.call(&text); }, &rc)) {
          CHECK(n > 3);
          libsched_text_unref(text);
          break;
        }
        CHECK(rc == LIBSCHED_ERR_NO_MEMORY);
        CHECK(text == nullptr);
        CHECK(text_now() == expected);
      }
  }
  libsched_text* text = nullptr;
  REQUIRE(calls[0].call(&text) == LIBSCHED_OK);
  const std::string requests = out(libsched_text_get(text));
  libsched_text_unref(text);
  for (const char* verb : {"bind", "patchPodStatus", "patchObject", "event"})
    CHECK(times(requests, std::string("{\"verb\":\"") + verb + "\"") >= 1);
  CHECK(times(requests,
              "{\"verb\":\"patchObject\",\"kind\":\"PersistentVolumeClaim\",\"namespace\":\"d\","
              "\"name\":\"a-claim-with-a-long-name\",\"patch\":{\"metadata\":{\"annotations\":{"
              "\"volume.kubernetes.io/selected-node\":\"another-node-with-a-long-name\"}}}}") == 1);
  REQUIRE(calls[2].call(&text) == LIBSCHED_OK);
  CHECK(
      out(libsched_text_get(text)) ==
      "{\"counts\":{\"Pod\":2,\"Node\":2,\"Namespace\":0,\"PriorityClass\":0,\"ReplicaSet\":1,"
      "\"StorageClass\":1,\"PersistentVolumeClaim\":1},\"skipped\":[{\"kind\":\"apps/v1 "
      "ControllerRevision\",\"count\":1}],\"warnings\":[],\"unknownFields\":0}");
  libsched_text_unref(text);
  libsched_scheduler_unref(scheduler);
  libsched_objects_unref(objects);
  libsched_framework_unref(framework);
  libsched_cluster_unref(cluster);
  libsched_memory_api_unref(api);
  libsched_clock_unref(clock);
}

}  // namespace
}  // namespace failing_scheduler_test
