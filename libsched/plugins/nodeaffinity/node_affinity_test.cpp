// NodeAffinity: Skip, names that narrow the nodes, every operator, terms that do not parse, and the
// affinity that a profile adds.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::node_affinity_test {

const char* const kNo =
    "UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector";
const char* const kEnforced =
    "UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity";

// A pod whose required terms are these (flow YAML).
std::string required(const std::string& terms) {
  return "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [" +
         terms + "]}}}}";
}
std::string expressions(const std::string& list) {
  return required("{matchExpressions: [" + list + "]}");
}
std::string fields(const std::string& list) { return required("{matchFields: [" + list + "]}"); }

const char* const kNodes =
    "kind: Node\nmetadata: {name: 'n', labels: {zone: a, gpus: '8', empty: '', neg: '-3', text: "
    "many, big: '9223372036854775808'}}\n"
    "---\nkind: Node\nmetadata: {name: bare}\n";

TEST_CASE("PreFilter skips pods without required affinity") {
  Trial t("NodeAffinity", kNodes);
  const auto pre_filter = [&](const std::string& spec) { return t.pre_filter(*Trial::pod(spec)); };
  CHECK(pre_filter("{}") == "Skip");
  CHECK(pre_filter("{nodeSelector: null}") == "Skip");
  CHECK(pre_filter("{affinity: {}}") == "Skip");
  CHECK(pre_filter("{affinity: {nodeAffinity: {}}}") == "Skip");
  CHECK(pre_filter("{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
                   "[{weight: 1, preference: {}}]}}}") == "Skip");
  CHECK(pre_filter("{affinity: {podAffinity: {}}}") == "Skip");
  CHECK(pre_filter("{nodeSelector: {}}") == "Success");  // an empty selector is not absent
  CHECK(pre_filter("{nodeSelector: {zone: a}}") == "Success");
  CHECK(pre_filter(required("")) == "Success");
  TrialOptions added;
  added.args =
      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: zone, operator: Exists}]}]}}}";
  Trial with_added("NodeAffinity", kNodes, added);
  CHECK(with_added.pre_filter(*Trial::pod("{}")) == "Success");
  added.args =
      "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "
      "{matchExpressions: [{key: zone, operator: Exists}]}}]}}";
  Trial preferred("NodeAffinity", kNodes, added);
  CHECK(preferred.pre_filter(*Trial::pod("{}")) == "Skip");
}

TEST_CASE("nodeSelector") {
  Trial t("NodeAffinity", kNodes);
  struct Case {
    std::string selector;
    bool n, bare;
  } const cases[] = {
      {"{}", true, true},
      {"{zone: a}", true, false},
      {"{zone: b}", false, false},
      {"{zone: ''}", false, false},
      {"{empty: ''}", true, false},
      {"{absent: ''}", false, false},
      {"{zone: a, gpus: '8'}", true, false},
      {"{zone: a, gpus: '9'}", false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.selector);
    const std::string spec = "{nodeSelector: " + c.selector + "}";
    CHECK(t.filter(spec, "n") == std::string(c.n ? "Success" : kNo));
    CHECK(t.filter(spec, "bare") == std::string(c.bare ? "Success" : kNo));
  }
}

TEST_CASE("operators on labels") {
  Trial t("NodeAffinity", kNodes);
  struct Case {
    std::string expressions;
    bool n, bare;
  } const cases[] = {
      {"{key: zone, operator: In, values: [a]}", true, false},
      {"{key: zone, operator: In, values: [b, a]}", true, false},
      {"{key: zone, operator: In, values: [b, c]}", false, false},
      {"{key: zone, operator: NotIn, values: [a]}", false,
       true},  // an absent key is not in anything
      {"{key: zone, operator: NotIn, values: [b]}", true, true},
      {"{key: zone, operator: Exists}", true, false},
      {"{key: zone, operator: DoesNotExist}", false, true},
      {"{key: nowhere, operator: DoesNotExist}", true, true},
      {"{key: empty, operator: In, values: ['']}", true, false},
      {"{key: gpus, operator: Gt, values: ['7']}", true, false},
      {"{key: gpus, operator: Gt, values: ['8']}", false, false},
      {"{key: gpus, operator: Lt, values: ['10']}", true, false},  // as numbers, not as texts
      {"{key: gpus, operator: Lt, values: ['8']}", false, false},
      {"{key: neg, operator: Lt, values: ['0']}", true, false},
      {"{key: neg, operator: Lt, values: ['-2']}", false, false},  // the parser wants a label value
      {"{key: text, operator: Gt, values: ['0']}", false, false},
      {"{key: text, operator: Lt, values: ['0']}", false, false},
      {"{key: big, operator: Gt, values: ['0']}", false, false},  // beyond 64 bits
      {"{key: empty, operator: Lt, values: ['1']}", false, false},
      {"{key: zone, operator: Exists}, {key: gpus, operator: Gt, values: ['7']}", true, false},
      {"{key: zone, operator: Exists}, {key: gpus, operator: Gt, values: ['8']}", false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.expressions);
    CHECK(t.filter(expressions(c.expressions), "n") == std::string(c.n ? "Success" : kNo));
    CHECK(t.filter(expressions(c.expressions), "bare") == std::string(c.bare ? "Success" : kNo));
  }
}

TEST_CASE("terms: any of them, no empty ones, none that do not parse") {
  Trial t("NodeAffinity", kNodes);
  const std::string zone_a = "{matchExpressions: [{key: zone, operator: In, values: [a]}]}";
  const std::string zone_b = "{matchExpressions: [{key: zone, operator: In, values: [b]}]}";
  struct Case {
    std::string terms;
    bool n, bare;
  };
  std::vector<Case> cases = {
      {"", false, false},    // without terms nothing matches
      {"{}", false, false},  // an empty term is dropped
      {"{matchExpressions: [], matchFields: []}", false, false},
      {"{}, " + zone_a, true, false},
      {zone_b + ", " + zone_a, true, false},
      {zone_b + ", " + zone_b, false, false},
      {zone_b + ", {matchExpressions: [{key: zone, operator: DoesNotExist}]}", false, true},
  };
  // Terms that upstream's parser refuses match nothing; the other terms still count.
  for (const char* bad :
       {"{key: zone, operator: Gt, values: [a]}", "{key: gpus, operator: Gt, values: ['1', '2']}",
        "{key: gpus, operator: Gt}", "{key: zone, operator: In, values: []}",
        "{key: zone, operator: Exists, values: [a]}", "{key: 'not a key!', operator: Exists}",
        "{key: zone, operator: Near, values: [a]}", "{key: zone, operator: ''}",
        "{key: zone, operator: NotIn, values: ['not a value!']}"}) {
    const std::string term = std::string("{matchExpressions: [") + bad + "]}";
    const std::string both =
        std::string("{matchExpressions: [{key: zone, operator: Exists}, ") + bad + "]}";
    cases.push_back({term, false, false});
    cases.push_back({both, false, false});
    cases.push_back({term + ", " + zone_a, true, false});
  }
  for (const Case& c : cases) {
    CAPTURE(c.terms);
    CHECK(t.filter(required(c.terms), "n") == std::string(c.n ? "Success" : kNo));
    CHECK(t.filter(required(c.terms), "bare") == std::string(c.bare ? "Success" : kNo));
  }
  // The selector and the affinity must both hold.
  CHECK(t.filter("{nodeSelector: {gpus: '8'}, " + required(zone_a).substr(1), "n") == "Success");
  CHECK(t.filter("{nodeSelector: {gpus: '9'}, " + required(zone_a).substr(1), "n") == kNo);
  CHECK(t.filter("{nodeSelector: {gpus: '8'}, " + required(zone_b).substr(1), "n") == kNo);
}

TEST_CASE("matchFields knows metadata.name") {
  Trial t("NodeAffinity", kNodes);
  struct Case {
    std::string fields;
    bool n, bare;
  } const cases[] = {
      {"{key: metadata.name, operator: In, values: ['n']}", true, false},
      {"{key: metadata.name, operator: NotIn, values: ['n']}", false, true},
      {"{key: metadata.name, operator: NotIn, values: [other]}", true, true},
      {"{key: metadata.name, operator: Exists}", false, false},
      {"{key: metadata.name, operator: In, values: ['n', bare]}", false,
       false},  // must have exactly one element
      {"{key: metadata.name, operator: NotIn, values: []}", false, false},
      {"{key: metadata.uid, operator: In, values: [x]}", false,
       false},  // any other field reads as ""
      {"{key: metadata.uid, operator: In, values: ['']}", true, true},
      {"{key: metadata.uid, operator: NotIn, values: [x]}", true, true},
      {"{key: metadata.uid, operator: NotIn, values: ['']}", false, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.fields);
    CHECK(t.filter(fields(c.fields), "n") == std::string(c.n ? "Success" : kNo));
    CHECK(t.filter(fields(c.fields), "bare") == std::string(c.bare ? "Success" : kNo));
  }
}

TEST_CASE("PreFilter narrows to names where every term has them") {
  Trial t("NodeAffinity", kNodes);
  const auto in = [](const std::string& names) {
    return "{key: metadata.name, operator: In, values: [" + names + "]}";
  };
  struct Case {
    std::string terms, status, nodes;  // "*": all
  } const cases[] = {
      {"{matchFields: [" + in("'n'") + "]}", "Success", "n"},
      {"{matchFields: [" + in("'n', ghost") + "]}", "Success",
       "ghost n"},  // narrowed, although it does not parse
      {"{matchFields: [" + in("b") + "]}, {matchFields: [" + in("a") + "]}", "Success", "a b"},
      {"{matchFields: [" + in("a, b") + ", " + in("b, c") + "]}", "Success", "b"},
      {"{matchFields: [" + in("a") + ", " + in("b") + "]}",
       "UnschedulableAndUnresolvable: pod affinity terms conflict", "*"},
      {"{matchFields: [" + in("a") + ", " + in("b") + "]}, {matchFields: [" + in("c") + "]}",
       "Success", "c"},
      {"{matchFields: [" + in("") + "]}",
       "UnschedulableAndUnresolvable: pod affinity terms conflict", "*"},
      {"{matchFields: [" + in("a") + "]}, {matchExpressions: [{key: zone, operator: Exists}]}",
       "Success", "*"},
      {"{matchFields: [" + in("a") + "]}, {}", "Success", "*"},
      {"{matchFields: [{key: metadata.name, operator: NotIn, values: [a]}]}", "Success", "*"},
      {"{matchFields: [{key: metadata.uid, operator: In, values: [a]}]}", "Success", "*"},
      {"{matchExpressions: [{key: zone, operator: Exists}], matchFields: [" + in("a") + "]}",
       "Success", "a"},
      {"", "Success", "*"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.terms);
    const PodRef pod = Trial::pod(required(c.terms));
    CycleState state;
    const Result<Status> ran = t.evaluator().run_pre_filter(state, *pod);
    REQUIRE(ran.ok());
    CHECK(text_of(*ran) == c.status);
    std::string nodes;
    for (const std::string& name : state.pre_filter().nodes)
      nodes += (nodes.empty() ? "" : " ") + name;
    CHECK((state.pre_filter().all_nodes ? "*" : nodes) == c.nodes);
    CHECK(state.pre_filter().restricted ==
          (c.nodes == "*" ? std::vector<std::string>() : std::vector<std::string>{"NodeAffinity"}));
  }
}

TEST_CASE("the affinity of the profile is evaluated first") {
  TrialOptions options;
  options.args =
      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}";
  Trial t("NodeAffinity", kNodes, options);
  CHECK(t.filter("{}", "n") == "Success");
  CHECK(t.filter("{}", "bare") == kEnforced);
  CHECK(t.filter("{nodeSelector: {gpus: '8'}}", "n") == "Success");
  CHECK(t.filter("{nodeSelector: {gpus: '9'}}", "n") == kNo);
  CHECK(t.filter("{nodeSelector: {gpus: '9'}}", "bare") == kEnforced);
  options.args =
      "{addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchFields: [{key: metadata.name, operator: In, values: [bare]}]}]}}}";
  Trial by_name("NodeAffinity", kNodes, options);
  CHECK(by_name.filter("{}", "bare") == "Success");
  CHECK(by_name.filter("{}", "n") == kEnforced);
  CHECK(by_name.filter("{nodeSelector: {}}", "n") == kEnforced);
}

TEST_CASE("without PreFilter Filter computes the affinity itself") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: NodeAffinity}]}}";
  Trial t("NodeAffinity", kNodes, options);
  CHECK(t.filter("{nodeSelector: {zone: a}}", "n") == "Success");
  CHECK(t.filter("{nodeSelector: {zone: a}}", "bare") == kNo);
  CHECK(t.filter("{}", "bare") == "Success");
}

TEST_CASE("a state sees labels and names that are added after PreFilter") {
  Trial t("NodeAffinity", "kind: Node\nmetadata: {name: first}\n");
  const auto node = [](const std::string& name, const std::string& labels = "{}") {
    return parse_node("metadata: {name: " + name + ", labels: " + labels + "}", {}).value();
  };
  const auto fits = [&](CycleState& state, const Pod& pod, const char* name) {
    Status s;
    REQUIRE(t.evaluator().run_filter(state, pod, t.cluster().view().find_node(name), &s).ok());
    return s.success();
  };
  const PodRef by_label = Trial::pod(expressions("{key: tier, operator: Gt, values: ['1']}"));
  const PodRef by_name = Trial::pod(fields("{key: metadata.name, operator: In, values: [late]}"));
  const PodRef not_name =
      Trial::pod(fields("{key: metadata.name, operator: NotIn, values: [late]}"));
  CycleState label_state, name_state, not_state;
  REQUIRE(t.evaluator().run_pre_filter(label_state, *by_label).ok());
  REQUIRE(t.evaluator().run_pre_filter(name_state, *by_name).ok());
  REQUIRE(t.evaluator().run_pre_filter(not_state, *not_name).ok());
  CHECK_FALSE(fits(label_state, *by_label, "first"));
  CHECK_FALSE(fits(name_state, *by_name, "first"));
  CHECK(fits(not_state, *not_name, "first"));

  REQUIRE(t.cluster().fork().ok());
  REQUIRE(t.cluster().update_node(node("late")).ok());  // no new label: no new ids
  CHECK(fits(name_state, *by_name, "late"));
  CHECK_FALSE(fits(not_state, *not_name, "late"));
  REQUIRE(t.cluster().update_node(node("first", "{tier: '2'}")).ok());
  CHECK(fits(label_state, *by_label, "first"));
  REQUIRE(t.cluster().revert().ok());
  CHECK_FALSE(fits(label_state, *by_label, "first"));

  // Another node gets the row.
  REQUIRE(t.cluster().update_node(node("late")).ok());
  const uint32_t row = t.cluster().view().find_node("late");
  CHECK(fits(name_state, *by_name, "late"));
  REQUIRE(t.cluster().remove_node("late").ok());
  REQUIRE(t.cluster().update_node(node("heir")).ok());
  REQUIRE(t.cluster().view().find_node("heir") == row);
  CHECK_FALSE(fits(name_state, *by_name, "heir"));
  CHECK(fits(not_state, *not_name, "heir"));
}

TEST_CASE("more rows than one block") {
  std::string nodes;
  for (int i = 0; i < 5000; ++i)
    nodes += "---\nkind: Node\nmetadata: {name: n" + std::to_string(i) + ", labels: {zone: z" +
             std::to_string(i % 3) + ", host: h" + std::to_string(i) + ", num: '" +
             std::to_string(i) + "'}}\n";
  Trial t("NodeAffinity", nodes);
  const auto count = [&](const std::string& spec) {
    return t.evaluator().check(*Trial::pod(spec), "", false).value()->feasible_count;
  };
  CHECK(count("{nodeSelector: {zone: z1}}") == 1667);
  CHECK(count(expressions("{key: zone, operator: NotIn, values: [z1]}")) == 3333);
  CHECK(count(expressions("{key: num, operator: Gt, values: ['4989']}, {key: zone, operator: In, "
                          "values: [z0, z2]}")) == 6);
  CHECK(count(expressions("{key: host, operator: In, values: [h0, h64, h4095, h4096, h4999]}")) ==
        5);
  CHECK(count(required("{matchExpressions: [{key: host, operator: In, values: [h4096]}]}, "
                       "{matchExpressions: [{key: num, operator: Lt, values: ['2']}]}")) == 3);
  CHECK(count(fields("{key: metadata.name, operator: NotIn, values: [n4999]}")) == 4999);
}

std::string preferring(const std::string& terms) {
  return "{affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" + terms +
         "]}}}";
}
std::string preferred(int weight, const std::string& key, const std::string& value) {
  return "{weight: " + std::to_string(weight) + ", preference: {matchExpressions: [{key: " + key +
         ", operator: In, values: [" + value + "]}]}}";
}

const char* const kScored =
    "kind: Node\nmetadata: {name: n0}\n---\n"
    "kind: Node\nmetadata: {name: n1, labels: {zone: a}}\n---\n"
    "kind: Node\nmetadata: {name: n2, labels: {disk: ssd, zone: a}}\n";

TEST_CASE("preferred terms add their weights up") {
  Trial t("NodeAffinity", kScored);
  CHECK(t.scores(preferring(preferred(1, "zone", "a") + "," + preferred(5, "disk", "ssd"))) ==
        "n0 0/0, n1 1/16, n2 6/100");
  CHECK(t.scores(preferring(preferred(1, "zone", "a") + "," + preferred(-5, "disk", "ssd"))) ==
        "error: applying score defaultWeights on Score plugins: plugin \"NodeAffinity\" returns an "
        "invalid score -400, it should in the range of [0, 100] after normalizing");
  CHECK(t.scores(preferring("{weight: 3, preference: {matchFields: [{key: metadata.name, operator: "
                            "In, values: [n1]}]}}")) == "n0 0/0, n1 3/100, n2 0/0");
  // No terms, terms without requirements or weight, and an empty list.
  CHECK(t.scores(preferring(preferred(1, "zone", "b"))) == "n0 0/0, n1 0/0, n2 0/0");
  CHECK(t.scores(preferring("{weight: 3, preference: {}}," + preferred(0, "zone", "a"))) ==
        "n0 0/0, n1 0/0, n2 0/0");
  CHECK(t.scores(preferring("")) == "n0 0/0, n1 0/0, n2 0/0");
  CHECK(t.scores("{}") == "Skip");
  CHECK(t.scores("{nodeSelector: {zone: a}}") == "Skip");
}

TEST_CASE("preferred terms that do not parse") {
  Trial t("NodeAffinity", kScored);
  const std::string bad =
      "{weight: 1, preference: {matchExpressions: [{key: zone, operator: Gt, values: [x]}]}}";
  CHECK(
      t.scores(preferring(preferred(1, "zone", "a") + "," + bad)) ==
      "error: running PreScore plugin \"NodeAffinity\": [1].matchExpressions[0].values[0]: Invalid "
      "value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer");
}

TEST_CASE("preferred terms of the profile") {
  TrialOptions added;
  added.args = "{addedAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" +
               preferred(2, "zone", "a") + "]}}";
  Trial t("NodeAffinity", kScored, added);
  CHECK(t.scores("{}") == "n0 0/0, n1 2/100, n2 2/100");
  CHECK(t.scores(preferring(preferred(6, "disk", "ssd"))) == "n0 0/0, n1 2/25, n2 8/100");
}

TEST_CASE("Score without PreScore looks at the pod") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, score: {enabled: [{name: NodeAffinity}]}}";
  Trial t("NodeAffinity", kScored, options);
  CHECK(t.scores("{}") == "n0 0/0, n1 0/0, n2 0/0");
  CHECK(t.scores(preferring(preferred(1, "zone", "a") + "," + preferred(5, "disk", "ssd"))) ==
        "n0 0/0, n1 1/16, n2 6/100");
  CHECK(t.scores(preferring("{weight: 1, preference: {matchExpressions: [{key: zone, operator: "
                            "Odd}]}}"))
            .starts_with("error: running Score plugins: plugin \"NodeAffinity\" failed with: "));
}

}  // namespace libsched::node_affinity_test
