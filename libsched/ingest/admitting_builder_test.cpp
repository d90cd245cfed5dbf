// RuntimeClasses and LimitRanges in all versions, with the API server's defaults.
#include <doctest/doctest.h>

#include "libsched/ingest/ephemeral_claim.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"
#include "libsched/objects/admitting.hpp"

namespace libsched::admitting_builder_test {
namespace {

StoredObject stored(const std::string& yaml, bool defaults = true) {
  ParseOptions options;
  options.defaults = defaults;
  const Result<ObjectSet> set = parse_objects(yaml, options);
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  REQUIRE(set->stored.size() == 1);
  CHECK(set->unknown_fields == 0);
  return set->stored[0];
}

std::string written(const StoredObject& object) {
  JsonText json;
  write_stored(json, object.kind, *object.object);
  return json.take();
}

}  // namespace

TEST_CASE("RuntimeClass: v1, v1beta1 and v1alpha1 say the same, and are written as v1") {
  const std::string rest =
      "overhead: {podFixed: {cpu: 250m}}, scheduling: {nodeSelector: {a: b}, tolerations: [{key: "
      "k, operator: Exists, tolerationSeconds: 3}]}}";
  const std::string head = "{kind: RuntimeClass, metadata: {name: vm}, apiVersion: node.k8s.io/";
  const std::string v1 = written(stored(head + "v1, handler: h, " + rest));
  CHECK(v1 ==
        R"({"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"vm"},)"
        R"("handler":"h","overhead":{"podFixed":{"cpu":"0.25"}},"scheduling":{"nodeSelector":)"
        R"({"a":"b"},"tolerations":[{"key":"k","operator":"Exists","tolerationSeconds":3}]}})");
  CHECK(written(stored(head + "v1beta1, handler: h, " + rest)) == v1);
  CHECK(written(stored(head + "v1alpha1, spec: {runtimeHandler: h, " + rest + "}")) == v1);
  CHECK(written(stored(v1)) == v1);
}

TEST_CASE("LimitRange: defaults of containers follow from the other amounts") {
  const std::string yaml =
      "{kind: LimitRange, apiVersion: v1, metadata: {name: r, namespace: ns}, spec: {limits: "
      "[{type: "
      "Container, max: {cpu: 4, memory: 4Gi}, min: {cpu: 1, pods: 1}, default: {cpu: 2}, "
      "maxLimitRequestRatio: {cpu: 3}}, {type: Pod, max: {cpu: 8}}]}}";
  const auto limits = [](const StoredObject& object) {
    return static_cast<const LimitRange&>(*object.object).limits;
  };
  const auto text = [](ResourceList list) {
    std::string out;
    for (const NamedQuantity& q : list)
      out += std::string(q.name) + " " + q.quantity.to_string() + " ";
    return out;
  };
  const StoredObject given = stored(yaml, false);
  CHECK(text(limits(given)[0].defaults) == "cpu 2 ");
  CHECK(limits(given)[0].default_requests.empty());
  const StoredObject made = stored(yaml);
  CHECK(text(limits(made)[0].defaults) == "cpu 2 memory 4294967296 ");
  CHECK(text(limits(made)[0].default_requests) == "cpu 2 memory 4294967296 pods 1 ");
  CHECK(text(limits(made)[0].max_limit_request_ratio) == "cpu 3 ");
  CHECK(limits(made)[1].defaults.empty());
  CHECK(made.object->meta.ns == "ns");
  CHECK(written(stored(written(made))) == written(made));
}

TEST_CASE("a pod keeps the name of its RuntimeClass") {
  const Result<PodRef> pod =
      parse_pod("{metadata: {name: p}, spec: {runtimeClassName: vm, containers: []}}", {});
  REQUIRE(pod.ok());
  CHECK((*pod)->spec.runtime_class == "vm");
  JsonText json;
  write_pod(json, **pod, {});
  CHECK(json.take().find("\"runtimeClassName\":\"vm\"") != std::string::npos);
}

TEST_CASE("a kind that is not read is counted with its namespaces") {
  const Result<ObjectSet> set = parse_objects(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: x}}\n---\n"
      "{kind: ConfigMap, data: {metadata: {namespace: no}}, metadata: {namespace: z}, apiVersion: "
      "v1}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: null}\n",
      {});
  REQUIRE(set.ok());
  REQUIRE(set->skipped.size() == 1);
  CHECK(set->skipped[0].count == 3);
  CHECK(set->skipped[0].namespaces == std::set<std::string>{"x", "z"});
}

}  // namespace libsched::admitting_builder_test
