// Scheduler: the cycle of a PodGroup. Plugins are fakes; Permit lets members pass when so many have
// a node.
#include <doctest/doctest.h>

#include "libsched/objects/pod_group.hpp"
#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched::schedule_group_test {

constexpr int64_t kSecond = 1'000'000'000;

struct Log final : SchedulerObserver {
  std::string text;
  void add(const std::string& line) { text += (text.empty() ? "" : "; ") + line; }
  void popped(const QueuedPodInfo& p) override { add("pop " + std::string(p.pod->meta.name)); }
  void bound(const QueuedPodInfo& p, Str node) override {
    add("bound " + std::string(p.pod->meta.name) + " " + std::string(node));
  }
  void failed(const QueuedPodInfo& p, Str, const Failure& f) override {
    add("failed " + std::string(p.pod->meta.name) + ": " + f.status.message());
  }
};

struct Groups {
  std::vector<Fake> fakes;
  std::vector<std::string> calls;  // of Reserve and Unreserve
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  Ref<VirtualClock> clock = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server = make_ref<ApiServer>(clock, ApiServerOptions());
  std::shared_ptr<Log> log = std::make_shared<Log>();
  SchedulerRef scheduler;

  // One pod fits on a node. A pod "broken" is an error.
  explicit Groups(uint32_t min_count) {
    Fake one;
    one.name = "OnePod";
    one.filter = [](const FilterCall& call, const Node& node) {
      if (call.pod.meta.name == "broken") return Status::from_error("broken");
      const bool empty = call.view.row(call.view.find_node(node.meta.name)).pods.empty();
      return empty ? Status() : Status(Code::kUnschedulable, "taken");
    };
    Fake gang;
    gang.name = "Gang";
    gang.reserve = [this](const ReserveCall& call) {
      calls.push_back("+" + std::string(call.pod.meta.name));
      return Status();
    };
    gang.unreserve = [this](const ReserveCall& call) {
      calls.push_back("-" + std::string(call.pod.meta.name));
    };
    gang.permit = [min_count](const BindingCall& call, int64_t* timeout) {
      *timeout = 60 * kSecond;
      const uint32_t have = call.view->group_size(call.pod.meta.ns, call.pod.spec.scheduling_group);
      if (have < min_count) return Status(Code::kWait, "more are needed");
      for (const auto& waiting : call.services.waiting_pods().all()) waiting->allow("Gang");
      return Status();
    };
    Fake binder;
    binder.name = "Binder";
    binder.bind = [](const BindingCall& call) {
      const Result<void> bound = call.services.api().bind(call.pod, call.node);
      return bound.ok() ? Status() : Status::from_error(bound.error().message);
    };
    fakes = {one, gang, binder};
    const FeatureGates gates =
        FeatureGates::parse("GenericWorkload=true,SchedulerPopFromBackoffQ=false", Release::k1_36)
            .value();
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
        "apiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: g, namespace: "
        "default}\nspec: {schedulingPolicy: {gang: {minCount: 2}}}",
        {});
    REQUIRE(server->create(*group).ok());
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  ~Groups() { server->unwatch(scheduler.get()); }

  void node(const std::string& name) { REQUIRE(server->create(fake_node(name)).ok()); }
  void pod(const std::string& name, int priority, const std::string& meta = "") {
    const Result<PodRef> pod =
        parse_pod("metadata: {name: " + name + ", namespace: default, uid: u-" + name + meta +
                      "}\nspec: {schedulerName: fakes, priority: " + std::to_string(priority) +
                      ", schedulingGroup: {podGroupName: g}}",
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
  std::string reserved() {
    std::string out;
    for (const std::string& call : std::exchange(calls, {})) out += call;
    return out;
  }
  std::string condition() const {
    const auto* g = cluster->view().objects().find<PodGroup>("default", "g");
    const PodGroup::Condition* c = g->find_condition("PodGroupScheduled");
    return c == nullptr ? "none"
                        : std::string(c->status) + " " + std::string(c->reason) + ": " +
                              std::string(c->message);
  }
};

TEST_CASE("the members of a group are scheduled in one cycle, by priority") {
  Groups w(2);
  w.node("n1");
  w.node("n2");
  w.pod("low", 1);
  w.pod("high", 2);
  CHECK(w.settle() == "pop low; bound high n1; bound low n2");
  // Each is tried, taken back in reverse, and then reserved for real.
  CHECK(w.reserved() == "+high+low-low-high+high+low");
  CHECK(w.condition() == "True Scheduled: ");
  CHECK(w.scheduler->queue().in_flight().empty());
  CHECK(w.scheduler->services()->waiting_pods().all().empty());
}

TEST_CASE("a group without room for enough members leaves no trace, and is retried as a whole") {
  Groups w(2);
  w.node("n1");
  w.pod("a", 2);
  w.pod("b", 1);
  CHECK(w.settle() ==
        "pop a; failed a: pod group is unschedulable, more are needed, one or more plugins asked "
        "to wait and no plugin rejected pod; failed b: 0/1 nodes are available: 1 taken.");
  CHECK(w.reserved() == "+a-a");
  CHECK(w.cluster->view().pod_count() == 0);
  CHECK(w.condition() == "False Unschedulable: pod group is unschedulable");
  CHECK(w.scheduler->services()->waiting_pods().all().empty());
  CHECK(w.scheduler->queue().error_backoff_count() == 1);
  CHECK(w.scheduler->queue().backoff_count() == 1);
  w.node("n2");
  CHECK(w.settle() == "");  // no event helps, only time
  REQUIRE(w.scheduler->run_until(w.clock->now_ns() + 3 * kSecond).ok());
  CHECK(std::exchange(w.log->text, {}) == "pop b; bound a n1; bound b n2");
  CHECK(w.condition() == "True Scheduled: ");
}

TEST_CASE("a group that was scheduled stays so, and an extra member is tried alone") {
  Groups w(2);
  w.node("n1");
  w.node("n2");
  w.pod("a", 2);
  w.pod("b", 1);
  w.settle();
  w.pod("c", 1);
  CHECK(w.settle() == "pop c; failed c: 0/2 nodes are available: 2 taken.");
  CHECK(w.condition() == "True Scheduled: ");
}

TEST_CASE("an error of one member fails the group") {
  Groups w(2);
  w.node("n1");
  w.node("n2");
  w.pod("a", 3);
  w.pod("broken", 2);
  w.pod("c", 1);
  CHECK(w.settle() ==
        "pop a; failed a: failed to schedule other pod from a pod group: running \"OnePod\" filter "
        "plugin: broken; failed broken: running \"OnePod\" filter plugin: broken; failed c: failed "
        "to schedule other pod from a pod group: running \"OnePod\" filter plugin: broken");
  CHECK(w.cluster->view().pod_count() == 0);
  CHECK(w.condition() ==
        "False SchedulerError: failed to schedule other pod from a pod group: running \"OnePod\" "
        "filter plugin: broken");
}

TEST_CASE("a member that is being deleted does not take part") {
  Groups w(1);
  w.node("n1");
  w.node("n2");
  w.pod("a", 2, ", deletionTimestamp: '2026-01-01T00:00:00Z'");
  w.pod("b", 1);
  CHECK(w.settle() == "pop a; bound b n1");
  CHECK(w.scheduler->queue().in_flight().empty());
}

}  // namespace libsched::schedule_group_test
