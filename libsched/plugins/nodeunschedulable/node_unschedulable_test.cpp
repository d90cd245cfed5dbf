// NodeUnschedulable: which tolerations let a pod onto a cordoned node.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::node_unschedulable_test {

TEST_CASE("a cordoned node takes only pods that tolerate its taint") {
  Trial t("NodeUnschedulable",
          node_n("spec: {unschedulable: true}") +
              "---\nkind: Node\nmetadata: {name: open}\nspec: {unschedulable: false}\n");
  struct Case {
    std::string toleration;
    bool fits;
  } const cases[] = {
      {"", false},
      {"{operator: Exists}", true},
      {"{}", true},  // an empty key with Equal: the taint's value is empty, too
      {"{value: x}", false},
      {"{key: node.kubernetes.io/unschedulable, operator: Exists}", true},
      {"{key: node.kubernetes.io/unschedulable}", true},
      {"{key: node.kubernetes.io/unschedulable, operator: Equal, value: 'true'}", false},
      {"{key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoSchedule}", true},
      {"{key: node.kubernetes.io/unschedulable, operator: Exists, effect: NoExecute}", false},
      {"{key: node.kubernetes.io/unschedulable, operator: Exists, effect: PreferNoSchedule}",
       false},
      {"{key: node.kubernetes.io/not-ready, operator: Exists}", false},
      {"{key: x, operator: Exists}, {key: node.kubernetes.io/unschedulable, operator: Exists}",
       true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.toleration);
    const std::string spec = "{tolerations: [" + c.toleration + "]}";
    CHECK(t.filter(spec) ==
          (c.fits ? "Success" : "UnschedulableAndUnresolvable: node(s) were unschedulable"));
    CHECK(t.filter(spec, "open") == "Success");
  }
}

TEST_CASE("only the spec counts, not the taint") {
  Trial t("NodeUnschedulable",
          node_n("spec: {taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}"));
  CHECK(t.filter("{}") == "Success");
  t.apply(node_n("spec: {unschedulable: true}"));
  CHECK(t.filter("{}") != "Success");
  t.apply(node_n());
  CHECK(t.filter("{}") == "Success");
}

}  // namespace libsched::node_unschedulable_test
