// What controllers make of nodes: the taint of a cordon, healthy copies, evictions by taints.
#include "libsched/scheduler/control_plane/node_lifecycle.hpp"

#include <doctest/doctest.h>

#include "libsched/ingest/ingest.hpp"

namespace libsched::node_lifecycle_test {
namespace {

const char* const kTaint = "{key: node.kubernetes.io/unschedulable, effect: NoSchedule}";

NodeRef node(const std::string& spec) {
  const Result<ObjectSet> set = parse_objects(
      "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\nspec: {" + spec + "}", {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  return set->nodes[0];
}
std::string taints(const Node& node) {
  std::string out = node.unschedulable ? "!" : "";
  for (const Taint& t : node.taints)
    out += " " + std::string(t.key) + ":" + std::string(t.effect_text);
  return out;
}
PodRef pod(const std::string& spec, const std::string& meta = "") {
  Result<PodRef> made =
      parse_pod("metadata: {name: p, namespace: d" + meta + "}\nspec: {" + spec + "}", {});
  REQUIRE_MESSAGE(made.ok(), made.error().text());
  return *made;
}

}  // namespace

TEST_CASE("A cordon brings its taint, and goes with exactly that taint") {
  const std::string other = "{key: node.kubernetes.io/unschedulable, effect: NoExecute}";
  const NodeRef plain = node("taints: [" + other + "]");
  const NodeRef closed = cordoned(*plain);
  CHECK(taints(*closed) ==
        "! node.kubernetes.io/unschedulable:NoExecute node.kubernetes.io/unschedulable:NoSchedule");
  CHECK(cordoned(*closed) == closed);
  CHECK(closed->taints_hash != plain->taints_hash);
  CHECK(taints(*uncordoned(*closed)) == " node.kubernetes.io/unschedulable:NoExecute");
  CHECK(uncordoned(*plain) == plain);
  // A dump may have one without the other.
  CHECK(taints(*cordoned(*node("unschedulable: true"))) ==
        "! node.kubernetes.io/unschedulable:NoSchedule");
  const NodeRef tainted = node("taints: [" + std::string(kTaint) + "]");
  CHECK(taints(*cordoned(*tainted)) == "! node.kubernetes.io/unschedulable:NoSchedule");
  CHECK(taints(*uncordoned(*tainted)).empty());
}

TEST_CASE("A node that joins has no cordon and none of the taints of conditions") {
  std::string spec = "unschedulable: true, taints: [" + std::string(kTaint);
  for (const char* key : {"not-ready", "unreachable"})
    for (const char* effect : {"NoSchedule", "NoExecute"})
      spec += ", {key: node.kubernetes.io/" + std::string(key) + ", effect: " + effect + "}";
  for (const char* key :
       {"memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable"})
    spec += ", {key: node.kubernetes.io/" + std::string(key) + ", effect: NoSchedule}";
  spec +=
      ", {key: node.kubernetes.io/disk-pressure, effect: NoExecute}, {key: mine, effect: "
      "NoSchedule}"
      ", {key: node.kubernetes.io/out-of-service, effect: NoExecute}]";
  std::vector<std::string> left_out;
  const NodeRef joining = as_joining(*node(spec), &left_out);
  CHECK(taints(*joining) ==
        " node.kubernetes.io/disk-pressure:NoExecute mine:NoSchedule"
        " node.kubernetes.io/out-of-service:NoExecute");
  CHECK(left_out.size() == 10);
  left_out.clear();
  CHECK(as_joining(*joining, &left_out) == joining);
  CHECK(left_out.empty());
}

TEST_CASE("A taint NoExecute evicts pods that do not tolerate it for good, but static ones") {
  const NodeRef tainted = node(
      "taints: [{key: k, value: v, effect: NoExecute}, {key: k, value: v, effect: NoSchedule}]");
  const Taint& taint = tainted->taints[0];
  CHECK(evicted_by(taint, *pod("")));
  CHECK_FALSE(evicted_by(tainted->taints[1], *pod("")));
  CHECK_FALSE(evicted_by(taint, *pod("tolerations: [{operator: Exists}]")));
  CHECK_FALSE(evicted_by(taint, *pod("tolerations: [{key: k, value: v, effect: NoExecute}]")));
  CHECK(evicted_by(taint, *pod("tolerations: [{key: k, value: w, effect: NoExecute}]")));
  CHECK(evicted_by(taint, *pod("tolerations: [{key: k, operator: Exists, effect: NoExecute, "
                               "tolerationSeconds: 9}]")));
  CHECK_FALSE(evicted_by(taint, *pod("", ", annotations: {kubernetes.io/config.mirror: x}")));
}

}  // namespace libsched::node_lifecycle_test
