// The pods of DaemonSets: which nodes are eligible, and what their controller adds to pods.
#include "libsched/scheduler/control_plane/daemon_pods.hpp"

#include <doctest/doctest.h>

#include "libsched/cluster/cluster.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched::daemon_pods_test {

Ref<Cluster> cluster() {
  std::string text;
  const auto node = [&](const std::string& name, const std::string& spec) {
    text += "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
            ", labels: {zone: z1, kubernetes.io/hostname: " + name + "}}\nspec: {" + spec + "}\n";
  };
  node("plain", "");
  node("cordoned",
       "unschedulable: true, taints: [{key: node.kubernetes.io/unschedulable, effect: "
       "NoSchedule}]");
  node("sick", "taints: [{key: node.kubernetes.io/not-ready, effect: NoExecute}]");
  node("mine", "taints: [{key: a, value: b, effect: NoSchedule}]");
  node("soft", "taints: [{key: a, value: b, effect: PreferNoSchedule}]");
  node("offline", "taints: [{key: node.kubernetes.io/network-unavailable, effect: NoSchedule}]");
  text +=
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: agent-x, namespace: d, ownerReferences: "
      "[{kind: DaemonSet, name: agent, controller: true}]}\nspec: {nodeName: soft}\n";
  const Result<ObjectSet> set = parse_objects(text, {});
  REQUIRE_MESSAGE(set.ok(), set.error().text());
  Ref<Cluster> made = make_ref<Cluster>();
  REQUIRE(made->apply(*set).ok());
  return made;
}

PodRef daemon(const std::string& name, const std::string& spec) {
  const Result<PodRef> pod =
      parse_pod("apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: " + name +
                    ", namespace: d}\nspec: {template: {spec: {" + spec + "}}}\n",
                {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

std::vector<std::string> nodes(const std::string& name, const std::string& spec) {
  const Ref<Cluster> c = cluster();
  const PodRef pod = daemon(name, spec);
  std::vector<std::string> out;
  for (uint32_t r = 0; r <= c->view().row_count(); ++r)
    if (daemon_wants(c->view(), r, *pod)) out.push_back(c->view().row(r).name);
  return out;
}

using Names = std::vector<std::string>;

TEST_CASE("daemon pods: nodes are eligible by selectors and taints") {
  CHECK(nodes("other", "") == Names{"plain", "cordoned", "sick", "soft"});
  CHECK(nodes("agent", "") == Names{"plain", "cordoned", "sick"});
  CHECK(nodes("other", "hostNetwork: true") ==
        Names{"plain", "cordoned", "sick", "soft", "offline"});
  CHECK(nodes("other", "tolerations: [{operator: Exists}]").size() == 6);
  CHECK(nodes("other", "nodeSelector: {zone: z2}").empty());
  CHECK(nodes("other", "nodeSelector: {kubernetes.io/hostname: sick}") == Names{"sick"});
  CHECK(nodes("other", "nodeName: soft") == Names{"soft"});
  CHECK(nodes("other",
              "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
              "{nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: "
              "In, values: [plain, mine]}]}]}}}") == Names{"plain"});
}

TEST_CASE("daemon pods: they go to their node alone, with the controller's tolerations") {
  const PodRef of = daemon(
      "agent",
      "hostNetwork: true, tolerations: [{key: a, operator: Exists}, {key: "
      "node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 9}], "
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: x, operator: Exists}]}]}}}");
  PodRef pod;
  {
    const Ref<Pod> made = daemon_pod(*of, "plain", "agent-1");
    pod = PodRef(copy_pod(*made, made->meta.name, made->meta.ns, {}, {}));
  }
  CHECK(pod->meta.name == "agent-1");
  CHECK(pod->meta.owners[0].kind == "DaemonSet");
  CHECK(pod->meta.owners[0].name == "agent");
  REQUIRE(pod->spec.tolerations.size() == 8);
  CHECK(pod->spec.tolerations[1].key == "node.kubernetes.io/not-ready");
  CHECK_FALSE(pod->spec.tolerations[1].seconds);  // replaced
  CHECK(pod->spec.tolerations[7].key == "node.kubernetes.io/network-unavailable");
  const NodeSelector& required = pod->spec.node_affinity.required;
  REQUIRE(required.terms.size() == 1);
  CHECK(required.terms[0].match_expressions.empty());
  CHECK(node_selector_matches(required, {}, "plain"));
  CHECK_FALSE(node_selector_matches(required, {}, "sick"));
  const Ref<Pod> anywhere = daemon_pod(*of, "", "agent-2");
  CHECK(anywhere->spec.node_affinity.required.terms[0].match_expressions.size() == 1);
  CHECK(anywhere->spec.tolerations.size() == 8);
}

}  // namespace libsched::daemon_pods_test
