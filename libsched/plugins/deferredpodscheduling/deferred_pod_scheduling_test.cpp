// DeferredPodScheduling and the gate InPlacePodVerticalScalingSchedulerPreemption: a pod that has a
// node and waits for room there.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::deferred_pod_scheduling_test {

std::string node(const std::string& name, const std::string& spec = "{}",
                 const std::string& allocatable = "{cpu: 4, pods: 9}") {
  return "---\nkind: Node\nmetadata: {name: " + name + "}\nspec: " + spec +
         "\nstatus: {allocatable: " + allocatable + "}\n";
}
PodRef pod(const std::string& reason, const std::string& cpu = "1", const std::string& more = "") {
  const Result<PodRef> parsed = parse_pod(
      "metadata: {name: p, namespace: default, uid: u}\nspec: {nodeName: a, containers: [{name: c, "
      "resources: {requests: {cpu: " +
          cpu + "}}}]" + more +
          "}\nstatus: {conditions: [{type: PodResizePending, reason: " + reason + "}]}",
      {});
  REQUIRE_MESSAGE(parsed.ok(), parsed.error().text());
  return *parsed;
}
TrialOptions with_gate() {
  TrialOptions out;
  out.release = Release::k1_37;
  out.gates = "InPlacePodVerticalScalingSchedulerPreemption=true";
  return out;
}

TEST_CASE("a pod whose resize is deferred stays on its node, if that allows preemption for it") {
  Trial t("DeferredPodScheduling",
          node("a") + node("b") +
              node("c", "{podPreemptionPolicy: {disableResizePreemption: [all]}}") +
              node("d", "{podPreemptionPolicy: {}}"),
          with_gate());
  const auto filter = [&](const std::string& name) {
    PodRef on = pod("Deferred");
    const Ref<Pod> there = copy_pod(*on, name);
    return t.filter(*there, name);
  };
  CHECK(filter("a") == "Success");
  CHECK(t.filter(*pod("Deferred"), "b") ==
        "UnschedulableAndUnresolvable: pod assigned to different node");
  CHECK(filter("c") == "UnschedulableAndUnresolvable: node had resize preemption disabled");
  CHECK(filter("d") == "Success");
  CHECK(t.pre_filter(*pod("Deferred")) == "Success");
  CHECK(t.pre_filter(*pod("Infeasible")) == "Skip");
  CHECK(t.pre_filter(*Trial::pod("{nodeName: a}")) == "Skip");
}

TEST_CASE("the pod is tried again when its node allows preemption") {
  const FeatureGates gates = FeatureGates::parse(with_gate().gates, Release::k1_37).value();
  const std::unique_ptr<Plugin> plugin = make_deferred_pod_scheduling({nullptr, gates}).value();
  const Ref<Cluster> cluster = make_ref<Cluster>();
  const auto parsed = [](const std::string& name, const std::string& spec) {
    return parse_node("metadata: {name: " + name + "}\nspec: " + spec, {}).value();
  };
  const std::string off = "{podPreemptionPolicy: {disableResizePreemption: [all]}}";
  const NodeRef allows = parsed("a", "{}"), disables = parsed("a", off);
  const auto queues = [&](size_t index, const PodRef& p, const NodeRef& before,
                          const NodeRef& after) {
    return plugin->hint(index, cluster->view(), *p, {"Node", before, after}).value() ==
           QueueingHint::kQueue;
  };
  const PodRef waits = pod("Deferred");
  CHECK(queues(0, waits, disables, allows));
  CHECK_FALSE(queues(0, waits, allows, disables));
  CHECK_FALSE(queues(0, waits, allows, allows));
  CHECK_FALSE(queues(0, pod("Infeasible"), disables, allows));
  CHECK_FALSE(queues(0, waits, parsed("b", off), parsed("b", "{}")));
  CHECK(queues(1, waits, {}, allows));
  CHECK_FALSE(queues(1, waits, {}, disables));
  CHECK_FALSE(queues(1, waits, {}, parsed("b", "{}")));
  CHECK(plugin->events_to_register().value().size() == 2);
}

TEST_CASE("other plugins pass by a pod whose resize is deferred") {
  const std::string taints = "{taints: [{key: k, effect: NoSchedule}], unschedulable: true}";
  for (const char* plugin : {"TaintToleration", "NodeUnschedulable"}) {
    CAPTURE(plugin);
    Trial t(plugin, node("a", taints), with_gate());
    CHECK(t.pre_filter(*pod("Deferred")) == "Skip");
    CHECK(t.filter(*pod("Deferred"), "a") == "Success");
    CHECK(t.filter(*pod("Infeasible"), "a") != "Success");
    TrialOptions off = with_gate();
    off.gates = "";
    CHECK(Trial(plugin, node("a", taints), off).filter(*pod("Deferred"), "a") != "Success");
  }
}

TEST_CASE("NodeResourcesFit asks for the growth of a pod that is on the node") {
  const auto on_node = [](const std::string& name, const std::string& uid, const std::string& cpu) {
    return "---\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: " + uid +
           "}\nspec: {nodeName: a, containers: [{name: c, resources: {requests: {cpu: " + cpu +
           "}}}]}\n";
  };
  const std::string small = node("a") + on_node("p", "u", "1") + on_node("q", "v", "2");
  Trial t("NodeResourcesFit", small, with_gate());
  CHECK(t.filter(*pod("Deferred", "2"), "a") == "Success");  // 1 of the 1 that is left
  CHECK(t.filter(*pod("Deferred", "3"), "a") == "Unschedulable: Insufficient cpu");
  CHECK(t.filter(*pod("Deferred", "5"), "a") == "UnschedulableAndUnresolvable: Insufficient cpu");
  CHECK(t.filter(*pod("Infeasible", "2"), "a") == "Unschedulable: Insufficient cpu");
  TrialOptions off = with_gate();
  off.gates = "";
  CHECK(Trial("NodeResourcesFit", small, off).filter(*pod("Deferred", "2"), "a") ==
        "Unschedulable: Insufficient cpu");
  // Another pod of the name does not count for it.
  Trial other("NodeResourcesFit", node("a") + on_node("p", "w", "1") + on_node("q", "v", "2"),
              with_gate());
  CHECK(other.filter(*pod("Deferred", "2"), "a") == "Unschedulable: Insufficient cpu");
  // Where the node has more than it can take, nothing that needs room fits.
  Trial full("NodeResourcesFit", node("a") + on_node("p", "u", "2") + on_node("q", "v", "3"),
             with_gate());
  CHECK(full.filter(*pod("Deferred", "2"), "a") == "Unschedulable: Insufficient cpu");
  CHECK(full.filter(*pod("Deferred", "0"), "a") == "Success");
  // The pod counts once more among the pods.
  Trial crowded(
      "NodeResourcesFit",
      node("a", "{}", "{cpu: 4, pods: 2}") + on_node("p", "u", "1") + on_node("q", "v", "1"),
      with_gate());
  CHECK(crowded.filter(*pod("Deferred", "2"), "a") == "Unschedulable: Too many pods");
}

}  // namespace libsched::deferred_pod_scheduling_test
