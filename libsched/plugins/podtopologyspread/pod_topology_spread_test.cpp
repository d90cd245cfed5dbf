// PodTopologySpread: hard and soft constraints, their selectors, policies, defaults and errors.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::pod_topology_spread_test {

const std::string kFull = "Unschedulable: node(s) didn't match pod topology spread constraints";
const std::string kNoKey =
    "UnschedulableAndUnresolvable: node(s) didn't match pod topology spread constraints (missing "
    "required label)";
const std::string kHost = "kubernetes.io/hostname";
const std::string kZone = "topology.kubernetes.io/zone";

std::string node(const std::string& name, const std::string& labels, const std::string& spec = "") {
  return "---\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n" +
         (spec.empty() ? "" : "spec: " + spec + "\n");
}
std::string existing(const std::string& name, const std::string& on, const std::string& labels,
                     const std::string& more = "") {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", labels: {" + labels + "}" +
         (more.empty() ? ", namespace: default" : ", " + more) + "}\nspec: {nodeName: " + on +
         "}\n";
}
// A spec with one constraint for each argument: flow YAML without braces.
std::string spec(const std::vector<std::string>& constraints, const std::string& more = "") {
  std::string out = "{topologySpreadConstraints: [";
  for (size_t i = 0; i < constraints.size(); ++i)
    out += (i == 0 ? "{" : ", {") + constraints[i] + "}";
  return out + "]" + (more.empty() ? "" : ", " + more) + "}";
}
std::string hard(const std::string& key, const std::string& more = "", int skew = 1) {
  return "maxSkew: " + std::to_string(skew) + ", topologyKey: " + key +
         ", whenUnsatisfiable: DoNotSchedule, " +
         (more.empty() ? "labelSelector: {matchLabels: {app: a}}" : more);
}
std::string soft(const std::string& key, const std::string& more = "", int skew = 1) {
  return "maxSkew: " + std::to_string(skew) + ", topologyKey: " + key +
         ", whenUnsatisfiable: ScheduleAnyway, " +
         (more.empty() ? "labelSelector: {matchLabels: {app: a}}" : more);
}
PodRef app(const std::string& spec, const std::string& labels = "app: a") {
  return Trial::pod(spec, "name: p, namespace: default, labels: {" + labels + "}");
}

// Zones z1: a, b; z2: c; no zone: d.
std::string zones() {
  return node("a", "zone: z1, host: a") + node("b", "zone: z1, host: b") +
         node("c", "zone: z2, host: c") + node("d", "host: d");
}

// "a: raw normalised, b: ...", "Skip", or the error.
std::string scores(Trial& t, const Pod& pod) {
  Result<Ref<const Decision>> d = t.evaluator().check(pod, "", false, true);
  REQUIRE_MESSAGE(d.ok(), d.error().text());
  if (!(*d)->score_error.empty()) return (*d)->score_error;
  if (!(*d)->skip_score.empty()) return "Skip";
  REQUIRE((*d)->scores.columns.size() == 1);
  const ScoreTable::Column& c = (*d)->scores.columns[0];
  std::map<std::string, std::string> by_name;
  for (size_t i = 0; i < c.raw.size(); ++i)
    by_name[std::string((*d)->node((*d)->scores.rows[i]))] =
        std::to_string(c.raw[i]) + " " + std::to_string(c.normalized[i]);
  std::string out;
  for (const auto& [name, s] : by_name) out += (out.empty() ? "" : ", ") + name + ": " + s;
  return out;
}

TEST_CASE("a domain may hold maxSkew pods more than the emptiest one") {
  Trial t("PodTopologySpread", zones() + existing("e1", "a", "app: a"));
  CHECK(t.pre_filter(*app("{}")) == "Skip");
  CHECK(t.pre_filter(*app(spec({soft("zone")}))) == "Skip");
  const PodRef p = app(spec({hard("zone")}));
  CHECK(t.filter(*p, "a") == kFull);
  CHECK(t.filter(*p, "b") == kFull);
  CHECK(t.filter(*p, "c") == "Success");
  CHECK(t.filter(*p, "d") == kNoKey);
  CHECK(t.filter(*app(spec({hard("zone", "", 2)})), "a") == "Success");
  // A pod that does not match its selector does not count itself.
  CHECK(t.filter(*app(spec({hard("zone")}), "app: b"), "a") == "Success");
  // Constraints apply independently, the first that fails gives the reason.
  const PodRef both = app(spec({hard("host"), hard("zone")}));
  CHECK(t.filter(*both, "a") == kFull);
  CHECK(t.filter(*both, "b") == kFull);
  CHECK(t.filter(*both, "c") == "Success");
  CHECK(t.filter(*both, "d") == kNoKey);
  CHECK(t.filter(*app(spec({hard("nothing")})), "a") == kNoKey);
}

TEST_CASE("what is counted: the namespace's pods, not terminating ones, and none for {} or nil") {
  Trial t("PodTopologySpread",
          zones() + existing("e1", "a", "app: a", "namespace: other") +
              existing("e2", "a", "app: a",
                       "namespace: default, deletionTimestamp: '2024-01-01T00:00:00Z', "
                       "finalizers: [f]") +
              existing("e3", "c", "app: a") + existing("e4", "c", "app: b"));
  CHECK(t.filter(*app(spec({hard("zone")})), "a") == "Success");
  CHECK(t.filter(*app(spec({hard("zone")})), "c") == kFull);
  CHECK(t.filter(*app(spec({hard("zone", "labelSelector: {}")})), "c") == "Success");
  CHECK(t.filter(*app(spec({hard("zone", "labelSelector: {}", 0)})), "c") == kFull);
  CHECK(t.filter(*app(spec({hard("zone", "minDomains: 1", 0)})), "c") == "Success");
  CHECK(t.filter(*app(spec({hard("zone", "labelSelector: {}", 0)})), "d") == kNoKey);
  const std::string in =
      "labelSelector: {matchExpressions: [{key: app, operator: In, values: [a, b]}]}";
  CHECK(t.filter(*app(spec({hard("zone", in, 2)})), "c") == kFull);
  CHECK(t.filter(*app(spec({hard("zone", in, 3)})), "c") == "Success");
}

TEST_CASE("pods that come, go or are undone are counted, also on nodes that come later") {
  Trial t("PodTopologySpread", zones() + existing("e1", "a", "app: a"));
  const PodRef p = app(spec({hard("zone")}));
  CHECK(t.filter(*p, "a") == kFull);
  REQUIRE(t.cluster().fork().ok());
  REQUIRE(t.cluster().remove_pod("default", "e1").ok());
  CHECK(t.filter(*p, "a") == "Success");
  REQUIRE(t.cluster().revert().ok());
  CHECK(t.filter(*p, "a") == kFull);
  t.apply(existing("e2", "e", "app: a"));
  CHECK(t.filter(*p, "c") == "Success");
  t.apply(node("e", "zone: z2"));
  CHECK(t.filter(*p, "c") == "Success");  // 1 and 1
  t.apply(existing("e3", "e", "app: a"));
  CHECK(t.filter(*p, "c") == kFull);
  REQUIRE(t.cluster().remove_node("e").ok());
  CHECK(t.filter(*p, "c") == "Success");
}

TEST_CASE("a changed view makes the counts stale") {
  Trial t("PodTopologySpread", zones());
  const PodRef p = app(spec({hard("zone")}));
  CycleState state;
  REQUIRE(t.evaluator().run_pre_filter(state, *p).ok());
  t.apply(existing("e1", "a", "app: a"));
  Status s;
  const Result<void> ran = t.evaluator().run_filter(state, *p, 0, &s);
  REQUIRE(!ran.ok());
  CHECK(ran.error().rc == Rc::kStale);
}

TEST_CASE("Filter without PreFilter is upstream's error") {
  Trial t("PodTopologySpread", zones());
  const PodRef p = app(spec({hard("zone")}));
  CycleState state;
  Status s;
  REQUIRE(t.evaluator().run_filter(state, *p, 0, &s).ok());
  CHECK(text_of(s) ==
        "Error: running \"PodTopologySpread\" filter plugin: reading "
        "\"PreFilterPodTopologySpread\" from cycleState: not found");
}

TEST_CASE("minDomains: too few domains make the smallest count 0") {
  Trial t("PodTopologySpread",
          zones() + existing("e1", "a", "app: a") + existing("e2", "c", "app: a"));
  const auto with = [](const char* n) {
    return app(spec({hard("zone", std::string("labelSelector: {matchLabels: {app: a}}, ") + n)}));
  };
  CHECK(t.filter(*with("minDomains: 2"), "a") == "Success");
  CHECK(t.filter(*with("minDomains: 3"), "a") == kFull);
}

TEST_CASE("only nodes that have all keys count, and only those that the policies leave") {
  Trial t("PodTopologySpread",
          node("a", "zone: z1, rack: r, disk: ssd") + node("b", "zone: z2, rack: r, disk: hdd") +
              node("c", "zone: z3, disk: ssd") +
              node("e", "zone: z4, rack: r, disk: ssd",
                   "{taints: [{key: k, effect: NoSchedule}, {key: k, effect: PreferNoSchedule}]}") +
              existing("e1", "a", "app: a"));
  // Without c all domains except a's are empty; c has no rack.
  const std::string by_rack = hard("rack", "labelSelector: {matchLabels: {none: at-all}}");
  CHECK(t.filter(*app(spec({hard("zone"), by_rack})), "a") == kFull);
  const auto policies = [](const std::string& p) {
    return hard("zone", "labelSelector: {matchLabels: {app: a}}, " + p);
  };
  const std::string ssd = "nodeSelector: {disk: ssd, rack: r}";
  const std::string none = "nodeAffinityPolicy: Honor, nodeTaintsPolicy: Honor";
  // Only a is left: the smallest count is its own.
  CHECK(t.filter(*app(spec({policies(none)}, ssd)), "a") == "Success");
  CHECK(t.filter(*app(spec({policies("nodeTaintsPolicy: Honor")}, ssd)), "a") == "Success");
  CHECK(t.filter(*app(spec({policies("nodeTaintsPolicy: Ignore")}, ssd)), "a") == kFull);
  CHECK(t.filter(*app(spec({policies("nodeAffinityPolicy: Ignore")}, ssd)), "a") == kFull);
  // A value that is neither of the two is not Honor; only an absent value is the default.
  const std::string taints = ", nodeTaintsPolicy: Honor";
  CHECK(t.filter(*app(spec({policies("nodeAffinityPolicy: null" + taints)}, ssd)), "a") ==
        "Success");
  CHECK(t.filter(*app(spec({policies("nodeAffinityPolicy: ''" + taints)}, ssd)), "a") == kFull);
  CHECK(t.filter(*app(spec({policies("nodeAffinityPolicy: x" + taints)}, ssd)), "a") == kFull);
  CHECK(t.filter(*app(spec({policies("nodeTaintsPolicy: ''")}, ssd)), "a") == kFull);
  CHECK(t.filter(*app(spec({policies(none)}, ssd + ", tolerations: [{operator: Exists}]")), "a") ==
        kFull);
  // A node that does not count may still take the pod.
  CHECK(t.filter(*app(spec({policies(none)}, ssd)), "b") == "Success");
  TrialOptions off;
  off.gates =
      "MatchLabelKeysInPodTopologySpread=false,"
      "MatchLabelKeysInPodTopologySpreadSelectorMerge=false";
  Trial old("PodTopologySpread", zones() + existing("e1", "a", "app: a, v: one"), off);
  const std::string keys = "labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [v, w]";
  CHECK(old.filter(*app(spec({hard("zone", keys)}), "app: a, v: two"), "a") == kFull);
  Trial now("PodTopologySpread", zones() + existing("e1", "a", "app: a, v: one"));
  CHECK(now.filter(*app(spec({hard("zone", keys)}), "app: a, v: two"), "a") == "Success");
  CHECK(now.filter(*app(spec({hard("zone", keys)}), "app: a, v: one"), "a") == kFull);
  CHECK(now.filter(*app(spec({hard("zone", "matchLabelKeys: [v]", 0)}), "v: one"), "a") ==
        "Success");  // an absent selector still matches nothing
}

TEST_CASE("selectors that do not parse") {
  Trial t("PodTopologySpread", zones());
  const std::string bad = "labelSelector: {matchExpressions: [{key: app, operator: Near}]}";
  CHECK(t.filter(*app(spec({soft("zone", bad), hard("zone", bad)})), "a") ==
        "PreFilter Error: running PreFilter plugin \"PodTopologySpread\": get constraints from "
        "pod: obtaining pod's hard topology spread constraints: \"Near\" is not a valid label "
        "selector operator");
  CHECK(t.filter(*app(spec({soft("zone", bad), hard("zone")})), "a") == "Success");
  CHECK(scores(t, *app(spec({soft("zone", bad)}))) ==
        "running PreScore plugin \"PodTopologySpread\": calculating preScoreState: obtaining pod's "
        "soft topology spread constraints: \"Near\" is not a valid label selector operator");
}

TEST_CASE("scores: fewer pods of the domain are better, a smaller topology weighs less") {
  Trial t("PodTopologySpread", zones() + existing("e1", "a", "app: a") +
                                   existing("e2", "b", "app: a") + existing("e3", "c", "app: a"));
  CHECK(scores(t, *app("{}")) == "Skip");
  CHECK(scores(t, *app(spec({hard("zone")}))) == "Skip");
  // ln(2 zones + 2) = 1.386; d has no zone.
  CHECK(scores(t, *app(spec({soft("zone")}))) == "a: 3 33, b: 3 33, c: 1 100, d: 0 0");
  CHECK(scores(t, *app(spec({soft("zone", "", 4)}))) == "a: 6 66, b: 6 66, c: 4 100, d: 0 0");
  CHECK(scores(t, *app(spec({soft("nowhere")}))) == "a: 0 0, b: 0 0, c: 0 0, d: 0 0");
  CHECK(scores(t, *app(spec({soft("zone", "labelSelector: {}")}))) ==
        "a: 0 100, b: 0 100, c: 0 100, d: 0 0");
  // Only domains of nodes that fit are counted.
  CHECK(scores(t, *app(spec({hard("zone"), soft("host")}))) == "c: 1 100");
}

TEST_CASE("up to 1.32 constraints of one key share their counts") {
  const std::string of_b = "labelSelector: {matchLabels: {app: b}}";
  const std::string world = zones() + existing("e1", "a", "app: a") +
                            existing("e2", "c", "app: b") + existing("e3", "c", "app: b");
  const PodRef both = app(spec({hard("zone"), hard("zone", of_b)}));
  const PodRef reversed = app(spec({hard("zone", of_b), hard("zone")}));
  const PodRef scored = app(spec({soft("zone"), soft("zone", of_b)}));
  const auto trial = [&](Release release) {
    TrialOptions options;
    options.release = release;
    return Trial("PodTopologySpread", world, options);
  };
  Trial older = trial(Release::k1_32), newer = trial(Release::k1_33);
  // The last one counts for both.
  CHECK(older.filter(*both, "a") == "Success");
  CHECK(older.filter(*both, "c") == kFull);
  CHECK(older.filter(*reversed, "a") == kFull);
  CHECK(older.filter(*reversed, "c") == "Success");
  CHECK(older.filter(*both, "d") == kNoKey);
  for (const PodRef& pod : {both, reversed}) {
    CHECK(newer.filter(*pod, "a") == kFull);
    CHECK(newer.filter(*pod, "c") == kFull);
  }
  // Scores add up both, and only the first has domains: (log(4) + log(2)) * pods.
  CHECK(scores(older, *scored) == "a: 2 100, b: 2 100, c: 4 50, d: 0 0");
  CHECK(scores(newer, *scored) == "a: 1 100, b: 1 100, c: 3 33, d: 0 0");
  // Pods that join count for both, once for each that matches.
  CycleState state;
  older.prepare(state, *both);
  const PodRef joins = Trial::pod("{}", "name: o, namespace: default, labels: {app: a}");
  for (int i = 0; i < 2; ++i) CHECK(older.change(state, *both, *joins, "a", 1) == "Success");
  Status s;
  REQUIRE(
      older.evaluator().run_filter(state, *both, older.cluster().view().find_node("c"), &s).ok());
  CHECK(s.success());
}

TEST_CASE("up to 1.32 a constraint decides nothing where no node counts") {
  const PodRef pod = app(spec({hard("zone", "", 0)}, "nodeSelector: {disk: none}"));  // on no node
  const auto filter = [&](Release release) {
    TrialOptions options;
    options.release = release;
    Trial t("PodTopologySpread", zones(), options);
    return t.filter(*pod, "a");
  };
  CHECK(filter(Release::k1_32) == "Success");
  CHECK(filter(Release::k1_33) == kFull);
}

TEST_CASE("scores by hostname count the node's own pods, regardless of the policies") {
  const std::string two =
      node("a", kHost + ": a, " + kZone + ": z") + node("b", kHost + ": b, " + kZone + ": z");
  Trial t("PodTopologySpread", two + existing("e1", "a", "app: a") + existing("e2", "a", "app: a"));
  CHECK(scores(t, *app(spec({soft(kHost)}))) == "a: 3 0, b: 0 100");
  CHECK(scores(t, *app(spec({soft(kHost, "labelSelector: {}")}))) == "a: 0 100, b: 0 100");
  CHECK(scores(t, *app(spec({soft(kHost), soft(kZone)}))) == "a: 5 40, b: 2 100");
}

TEST_CASE("system defaults: constraints of pods that a service or controller selects") {
  const std::string service =
      "---\napiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: default}\nspec: "
      "{selector: {app: a}}\n";
  const std::string nodes = node("a", kHost + ": a, " + kZone + ": z") +
                            node("b", kHost + ": b, " + kZone + ": zy") + node("c", kHost + ": c") +
                            node("d", "'" + kZone + "': ''");
  Trial t("PodTopologySpread",
          nodes + existing("e1", "a", "app: a") + existing("e2", "c", "app: a"));
  CHECK(scores(t, *app("{}")) == "Skip");
  t.apply(service);
  CHECK(scores(t, *app("{}", "app: b")) == "Skip");
  // Zones z, zy and "", to which c's pod belongs: ln(5) = 1.609; hosts ln(6) = 1.792.
  CHECK(scores(t, *app("{}")) == "a: 9 44, b: 6 77, c: 4 100, d: 6 77");
  CHECK(t.pre_filter(*app("{}")) == "Skip");
}

TEST_CASE("default constraints of the profile, with the selectors of controllers") {
  TrialOptions options;
  options.args =
      "{defaultingType: List, defaultConstraints: [{maxSkew: 1, topologyKey: zone, "
      "whenUnsatisfiable: DoNotSchedule}]}";
  Trial t("PodTopologySpread", zones() + existing("e1", "a", "app: a"), options);
  const auto owned = [](const std::string& version, const std::string& kind, const char* name,
                        const char* controller = "true") {
    return Trial::pod("{}",
                      "name: p, namespace: default, labels: {app: a}, ownerReferences: "
                      "[{apiVersion: " +
                          version + ", kind: " + kind + ", name: " + name +
                          ", uid: u, controller: " + controller + "}]");
  };
  CHECK(t.pre_filter(*app("{}")) == "Skip");
  CHECK(t.pre_filter(*owned("apps/v1", "ReplicaSet", "rs")) == "Skip");  // it does not exist
  t.apply(
      "---\napiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: rs, namespace: default}\nspec: "
      "{selector: {matchLabels: {app: a}}}\n---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata: "
      "{name: ss, namespace: default}\nspec: {selector: {matchExpressions: [{key: app, operator: "
      "Exists}]}}\n---\napiVersion: v1\nkind: ReplicationController\nmetadata: {name: rc, "
      "namespace: default}\nspec: {selector: {app: a}}\n");
  CHECK(t.filter(*owned("apps/v1", "ReplicaSet", "rs"), "a") == kFull);
  CHECK(t.filter(*owned("apps/v1", "StatefulSet", "ss"), "a") == kFull);
  CHECK(t.filter(*owned("v1", "ReplicationController", "rc"), "a") == kFull);
  CHECK(t.filter(*owned("apps/v1", "ReplicaSet", "rs"), "c") == "Success");
  CHECK(t.pre_filter(*owned("apps/v1", "ReplicaSet", "rs", "false")) == "Skip");
  CHECK(t.pre_filter(*owned("v1", "ReplicaSet", "rs")) == "Skip");
  CHECK(t.pre_filter(*owned("apps/v1", "DaemonSet", "rs")) == "Skip");
  // A pod's own constraints replace the defaults.
  CHECK(t.pre_filter(*app(spec({soft("zone")}))) == "Skip");
}

}  // namespace libsched::pod_topology_spread_test
