// TaintToleration: every pair of taint and toleration, the order of taints, the comparison
// operators behind their gate, and taints that change under a state.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::taint_toleration_test {

const char* const kNo = "UnschedulableAndUnresolvable: node(s) had untolerated taint(s)";

struct Case {
  std::string taints, tolerations;
  bool fits;
};

void run(const std::vector<Case>& cases, const TrialOptions& options = {}) {
  for (const Case& c : cases) {
    CAPTURE(c.taints);
    CAPTURE(c.tolerations);
    Trial t("TaintToleration", node_n("spec: {taints: [" + c.taints + "]}"), options);
    CHECK(t.filter("{tolerations: [" + c.tolerations + "]}") ==
          std::string(c.fits ? "Success" : kNo));
  }
}

TEST_CASE("taints and tolerations") {
  run({
      {"", "", true},
      {"", "{key: a, operator: Exists}", true},
      {"{key: a, value: v, effect: NoSchedule}", "", false},
      {"{key: a, value: v, effect: NoExecute}", "", false},
      {"{key: a, value: v, effect: PreferNoSchedule}", "", true},
      {"{key: a, value: v, effect: ''}", "", true},  // without an effect it rejects no pod
      {"{key: a, value: v, effect: Odd}", "", true},
      {"{key: a, value: v, effect: NoSchedule}", "{key: a, value: v, effect: NoSchedule}", true},
      {"{key: a, value: v, effect: NoSchedule}", "{key: a, value: v}", true},
      {"{key: a, value: v, effect: NoSchedule}", "{key: a, operator: Equal, value: w}", false},
      {"{key: a, value: v, effect: NoSchedule}", "{key: a, operator: Exists}", true},
      {"{key: a, value: v, effect: NoSchedule}", "{key: a, operator: Exists, effect: NoExecute}",
       false},
      {"{key: a, value: v, effect: NoSchedule}", "{key: b, operator: Exists}", false},
      {"{key: a, value: v, effect: NoSchedule}", "{operator: Exists}", true},
      {"{key: a, value: v, effect: NoSchedule}", "{operator: Exists, effect: NoSchedule}", true},
      {"{key: a, value: v, effect: NoSchedule}", "{operator: Exists, effect: NoExecute}", false},
      {"{key: a, value: v, effect: NoSchedule}", "{value: v}", true},  // empty key, equal values
      {"{key: a, value: v, effect: NoSchedule}", "{key: a, operator: Odd, value: v}", false},
      {"{key: a, effect: NoSchedule}", "{key: a}", true},
      {"{key: a, effect: NoSchedule}, {key: b, effect: NoExecute}", "{key: a, operator: Exists}",
       false},
      {"{key: a, effect: NoSchedule}, {key: b, effect: NoExecute}",
       "{key: b, operator: Exists}, {key: a, operator: Exists}", true},
      {"{key: a, effect: NoSchedule}, {key: b, effect: PreferNoSchedule}",
       "{key: a, operator: Exists}", true},
      {"{key: a, value: '1', effect: NoSchedule}, {key: a, value: '2', effect: NoSchedule}",
       "{key: a, value: '1'}", false},
      {"{key: a, value: v, effect: NoExecute}",
       "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 0}", true},
  });
}

TEST_CASE("Lt and Gt compare numbers, with the gate on") {
  const std::vector<Case> cases = {
      {"{key: cost, value: '5', effect: NoSchedule}", "{key: cost, operator: Lt, value: '10'}",
       true},
      {"{key: cost, value: '10', effect: NoSchedule}", "{key: cost, operator: Lt, value: '10'}",
       false},
      {"{key: cost, value: '11', effect: NoSchedule}", "{key: cost, operator: Gt, value: '10'}",
       true},
      {"{key: cost, value: '10', effect: NoSchedule}", "{key: cost, operator: Gt, value: '10'}",
       false},
      {"{key: cost, value: '-3', effect: NoSchedule}", "{key: cost, operator: Lt, value: '-2'}",
       true},
      {"{key: cost, value: '9', effect: NoSchedule}", "{key: cost, operator: Lt, value: '10'}",
       true},  // not as texts
      {"{key: cost, value: '9223372036854775807', effect: NoExecute}",
       "{key: cost, operator: Gt, value: '0'}", true},
      {"{key: cost, value: '9223372036854775808', effect: NoExecute}",
       "{key: cost, operator: Gt, value: '0'}", false},
      {"{key: cost, value: many, effect: NoSchedule}", "{key: cost, operator: Gt, value: '0'}",
       false},
      {"{key: cost, value: '', effect: NoSchedule}", "{key: cost, operator: Lt, value: '1'}",
       false},
      {"{key: cost, value: '5', effect: NoSchedule}", "{key: cost, operator: Lt, value: '0x10'}",
       false},
      {"{key: cost, value: '5', effect: NoSchedule}", "{key: cost, operator: Lt, value: '010'}",
       false},  // not canonical
      {"{key: cost, value: '5', effect: NoSchedule}",
       "{key: cost, operator: Lt, value: '10', effect: NoExecute}", false},
      {"{key: other, value: '5', effect: NoSchedule}", "{key: cost, operator: Lt, value: '10'}",
       false},
  };
  TrialOptions on;
  on.gates = "TaintTolerationComparisonOperators=true";
  run(cases, on);
  std::vector<Case> off = cases;
  for (Case& c : off) c.fits = false;
  run(off);
}

TEST_CASE("a cordoned node follows the same gate") {
  TrialOptions on;
  on.gates = "TaintTolerationComparisonOperators=true";
  // NodeUnschedulable's taint has no value, and thus no number to compare with.
  Trial t("NodeUnschedulable", node_n("spec: {unschedulable: true}"), on);
  CHECK(t.filter("{tolerations: [{operator: Lt, value: '10'}]}") != "Success");
}

TEST_CASE("taints that change while a state lives") {
  Trial t("TaintToleration", node_n("spec: {taints: [{key: a, effect: NoSchedule}]}") +
                                 "---\nkind: Node\nmetadata: {name: m}\n");
  const PodRef pod = Trial::pod("{tolerations: [{key: a, operator: Exists}]}");
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  const auto fits = [&](const char* node) {
    Status s;
    REQUIRE(t.evaluator().run_filter(state, *pod, t.cluster().view().find_node(node), &s).ok());
    return s.success();
  };
  CHECK(fits("n"));
  CHECK(fits("m"));
  REQUIRE(t.cluster().fork().ok());
  REQUIRE(
      t.cluster()
          .update_node(
              parse_node("metadata: {name: m}\nspec: {taints: [{key: b, effect: NoExecute}]}", {})
                  .value())
          .ok());
  CHECK_FALSE(fits("m"));
  CHECK(fits("n"));
  REQUIRE(t.cluster().revert().ok());
  CHECK(fits("m"));
}

TEST_CASE("many lists of taints over many nodes") {
  std::string nodes;
  for (int i = 0; i < 300; ++i)
    nodes += "---\nkind: Node\nmetadata: {name: n" + std::to_string(i) +
             "}\nspec: {taints: [{key: k" + std::to_string(i % 7) + ", effect: NoSchedule}" +
             (i % 2 == 0 ? "" : ", {key: odd, effect: NoExecute}") + "]}\n";
  Trial t("TaintToleration", nodes);
  const std::string spec =
      "{tolerations: [{key: k3, operator: Exists}, {key: k5, operator: Exists}]}";
  for (int i = 0; i < 300; i += 11) {
    CAPTURE(i);
    const bool fits = (i % 7 == 3 || i % 7 == 5) && i % 2 == 0;
    CHECK(t.filter(spec, "n" + std::to_string(i)) == (fits ? "Success" : kNo));
  }
}

std::string tainted(const std::string& name, const std::string& taints) {
  return "---\nkind: Node\nmetadata: {name: " + name + "}\nspec: {taints: [" + taints + "]}\n";
}

TEST_CASE("PreferNoSchedule taints that are not tolerated cost score") {
  const std::string a = "{key: a, value: v, effect: PreferNoSchedule}";
  const std::string b = "{key: b, value: v, effect: PreferNoSchedule}";
  const std::string c = "{key: c, value: v, effect: PreferNoSchedule}";
  Trial t("TaintToleration", tainted("n0", "") + tainted("n1", a) + tainted("n2", a + "," + b) +
                                 tainted("n3", c + "," + b + "," + a));
  CHECK(t.scores("{}") == "n0 0/100, n1 1/67, n2 2/34, n3 3/0");
  CHECK(t.scores("{tolerations: [{key: a, operator: Exists}]}") ==
        "n0 0/100, n1 0/100, n2 1/50, n3 2/0");
  // A toleration of another effect does not count, nor does one of another value.
  CHECK(t.scores("{tolerations: [{key: a, operator: Exists, effect: NoSchedule}]}") ==
        "n0 0/100, n1 1/67, n2 2/34, n3 3/0");
  CHECK(t.scores("{tolerations: [{key: a, value: w}, {key: b, value: v}]}") ==
        "n0 0/100, n1 1/50, n2 1/50, n3 2/0");
  CHECK(t.scores("{tolerations: [{operator: Exists, effect: PreferNoSchedule}]}") ==
        "n0 0/100, n1 0/100, n2 0/100, n3 0/100");
}

TEST_CASE("without PreferNoSchedule taints every node gets the most") {
  Trial t("TaintToleration",
          tainted("n0", "") + tainted("n1", "{key: a, value: v, effect: NoSchedule}"));
  CHECK(t.scores("{tolerations: [{operator: Exists}]}") == "n0 0/100, n1 0/100");
}

TEST_CASE("taints that are added between PreScore and Score count") {
  Trial t("TaintToleration",
          tainted("n0", "") + tainted("n1", "{key: a, value: v, effect: PreferNoSchedule}"));
  t.apply(tainted("n1", ""));  // the set has no row now
  const PodRef pod = Trial::pod("{}");
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  const std::vector<uint64_t> both = {3};
  REQUIRE(t.evaluator().run_pre_score(state, *pod, both.data(), 1).ok());
  t.apply(tainted("n1", "{key: a, value: v, effect: PreferNoSchedule}"));
  std::vector<int64_t> totals(64);
  const auto scored = t.evaluator().run_score(state, *pod, both.data(), 1, totals.data(), nullptr);
  REQUIRE(scored.ok());
  const View& view = t.cluster().view();
  CHECK(totals[view.find_node("n0")] == 100);
  CHECK(totals[view.find_node("n1")] == 0);
}

TEST_CASE("Score without PreScore is an error") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, score: {enabled: [{name: TaintToleration}]}}";
  Trial t("TaintToleration", tainted("n0", "") + tainted("n1", ""), options);
  CHECK(t.scores("{}") ==
        "error: running Score plugins: plugin \"TaintToleration\" failed with: failed to read "
        "\"PreScoreTaintToleration\" from cycleState: not found");
}

TEST_CASE("with the semantics of 1.31 the reason names the first taint that is not tolerated") {
  TrialOptions options;
  options.release = Release::k1_31;
  Trial t(
      "TaintToleration",
      node_n("spec: {taints: [{key: soft, effect: PreferNoSchedule}, {key: a, value: v, effect: "
             "NoSchedule}, {key: b, effect: NoExecute}]}"),
      options);
  CHECK(t.filter("{}") == "UnschedulableAndUnresolvable: node(s) had untolerated taint {a: v}");
  CHECK(t.filter("{tolerations: [{key: a, operator: Exists}]}") ==
        "UnschedulableAndUnresolvable: node(s) had untolerated taint {b: }");
}

}  // namespace libsched::taint_toleration_test
