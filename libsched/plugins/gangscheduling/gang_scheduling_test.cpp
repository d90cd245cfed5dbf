// GangScheduling: the gate before the queue, waiting on Permit, and hints; of 1.36, of 1.37, and of
// trees of groups.
#include "libsched/plugins/trial_test.hpp"

namespace libsched::gang_scheduling_test {

const std::string kGroup =
    "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g, namespace: "
    "default}\nspec: {schedulingPolicy: ";
const std::string kNode = "---\nkind: Node\nmetadata: {name: 'n'}\n";
const std::string kGang = kGroup + "{gang: {minCount: 2}}}\n" + kNode;

TrialOptions gates() {
  TrialOptions options;
  options.release = Release::k1_36;
  options.gates = "GenericWorkload=true,GangScheduling=true";
  options.release = Release::k1_36;
  return options;
}

PodRef member(const std::string& name, const std::string& group = "g",
              const std::string& ns = "default") {
  return Trial::pod("{schedulingGroup: {podGroupName: '" + group + "'}}",
                    "name: " + name + ", uid: u-" + name + ", namespace: " + ns);
}

// Waiting members, as the queue makes them known.
void put(Trial& t, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    t.evaluator().services().pod_groups().put(member(name)).keep();
}

std::string permit(Trial& t, const std::string& name, std::vector<PermitWait>* waits = nullptr) {
  CycleState state;
  std::vector<PermitWait> own;
  const Result<Status> s =
      t.evaluator().run_permit(state, *member(name), "n", waits != nullptr ? waits : &own);
  REQUIRE(s.ok());
  return text_of(*s);
}

TEST_CASE("a member enters the queue when there are enough of them") {
  Trial t("GangScheduling", kNode, gates());
  const auto gate = [&](const PodRef& pod) { return text_of(t.evaluator().run_pre_enqueue(*pod)); };
  CHECK(gate(Trial::pod("{}")) == "Success");
  CHECK(gate(member("a")) ==
        "UnschedulableAndUnresolvable: waiting for pods's pod group \"g\" to appear in scheduling "
        "queue");
  t.apply(kGang);
  CHECK(gate(member("a")) == "Error: pod group state not found for pod group default/g");
  put(t, {"a"});
  CHECK(gate(member("a")) ==
        "UnschedulableAndUnresolvable: waiting for minCount pods from a gang to appear in "
        "scheduling queue");
  CHECK(gate(member("a", "g", "other")) ==
        "UnschedulableAndUnresolvable: waiting for pods's pod group \"g\" to appear in scheduling "
        "queue");
  SUBCASE("as another one waits") {
    put(t, {"b"});
    CHECK(gate(member("a")) == "Success");
  }
  SUBCASE("as another one has a node") {
    REQUIRE(t.cluster().update_pod(member("b"), "n").ok());
    CHECK(gate(member("a")) == "Success");
  }
}

TEST_CASE("members of a group without a gang do not wait for each other") {
  Trial t("GangScheduling", kGroup + "{basic: {}}}\n" + kNode, gates());
  CHECK(text_of(t.evaluator().run_pre_enqueue(*member("a"))) == "Success");
  CHECK(permit(t, "a") == "Success");
}

TEST_CASE("members wait on Permit until enough of them have a node") {
  Trial t("GangScheduling", kGang, gates());
  Services& services = t.evaluator().services();
  put(t, {"a", "b", "c"});
  const auto assume = [&](const std::string& name) {
    REQUIRE(t.cluster().assume(*member(name), "n").ok());
  };
  assume("a");
  std::vector<PermitWait> waits;
  CHECK(permit(t, "a", &waits) ==
        "Wait: waiting for minCount pods from a gang to be scheduled; one or more plugins asked to "
        "wait and no plugin rejected pod");
  REQUIRE(waits.size() == 1);
  CHECK(waits[0].plugin == "GangScheduling");
  CHECK(waits[0].timeout_ns == 300'000'000'000);
  // The other members are retried at once.
  std::string activated;
  for (const auto& [key, pod] : services.take_activated()) activated += key + " ";
  CHECK(activated == "default/b default/c ");
  const auto waiting = services.waiting_pods().add(member("a"), waits, services.clock_ref());
  assume("b");
  CHECK(permit(t, "b") == "Success");
  CHECK(services.take_activated().empty());
  REQUIRE(waiting->decided());
  CHECK(waiting->decided()->success());
  // A pod on Permit for another plugin goes on waiting.
  assume("c");
  const auto other =
      services.waiting_pods().add(member("c"), {{"Other", 1'000'000'000}}, services.clock_ref());
  CHECK(permit(t, "c") == "Success");
  CHECK_FALSE(other->decided());
}

TEST_CASE("Permit fails without the group, and without a known member") {
  Trial t("GangScheduling", kNode, gates());
  CHECK(permit(t, "a") ==
        "Error: running Permit plugin \"GangScheduling\": failed to get podGroup default/g: "
        "podgroup.scheduling.k8s.io \"g\" not found");
  t.apply(kGang);
  CHECK(permit(t, "a") ==
        "Error: running Permit plugin \"GangScheduling\": pod group state not found for pod group "
        "default/g");
}

TEST_CASE("hints: a new member, or the group itself") {
  Trial t("GangScheduling", kNode, gates());
  const FrameworkRef framework = FrameworkRef::share(&t.evaluator().framework());
  const uint32_t at = framework->at(ExtensionPoint::kPermit)[0];
  const Plugin& plugin = *framework->plugins()[at].plugin;
  const auto events = plugin.events_to_register().value();
  REQUIRE(events.size() == 2);
  CHECK(events[0].event == ClusterEvent{"Pod", kAdd, {}});
  CHECK(events[1].event == ClusterEvent{"scheduling.k8s.io/PodGroup", kAdd, {}});
  CHECK(events[0].has_hint);
  CHECK(events[1].has_hint);
  const auto said = [&](const PodRef& pod, size_t registration, const ObjectRef& added) {
    const Result<QueueingHint> hint =
        plugin.hint(registration, t.cluster().view(), *pod, {"", {}, added});
    return !hint.ok() ? "error" : *hint == QueueingHint::kQueue ? "queue" : "skip";
  };
  const auto group = [](const std::string& name, const std::string& ns) {
    return parse_objects(
               "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: " + name +
                   ", namespace: " + ns + "}",
               {})
        .value()
        .stored[0]
        .object;
  };
  CHECK(said(member("a"), 0, member("b")) == std::string("queue"));
  CHECK(said(member("a"), 0, member("b", "h")) == std::string("skip"));
  CHECK(said(member("a"), 0, member("b", "g", "other")) == std::string("skip"));
  CHECK(said(Trial::pod("{}"), 0, Trial::pod("{}")) == std::string("skip"));
  CHECK(said(member("a"), 0, {}) == std::string("error"));
  CHECK(said(member("a"), 1, group("g", "default")) == std::string("queue"));
  CHECK(said(member("a"), 1, group("h", "default")) == std::string("skip"));
  CHECK(said(member("a"), 1, group("g", "other")) == std::string("skip"));
  CHECK(said(Trial::pod("{}"), 1, group("g", "default")) == std::string("skip"));
  CHECK(said(member("a"), 1, {}) == std::string("error"));
}

// As 1.37 has it, where a group is tried as one.
struct Entity {
  static TrialOptions options() {
    TrialOptions options;
    options.release = Release::k1_37;
    options.gates = "GenericWorkload=true";
    return options;
  }
  const Plugin& plugin() {
    const Framework& framework = t.evaluator().framework();
    return *framework.plugins()[framework.at(ExtensionPoint::kPermit)[0]].plugin;
  }
  static Ref<const PodGroup> group(const std::string& policy) {
    const ObjectSet set = parse_objects(kGroup + policy + "}", {}).value();
    return Ref<const PodGroup>::share(static_cast<const PodGroup*>(set.stored[0].object.get()));
  }
  Trial t = Trial("GangScheduling", kNode, options());
};

TEST_CASE("a gang can be placed once enough of its members have a node") {
  Entity e;
  const auto said = [&](const std::string& policy, size_t remaining, size_t scheduled) {
    const Ref<const PodGroup> group = Entity::group(policy);
    const GroupCall call{
        {e.t.cluster().view(), e.t.evaluator().services()}, *group, {}, nullptr, {}};
    const Status s = e.plugin().placement_feasible(call, {remaining, scheduled});
    return std::string(code_name(s.code)) + " " + s.message();
  };
  CHECK(said("{gang: {minCount: 2}}", 2, 0) ==
        "Wait minCount (2) is not yet satisfied: 0 scheduled, 2 remaining");
  CHECK(said("{gang: {minCount: 2}}", 0, 2) == "Success ");
  CHECK(said("{gang: {minCount: 2}}", 1, 0) ==
        "Unschedulable minCount (2) cannot be satisfied: 0 scheduled, 1 remaining");
  CHECK(said("{basic: {}}", 0, 0) ==
        "Unschedulable minCount (1) cannot be satisfied: 0 scheduled, 0 remaining");
}

TEST_CASE("a gang that needs fewer members than before is tried again") {
  Entity e;
  const auto events = e.plugin().events_to_register().value();
  REQUIRE(events.size() == 3);
  CHECK(events[2].event == ClusterEvent{"scheduling.k8s.io/PodGroup", kUpdate, {}});
  const auto said = [&](const std::string& before, const std::string& after) {
    return e.plugin().hint(2, e.t.cluster().view(), *member("a"),
                           {"", Entity::group(before), Entity::group(after)});
  };
  const std::string two = "{gang: {minCount: 2}}", three = "{gang: {minCount: 3}}";
  CHECK(*said(three, two) == QueueingHint::kQueue);
  CHECK(*said(two, three) == QueueingHint::kQueueSkip);
  CHECK(*said(three, "{basic: {}}") == QueueingHint::kQueueSkip);
}

// Two groups of two pods below r, which needs `wanted` of them.
struct Tree {
  static TrialOptions options() {
    TrialOptions options;
    options.release = Release::k1_37;
    options.gates =
        "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true";
    return options;
  }
  static std::string object(const std::string& kind, const std::string& name,
                            const std::string& parent, const std::string& policy) {
    return "---\napiVersion: scheduling.k8s.io/v1alpha3\nkind: " + kind +
           "\nmetadata: {name: " + name +
           ", namespace: default}\nspec: {schedulingPolicy: " + policy +
           (parent.empty() ? "" : ", parentCompositePodGroupName: " + parent) + "}\n";
  }
  static std::string root(int wanted) {
    return object("CompositePodGroup", "r", "",
                  "{gang: {minGroupCount: " + std::to_string(wanted) + "}}");
  }
  static std::string leaf(const std::string& name) {
    return object("PodGroup", name, "r", "{gang: {minCount: 2}}");
  }
  std::string gate(const PodRef& pod) { return text_of(t.evaluator().run_pre_enqueue(*pod)); }
  void put(const PodRef& pod) { t.evaluator().services().pod_groups().put(pod).keep(); }
  const Plugin& plugin() {
    const Framework& framework = t.evaluator().framework();
    return *framework.plugins()[framework.at(ExtensionPoint::kPermit)[0]].plugin;
  }
  Trial t = Trial("GangScheduling", kNode, options());
};

TEST_CASE("members of a tree enter the queue when its root has all that it needs") {
  Tree e;
  const std::string refused = "UnschedulableAndUnresolvable: ",
                    failed = refused + "failed to build hierarchy snapshot: ",
                    waiting = refused + "waiting for composite pod group \"r\" tree to meet quorum";
  CHECK(e.gate(member("a1", "a")) ==
        failed + "pod group object not found in state for podgroup/default/a");
  e.t.apply(Tree::leaf("a"));
  CHECK(e.gate(member("a1", "a")) ==
        failed + "composite pod group object not found in state for compositepodgroup/default/r");
  e.t.apply(Tree::root(1));
  e.put(member("a1", "a"));
  CHECK(e.gate(member("a1", "a")) == waiting);
  e.put(member("a2", "a"));
  CHECK(e.gate(member("a1", "a")) == "Success");
  SUBCASE("which are two groups") {
    e.t.apply(Tree::root(2));
    CHECK(e.gate(member("a1", "a")) == waiting);
    e.t.apply(Tree::leaf("b"));
    e.put(member("b1", "b"));
    CHECK(e.gate(member("a1", "a")) == waiting);
    REQUIRE(e.t.cluster().update_pod(member("b2", "b"), "n").ok());
    CHECK(e.gate(member("a1", "a")) == "Success");
  }
  SUBCASE("which is one group, with groups of its own") {
    e.t.apply(Tree::object("CompositePodGroup", "s", "r", "{basic: {}}") +
              Tree::object("PodGroup", "c", "s", "{basic: {}}"));
    CHECK(e.gate(member("c1", "c")) == "Success");  // a is ready
    e.t.apply(Tree::root(2));
    CHECK(e.gate(member("c1", "c")) == waiting);
    e.put(member("c1", "c"));
    CHECK(e.gate(member("c1", "c")) == "Success");
  }
  SUBCASE("a group without a parent is as before") {
    e.t.apply(Tree::object("PodGroup", "g", "", "{gang: {minCount: 2}}"));
    e.put(member("g1"));
    CHECK(e.gate(member("g1")) ==
          refused + "waiting for minCount pods from a gang to appear in scheduling queue");
  }
}

TEST_CASE("a tree has four levels above its pods' groups at most") {
  Tree e;
  e.t.apply(Tree::root(1));
  const auto below = [&](const std::string& name, const std::string& parent) {
    e.t.apply(Tree::object("CompositePodGroup", name, parent, "{basic: {}}") +
              Tree::object("PodGroup", "of-" + name, name, "{basic: {}}"));
    e.put(member("p-" + name, "of-" + name));
    return e.gate(member("p-" + name, "of-" + name));
  };
  CHECK(below("s", "r") == "Success");
  CHECK(below("t", "s") == "Success");
  CHECK(below("u", "t") == "Success");
  CHECK(below("v", "u") ==
        "UnschedulableAndUnresolvable: failed to build hierarchy snapshot: composite pod group "
        "object not found in state for compositepodgroup/default/v");
}

TEST_CASE("members of a tree wait on Permit until enough groups have their nodes") {
  Tree e;
  Services& services = e.t.evaluator().services();
  const auto permit = [&](const PodRef& pod, std::vector<PermitWait>* waits) {
    CycleState state;
    const Result<Status> s = e.t.evaluator().run_permit(state, *pod, "n", waits);
    REQUIRE(s.ok());
    return text_of(*s);
  };
  e.t.apply(Tree::root(1) + Tree::leaf("a") + Tree::leaf("b"));
  for (const char* name : {"a1", "a2", "b1"}) e.put(member(name, std::string(1, name[0])));
  REQUIRE(e.t.cluster().assume(*member("a1", "a"), "n").ok());
  std::vector<PermitWait> waits, none;
  CHECK(permit(member("a1", "a"), &waits)
            .starts_with("Wait: waiting for composite pod group \"r\" tree to meet quorum"));
  CHECK(waits.size() == 1);
  std::string activated;
  for (const auto& [key, pod] : services.take_activated()) activated += key + " ";
  CHECK(activated == "default/a2 default/b1 ");
  const auto waiting = services.waiting_pods().add(member("a1", "a"), waits, services.clock_ref());
  REQUIRE(e.t.cluster().assume(*member("a2", "a"), "n").ok());
  CHECK(permit(member("a2", "a"), &none) == "Success");
  REQUIRE(waiting->decided());
  CHECK(waiting->decided()->success());
}

TEST_CASE("hints: a pod or a group of the same tree") {
  Tree e;
  const auto events = e.plugin().events_to_register().value();
  REQUIRE(events.size() == 4);
  CHECK(events[3].event == ClusterEvent{"scheduling.k8s.io/CompositePodGroup", kAdd, {}});
  e.t.apply(Tree::root(1) + Tree::leaf("a") + Tree::leaf("b") +
            Tree::object("PodGroup", "g", "", "{basic: {}}"));
  const auto said = [&](size_t registration, const ObjectRef& added) {
    const Result<QueueingHint> hint =
        e.plugin().hint(registration, e.t.cluster().view(), *member("a1", "a"), {"", {}, added});
    return !hint.ok() ? "error" : *hint == QueueingHint::kQueue ? "queue" : "skip";
  };
  const auto object = [](const std::string& text) {
    return parse_objects(text, {}).value().stored[0].object;
  };
  CHECK(said(0, member("b1", "b")) == std::string("queue"));
  CHECK(said(0, member("g1")) == std::string("skip"));
  CHECK(said(0, member("x1", "unknown")) == std::string("skip"));
  CHECK(said(1, object(Tree::leaf("b"))) == std::string("queue"));
  CHECK(said(1, object(Tree::object("PodGroup", "g", "", "{basic: {}}"))) == std::string("skip"));
  CHECK(said(3, object(Tree::root(1))) == std::string("queue"));
  CHECK(said(3, object(Tree::object("CompositePodGroup", "x", "", "{basic: {}}"))) ==
        std::string("skip"));
}

}  // namespace libsched::gang_scheduling_test
