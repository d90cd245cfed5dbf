// NodeName: only the equality of names counts.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::node_name_test {

TEST_CASE("a pod that names its node fits no other") {
  Trial t("NodeName", node_n() + "---\nkind: Node\nmetadata: {name: n2}\n");
  const char* no = "UnschedulableAndUnresolvable: node(s) didn't match the requested node name";
  struct Case {
    std::string spec, node;
    bool fits;
  } const cases[] = {
      {"{}", "n", true},
      {"{nodeName: ''}", "n2", true},
      {"{nodeName: 'n'}", "n", true},
      {"{nodeName: 'n'}", "n2", false},
      {"{nodeName: 'N'}", "n", false},
      {"{nodeName: unknown}", "n", false},
      {"{nodeName: n2}", "n2", true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.spec);
    CAPTURE(c.node);
    CHECK(t.filter(c.spec, c.node) == std::string(c.fits ? "Success" : no));
  }
}

TEST_CASE("PreFilter leaves the named node alone, whether it is there or not") {
  const std::unique_ptr<Plugin> plugin = make_node_name({nullptr, FeatureGates()}).value();
  const Ref<Cluster> cluster = make_ref<Cluster>();
  Services services;
  const auto left = [&](const std::string& spec) {
    const PodRef pod = Trial::pod(spec);
    CycleState state;
    PreFilterResult result;
    const Call call{cluster->view(), services};
    CHECK(plugin->pre_filter({call, *pod, state}, &result).value() == Status());
    return result.all_nodes ? "all" : go_list(result.nodes);
  };
  CHECK(left("{}") == "all");
  CHECK(left("{nodeName: ''}") == "all");
  CHECK(left("{nodeName: gone}") == "[gone]");
}

TEST_CASE("the node may be added and removed, and be in any word of rows") {
  std::string many;
  for (int i = 0; i < 200; ++i)
    many += "---\nkind: Node\nmetadata: {name: m" + std::to_string(i) + "}\n";
  Trial t("NodeName", many);
  for (const int i : {0, 63, 64, 127, 128, 199}) {
    const std::string name = "m" + std::to_string(i);
    CHECK(t.filter("{nodeName: " + name + "}", name) == "Success");
    CHECK(t.filter("{nodeName: " + name + "}", "m1") != "Success");
  }
  REQUIRE(t.cluster().remove_node("m64").ok());
  const PodRef pod = Trial::pod("{nodeName: m64}");
  CHECK(t.evaluator().check(*pod, "", false).value()->feasible_count == 0);
  // Pods that wait for a missing node do not create it.
  t.apply("kind: Pod\nmetadata: {name: waits, namespace: d}\nspec: {nodeName: m64}\n");
  CHECK(t.evaluator().check(*pod, "", false).value()->feasible_count == 0);
  t.apply("kind: Node\nmetadata: {name: m64}\n");
  CHECK(t.evaluator().check(*pod, "", false).value()->feasible_count == 1);
}

}  // namespace libsched::node_name_test
