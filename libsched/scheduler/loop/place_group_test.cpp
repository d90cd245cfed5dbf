// Scheduler with the plugins in tree: PodGroups that have to be placed in one zone, groups that
// preempt, and trees of groups. Both forms of a group's cycle: members popped one by one (1.36),
// and as one (1.37).
#include <doctest/doctest.h>

#include "libsched/config/config.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/objects/pod_group.hpp"
#include "libsched/plugins/in_tree.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched::place_group_test {

constexpr int64_t kSecond = 1'000'000'000;

struct World {
  Ref<Cluster> cluster = make_ref<Cluster>();
  Ref<VirtualClock> clock = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server = make_ref<ApiServer>(clock, ApiServerOptions());
  SchedulerRef scheduler;

  explicit World(Release release, const std::string& more_gates = "") {
    ConfigOptions options;
    options.gates = FeatureGates::parse(
                        std::string("GenericWorkload=true,TopologyAwareWorkloadScheduling=true,"
                                    "SchedulerPopFromBackoffQ=false") +
                            (release == Release::k1_36 ? ",GangScheduling=true" : "") + more_gates,
                        release)
                        .value();
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
  void node(const std::string& name, const std::string& zone, int cpu) {
    create("apiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {zone: " + zone +
           "}}\nstatus: {allocatable: {cpu: " + std::to_string(cpu) + ", pods: 9}}\n");
  }
  void group(int min_count, int priority = 0, const std::string& key = "zone",
             const std::string& spec = "") {
    const std::string constraints =
        key.empty() ? "" : ", schedulingConstraints: {topology: [{key: " + key + "}]}";
    create(
        "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g, namespace: "
        "default, uid: u-g}\nspec: {priority: " +
        std::to_string(priority) + ", schedulingPolicy: {gang: {minCount: " +
        std::to_string(min_count) + "}}" + constraints + spec + "}\n");
  }
  // Another group, of which pods x and w are on n1 and n2.
  void victims(int priority, const std::string& mode) {
    create(
        "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: h, namespace: "
        "default, uid: u-h}\nspec: {schedulingPolicy: {basic: {}}, priority: " +
        std::to_string(priority) + ", disruptionMode: " + mode + "}\n");
    for (const auto& [name, node] : {std::pair("x", "n1"), std::pair("w", "n2")})
      pod(name, "nodeName: " + std::string(node) +
                    ", schedulingGroup: {podGroupName: h}, priority: " + std::to_string(priority));
  }
  void pod(const std::string& name, const std::string& spec) {
    create("apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: default, uid: u-" +
           name + "}\nspec: {containers: [{name: c, resources: {requests: {cpu: 1}}}], " + spec +
           "}\n");
  }
  void member(const std::string& name, int priority = 0, const std::string& spec = "") {
    pod(name, "schedulingGroup: {podGroupName: g}, priority: " + std::to_string(priority) + spec);
  }
  void run() { REQUIRE(scheduler->run_until(clock->now_ns() + 60 * kSecond).ok()); }
  void settle() { REQUIRE(scheduler->settle(false, 1000).ok()); }
  // "a n1, b -": the pods and their nodes.
  std::string pods() const {
    std::string out;
    for (const PodRef& p : server->pods()) {
      out += (out.empty() ? "" : ", ") + std::string(p->meta.name) + " " +
             (p->spec.node_name.empty() ? "-" : std::string(p->spec.node_name));
      if (!p->status.nominated_node_name.empty())
        out += " (" + std::string(p->status.nominated_node_name) + ")";
    }
    return out;
  }
  std::string condition() const {
    const auto* g = cluster->view().objects().find<PodGroup>("default", "g");
    return g->conditions.empty() ? "none" : std::string(g->conditions[0].message);
  }
};

TEST_CASE("a group with a topology constraint is placed in one domain") {
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    CAPTURE(release_name(release));
    World w(release);
    w.node("n1", "a", 1);
    w.node("n2", "b", 1);
    w.node("n3", "b", 1);
    w.group(2);
    w.member("p");
    w.member("q");
    w.settle();
    CHECK((w.pods() == "p n2, q n3" || w.pods() == "p n3, q n2"));
    CHECK(w.condition() == "");
    // A later member has to join the others there.
    w.member("r");
    w.settle();
    CHECK(w.pods().ends_with("r -"));
  }
}

TEST_CASE("the domain that takes more pods of the group is better") {
  for (const Release release : {Release::k1_36, Release::k1_37}) {
    CAPTURE(release_name(release));
    World w(release);
    w.node("n1", "a", 2);
    w.node("n2", "b", 3);
    w.group(2);
    for (const char* name : {"p", "q", "r"}) w.member(name);
    w.settle();
    CHECK(w.pods() == "p n2, q n2, r n2");
  }
}

TEST_CASE("the first domain tells why no domain has room for the group") {
  const auto said = [](Release release, const std::string& key) {
    World w(release);
    w.node("n1", "a", 1);
    w.node("n2", "b", 1);
    w.group(2, 0, key);
    w.member("p");
    w.member("q");
    w.settle();
    CHECK(w.pods() == "p -, q -");
    return w.condition();
  };
  CHECK(said(Release::k1_36, "zone") ==
        "0/2 placements are available, first placement status: pod group is unschedulable");
  CHECK(
      said(Release::k1_37, "zone") ==
      "pod group is unschedulable, 0/2 placements are available, first placement status: minCount "
      "(2) cannot be satisfied: 1 scheduled, 0 remaining, pod group preemption: No preemption "
      "victims found for incoming preemptor");
  CHECK(said(Release::k1_36, "rack") == "no feasible placements found");
}

TEST_CASE("a group of 1.37 evicts what is in its way, once for all its pods") {
  World w(Release::k1_37);
  w.node("n1", "a", 1);
  w.node("n2", "a", 1);
  w.node("n3", "a", 1);
  w.pod("x", "nodeName: n1, priority: 1");
  w.pod("v", "nodeName: n2, priority: 2");
  w.pod("z", "nodeName: n3, priority: 3");
  w.group(2, 9);
  w.member("p", 9);
  w.member("q", 9);
  w.settle();
  CHECK(w.condition().ends_with(
      "pod group preemption: found a placement for podgroup, preempting 2 victims"));
  w.run();
  CHECK(w.pods() == "z n3, p n1, q n2");
}

TEST_CASE("a group of 1.36 evicts with gate WorkloadAwarePreemption, and its pods alone do not") {
  const auto after = [](const std::string& gates, const std::string& key) {
    World w(Release::k1_36, gates);
    for (const char* name : {"n1", "n2", "n3"}) w.node(name, "a", 1);
    w.pod("x", "nodeName: n1, priority: 1");
    w.pod("v", "nodeName: n2, priority: 2");
    w.pod("z", "nodeName: n3, priority: 3");
    w.group(2, 9, key);
    w.member("p", 9);
    w.member("q", 9);
    w.settle();
    const std::string said = w.condition();
    w.run();
    return w.pods() + "; " + said;
  };
  const std::string on = ",WorkloadAwarePreemption=true";
  CHECK(after(on, "") ==
        "z n3, p n1, q n2; 0/1 placements are available, first placement status: pod group is "
        "unschedulable");
  CHECK(after("", "") ==
        "z n3, p n1, q n2; pod group is unschedulable, pod group is waiting for preemption to "
        "complete");
  CHECK(after(on, "zone") ==
        "x n1, v n2, z n3, p -, q -; 0/1 placements are available, first placement status: pod "
        "group is unschedulable, workload aware preemption is not supported for pod groups with "
        "scheduling constraints");
  CHECK(after("", "zone") ==
        "x n1, v n2, z n3, p -, q -; 0/1 placements are available, first placement status: pod "
        "group is unschedulable");
}

TEST_CASE("pods of a group whose disruption mode is All leave together") {
  const auto after = [](Release release, const std::string& mode, const std::string& gates = "") {
    World w(release, gates);
    w.node("n1", "a", 1);
    w.node("n2", "a", 1);
    w.victims(1, mode);
    w.group(1, 9, "");
    w.member("p", 9);
    w.settle();
    w.run();
    return w.pods();
  };
  CHECK(after(Release::k1_37, "{all: {}}") == "p n1");
  CHECK(after(Release::k1_37, "{single: {}}") == "w n2, p n1");
  const std::string on = ",WorkloadAwarePreemption=true";
  CHECK(after(Release::k1_36, "PodGroup", on) == "p n1");
  CHECK(after(Release::k1_36, "Pod", on) == "x n1, p n2");
  CHECK(after(Release::k1_36, "PodGroup") == "w n2, p n1");
}

TEST_CASE("with gate PodGroupPreemptionPolicy the group says whether it preempts") {
  const auto said = [](const std::string& gates, const std::string& of_group,
                       const std::string& of_pod) {
    World w(Release::k1_37, gates);
    w.node("n1", "a", 1);
    w.pod("x", "nodeName: n1, priority: 1");
    w.group(1, 9, "", of_group);
    w.member("p", 9, of_pod);
    w.settle();
    return w.condition();
  };
  const std::string on = ",PodGroupPreemptionPolicy=true", never = ", preemptionPolicy: Never";
  const std::string evicts =
      "pod group preemption: found a placement for podgroup, preempting 1 victims";
  const std::string stays = "pod group preemption: not eligible due to preemptionPolicy=Never.";
  CHECK(said("", never, "").ends_with(evicts));
  CHECK(said("", "", never).ends_with(stays));
  CHECK(said(on, never, never).ends_with(stays));
  CHECK(said(on, "", "").ends_with(evicts));
  CHECK(said(on, "", never) ==
        "all pods in a single pod group should have the same preemption policy as the pod group's "
        "preemption policy, got Never and PreemptLowerPriority");
}

// Trees of 1.37.
struct Tree : World {
  Tree() : World(Release::k1_37, ",CompositePodGroup=true") {}

  // `spec`: "gang: {...}" of the policy, and more.
  void object(const std::string& kind, const std::string& name, const std::string& parent,
              const std::string& policy, const std::string& more = "") {
    create("apiVersion: scheduling.k8s.io/v1alpha3\nkind: " + kind + "\nmetadata: {name: " + name +
           ", namespace: default, uid: u-" + name +
           "}\nspec: {priority: " + std::to_string(priority) + ", schedulingPolicy: {" + policy +
           "}" + (parent.empty() ? "" : ", parentCompositePodGroupName: " + parent) + more + "}\n");
  }
  void composite(const std::string& name, const std::string& parent, int wanted,
                 const std::string& more = "") {
    object("CompositePodGroup", name, parent,
           "gang: {minGroupCount: " + std::to_string(wanted) + "}", more);
  }
  void leaf(const std::string& name, const std::string& parent, int wanted,
            const std::string& more = "") {
    object("PodGroup", name, parent, "gang: {minCount: " + std::to_string(wanted) + "}", more);
  }
  // The group is the first letter of the name.
  void members(std::initializer_list<const char*> names) {
    for (const std::string name : names)
      pod(name, "schedulingGroup: {podGroupName: " + name.substr(0, 1) +
                    "}, priority: " + std::to_string(priority));
  }
  std::string condition(const std::string& name) const {
    const auto* g = cluster->view().objects().find<PodGroup>("default", name);
    return g->conditions.empty()
               ? "none"
               : std::string(g->conditions[0].reason) + " " + std::string(g->conditions[0].message);
  }
  int priority = 0;
};
const std::string kInZone = ", schedulingConstraints: {topology: [{key: zone}]}";

TEST_CASE("a tree is placed if enough of its groups are") {
  Tree w;
  w.node("n1", "a", 2);
  w.node("n2", "a", 1);
  w.composite("r", "", 1);
  w.leaf("a", "r", 2);
  w.leaf("b", "r", 2);
  w.members({"a1", "a2", "b1", "b2"});
  w.settle();
  CHECK(w.pods().starts_with("a1 n"));
  CHECK(w.pods().ends_with("b1 -, b2 -"));
  CHECK(w.condition("a") == "Scheduled ");
  CHECK(w.condition("b").find("minCount (2) cannot be satisfied: 1 scheduled, 0 remaining") !=
        std::string::npos);
}

TEST_CASE("no pod of a tree is placed if too few of its groups are") {
  Tree w;
  w.node("n1", "a", 3);
  w.composite("r", "", 2);
  w.leaf("a", "r", 2);
  w.leaf("b", "r", 2);
  w.members({"a1", "a2", "b1", "b2"});
  w.settle();
  CHECK(w.pods() == "a1 -, a2 -, b1 -, b2 -");
  // A group that could be placed alone has the status of its parent. As upstream, what plugins say
  // is added once for each group that has the status.
  CHECK(w.condition("a") ==
        "Unschedulable pod group is unschedulable, 0/1 placements are available, first placement "
        "status: minCount (2) cannot be satisfied: 1 scheduled, 0 remaining, pod group preemption: "
        "No preemption victims found for incoming preemptor, pod group preemption: No preemption "
        "victims found for incoming preemptor");
  CHECK(w.condition("b").find("minCount (2) cannot be satisfied: 1 scheduled, 0 remaining") !=
        std::string::npos);
  w.node("n2", "a", 1);
  REQUIRE(w.scheduler->run_until(w.clock->now_ns() + 60 * kSecond).ok());
  CHECK(w.condition("a") == "Scheduled ");
  CHECK(w.condition("b") == "Scheduled ");
}

TEST_CASE("groups below a group are placed within its placement") {
  Tree w;
  w.node("n1", "a", 1);
  w.node("n2", "b", 1);
  w.node("n3", "b", 1);
  w.node("n4", "b", 1);
  w.composite("r", "", 2, kInZone);
  w.composite("s", "r", 1);
  w.leaf("a", "r", 1);
  w.leaf("b", "s", 2, ", schedulingConstraints: {topology: [{key: zone}]}");
  w.members({"a1", "b1", "b2"});
  w.settle();
  for (const char* name : {"a", "b"}) CHECK(w.condition(name) == "Scheduled ");
  CHECK(w.pods().find("n1") == std::string::npos);
}

TEST_CASE("a tree with a topology constraint and a group four levels below it is an error") {
  for (const bool constrained : {false, true}) {
    Tree w;
    w.node("n1", "a", 1);
    w.composite("r", "", 1, constrained ? kInZone : "");
    w.composite("s", "r", 1);
    w.composite("t", "s", 1);
    w.composite("u", "t", 1);
    w.leaf("a", "u", 1);
    w.members({"a1"});
    w.settle();
    CHECK(w.pods() == (constrained ? "a1 -" : "a1 n1"));
    const bool said =
        w.condition("a").find("exceeded maximum hierarchy depth at podgroup/default/a") !=
        std::string::npos;
    CHECK(said == constrained);
  }
}

TEST_CASE("a PodGroup below a group of its name has no pods to count on") {
  for (const bool below : {false, true}) {
    Tree w;
    w.node("n1", "a", 2);
    w.composite(below ? "a" : "r", "", 1);
    w.composite("s", below ? "a" : "r", 1);
    w.leaf("a", "s", 1);
    w.members({"a1"});
    w.settle();
    CHECK(w.pods() == (below ? "a1 -" : "a1 n1"));
    CHECK((w.condition("a") == "Scheduled ") != below);
  }
}

TEST_CASE("a tree of higher priority evicts what is in its way, once for all its pods") {
  Tree w;
  w.node("n1", "a", 1);
  w.node("n2", "a", 1);
  w.node("n3", "a", 1);
  w.pod("v", "nodeName: n1, priority: 1");
  w.pod("x", "nodeName: n2, priority: 2");
  w.pod("z", "nodeName: n3, priority: 3");
  w.priority = 9;
  w.composite("r", "", 2);
  w.leaf("a", "r", 1);
  w.leaf("b", "r", 1);
  w.members({"a1", "b1"});
  w.settle();
  for (const char* name : {"a", "b"})
    CHECK(w.condition(name).find(
              "pod group preemption: found a placement for podgroup, preempting 2 victims") !=
          std::string::npos);
  REQUIRE(w.scheduler->run_until(w.clock->now_ns() + 60 * kSecond).ok());
  CHECK(w.pods() == "z n3, a1 n1, b1 n2");
}

TEST_CASE("the pods of a tree are victims of the root's priority") {
  Tree w;
  w.node("n1", "a", 2);
  w.composite("r", "", 1);
  w.priority = 100;  // of the group below, whose pods run already
  w.leaf("a", "r", 1);
  w.pod("a1", "nodeName: n1, priority: 100, schedulingGroup: {podGroupName: a}");
  w.pod("v", "nodeName: n1, priority: 5");
  w.pod("p", "priority: 10");
  w.settle();
  REQUIRE(w.scheduler->run_until(w.clock->now_ns() + 60 * kSecond).ok());
  CHECK(w.pods() == "v n1, p n1");
}

TEST_CASE("all pods of a tree have the priority of its root") {
  Tree w;
  w.node("n1", "a", 9);
  w.composite("r", "", 1);
  w.leaf("a", "r", 1);
  w.leaf("b", "r", 1);
  w.members({"a1"});
  w.priority = 1;
  w.members({"b1"});
  w.settle();
  CHECK(w.pods() == "a1 -, b1 -");
  for (const char* name : {"a", "b"})
    CHECK(w.condition(name) ==
          "SchedulerError all pods in a single pod group should have the same priority as the pod "
          "group's priority, got 1 and 0");
}

}  // namespace libsched::place_group_test
