// GangScheduling of 1.36: the gate before the queue, waiting on Permit, and hints.
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
    const GroupCall call{{e.t.cluster().view(), e.t.evaluator().services()}, *group, {}, nullptr};
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

}  // namespace libsched::gang_scheduling_test
