// Differences between two versions of a node or pod, against upstream's recorded answers.
#include "libsched/framework/property_changes.hpp"

#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/recorded_table_test.hpp"

namespace libsched::property_changes_test {

using simdjson::dom::array;
using simdjson::dom::element;

// Compares every change from one version to another; returns how many there are.
template <typename T, typename Parse, typename Changes>
size_t compare(element table, bool keep_annotations, Parse&& parse, Changes&& changes) {
  ParseOptions options;
  options.keep_annotations = keep_annotations;
  std::vector<std::string> texts;
  std::vector<Ref<const T>> versions;
  for (const element e : array(table["versions"])) {
    texts.push_back(simdjson::minify(e));
    const auto parsed = parse(texts.back(), options);
    REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
    versions.push_back(*parsed);
  }
  size_t compared = 0, i = 0;
  for (const element row : array(table["actions"])) {
    size_t j = 0;
    for (const element want : array(row)) {
      CAPTURE(texts[i]);
      CAPTURE(texts[j]);
      CHECK(changes(*versions[j], *versions[i]) == int64_t(want));
      ++j, ++compared;
    }
    CHECK(j == versions.size());
    ++i;
  }
  return compared;
}

TEST_CASE("recorded changes of nodes and pods in 1.36") {
  const RecordedTable table("changes.json");
  const FeatureGates gates(Release::k1_36);
  for (const bool keep : {false, true}) {
    CAPTURE(keep);
    CHECK(
        compare<Node>(table["nodes"], keep, parse_node, [&](const Node& after, const Node& before) {
          return node_changes(after, before, gates);
        }) > 3000);
    CHECK(compare<Pod>(table["pods"], keep, parse_pod, [&](const Pod& after, const Pod& before) {
            return pod_changes(after, before, gates);
          }) > 2500);
  }
}

TEST_CASE("changes: kept annotations or not, a copy or not makes no difference") {
  const std::string text =
      R"({"metadata":{"name":"a","annotations":{"k":"a\nb","é":"","l":null}},"spec":{"taints":[
         {"key":"t","timeAdded":"2026-01-01T00:00:00Z"}]},"status":{"conditions":[{"type":"T"}]}})";
  ParseOptions keep;
  keep.keep_annotations = true;
  const NodeRef without = *parse_node(text, {}), with = *parse_node(text, keep);
  const FeatureGates gates;
  CHECK(node_changes(*without, *with, gates) == 0);
  CHECK(node_changes(*copy_node(*with, "a", ""), *without, gates) == 0);
  const NodeRef written_otherwise = *parse_node(
      R"({"metadata":{"annotations":{"\u006c":"","\u00e9":null,"k":"\u0061\u000ab"},"name":"a"},)"
      R"("spec":{"taints":[{"timeAdded":"2026-01-01T01:00:00+01:00","key":"t"}]},)"
      R"("status":{"conditions":[{"type":"\u0054","status":"x"},{"status":null,"type":"T"}]}})",
      {});
  CHECK(node_changes(*written_otherwise, *with, gates) == 0);
  const NodeRef bare = *parse_node(R"({"metadata":{"name":"a"}})", keep);
  CHECK(node_changes(*copy_node(*with, "a", ""), *bare, gates) ==
        (kUpdateNodeTaint | kUpdateNodeCondition | kUpdateNodeAnnotation));
}

TEST_CASE("changes: gates, added and deleted objects, other kinds") {
  const NodeRef old = *parse_node(R"({"metadata":{"name":"a"}})", {});
  const NodeRef now =
      *parse_node(R"({"metadata":{"name":"a"},"status":{"declaredFeatures":["F"]}})", {});
  CHECK(node_changes(*now, *old, {}) == kUpdateNodeDeclaredFeature);
  const Result<FeatureGates> off = FeatureGates::parse(
      "NodeDeclaredFeatures=false,InPlacePodLevelResourcesVerticalScaling=false,"
      "UserNamespacesHostNetworkSupport=false,RestartAllContainersOnContainerExits=false,"
      "InPlacePodVerticalScalingInitContainers=false,ExtendWebSocketsToKubelet=false",
      Release::k1_36);
  REQUIRE_MESSAGE(off.ok(), off.error().text());
  CHECK(node_changes(*now, *old, *off) == 0);
  const auto pod = [](const std::string& status) {
    return *parse_pod(R"({"metadata":{"name":"a"},"spec":{"resources":{"requests":{"cpu":"2"}}},)"
                      R"("status":{"resources":{"requests":{"cpu":")" +
                          status + "\"}}}}",
                      {});
  };
  CHECK(pod_changes(*pod("2"), *pod("3"), {}) == kUpdatePodScaleDown);
  CHECK(pod_changes(*pod("2"), *pod("3"), *off) == kUpdate);
  CHECK(actions_of({"Node", nullptr, now}, {}) == kAdd);
  CHECK(actions_of({"Node", now, nullptr}, {}) == kDelete);
  CHECK(actions_of({"Node", old, now}, {}) == kUpdateNodeDeclaredFeature);
  CHECK(actions_of({"Pod", pod("3"), pod("2")}, {}) == kUpdatePodScaleDown);
  CHECK(actions_of({"Namespace", old, now}, {}) == kUpdate);
}

TEST_CASE("changes: a request that grows is an event in 1.37") {
  const auto pod = [](const std::string& requests) {
    return *parse_pod(R"({"metadata":{"name":"a"},"spec":{"containers":[{"name":"c","resources":)"
                      R"({"requests":{)" +
                          requests + "}}}]}}",
                      {});
  };
  const PodRef small = pod(R"("cpu":"1")"), large = pod(R"("cpu":"2")");
  const PodRef more = pod(R"("cpu":"1","memory":"1")"), other = pod(R"("memory":"1")");
  const FeatureGates older(Release::k1_36), newer(Release::k1_37);
  CHECK(pod_changes(*large, *small, older) == kUpdate);
  CHECK(pod_changes(*large, *small, newer) == kUpdatePodScaleUp);
  CHECK(pod_changes(*more, *small, newer) == kUpdatePodScaleUp);
  CHECK(pod_changes(*small, *large, newer) == kUpdatePodScaleDown);
  CHECK(pod_changes(*other, *small, newer) == (kUpdatePodScaleDown | kUpdatePodScaleUp));
  CHECK(pod_changes(*small, *small, newer) == kUpdate);
}

TEST_CASE("changes: the preemption policy of a node is an event in 1.37") {
  const auto node = [](const std::string& spec) {
    return *parse_node(R"({"metadata":{"name":"a"},"spec":{)" + spec + "}}", {});
  };
  const NodeRef none = node(""), empty = node(R"("podPreemptionPolicy":{})");
  const NodeRef off = node(R"("podPreemptionPolicy":{"disableResizePreemption":["x"]})");
  const FeatureGates older(Release::k1_36), newer(Release::k1_37);
  CHECK(node_changes(*off, *none, older) == 0);
  CHECK(node_changes(*off, *none, newer) == kUpdateNodePreemptionPolicy);
  CHECK(node_changes(*off, *empty, newer) == kUpdateNodePreemptionPolicy);
  CHECK(node_changes(*empty, *none, newer) == kUpdateNodePreemptionPolicy);
  CHECK(node_changes(*off, *off, newer) == 0);
  CHECK(node_changes(*copy_node(*off, "a", ""), *off, newer) == 0);
}

}  // namespace libsched::property_changes_test
