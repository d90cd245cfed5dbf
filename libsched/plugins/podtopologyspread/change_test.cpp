// PodTopologySpread when pods join and leave after PreFilter: against a fresh PreFilter, and where
// upstream's AddPod and RemovePod differ from it.
#include <random>

#include "libsched/plugins/trial_test.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::change_test {

const std::string kApp = "labelSelector: {matchLabels: {app: a}}";

std::string node(const std::string& name, const std::string& labels) {
  return "---\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels + "}}\n";
}
std::string existing(const std::string& name, const std::string& on) {
  return "---\nkind: Pod\nmetadata: {name: " + name +
         ", namespace: default, labels: {app: a}}\nspec: {nodeName: " + on + "}\n";
}
// Three zones of one node each, and a node without zone.
std::string zones() {
  return node("a", "zone: a") + node("b", "zone: b") + node("c", "zone: c") + node("d", "x: z");
}
PodRef spread(const std::string& more = kApp) {
  return Trial::pod(
      "{topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: "
      "DoNotSchedule, " +
          more + "}]}",
      "name: p, namespace: default, labels: {app: a}");
}
PodRef other(const std::string& more = "") {
  return Trial::pod("{}", "name: o, labels: {app: a}" +
                              (more.empty() ? std::string(", namespace: default") : ", " + more));
}
// The nodes with room.
std::string room(Trial& t, CycleState& state, const Pod& pod) {
  std::string out;
  for (const char* name : {"a", "b", "c", "d"}) {
    Status one;
    REQUIRE(t.evaluator().run_filter(state, pod, t.cluster().view().find_node(name), &one).ok());
    if (one.success()) out += name;
  }
  t.verdicts(state, pod);  // one node and many nodes agree
  return out;
}

TEST_CASE("spread changes: a pod that joins and leaves") {
  Trial t("PodTopologySpread", zones());
  const PodRef pod = spread();
  CycleState state;
  t.prepare(state, *pod);
  CHECK(room(t, state, *pod) == "abc");
  CHECK(t.change(state, *pod, *other(), "a", 1) == "Success");
  CHECK(room(t, state, *pod) == "bc");
  // A copy of the state is independent.
  const Ref<CycleState> copy = state.clone();
  CHECK(t.change(*copy, *pod, *other(), "a", -1) == "Success");
  CHECK(room(t, *copy, *pod) == "abc");
  CHECK(room(t, state, *pod) == "bc");
  CHECK(t.change(state, *pod, *other(), "a", -1) == "Success");
  CHECK(room(t, state, *pod) == "abc");
  // Pods that do not count: in another namespace, not selected, on a node without the key.
  t.change(state, *pod, *other("namespace: elsewhere"), "a", 1);
  t.change(state, *pod, *Trial::pod("{}", "name: o, namespace: default, labels: {app: b}"), "a", 1);
  t.change(state, *pod, *other(), "d", 1);
  CHECK(room(t, state, *pod) == "abc");
}

TEST_CASE("spread changes: where upstream differs from a fresh PreFilter") {
  SUBCASE("terminating pods count") {
    Trial t("PodTopologySpread", zones());
    const PodRef pod = spread();
    const PodRef gone = other("namespace: default, deletionTimestamp: '2026-01-01T00:00:00Z'");
    CycleState state;
    t.prepare(state, *pod);
    t.change(state, *pod, *gone, "a", -1);
    CHECK(room(t, state, *pod) == "a");  // -1 there: the smallest count
    t.change(state, *pod, *gone, "a", 1);
    t.change(state, *pod, *gone, "a", 1);
    CHECK(room(t, state, *pod) == "bc");
  }
  SUBCASE("an empty selector counts pods that come, an absent one none") {
    Trial t("PodTopologySpread", zones() + existing("e", "b"));
    const PodRef every = spread("labelSelector: {}");
    CycleState state;
    t.prepare(state, *every);
    CHECK(room(t, state, *every) == "abc");
    t.change(state, *every, *other(), "a", 1);
    CHECK(room(t, state, *every) == "bc");
    const PodRef none = spread("minDomains: 1");
    CycleState second;
    t.prepare(second, *none);
    t.change(second, *none, *other(), "a", 1);
    t.change(second, *none, *other(), "a", 1);
    CHECK(room(t, second, *none) == "abc");
  }
  SUBCASE("the smallest count follows two domains only") {
    // Counts 0, 1, 2; then three more in a and three more in b: 3, 4, 2.
    Trial t("PodTopologySpread",
            zones() + existing("b1", "b") + existing("c1", "c") + existing("c2", "c"));
    const PodRef pod = spread();
    CycleState state;
    t.prepare(state, *pod);
    CHECK(room(t, state, *pod) == "a");
    for (int i = 0; i < 3; ++i) t.change(state, *pod, *other(), "a", 1);
    for (int i = 0; i < 3; ++i) t.change(state, *pod, *other(), "b", 1);
    CHECK(room(t, state, *pod) == "ac");  // a fresh PreFilter: only c
  }
}

TEST_CASE("spread changes: too few domains, and errors") {
  Trial t("PodTopologySpread", zones());
  const PodRef pod = spread(kApp + ", minDomains: 4");
  CycleState state;
  CHECK(t.change(state, *pod, *other(), "a", 1).find("from cycleState") != std::string::npos);
  t.prepare(state, *pod);
  for (const char* name : {"a", "b", "c"}) t.change(state, *pod, *other(), name, 1);
  CHECK(room(t, state, *pod) == "");  // all have one, yet the smallest counts as 0
  const PodRef plain = Trial::pod("{}");
  CHECK(t.change(state, *plain, *other(), "a", 1).find("another pod") != std::string::npos);
  CHECK(t.change(state, *pod, *other(), "nowhere", 1).find("no node") != std::string::npos);
  t.apply(existing("e", "a"));
  CHECK(t.change(state, *pod, *other(), "a", 1).find("has changed") != std::string::npos);
  // PreFilter failed: nothing to change.
  const PodRef bad = spread("labelSelector: {matchExpressions: [{key: a, operator: Nonsense}]}");
  CycleState failed;
  REQUIRE(t.evaluator().run_pre_filter(failed, *bad).ok());
  CHECK(t.change(failed, *bad, *other(), "a", 1) ==
        "Error: running AddPod on PreFilter plugin \"PodTopologySpread\": reading "
        "\"PreFilterPodTopologySpread\" from cycleState: not found");
}

// Pods join and leave one node, as in upstream's preemption: there the counts are exact.
void run(uint32_t seed, int* compared) {
  std::mt19937 random(seed);
  const auto pick = [&](uint32_t n) { return random() % n; };
  const uint32_t nodes = 1 + pick(seed % 4 == 0 ? 200 : 12);
  std::string objects;
  for (uint32_t i = 0; i < nodes; ++i) {
    std::string labels = "host: n" + std::to_string(i) + ", disk: d" + std::to_string(pick(2));
    if (pick(8) != 0) labels += ", zone: z" + std::to_string(pick(3));
    if (pick(8) != 0) labels += ", rack: r" + std::to_string(pick(100));
    objects += node("n" + std::to_string(i), labels) + "spec: {taints: [" +
               (pick(4) == 0 ? "{key: k, effect: NoSchedule}" : "") + "]}\n";
  }
  const auto meta = [&](const std::string& name) {
    return "name: " + name + ", namespace: " + (pick(5) == 0 ? "other" : "default") +
           ", labels: {app: a" + std::to_string(pick(2)) + "}";
  };
  for (uint32_t i = 0; i < nodes * 2; ++i)
    objects += "---\nkind: Pod\nmetadata: {" + meta("e" + std::to_string(i)) +
               "}\nspec: {nodeName: n" + std::to_string(pick(nodes)) + "}\n";
  Trial t("PodTopologySpread", objects);
  for (int i = 0; i < 6; ++i) {
    std::string constraints;
    for (const char* key : {"host", "zone", "rack"}) {
      if (pick(2) == 0) continue;
      constraints += std::string(constraints.empty() ? "{" : ", {") +
                     "whenUnsatisfiable: DoNotSchedule, maxSkew: " + std::to_string(1 + pick(3)) +
                     ", topologyKey: " + key + ", labelSelector: {matchLabels: {app: a" +
                     std::to_string(pick(2)) + "}}";
      if (pick(4) == 0) constraints += ", minDomains: " + std::to_string(1 + pick(5));
      if (pick(4) == 0) constraints += ", nodeTaintsPolicy: Honor";
      constraints += "}";
    }
    const PodRef pod = Trial::pod("{topologySpreadConstraints: [" + constraints + "]" +
                                      (pick(4) == 0 ? ", nodeSelector: {disk: d0}" : "") + "}",
                                  "name: p, namespace: default, labels: {app: a0}");
    CycleState state;
    t.prepare(state, *pod);
    if (t.skipped(state)) continue;
    const std::string before = t.verdicts(state, *pod);
    const uint32_t row = t.cluster().view().find_node("n" + std::to_string(pick(nodes)));
    const std::string name = t.cluster().view().row(row).name;
    std::vector<std::pair<PodRef, int>> changes;
    for (const uint32_t s : t.cluster().view().row(row).pods)
      if (pick(2) == 0) changes.emplace_back(t.cluster().view().slot(s).pod, -1);
    for (uint32_t k = pick(5); k > 0; --k)
      changes.emplace_back(Trial::pod("{}", meta("new" + std::to_string(k))), 1);
    for (const auto& [o, delta] : changes)
      REQUIRE(t.change(state, *pod, *o, name, delta) == "Success");
    const std::string after = t.verdicts(state, *pod);
    REQUIRE(t.cluster().fork().ok());
    for (const auto& [o, delta] : changes) {
      const Pod* list[] = {o.get()};
      const Str on[] = {name};
      REQUIRE((delta > 0 ? t.cluster().add_pods(list, on, 1)
                         : t.cluster().remove_pod(o->meta.ns, o->meta.name))
                  .ok());
    }
    CycleState fresh;
    t.prepare(fresh, *pod);
    CHECK(after == t.verdicts(fresh, *pod));
    *compared += after != before ? 1 : 0;
    REQUIRE(t.cluster().revert().ok());
    for (const auto& [o, delta] : changes) t.change(state, *pod, *o, name, -delta);
    CHECK(t.verdicts(state, *pod) == before);
  }
}

TEST_CASE("spread changes: as a fresh PreFilter with the pods there") {
  int compared = 0;
  for (uint32_t seed = 1; seed <= rounds(150); ++seed) {
    CAPTURE(seed);
    run(seed, &compared);
  }
  CHECK(compared > static_cast<int>(rounds(50)));  // changes that mattered
}

}  // namespace libsched::change_test
