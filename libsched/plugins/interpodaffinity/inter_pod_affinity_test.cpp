// InterPodAffinity: Filter with own terms and terms of running pods, Score, and terms that do not
// parse.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::inter_pod_affinity_test {

const std::string kWeb = "labelSelector: {matchLabels: {app: web}}";
const std::string kAffinity = "podAffinity";
const std::string kAnti = "podAntiAffinity";

std::string term(const std::string& more, const char* key = "zone") {
  return std::string("{topologyKey: ") + key + ", " + more + "}";
}
std::string required(const std::string& kind, const std::string& terms) {
  return "{affinity: {" + kind + ": {requiredDuringSchedulingIgnoredDuringExecution: [" + terms +
         "]}}}";
}
std::string weighted(int weight, const std::string& the_term) {
  return "{weight: " + std::to_string(weight) + ", podAffinityTerm: " + the_term + "}";
}
std::string preferred(const std::string& kind, const std::string& terms) {
  return "{affinity: {" + kind + ": {preferredDuringSchedulingIgnoredDuringExecution: [" + terms +
         "]}}}";
}
std::string node(const std::string& name, const std::string& labels) {
  return "---\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n";
}
std::string running(const std::string& name, const std::string& labels, const std::string& on,
                    const std::string& spec = "{}", const std::string& ns = "default") {
  const std::string more = spec == "{}" ? "" : ", " + spec.substr(1, spec.size() - 2);
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: " + ns + ", labels: {" +
         labels + "}}\nspec: {nodeName: " + on + more + "}\n";
}
std::string space(const std::string& name, const std::string& labels) {
  return "---\nkind: Namespace\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n";
}

// Two zones of two nodes, and a node without zone.
const std::string kNodes = node("a1", "zone: a, host: a1") + node("a2", "zone: a, host: a2") +
                           node("b1", "zone: b, host: b1") + node("b2", "zone: b, host: b2") +
                           node("bare", "host: bare");
const char* const kNames[] = {"a1", "a2", "b1", "b2", "bare"};

const std::string kNoAffinity =
    "UnschedulableAndUnresolvable: node(s) didn't match pod affinity rules";
const std::string kHasAnti = "Unschedulable: node(s) didn't match pod anti-affinity rules";
const std::string kExisting =
    "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules";

// The nodes that fit, by name; the others must be rejected with `reason`.
std::string fits(Trial& t, const Pod& pod, const std::string& reason) {
  std::string out;
  for (const char* name : kNames) {
    const std::string verdict = t.filter(pod, name);
    if (verdict == "Success") {
      out += (out.empty() ? "" : " ") + std::string(name);
    } else {
      CHECK_MESSAGE(verdict == reason, name);
    }
  }
  return out;
}
std::string fits(Trial& t, const std::string& spec, const std::string& reason) {
  return fits(t, *Trial::pod(spec), reason);
}

TEST_CASE("affinity: only required terms and those of running pods concern Filter") {
  Trial t("InterPodAffinity", node_n());
  for (const std::string& spec :
       {std::string("{}"), std::string("{affinity: {podAffinity: {}, podAntiAffinity: {}}}"),
        required(kAffinity, ""), preferred(kAnti, weighted(1, term(kWeb)))})
    CHECK(t.pre_filter(*Trial::pod(spec)) == "Skip");
  CHECK(t.pre_filter(*Trial::pod(required(kAffinity, term(kWeb)))) == "Success");
  CHECK(t.pre_filter(*Trial::pod(required(kAnti, term(kWeb)))) == "Success");
}

TEST_CASE("affinity: required terms") {
  Trial t("InterPodAffinity", kNodes + running("w", "app: web", "a1") +
                                  running("d", "app: db, tier: x", "b1") +
                                  running("far", "app: web", "b2", "{}", "other"));
  const auto want = [&](const std::string& terms) {
    return fits(t, required(kAffinity, terms), kNoAffinity);
  };
  CHECK(want(term(kWeb)) == "a1 a2");
  CHECK(want(term(kWeb, "host")) == "a1");
  CHECK(want(term("labelSelector: {}")) == "a1 a2 b1 b2");
  CHECK(want("{topologyKey: zone}") == "");  // an absent selector selects nothing
  CHECK(want(term("labelSelector: {matchLabels: {app: none}}")) == "");
  CHECK(want(term(kWeb, "rack")) == "");
  CHECK(want(term(kWeb + ", namespaces: [other]")) == "b1 b2");
  CHECK(want(term(kWeb + ", namespaces: [other, default]")) == "a1 a2 b1 b2");
  // One pod must match all terms; every term's key counts.
  const std::string tier = "labelSelector: {matchLabels: {tier: x}}";
  const std::string db =
      "labelSelector: {matchExpressions: [{key: app, operator: NotIn, values: "
      "[web]}]}";
  CHECK(want(term(kWeb) + ", " + term(tier)) == "");
  CHECK(want(term(db) + ", " + term(tier, "host")) == "b1");
}

TEST_CASE("affinity: the first pod of a group only needs the keys") {
  const PodRef first = Trial::pod(required(kAffinity, term(kWeb)),
                                  "name: p, namespace: default, labels: {app: web}");
  Trial t("InterPodAffinity", kNodes);
  CHECK(fits(t, *first, kNoAffinity) == "a1 a2 b1 b2");
  // Its own terms must select it.
  CHECK(fits(t, required(kAffinity, term(kWeb)), kNoAffinity) == "");
  CHECK(fits(t,
             *Trial::pod(required(kAffinity, term(kWeb + ", namespaces: [other]")),
                         "name: p, namespace: default, labels: {app: web}"),
             kNoAffinity) == "");
  // Pods outside of every domain do not count, pods in a domain do.
  t.apply(running("w", "app: web", "bare") + running("gone", "app: web", "nowhere"));
  CHECK(fits(t, *first, kNoAffinity) == "a1 a2 b1 b2");
  t.apply(running("v", "app: web", "b2"));
  CHECK(fits(t, *first, kNoAffinity) == "b1 b2");
}

TEST_CASE("affinity: required anti-affinity") {
  Trial t("InterPodAffinity", kNodes + running("w", "app: web", "a1") +
                                  running("d", "app: db", "b1") + running("x", "app: web", "bare"));
  const auto want = [&](const std::string& terms) {
    return fits(t, required(kAnti, terms), kHasAnti);
  };
  CHECK(want(term(kWeb)) == "b1 b2 bare");
  CHECK(want(term(kWeb, "host")) == "a2 b1 b2");
  CHECK(want(term("labelSelector: {}", "host")) == "a2 b2");
  CHECK(want("{topologyKey: zone}") == "a1 a2 b1 b2 bare");
  CHECK(want(term(kWeb) + ", " + term("labelSelector: {matchLabels: {app: db}}", "host")) ==
        "b2 bare");
  // Both kinds on one key: affinity is reported first.
  const std::string both =
      "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + term(kWeb) +
      "]}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + term(kWeb) +
      "]}}}";
  CHECK(t.filter(both, "a1") == kHasAnti);
  CHECK(t.filter(both, "b1") == kNoAffinity);
  CHECK(t.filter(both, "bare") == kNoAffinity);
}

TEST_CASE("affinity: namespace selectors of the incoming pod") {
  Trial t("InterPodAffinity", kNodes + space("default", "team: blue") + space("red", "team: red") +
                                  running("r", "app: web", "a1", "{}", "red") +
                                  running("d", "app: web", "b1") +
                                  running("u", "app: web", "bare", "{}", "unknown"));
  const auto want = [&](const std::string& more) {
    return fits(t, required(kAnti, term(kWeb + ", namespaceSelector: " + more, "host")), kHasAnti);
  };
  CHECK(want("{}") == "a2 b2");
  CHECK(want("{matchLabels: {team: red}}") == "a2 b1 b2 bare");
  CHECK(want("{matchLabels: {team: green}}") == "a1 a2 b1 b2 bare");
  CHECK(want("{matchLabels: {team: red}}, namespaces: [unknown]") == "a2 b1 b2");
  // A namespace that is not known has no labels, and is not selected.
  CHECK(want("{matchExpressions: [{key: team, operator: DoesNotExist}]}") == "a1 a2 b1 b2 bare");
  CHECK(want("{matchExpressions: [{key: team, operator: NotIn, values: [red]}]}") ==
        "a1 a2 b2 bare");
}

TEST_CASE("affinity: terms that do not parse are upstream's status") {
  Trial t("InterPodAffinity", node_n());
  const std::string bad = term("labelSelector: {matchExpressions: [{key: a, operator: Near}]}");
  const std::string worse = term("namespaceSelector: {matchExpressions: [{key: a, operator: In}]}");
  const std::string near = "\"Near\" is not a valid label selector operator";
  const std::string empty =
      "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty";
  const std::string uau = "UnschedulableAndUnresolvable: parsing pod: ";
  CHECK(t.pre_filter(*Trial::pod(required(kAffinity, term(kWeb) + ", " + bad))) ==
        uau + "requiredAffinityTerms: " + near);
  CHECK(t.pre_filter(*Trial::pod(required(kAnti, worse))) ==
        uau + "requiredAntiAffinityTerms: " + empty);
  const std::string two =
      "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + bad +
      "]}, podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" +
      weighted(1, worse) + "]}}}";
  const std::string list =
      "[requiredAffinityTerms: " + near + ", preferredAntiAffinityTerms: " + empty + "]";
  CHECK(t.pre_filter(*Trial::pod(two)) == uau + list);
  // Where Filter is off, PreScore fails.
  TrialOptions only_score;
  only_score.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, preScore: {enabled: [{name: InterPodAffinity}]}, score: {enabled: "
      "[{name: InterPodAffinity}]}}";
  Trial s("InterPodAffinity", kNodes, only_score);
  CHECK(s.scores(two) ==
        "error: running PreScore plugin \"InterPodAffinity\": failed to parse pod: " + list);
}

TEST_CASE("affinity: required anti-affinity of running pods") {
  const std::string nodes = kNodes + space("default", "team: blue");
  const auto said = [&](const std::string& terms, const char* ns = "default",
                        const char* on = "a1") {
    Trial t("InterPodAffinity", nodes + running("guard", "", on, required(kAnti, terms), ns));
    const PodRef pod = Trial::pod("{}", "name: p, namespace: default, labels: {app: web}");
    if (const std::string pre = t.pre_filter(*pod); pre != "Success") return pre;
    return fits(t, *pod, kExisting);
  };
  CHECK(said(term(kWeb)) == "b1 b2 bare");
  CHECK(said(term(kWeb, "host")) == "a2 b1 b2 bare");
  CHECK(said(term("labelSelector: {}")) == "b1 b2 bare");
  CHECK(said(term("labelSelector: {matchExpressions: [{key: app, operator: In, values: [db, web, "
                  "web]}]}")) == "b1 b2 bare");
  CHECK(said(term("labelSelector: {matchLabels: {app: db}}")) == "Skip");
  CHECK(said("{topologyKey: zone}") == "Skip");  // an absent selector selects nothing
  CHECK(said(term(kWeb) + ", " + term(kWeb) + ", " + term(kWeb, "host")) == "b1 b2 bare");
  // Its node must have the key, and exist.
  CHECK(said(term(kWeb), "default", "bare") == "Skip");
  CHECK(said(term(kWeb), "default", "unknown") == "Skip");
  // Namespaces: its own, listed ones, selected ones.
  CHECK(said(term(kWeb), "other") == "Skip");
  CHECK(said(term(kWeb + ", namespaces: [default]"), "other") == "b1 b2 bare");
  CHECK(said(term(kWeb + ", namespaces: [other]"), "default") == "Skip");
  CHECK(said(term(kWeb + ", namespaceSelector: {}"), "other") == "b1 b2 bare");
  CHECK(said(term(kWeb + ", namespaceSelector: {matchLabels: {team: blue}}"), "other") ==
        "b1 b2 bare");
  CHECK(said(term(kWeb + ", namespaceSelector: {matchLabels: {team: red}}"), "default") == "Skip");
  // Upstream drops all terms of a list if one does not parse.
  CHECK(said(term(kWeb) + ", " +
             term("labelSelector: {matchExpressions: [{key: a, operator: Near}]}")) == "Skip");
}

TEST_CASE("affinity: forks, namespaces and nodes that change") {
  Trial t("InterPodAffinity",
          kNodes + running("guard", "app: web", "a1", required(kAnti, term("labelSelector: {}"))));
  const PodRef pod = Trial::pod("{}");
  const PodRef near = Trial::pod(required(kAffinity, term(kWeb)));
  CHECK(fits(t, *pod, kExisting) == "b1 b2 bare");
  REQUIRE(t.cluster().fork().ok());
  REQUIRE(t.cluster().remove_pod("default", "guard").ok());
  CHECK(t.pre_filter(*pod) == "Skip");
  CHECK(fits(t, *near, kNoAffinity) == "");
  REQUIRE(t.cluster().revert().ok());
  CHECK(fits(t, *pod, kExisting) == "b1 b2 bare");
  CHECK(t.filter(*near, "a2") == kExisting);
  REQUIRE(t.cluster().fork().ok());
  REQUIRE(t.cluster().remove_node("a1").ok());  // the pod stays behind, and counts no more
  CHECK(t.pre_filter(*pod) == "Skip");
  CHECK(t.filter(*near, "a2") == kNoAffinity);
  REQUIRE(t.cluster().revert().ok());
  t.apply(node("a1", "zone: b, host: a1"));  // moves to another zone
  CHECK(fits(t, *pod, kExisting) == "a2 bare");
}

TEST_CASE("affinity: a state that the view has left behind is refused") {
  Trial t("InterPodAffinity", kNodes + running("w", "app: web", "a1"));
  const PodRef pod = Trial::pod(required(kAffinity, term(kWeb)));
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *pod).ok());
  t.apply(running("w2", "app: web", "b1"));
  Status status;
  const Result<void> ran = t.evaluator().run_filter(state, *pod, 0, &status);
  REQUIRE_FALSE(ran.ok());
  CHECK(ran.error().rc == Rc::kStale);
}

TEST_CASE("affinity: scores of preferred terms") {
  Trial t("InterPodAffinity", kNodes + running("w", "app: web", "a1") +
                                  running("w2", "app: web", "a2") + running("d", "app: db", "b1"));
  const std::string db = "labelSelector: {matchLabels: {app: db}}";
  CHECK(t.scores("{}") == "Skip");
  CHECK(t.scores(preferred(kAffinity, "")) == "Skip");
  CHECK(t.scores(preferred(kAffinity, weighted(5, term(kWeb, "rack")))) == "Skip");
  CHECK(t.scores(preferred(kAffinity, weighted(5, term(kWeb)))) ==
        "a1 10/100, a2 10/100, b1 0/0, b2 0/0, bare 0/0");
  CHECK(t.scores(preferred(kAnti, weighted(5, term(kWeb)))) ==
        "a1 -10/0, a2 -10/0, b1 0/100, b2 0/100, bare 0/100");
  CHECK(
      t.scores(preferred(kAffinity, weighted(3, term(kWeb)) + ", " + weighted(2, term(db, "host")) +
                                        ", " + weighted(1, term(kWeb, "host")))) ==
      "a1 7/100, a2 7/100, b1 2/28, b2 0/0, bare 0/0");
  // Zeros differ from no scores.
  CHECK(t.scores(preferred(kAffinity, weighted(0, term(kWeb)))) ==
        "a1 0/0, a2 0/0, b1 0/0, b2 0/0, bare 0/0");
}

TEST_CASE("affinity: normalised scores are truncated") {
  Trial t("InterPodAffinity",
          kNodes + running("w", "app: web", "a1") + running("d", "app: db", "b1"));
  const std::string db = "labelSelector: {matchLabels: {app: db}}";
  // 100 * (29 / 50) is a little less than 58.
  CHECK(t.scores(preferred(
            kAffinity, weighted(50, term(kWeb, "host")) + ", " + weighted(29, term(db, "host")))) ==
        "a1 50/100, a2 0/0, b1 29/57, b2 0/0, bare 0/0");
  // The same with and without a table instead of divisions: 5 nodes, ranges below and above.
  CHECK(t.scores(preferred(
            kAffinity, weighted(3, term(kWeb, "host")) + ", " + weighted(1, term(db, "host")))) ==
        "a1 3/100, a2 0/0, b1 1/33, b2 0/0, bare 0/0");
}

TEST_CASE("affinity: scores from the terms of running pods") {
  const std::string mixed =
      "{affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + term(kWeb) +
      ", " + term(kWeb, "host") + "], preferredDuringSchedulingIgnoredDuringExecution: [" +
      weighted(7, term(kWeb, "host")) +
      "]}, podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" +
      weighted(20, term("labelSelector: {}")) + "]}}}";
  const std::string objects = kNodes + running("g", "app: g", "a1", mixed) +
                              running("h", "app: h", "b1", mixed) +
                              running("o", "", "b1", mixed, "other");
  const PodRef web = Trial::pod("{}", "name: p, namespace: default, labels: {app: web}");
  const auto said = [&](const std::string& args, const Pod& pod) {
    TrialOptions options;
    options.args = args;
    return Trial("InterPodAffinity", objects, options).scores(pod);
  };
  CHECK(said("", *web) == "a1 -11/42, a2 -19/0, b1 -11/42, b2 -19/0, bare 0/100");
  CHECK(said("{hardPodAffinityWeight: 0}", *web) ==
        "a1 -13/35, a2 -20/0, b1 -13/35, b2 -20/0, bare 0/100");
  CHECK(said("{hardPodAffinityWeight: 100}", *web) ==
        "a1 187/100, a2 80/42, b1 187/100, b2 80/42, bare 0/0");
  CHECK(said("", *Trial::pod("{}")) == "a1 -20/0, a2 -20/0, b1 -20/0, b2 -20/0, bare 0/100");
  CHECK(said("{ignorePreferredTermsOfExistingPods: true}", *web) == "Skip");
  // With its own preferred terms, those of other pods count, too.
  CHECK(said("{ignorePreferredTermsOfExistingPods: true}",
             *Trial::pod(preferred(kAffinity, weighted(1, term(kWeb, "rack"))))) ==
        "a1 -20/0, a2 -20/0, b1 -20/0, b2 -20/0, bare 0/100");
}

TEST_CASE("affinity: points that did not run are upstream's errors") {
  TrialOptions options;
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, filter: {enabled: [{name: InterPodAffinity}]}}";
  Trial filter("InterPodAffinity", kNodes, options);
  CHECK(filter.filter("{}", "a1") ==
        "Error: running \"InterPodAffinity\" filter plugin: error reading "
        "\"PreFilterInterPodAffinity\" from cycleState: not found");
  options.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}]}, score: {enabled: [{name: InterPodAffinity}]}}";
  Trial score("InterPodAffinity", kNodes, options);
  CHECK(score.scores("{}").find("failed to read \"PreScoreInterPodAffinity\" from cycleState: not "
                                "found") != std::string::npos);
}

TEST_CASE("affinity: up to 1.33 and from 1.37 a namespace selector goes once it is resolved") {
  for (const Release release :
       {Release::k1_31, Release::k1_33, Release::k1_34, Release::k1_36, Release::k1_37}) {
    CAPTURE(release_name(release));
    const bool goes = release <= Release::k1_33 || release == Release::k1_37;
    TrialOptions options;
    options.release = release;
    Trial t("InterPodAffinity",
            kNodes + space("default", "team: blue") + space("red", "team: red") +
                running("r", "app: web", "a1", "{}", "red") + running("d", "app: web", "b1") +
                running("u", "app: web", "bare", "{}", "unknown"),
            options);
    const std::string not_red = "{matchExpressions: [{key: team, operator: NotIn, values: [red]}]}";
    const auto own = [&](const std::string& selector) {
      return term(kWeb + ", namespaceSelector: " + selector, "host");
    };
    CHECK(fits(t, required(kAnti, own("{}")), kHasAnti) == "a2 b2");  // every namespace, always
    CHECK(fits(t, required(kAnti, own(not_red)), kHasAnti) == (goes ? "a1 a2 b2 bare" : "a2 b2"));
    CHECK(fits(t, required(kAnti, own(not_red + ", namespaces: [unknown]")), kHasAnti) ==
          (goes ? "a1 a2 b2" : "a2 b2"));
    CHECK(fits(t, required(kAffinity, own(not_red)), kNoAffinity) == (goes ? "b1" : "a1 b1 bare"));
    // Preferred terms, and pods that come after PreFilter.
    const auto preferring =
        Trial::pod("{affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" +
                   weighted(1, own(not_red)) + "]}}}");
    CHECK(t.scores(*preferring) == (goes ? "a1 0/0, a2 0/0, b1 1/100, b2 0/0, bare 0/0"
                                         : "a1 1/100, a2 0/0, b1 1/100, b2 0/0, bare 1/100"));
    const PodRef pod = Trial::pod(required(kAnti, own(not_red)));
    CycleState state;
    t.prepare(state, *pod);
    const Result<PodRef> red = parse_pod(
        "metadata: {name: other, namespace: red, labels: {app: web}}\nspec: {nodeName: a2}", {});
    REQUIRE(red.ok());
    CHECK(t.change(state, *pod, **red, "a2", 1) == "Success");
    CHECK((t.verdicts(state, *pod).find("a2 Success") != std::string::npos) == goes);
  }
}

}  // namespace libsched::inter_pod_affinity_test
