// InterPodAffinity when pods join and leave after PreFilter: each of the three maps, and against a
// fresh PreFilter.
#include <random>

#include "libsched/plugins/trial_test.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::affinity_change_test {

const std::string kWeb = "{topologyKey: zone, labelSelector: {matchLabels: {app: web}}}";

std::string node(const std::string& name, const std::string& labels) {
  return "---\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n";
}
std::string required(const std::string& kind, const std::string& terms) {
  return "{affinity: {" + kind + ": {requiredDuringSchedulingIgnoredDuringExecution: [" + terms +
         "]}}}";
}
PodRef web(const std::string& spec = "{}", const std::string& ns = "default") {
  return Trial::pod(spec, "name: w, namespace: " + ns + ", labels: {app: web}");
}
std::string zones() { return node("a", "zone: a") + node("b", "zone: b") + node("bare", "x: z"); }
// The nodes that fit.
std::string fits(Trial& t, CycleState& state, const Pod& pod) {
  std::string out;
  for (const char* name : {"a", "b", "bare"}) {
    Status one;
    REQUIRE(t.evaluator().run_filter(state, pod, t.cluster().view().find_node(name), &one).ok());
    if (one.success()) out += std::string(out.empty() ? "" : " ") + name;
  }
  t.verdicts(state, pod);  // one node and many nodes agree
  return out;
}

TEST_CASE("affinity changes: required affinity") {
  Trial t("InterPodAffinity", zones());
  const PodRef pod = Trial::pod(required("podAffinity", kWeb));
  CycleState state;
  t.prepare(state, *pod);
  CHECK(fits(t, state, *pod) == "");
  CHECK(t.change(state, *pod, *web(), "b", 1) == "Success");
  CHECK(fits(t, state, *pod) == "b");
  const Ref<CycleState> copy = state.clone();
  t.change(*copy, *pod, *web(), "b", -1);
  CHECK(fits(t, *copy, *pod) == "");
  CHECK(fits(t, state, *pod) == "b");
  t.change(state, *pod, *web("{}", "other"), "a", 1);  // another namespace
  t.change(state, *pod, *web(), "bare", 1);            // in no domain
  CHECK(fits(t, state, *pod) == "b");
}

TEST_CASE("affinity changes: the first pod of a group") {
  Trial t("InterPodAffinity", zones());
  const PodRef pod = web(required("podAffinity", kWeb));
  CycleState state;
  t.prepare(state, *pod);
  CHECK(fits(t, state, *pod) == "a b");
  t.change(state, *pod, *web(), "a", 1);
  CHECK(fits(t, state, *pod) == "a");
  t.change(state, *pod, *web(), "a", -1);
  CHECK(fits(t, state, *pod) == "a b");
  t.change(state, *pod, *web(), "a", -1);  // below zero is not empty
  CHECK(fits(t, state, *pod) == "");
  // And if such a pod existed when PreFilter ran.
  t.apply(
      "kind: Pod\nmetadata: {name: e, namespace: default, labels: {app: web}}\nspec: "
      "{nodeName: a}\n");
  CycleState second;
  t.prepare(second, *pod);
  CHECK(fits(t, second, *pod) == "a");
  t.change(second, *pod, *web(), "a", -1);
  CHECK(fits(t, second, *pod) == "a b");
}

// Equal terms are counted once and count as often as they occur; keys are looked up.
TEST_CASE("affinity changes: many terms, equal ones and many keys") {
  std::string keys;
  for (int i = 0; i < 40; ++i) keys += ", k" + std::to_string(i) + ": x";
  const auto running = [](const std::string& name, const std::string& node) {
    return "---\nkind: Pod\nmetadata: {name: " + name +
           ", namespace: default, labels: {app: web}}\nspec: {nodeName: " + node + "}\n";
  };
  Trial t("InterPodAffinity", node("a", "zone: a" + keys) + node("b", "zone: b" + keys) +
                                  node("bare", "x: z") + running("r1", "a") + running("r2", "a"));
  std::string terms;
  for (int i = 0; i < 30; ++i) terms += (i == 0 ? "" : ", ") + kWeb;
  const PodRef anti = Trial::pod(required("podAntiAffinity", terms));
  CycleState state;
  t.prepare(state, *anti);
  CHECK(fits(t, state, *anti) == "b bare");
  CHECK(t.change(state, *anti, *web(), "a", -1) == "Success");
  CHECK(fits(t, state, *anti) == "b bare");  // the other pod is still there
  t.change(state, *anti, *web(), "a", -1);
  CHECK(fits(t, state, *anti) == "a b bare");

  for (int i = 0; i < 40; ++i)
    terms +=
        ", {topologyKey: k" + std::to_string(i) + ", labelSelector: {matchLabels: {app: web}}}";
  const PodRef with = Trial::pod(required("podAffinity", terms));
  CycleState second;
  t.prepare(second, *with);
  CHECK(fits(t, second, *with) == "a");
  t.change(second, *with, *web(), "a", -1);
  CHECK(fits(t, second, *with) == "a");
  t.change(second, *with, *web(), "a", -1);
  CHECK(fits(t, second, *with) == "");
  t.change(second, *with, *web(), "b", 1);
  CHECK(fits(t, second, *with) == "b");
}

TEST_CASE("affinity changes: anti-affinity of either side") {
  Trial t("InterPodAffinity", zones());
  const PodRef pod = web(required("podAntiAffinity", kWeb));
  CycleState state;
  t.prepare(state, *pod);
  CHECK(fits(t, state, *pod) == "a b bare");
  t.change(state, *pod, *web(), "a", 1);
  CHECK(fits(t, state, *pod) == "b bare");
  // A pod that rejects this pod, under a key that no term had before.
  const PodRef guard = Trial::pod(
      required("podAntiAffinity", "{topologyKey: x, labelSelector: {matchLabels: {app: web}}}"),
      "name: g, namespace: default");
  t.change(state, *pod, *guard, "bare", 1);
  CHECK(fits(t, state, *pod) == "b");
  CHECK(t.verdicts(state, *pod) ==
        "a Unschedulable: node(s) didn't match pod anti-affinity rules; b Success; bare "
        "Unschedulable: node(s) didn't satisfy existing pods anti-affinity rules; ");
  t.change(state, *pod, *guard, "bare", -1);
  t.change(state, *pod, *web(), "a", -1);
  CHECK(fits(t, state, *pod) == "a b bare");
}

TEST_CASE("affinity changes: a plugin that PreFilter skipped is left out; errors") {
  Trial t("InterPodAffinity", zones());
  const PodRef guard = Trial::pod(required("podAntiAffinity", kWeb), "name: g, namespace: default");
  CycleState skipped;
  const PodRef pod = web();
  t.prepare(skipped, *pod);
  REQUIRE(t.skipped(skipped));
  CHECK(t.change(skipped, *pod, *guard, "a", 1) == "Success");
  CHECK(fits(t, skipped, *pod) == "a b bare");
  const PodRef bad = web(required(
      "podAffinity",
      "{topologyKey: zone, labelSelector: {matchExpressions: [{key: a, operator: Nonsense}]}}"));
  CycleState failed;
  REQUIRE(t.evaluator().run_pre_filter(failed, *bad).ok());
  CHECK(t.change(failed, *bad, *guard, "a", -1) ==
        "Error: running RemovePod on PreFilter plugin \"InterPodAffinity\": error reading "
        "\"PreFilterInterPodAffinity\" from cycleState: not found");
}

void run(uint32_t seed, int* compared) {
  std::mt19937 random(seed);
  const auto pick = [&](uint32_t n) { return random() % n; };
  const uint32_t nodes = 1 + pick(seed % 4 == 0 ? 150 : 10);
  std::string objects =
      "---\nkind: Namespace\nmetadata: {name: default, labels: {team: x}}\n"
      "---\nkind: Namespace\nmetadata: {name: other, labels: {team: b}}\n";
  for (uint32_t i = 0; i < nodes; ++i) {
    std::string labels = "host: n" + std::to_string(i);
    if (pick(8) != 0) labels += ", zone: z" + std::to_string(pick(4));
    if (pick(8) != 0) labels += ", rack: r" + std::to_string(pick(50));
    objects += node("n" + std::to_string(i), labels);
  }
  const auto terms = [&] {
    std::string out;
    const char* const keys[] = {"host", "zone", "rack"};
    for (uint32_t k = 1 + pick(2); k > 0; --k) {
      out += std::string(out.empty() ? "{" : ", {") + "topologyKey: " + keys[pick(3)];
      if (pick(10) != 0)
        out += ", labelSelector: {matchLabels: {app: a" + std::to_string(pick(3)) + "}}";
      const uint32_t where = pick(6);
      if (where == 0) out += ", namespaces: [other]";
      if (where == 1) out += ", namespaceSelector: {matchLabels: {team: b}}";
      if (where == 2) out += ", namespaceSelector: {}";
      out += "}";
    }
    return out;
  };
  const auto spec = [&](uint32_t rarity) {
    std::string out;
    if (pick(rarity) == 0)
      out += "podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + terms() + "]}";
    if (pick(rarity) == 0)
      out += std::string(out.empty() ? "" : ", ") +
             "podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [" + terms() + "]}";
    return out.empty() ? std::string() : "affinity: {" + out + "}";
  };
  const auto meta = [&](const std::string& name) {
    return "name: " + name + ", namespace: " + (pick(5) == 0 ? "other" : "default") +
           ", labels: {app: a" + std::to_string(pick(3)) + "}";
  };
  for (uint32_t i = 0; i < nodes; ++i) {
    const std::string more = spec(8);
    objects += "---\nkind: Pod\nmetadata: {" + meta("e" + std::to_string(i)) +
               "}\nspec: {nodeName: n" + std::to_string(pick(nodes)) +
               (more.empty() ? "" : ", " + more) + "}\n";
  }
  Trial t("InterPodAffinity", objects);
  const View& view = t.cluster().view();
  for (int i = 0; i < 6; ++i) {
    const PodRef pod = Trial::pod("{" + spec(2) + "}", meta("p"));
    CycleState state;
    t.prepare(state, *pod);
    if (t.skipped(state)) continue;
    const std::string before = t.verdicts(state, *pod);
    struct Step {
      PodRef other;
      std::string node;
      int delta;
    };
    std::vector<Step> steps;
    for (uint32_t s = 0; s < view.slot_count(); ++s)
      if (view.slot(s).pod && pick(6) == 0)
        steps.push_back({view.slot(s).pod, view.row(view.slot(s).row).name, -1});
    for (uint32_t k = pick(5); k > 0; --k)
      steps.push_back({Trial::pod("{" + spec(3) + "}", meta("new" + std::to_string(k))),
                       "n" + std::to_string(pick(nodes)), 1});
    for (const Step& s : steps)
      REQUIRE(t.change(state, *pod, *s.other, s.node, s.delta) == "Success");
    const std::string after = t.verdicts(state, *pod);
    REQUIRE(t.cluster().fork().ok());
    for (const Step& s : steps) {
      const Pod* list[] = {s.other.get()};
      const Str on[] = {s.node};
      REQUIRE((s.delta > 0 ? t.cluster().add_pods(list, on, 1)
                           : t.cluster().remove_pod(s.other->meta.ns, s.other->meta.name))
                  .ok());
    }
    CycleState fresh;
    t.prepare(fresh, *pod);
    CHECK(after == t.verdicts(fresh, *pod));
    *compared += after != before ? 1 : 0;
    REQUIRE(t.cluster().revert().ok());
    for (const Step& s : steps) t.change(state, *pod, *s.other, s.node, -s.delta);
    CHECK(t.verdicts(state, *pod) == before);
  }
}

TEST_CASE("affinity changes: as a fresh PreFilter with the pods there") {
  int compared = 0;
  for (uint32_t seed = 1; seed <= rounds(80); ++seed) {
    CAPTURE(seed);
    run(seed, &compared);
  }
  CHECK(compared > static_cast<int>(rounds(50)));  // changes that mattered
}

}  // namespace libsched::affinity_change_test
