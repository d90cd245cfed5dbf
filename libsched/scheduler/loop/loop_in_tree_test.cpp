// Scheduler with the plugins in tree, against an API server in memory: preemption within the cycle,
// nominated pods, trials of PodGroups, and calls beside the cycles.
#include <doctest/doctest.h>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched::loop_in_tree_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr const char* kGroups =
    "GenericWorkload=true,GangScheduling=true,SchedulerPopFromBackoffQ=false";

struct World {
  Ref<Cluster> cluster = make_ref<Cluster>();
  Ref<VirtualClock> clock = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server;
  SchedulerRef scheduler;

  explicit World(const std::string& gates, Release release = kDefaultRelease) {
    ApiServerOptions api;
    api.keep_calls = true;
    server = make_ref<ApiServer>(clock, api);
    ConfigOptions options;
    options.gates = FeatureGates::parse(gates, release).value();
    const Result<ConfigRef> config = parse_config(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n", options);
    REQUIRE_MESSAGE(config.ok(), config.error().text());
    Result<FrameworkRef> framework = Framework::create(
        *config, (*config)->profiles[0].scheduler_name, in_tree_registry(), options.gates, release);
    REQUIRE_MESSAGE(framework.ok(), framework.error().text());
    Result<SchedulerRef> made = Scheduler::create({*framework}, cluster, clock, server, {});
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    scheduler = *made;
    scheduler->add(server.get());
    server->watch(scheduler.get());
    REQUIRE(scheduler->start().ok());
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() { server->unwatch(scheduler.get()); }

  void create(const std::string& documents) {
    const Result<ObjectSet> objects = parse_objects(documents, {});
    REQUIRE_MESSAGE(objects.ok(), objects.error().text());
    REQUIRE(server->create(*objects).ok());
    REQUIRE(scheduler->settle(true).ok());
    clock->advance_to(clock->now_ns() + 1000);
  }
  void node(const std::string& name, int cpu) {
    create("apiVersion: v1\nkind: Node\nmetadata: {name: " + name +
           ", labels: {kubernetes.io/hostname: " + name +
           "}}\nstatus: {allocatable: {cpu: " + std::to_string(cpu) + ", pods: 9}}\n");
  }
  // `spec` and `meta` are members of YAML maps.
  void pod(const std::string& name, int cpu, const std::string& spec, const std::string& meta = "",
           const std::string& status = "") {
    create("apiVersion: v1\nkind: Pod\nmetadata: {namespace: default, name: " + name + ", uid: u-" +
           name + meta + "}\nspec: {containers: [{name: c, resources: {requests: {cpu: " +
           std::to_string(cpu) + "}}}], " + spec + "}\nstatus: {" + status + "}\n");
  }
  void group(int min_count) {
    create(
        "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g, namespace: "
        "default}\nspec: {schedulingPolicy: {gang: {minCount: " +
        std::to_string(min_count) + "}}}\n");
  }
  void settle() {
    const Result<void> settled = scheduler->settle(false, 1000);
    REQUIRE_MESSAGE(settled.ok(), settled.error().text());
  }
  void pass(int64_t ns) { REQUIRE(scheduler->run_until(clock->now_ns() + ns).ok()); }
  bool in_cluster(const std::string& name) const {
    return cluster->view().find_pod("default", name) != kNoId;
  }
  std::string node_of(const std::string& name) const {
    return std::string(server->pod("default", name)->spec.node_name);
  }
  std::string why(const std::string& name) const {
    for (const PodCondition& c : server->pod("default", name)->status.conditions)
      if (c.type == "PodScheduled") return std::string(c.message);
    return "";
  }
  // The calls since the last time.
  std::string calls() {
    std::string out;
    for (const ApiCall& call : server->take_calls()) {
      const char* const verb = call.verb == ApiVerb::kBind             ? "bind "
                               : call.verb == ApiVerb::kDeletePod      ? "delete "
                               : call.verb == ApiVerb::kPatchPodStatus ? "patch "
                                                                       : "update ";
      out += (out.empty() ? "" : "; ") + std::string(verb) + call.key;
      for (const auto& c : call.patch.conditions) out += " " + c.type;
      if (call.patch.set_nominated_node) out += " to " + call.patch.nominated_node;
      if (!call.error.empty()) out += " (" + call.error + ")";
    }
    return out;
  }
};

constexpr const char* kApartFromX =
    "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: x}}}]}}";

TEST_CASE("While preemption in the cycle waits for the API server, the rest goes on") {
  World w("SchedulerAsyncPreemption=false");
  w.node("n1", 2);
  w.pod("one", 1, "nodeName: n1, priority: 1");
  w.pod("two", 1, "nodeName: n1, priority: 2");
  w.server->add_fault({ApiVerb::kDeletePod, "default/one", "", 5 * kSecond, 1});
  w.pod("high", 2, "priority: 9");
  w.settle();
  CHECK(w.scheduler->in_cycle());
  CHECK_FALSE(w.in_cluster("two"));  // evicted first, and seen to be gone
  CHECK(w.in_cluster("one"));
  w.pass(6 * kSecond);
  CHECK_FALSE(w.scheduler->in_cycle());
  CHECK_FALSE(w.in_cluster("one"));
  CHECK(w.node_of("high") == "n1");
}

TEST_CASE("A nominated pod that is in no queue takes no room") {
  World w("");
  w.node("n1", 2);
  w.pod("gone", 2, "priority: 5", ", deletionTimestamp: '2026-01-01T00:00:00Z'",
        "nominatedNodeName: n1");
  w.settle();
  CHECK(w.scheduler->services()->nominator().on("n1").size() == 1);
  w.pod("p", 2, "priority: 0");
  w.settle();
  CHECK(w.node_of("p") == "n1");
}

TEST_CASE("Members of a group do not see the anti-affinity of those before them on fresh nodes") {
  for (const bool fresh : {true, false}) {
    World w(kGroups, Release::k1_36);
    w.node("n1", 4);
    if (!fresh)
      w.pod("old", 1,
            "nodeName: n1, affinity: {podAntiAffinity: "
            "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
            "kubernetes.io/hostname, labelSelector: {matchLabels: {app: none}}}]}}");
    w.group(2);
    w.pod("a", 1, std::string("priority: 2, schedulingGroup: {podGroupName: g}, ") + kApartFromX);
    w.pod("b", 1, "priority: 1, schedulingGroup: {podGroupName: g}", ", labels: {app: x}");
    w.settle();
    CHECK(w.node_of("a") == (fresh ? "n1" : ""));
    CHECK(w.node_of("b") == (fresh ? "n1" : ""));
    if (!fresh)
      CHECK(w.why("b").find("didn't satisfy existing pods anti-affinity rules") !=
            std::string::npos);
  }
}

TEST_CASE("Scores of a group's member that prefers others read the terms of those before it") {
  World w(kGroups, Release::k1_36);
  w.node("m1", 4);
  w.node("n1", 4);
  w.group(2);
  const auto prefers = [](const std::string& app, const std::string& kind) {
    return kind +
           ": {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 100, podAffinityTerm: "
           "{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: " +
           app + "}}}}]}";
  };
  const auto member = [](int priority) {
    return "priority: " + std::to_string(priority) + ", schedulingGroup: {podGroupName: g}, ";
  };
  w.pod("a", 1,
        member(3) + "nodeSelector: {kubernetes.io/hostname: m1}, affinity: {" +
            prefers("x", "podAffinity") + "}");
  // Nothing of its own is preferred anywhere, but with it all pods are read.
  w.pod("b", 1, member(2) + "affinity: {" + prefers("none", "podAffinity") + "}",
        ", labels: {app: x}");
  w.settle();
  CHECK(w.node_of("a") == "m1");
  CHECK(w.node_of("b") == "m1");
}

TEST_CASE("What happens during the trial of a group does not reach it") {
  World w(std::string(kGroups) + ",SchedulerAsyncPreemption=false", Release::k1_36);
  w.node("n1", 2);
  w.pod("victim", 2, "nodeName: n1, priority: 1");
  w.group(2);
  w.pod("a", 1, "priority: 9, schedulingGroup: {podGroupName: g}");
  w.pod("b", 1, "priority: 8, schedulingGroup: {podGroupName: g}");
  w.settle();
  const std::string calls = w.calls();
  CHECK(calls.substr(0, calls.find("; patch default/a")) ==
        "patch default/victim DisruptionTarget; delete default/victim; patch default/victim "
        "DisruptionTarget (pods \"victim\" not found)");
  w.pass(20 * kSecond);
  CHECK(w.node_of("a") == "n1");
  CHECK(w.node_of("b") == "n1");
}

TEST_CASE("A member that is taken back takes the ports of its victim along, as upstream's") {
  World w(kGroups, Release::k1_36);
  w.node("n1", 4);
  const auto with_port = [&](const std::string& name, const std::string& spec) {
    w.create("apiVersion: v1\nkind: Pod\nmetadata: {namespace: default, name: " + name +
             ", uid: u-" + name +
             "}\nspec: {containers: [{name: c, ports: [{containerPort: 80, hostPort: 8000}]}], " +
             spec + "}\n");
  };
  with_port("victim", "nodeName: n1, priority: 1");
  w.group(2);
  w.server->add_fault({ApiVerb::kPatchPodStatus, "default/victim", "broken", 0, 0});
  with_port("a", "priority: 9, schedulingGroup: {podGroupName: g}");
  w.pod("b", 9, "priority: 8, schedulingGroup: {podGroupName: g}");
  w.settle();
  w.pass(20 * kSecond);
  // The first trial alone needs the victim's room.
  const std::string calls = w.calls(), evicts = "patch default/victim";
  const size_t first = calls.find(evicts);
  REQUIRE(first != std::string::npos);
  CHECK(calls.find(evicts, first + 1) == std::string::npos);
}

TEST_CASE("A member whose trial is undone keeps the nomination that the API server knows") {
  World w(kGroups, Release::k1_36);
  w.node("n1", 2);
  w.group(3);
  w.pod("a", 1, "priority: 9, schedulingGroup: {podGroupName: g}");
  w.pod("b", 1, "priority: 8, schedulingGroup: {podGroupName: g}", "", "nominatedNodeName: n1");
  w.pod("c", 9, "priority: 7, schedulingGroup: {podGroupName: g}");
  w.server->add_fault({ApiVerb::kPatchPodStatus, "default/a", "", kSecond, 1});
  w.settle();
  CHECK(w.scheduler->in_cycle());  // it reports a's failure
  const std::vector<PodRef>& nominated = w.scheduler->services()->nominator().on("n1");
  REQUIRE(nominated.size() == 1);
  CHECK(nominated[0]->meta.name == "b");
  CHECK(nominated[0]->spec.containers.empty());  // it is in no queue yet
  CHECK_FALSE(w.in_cluster("b"));
}

constexpr const char* kDevice = R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: s}
spec: {driver: d, nodeName: n1, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: [{name: g}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: shared, namespace: default}
spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount, count: 1}}]}}
)";
constexpr const char* kShared = "resourceClaims: [{name: c, resourceClaimName: shared}]";

// The allocation is written for the member that comes first; upstream's binding of the other one
// fails then, and it is retried with the allocated claim.
TEST_CASE("Members of a group share the allocation of a claim that is in flight") {
  World w(kGroups, Release::k1_36);
  w.node("n1", 8);
  w.create(kDevice);
  w.group(2);
  const std::string member = std::string("schedulingGroup: {podGroupName: g}, ") + kShared;
  w.pod("a", 1, member + ", priority: 2");
  w.pod("b", 1, member + ", priority: 1");
  w.settle();
  CHECK((w.node_of("a") == "n1") != (w.node_of("b") == "n1"));
  w.pass(20 * kSecond);
  CHECK(w.node_of("a") == "n1");
  CHECK(w.node_of("b") == "n1");
  const auto* const claim = w.cluster->view().objects().find<ResourceClaim>("default", "shared");
  REQUIRE(claim != nullptr);
  CHECK_FALSE(claim->in_flight);
  CHECK(claim->reserved_for.size() == 2);
}

TEST_CASE("A group that does not fit takes back the allocation that its members share") {
  World w(kGroups, Release::k1_36);
  w.node("n1", 2);
  w.create(kDevice);
  w.group(3);
  const std::string member = std::string("schedulingGroup: {podGroupName: g}, ") + kShared;
  for (const char* name : {"a", "b", "c"}) w.pod(name, 1, member);
  w.settle();
  for (const char* name : {"a", "b", "c"}) CHECK(w.node_of(name) == "");
  const auto* const claim = w.cluster->view().objects().find<ResourceClaim>("default", "shared");
  REQUIRE(claim != nullptr);
  CHECK_FALSE(claim->in_flight);
  CHECK_FALSE(claim->allocation);
  // A pod outside of the group can have it then.
  w.pod("alone", 1, kShared);
  w.settle();
  CHECK(w.node_of("alone") == "n1");
}

TEST_CASE("SchedulerAsyncAPICalls: no cycle waits for a patch") {
  for (const bool async : {false, true}) {
    World w(async ? "SchedulerAsyncAPICalls=true" : "");
    w.node("n1", 1);
    w.server->add_fault({ApiVerb::kPatchPodStatus, "default/big", "", 5 * kSecond, 1});
    w.pod("big", 2, "priority: 9");
    w.pod("p", 1, "priority: 1");
    w.settle();
    CHECK(w.scheduler->in_cycle() == !async);
    CHECK(w.node_of("p") == (async ? "n1" : ""));
    w.pass(6 * kSecond);
    CHECK(w.node_of("p") == "n1");
    CHECK_FALSE(w.why("big").empty());
  }
}

TEST_CASE("SchedulerAsyncAPICalls: a binding replaces the patch of the nomination") {
  World w(std::string(kGroups) + ",SchedulerAsyncAPICalls=true", Release::k1_36);
  w.node("n1", 4);
  w.group(2);
  w.pod("a", 1, "priority: 2, schedulingGroup: {podGroupName: g}");
  w.pod("b", 1, "priority: 1, schedulingGroup: {podGroupName: g}");
  w.settle();
  const std::string calls = w.calls();
  CHECK(calls.find("bind default/a; bind default/b") != std::string::npos);
  CHECK(calls.find("patch") == std::string::npos);
}

TEST_CASE("The first flush of unschedulable pods is at the start, and the next 30 seconds later") {
  World w("");
  const int64_t start = w.clock->now_ns();
  CHECK(*w.scheduler->queue().next_due() > start);
}

TEST_CASE("1.37 evicts a pod for another one whose resize is deferred, and leaves that as it is") {
  const auto grown = [](int cpu, const std::string& reason) {
    return parse_pod(
               "metadata: {namespace: default, name: grows, uid: u-grows}\nspec: {nodeName: n1, "
               "priority: 9, schedulerName: default-scheduler, containers: [{name: c, resources: "
               "{requests: {cpu: " +
                   std::to_string(cpu) +
                   "}}}]}\nstatus: {conditions: [{type: PodResizePending, status: 'True', "
                   "reason: " +
                   reason + "}]}",
               {})
        .value();
  };
  for (const bool on : {true, false}) {
    World w(on ? "InPlacePodVerticalScalingSchedulerPreemption=true" : "", Release::k1_37);
    w.node("n1", 3);
    w.pod("low", 1, "nodeName: n1, priority: 1");
    w.pod("lower", 1, "nodeName: n1, priority: 0");
    w.pod("grows", 1, "nodeName: n1, priority: 9");
    w.calls();
    REQUIRE(w.server->update(grown(2, "Deferred")).ok());
    w.settle();
    w.pass(kSecond);
    CHECK(w.calls() == (on ? "patch default/lower DisruptionTarget; delete default/lower" : ""));
    CHECK(w.in_cluster("lower") != on);
    CHECK(w.in_cluster("low"));
    CHECK(w.node_of("grows") == "n1");
    CHECK(w.why("grows").empty());
    // It is in the queue until the kubelet has resized it.
    const SchedulingQueue& queue = w.scheduler->queue();
    const auto queued = [&] {
      return queue.active_count() + queue.backoff_count() + queue.error_backoff_count() +
             queue.unschedulable_pods().size();
    };
    CHECK(queued() == (on ? 1 : 0));
    REQUIRE(w.server->update(grown(2, "Infeasible")).ok());
    w.settle();
    CHECK(queued() == 0);
  }
}

}  // namespace libsched::loop_in_tree_test
