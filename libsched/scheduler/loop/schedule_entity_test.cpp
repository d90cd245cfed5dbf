// Scheduler: the cycle of a PodGroup that is one entity of the queue. Plugins are fakes: one pod
// fits on a node, and so many pods of the group need one.
#include <doctest/doctest.h>

#include "libsched/objects/pod_group.hpp"
#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched::schedule_entity_test {

constexpr int64_t kSecond = 1'000'000'000;

struct Log final : SchedulerObserver {
  std::string text;
  void add(const std::string& line) { text += (text.empty() ? "" : "; ") + line; }
  void popped(const QueuedPodInfo& p) override { add("pop " + std::string(p.pod->meta.name)); }
  void bound(const QueuedPodInfo& p, Str node) override {
    add("bound " + std::string(p.pod->meta.name) + " " + std::string(node));
  }
  void failed(const QueuedPodInfo& p, Str, const Failure& f) override {
    add("failed " + std::string(p.pod->meta.name) + ": " + f.status.message() +
        (f.nomination ? " (" + f.nomination->node + ")" : ""));
  }
};

struct Entities {
  std::vector<Fake> fakes;
  std::string calls;  // of Reserve, Unreserve, Permit and PodGroupPostFilter
  Status made_room = Status(Code::kUnschedulable, "no room");
  std::vector<std::string> nominated;  // the nodes of the group's pods, by PodGroupPostFilter
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  Ref<VirtualClock> clock = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server = make_ref<ApiServer>(clock, ApiServerOptions());
  std::shared_ptr<Log> log = std::make_shared<Log>();
  SchedulerRef scheduler;

  explicit Entities(size_t wanted, const std::string& spec = "") {
    Fake one;
    one.name = "OnePod";
    one.filter = [](const FilterCall& call, const Node& node) {
      if (call.pod.meta.name == "broken") return Status::from_error("broken");
      const bool empty = call.view.row(call.view.find_node(node.meta.name)).pods.empty();
      return empty ? Status() : Status(Code::kUnschedulable, "taken");
    };
    Fake gang;
    gang.name = "Gang";
    gang.feasible = [wanted](const GroupCall&, const PlacementProgress& p) {
      if (p.scheduled >= wanted) return Status();
      return Status(p.scheduled + p.remaining < wanted ? Code::kUnschedulable : Code::kWait,
                    std::to_string(p.scheduled) + " of " + std::to_string(wanted));
    };
    gang.reserve = [this](const ReserveCall& call) {
      calls += "+" + std::string(call.pod.meta.name);
      return Status();
    };
    gang.unreserve = [this](const ReserveCall& call) {
      calls += "-" + std::string(call.pod.meta.name);
    };
    gang.permit = [this](const BindingCall& call, int64_t*) {
      calls += "p" + std::string(call.pod.meta.name);
      return Status();
    };
    gang.group_post_filter = [this](const GroupPostFilterCall& call,
                                    std::vector<GroupNomination>* out) -> Result<Status> {
      calls += "!";
      std::vector<GroupAssignment> again;
      const Result<Status> status = call.schedule(&again);
      REQUIRE(status.ok());
      calls += std::to_string(again.size()) + "!";
      for (size_t i = 0; i < nominated.size(); ++i)
        out->push_back({call.pods[i].get(), nominated[i]});
      return made_room;
    };
    Fake binder;
    binder.name = "Binder";
    binder.bind = [](const BindingCall& call) {
      const Result<void> bound = call.services.api().bind(call.pod, call.node);
      return bound.ok() ? Status() : Status::from_error(bound.error().message);
    };
    fakes = {one, gang, binder};
    const FeatureGates gates = FeatureGates::parse("GenericWorkload=true", Release::k1_37).value();
    SchedulerOptions options;
    options.observer = log;
    Result<SchedulerRef> made =
        Scheduler::create({fake_framework(fakes, gates)}, cluster, clock, server, options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    scheduler = *made;
    scheduler->add(server.get());
    server->watch(scheduler.get());
    REQUIRE(scheduler->start().ok());
    const Result<ObjectSet> group = parse_objects(
        "apiVersion: scheduling.k8s.io/v1beta1\nkind: PodGroup\nmetadata: {name: g, namespace: "
        "default}\nspec: {schedulingPolicy: {basic: {}}" +
            spec + "}",
        {});
    REQUIRE(server->create(*group).ok());
  }
  Entities(const Entities&) = delete;
  Entities& operator=(const Entities&) = delete;
  ~Entities() { server->unwatch(scheduler.get()); }

  void node(const std::string& name) { REQUIRE(server->create(fake_node(name)).ok()); }
  void pod(const std::string& name, const std::string& spec = "", const std::string& meta = "") {
    const Result<PodRef> pod = parse_pod(
        "metadata: {name: " + name + ", namespace: default, uid: u-" + name + meta +
            "}\nspec: {schedulerName: fakes, schedulingGroup: {podGroupName: g}" + spec + "}",
        {});
    REQUIRE_MESSAGE(pod.ok(), pod.error().text());
    REQUIRE(server->create(*pod).ok());
    REQUIRE(scheduler->settle(true).ok());
    clock->advance_to(clock->now_ns() + 1000);
  }
  std::string settle() {
    const Result<void> settled = scheduler->settle(false, 1000);
    REQUIRE_MESSAGE(settled.ok(), settled.error().text());
    return std::exchange(log->text, {});
  }
  std::string called() { return std::exchange(calls, {}); }
  std::string condition() const {
    const auto* g = cluster->view().objects().find<PodGroup>("default", "g");
    const PodGroup::Condition* c = g->find_condition("PodGroupInitiallyScheduled");
    return c == nullptr ? "none"
                        : std::string(c->status) + " " + std::string(c->reason) + ": " +
                              std::string(c->message);
  }
};

TEST_CASE("a group's pods are tried without Permit, taken back, and scheduled together") {
  Entities w(2);
  w.node("n1");
  w.node("n2");
  w.pod("a");
  w.pod("b");
  CHECK(w.settle() == "pop a; bound a n1; bound b n2");
  CHECK(w.called() == "+a+b-b-a+apa+bpb");
  CHECK(w.condition() == "True Scheduled: ");
  CHECK(w.scheduler->queue().in_flight().empty());
}

TEST_CASE("podGroupPostFilter is asked once, after a group has found too little room") {
  Entities w(3);
  w.node("n1");
  w.node("n2");
  for (const char* name : {"a", "b", "c", "d"}) w.pod(name);
  // The third pod fits nowhere, and three are too many then: the last one is not tried.
  const std::string group = "2 of 3, no room", taken = "0/2 nodes are available: 2 taken.";
  const std::string own = "pod group is unschedulable, " + group;
  CHECK(w.settle() == "pop a; failed a: " + own + " (); failed b: " + own +
                          " (); failed c: " + taken + "; failed d: " + taken);
  CHECK(w.called() == "+a+b-b-a!+a+b-b-a2!");
  CHECK(w.condition() == "False Unschedulable: " + group);
  CHECK(w.cluster->view().pod_count() == 0);
  CHECK(w.scheduler->queue().error_backoff_count() == 4);
  w.node("n3");
  CHECK(w.settle() == "");
  REQUIRE(w.scheduler->run_until(w.clock->now_ns() + 4 * kSecond).ok());
  CHECK(std::exchange(w.log->text, {}) ==
        "pop a; failed d: 0/3 nodes are available: 3 taken.; bound a n1; bound b n2; bound c n3; "
        "pop d; failed d: 0/3 nodes are available: 3 taken.; pop d; failed d: 0/3 nodes are "
        "available: 3 taken.");
  CHECK(w.condition() == "True Scheduled: ");
}

TEST_CASE("a group that cannot be complete is not tried") {
  Entities w(2);
  w.node("n1");
  w.pod("a");
  CHECK(w.settle() == "pop a; failed a: pod group is unschedulable, 0 of 2");
  CHECK(w.called() == "!0!");
  CHECK(w.condition() == "False Unschedulable: pod group is unschedulable, 0 of 2, no room");
}

TEST_CASE("pods for which podGroupPostFilter has made room are nominated") {
  Entities w(2);
  w.node("n1");
  w.made_room = Status(Code::kSuccess);
  w.nominated = {"n1", "n2"};
  w.pod("a");
  w.pod("b");
  CHECK(w.settle() ==
        "pop a; failed a: 1 of 2,  (n1); failed b: 0/1 nodes are available: 1 taken. (n2)");
  CHECK(w.scheduler->services()->nominator().on("n1").size() == 1);
  CHECK(w.scheduler->services()->nominator().on("n2").size() == 1);
}

TEST_CASE("an error of a pod, or of podGroupPostFilter, fails the group") {
  Entities w(2);
  w.node("n1");
  w.node("n2");
  w.pod("a");
  w.pod("broken");
  const std::string broken = "running \"OnePod\" filter plugin: broken";
  CHECK(w.settle() == "pop a; failed a: failed to schedule other pod from a pod group: " + broken +
                          " (); failed broken: " + broken + " ()");
  CHECK(w.called() == "+a-a");
  Entities other(2);
  other.node("n1");
  other.made_room = Status::from_error("lost");
  other.pod("a");
  other.pod("b");
  const std::string lost = "error in \"Gang\" PodGroupPostFilter plugins: lost";
  CHECK(other.settle() == "pop a; failed a: " + lost + " (); failed b: " + lost + " ()");
  CHECK(other.condition() == "False SchedulerError: " + lost);
}

TEST_CASE("the pods of a group have its priority, and one scheduler and preemption policy") {
  const std::string all = "all pods in a single pod group should have the same ";
  for (const auto& [spec, refusal] :
       {std::pair(", priority: 3", all + "priority as the pod group's priority, got 3 and 1"),
        std::pair(", priority: 1, preemptionPolicy: Never",
                  all + "preemption policy, got Never and PreemptLowerPriority")}) {
    Entities w(1, ", priority: 1");
    w.node("n1");
    w.pod("a", ", priority: 1");
    w.pod("b", spec);
    const std::string first = spec == std::string(", priority: 3") ? "b" : "a";
    CHECK(w.settle().substr(0, 5) == "pop " + first);
    CHECK(w.condition() == "False SchedulerError: " + refusal);
    CHECK(w.called() == "");
  }
}

TEST_CASE("a pod that is being deleted does not take part, and a scheduled group stays so") {
  Entities w(1);
  w.node("n1");
  w.pod("a", "", ", deletionTimestamp: '2026-01-01T00:00:00Z'");
  CHECK(w.settle() == "pop a");
  w.pod("b");
  CHECK(w.settle() == "pop b; bound b n1");
  w.pod("c");
  CHECK(w.settle() == "pop c; failed c: 0/1 nodes are available: 1 taken.");
  CHECK(w.condition() == "True Scheduled: ");
}

}  // namespace libsched::schedule_entity_test
