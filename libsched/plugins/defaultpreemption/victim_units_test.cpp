// What pods evict where PodGroups count: groups whose disruption mode is All, and the priorities of
// groups.
#include "libsched/plugins/defaultpreemption/victim_units.hpp"

#include "libsched/plugins/trial_test.hpp"

namespace libsched::victim_units_test {

std::string node(const std::string& name) {
  return "---\nkind: Node\nmetadata: {name: " + name +
         "}\nstatus: {allocatable: {cpu: 2, pods: 20}}\n";
}
std::string on(const std::string& node, const std::string& name, int priority,
               const std::string& group = "", int start = 0) {
  return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: u-" + name +
         ", labels: {app: " + (group.empty() ? "none" : group) + "}}\nspec: {nodeName: " + node +
         ", priority: " + std::to_string(priority) +
         (group.empty() ? "" : ", schedulingGroup: {podGroupName: " + group + "}") +
         ", containers: [{name: c, resources: {requests: {cpu: 1}}}]}\n"
         "status: {startTime: '2026-01-01T00:00:0" +
         std::to_string(start) + "Z'}\n";
}
std::string group(const std::string& name, int priority, const std::string& mode) {
  return "---\napiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: " + name +
         ", namespace: default, uid: u-" + name +
         "}\nspec: {priority: " + std::to_string(priority) +
         ", schedulingPolicy: {basic: {}}, disruptionMode: " + mode + "}\n";
}
const std::string kAll = "{all: {}}", kSingle = "{single: {}}";

TrialOptions of_release(Release release, bool groups = true) {
  TrialOptions out;
  out.profile =
      "{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}, {name: "
      "DefaultBinder}, {name: NodeResourcesFit}, {name: DefaultPreemption}]}}";
  out.release = release;
  if (groups) out.gates = "GenericWorkload=true";
  return out;
}

// "a: x y (1)": the candidates, with the violations of budgets.
std::string outcome(const std::string& world, const TrialOptions& options, int priority = 5) {
  Trial t("DefaultPreemption", world, options);
  Result<PodRef> pod = parse_pod(
      "metadata: {name: p, namespace: default, uid: u-p}\nspec: {priority: " +
          std::to_string(priority) + ", containers: [{name: c, resources: {requests: {cpu: 1}}}]}",
      {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  CycleState state;
  CheckOptions check;
  check.post_filter = true;
  Result<Ref<const Decision>> decided = t.evaluator().check(state, **pod, "", check);
  REQUIRE_MESSAGE(decided.ok(), decided.error().text());
  std::string out;
  for (const PreemptionReport::Candidate& c : (*decided)->preemption.candidates) {
    out += (out.empty() ? "" : "; ") + c.node + ":";
    for (const PodRef& p : c.victims) out += " " + std::string(p->meta.name);
    out += " (" + std::to_string(c.budget_violations) + ")";
  }
  return out;
}

TEST_CASE("a pod evicts all pods of a group with disruption mode All, or none") {
  const auto world = [](const std::string& mode) {
    return node("a") + node("b") + group("g", 1, mode) + on("a", "x", 1, "g") +
           on("a", "w", 1, "g", 1) + on("b", "z", 1, "g", 2) + on("b", "high", 9);
  };
  CHECK(outcome(world(kAll), of_release(Release::k1_37)) == "a: w x z (0); b: w x z (0)");
  CHECK(outcome(world(kSingle), of_release(Release::k1_37)) == "a: w (0); b: z (0)");
  CHECK(outcome(world(kAll), of_release(Release::k1_37, false)) == "a: w (0); b: z (0)");
  CHECK(outcome(world(kAll), of_release(Release::k1_36)) == "a: w (0); b: z (0)");
}

TEST_CASE("a pod of a group has the priority of its group as a victim") {
  const std::string world = node("a") + group("g", 9, kSingle) + group("h", 0, kSingle) +
                            on("a", "x", 1, "g") + on("a", "w", 8, "h");
  CHECK(outcome(world, of_release(Release::k1_37)) == "a: w (0)");
  CHECK(outcome(world, of_release(Release::k1_36)) == "a: x (0)");
}

TEST_CASE("groups stay rather than pods, and large groups rather than small ones") {
  const auto stays = [](const std::string& mode, const std::string& group_of_w) {
    return outcome(node("a") + node("b") + group("g", 1, mode) + group("h", 1, mode) +
                       on("a", "x", 1, "g", 2) + on("a", "w", 1, group_of_w, 1) +
                       on("b", "z", 9, "g") + on("b", "high", 9),
                   of_release(Release::k1_37));
  };
  CHECK(stays(kSingle, "") == "a: w (0); b: z (0)");  // though it has run longer
  // Of two pods of groups the one that started later.
  CHECK(stays(kSingle, "h") == "a: x (0); b: z (0)");
  CHECK(stays(kAll, "h") == "a: w (0); b: x z (0)");  // its group is smaller
}

TEST_CASE("each pod of a group counts against budgets") {
  const auto violations = [](int allowed) {
    return outcome(node("a") + node("b") + group("g", 1, kAll) + on("a", "x", 1, "g") +
                       on("a", "w", 1, "g") + on("b", "z", 1, "g") + on("b", "high", 9) +
                       "---\napiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, "
                       "namespace: default}\nspec: {selector: {matchLabels: {app: g}}}\nstatus: "
                       "{disruptionsAllowed: " +
                       std::to_string(allowed) + "}\n",
                   of_release(Release::k1_37));
  };
  CHECK(violations(3) == "a: w x z (0); b: w x z (0)");
  CHECK(violations(1) == "a: w x z (2); b: w x z (2)");
}

TEST_CASE("a group of which a pod is on an unknown node cannot be evicted") {
  const std::string world = node("a") + group("g", 1, kAll) + on("a", "x", 1, "g") +
                            on("a", "high", 9) + on("gone", "w", 1, "g");
  CHECK(outcome(world, of_release(Release::k1_37)) == "");
  CHECK(outcome(world, of_release(Release::k1_36)) == "a: x (0)");
}

// A group of 1.37 below a CompositePodGroup r.
std::string below(const std::string& name, int priority, const std::string& mode,
                  const std::string& parent = "r") {
  std::string text = group(name, priority, mode);
  return text.insert(text.find("spec: {") + 7, "parentCompositePodGroupName: " + parent + ", ");
}
std::string composite(const std::string& name, int priority, const std::string& mode) {
  std::string text = group(name, priority, mode);
  text.replace(text.find("v1beta1"), 7, "v1alpha3");
  return text.replace(text.find("PodGroup"), 8, "CompositePodGroup");
}

TEST_CASE("pods of a tree leave with the highest group whose disruption mode is All") {
  TrialOptions trees = of_release(Release::k1_37);
  trees.gates += ",TopologyAwareWorkloadScheduling=true,CompositePodGroup=true";
  const auto after = [&](const std::string& of_root, const std::string& of_g,
                         const TrialOptions& options) {
    return outcome(node("a") + node("b") + composite("r", 1, of_root) + below("g", 9, of_g) +
                       below("h", 9, kSingle) + on("a", "x", 9, "g") + on("a", "high", 8, "", 1) +
                       on("b", "w", 9, "g", 2) + on("b", "z", 9, "h", 3),
                   options);
  };
  CHECK(after(kAll, kSingle, trees) == "a: w x z (0); b: w x z (0)");
  CHECK(after(kSingle, kAll, trees) == "a: w x (0); b: z (0)");
  CHECK(after(kSingle, kSingle, trees) == "a: x (0); b: z (0)");  // of the root's priority
  CHECK(after(kAll, kAll, of_release(Release::k1_37)) == "");     // without the gate of the groups'
}

TEST_CASE("a unit of a composite group stays rather than one of a group") {
  TrialOptions trees = of_release(Release::k1_37);
  trees.gates += ",TopologyAwareWorkloadScheduling=true,CompositePodGroup=true";
  const auto stays = [&](const std::string& of_root) {
    return outcome(node("a") + node("b") + composite("r", 1, of_root) + below("g", 1, kSingle) +
                       group("h", 1, kAll) + on("a", "x", 1, "g", 2) + on("a", "w", 1, "h", 1) +
                       on("b", "z", 1, "h", 3) + on("b", "high", 9),
                   trees);
  };
  CHECK(stays(kAll) == "a: w z (0); b: w z (0)");
  CHECK(stays(kSingle) == "a: x (0); b: w z (0)");  // h is larger
}

}  // namespace libsched::victim_units_test
