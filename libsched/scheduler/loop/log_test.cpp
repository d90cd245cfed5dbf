// Log: the lines of small schedules, against an API server in memory. The plugins are fakes.
#include "libsched/framework/log.hpp"

#include <doctest/doctest.h>

#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched::log_test {

constexpr int64_t kSecond = 1'000'000'000;

// One line per record, as klog writes them.
struct Lines final : Logger {
  using Logger::Logger;
  std::string text;
  void log(const LogRecord& r) noexcept override {
    text += (r.error ? "E " : std::to_string(r.level) + " ") + std::string(r.message);
    for (const LogRecord::Field& f : r.fields)
      text += " " + std::string(f.key) + "=" + std::string(f.value);
    text += "\n";
  }
};

// A node takes one pod.
Fake one_pod_a_node() {
  Fake fake;
  fake.name = "OnePod";
  fake.filter = [](const FilterCall& call, const Node& node) {
    const uint32_t row = call.view.find_node(node.meta.name);
    return call.view.row(row).pods.empty() ? Status() : Status(Code::kUnschedulable, "taken");
  };
  fake.events = []() -> Result<std::vector<ClusterEventWithHint>> {
    return std::vector<ClusterEventWithHint>{{{"Node", kAdd, {}}, false}};
  };
  return fake;
}

struct World {
  std::shared_ptr<Lines> lines;
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  Ref<VirtualClock> clock = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server = make_ref<ApiServer>(clock, ApiServerOptions{});
  std::vector<Fake> fakes = {one_pod_a_node(), {}};
  SchedulerRef scheduler;

  explicit World(uint32_t level) : lines(std::make_shared<Lines>(level)) {
    fakes[1].name = "Binder";
    fakes[1].bind = [](const BindingCall& call) {
      const Result<void> bound = call.services.api().bind(call.pod, call.node);
      return bound.ok() ? Status() : Status::from_error(bound.error().message);
    };
    SchedulerOptions options;
    options.logger = lines;
    Result<SchedulerRef> made =
        Scheduler::create({fake_framework(fakes)}, cluster, clock, server, options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    scheduler = *made;
    scheduler->add(server.get());
    server->watch(scheduler.get());
    REQUIRE(scheduler->start().ok());
  }
  ~World() {
    if (scheduler) server->unwatch(scheduler.get());
  }

  void pod(const std::string& name) {
    const Result<PodRef> pod = parse_pod("metadata: {name: " + name + ", namespace: d, uid: u-" +
                                             name + "}\nspec: {schedulerName: fakes}",
                                         {});
    REQUIRE_MESSAGE(pod.ok(), pod.error().text());
    REQUIRE(server->create(*pod).ok());
  }
  std::string settle() {
    const Result<void> settled = scheduler->settle(false, 1000);
    REQUIRE_MESSAGE(settled.ok(), settled.error().text());
    return std::exchange(lines->text, {});
  }
};

TEST_CASE("the lines of pods that are bound, do not fit, and cannot be bound") {
  World w(2);
  w.pod("a");
  CHECK(w.settle() ==
        "2 Unable to schedule pod; no nodes are registered to the cluster; waiting pod=d/a\n");
  REQUIRE(w.server->create(fake_node("n1")).ok());
  REQUIRE(w.scheduler->run_until(w.clock->now_ns() + 20 * kSecond).ok());
  CHECK(w.settle() ==
        "2 Successfully bound pod to node pod=d/a node=n1 evaluatedNodes=1 feasibleNodes=1\n");
  w.pod("b");
  CHECK(w.settle() ==
        "2 Unable to schedule pod; no fit; waiting pod=d/b err=0/1 nodes are available: 1 "
        "taken.\n");
  w.server->add_fault({ApiVerb::kBind, "", "refused", 0, 1});
  REQUIRE(w.server->create(fake_node("n2")).ok());
  REQUIRE(w.scheduler->run_until(w.clock->now_ns() + 1 * kSecond).ok());
  const std::string failed = w.settle();
  CAPTURE(failed);
  CHECK(failed.find("1 Failed to bind pod pod=d/b\n") == 0);
  CHECK(failed.find("E Error scheduling pod; retrying err=") != std::string::npos);
}

TEST_CASE("the lines of what is delivered, and of the moves in the queue") {
  World w(5);
  REQUIRE(w.server->create(fake_node("n1")).ok());
  w.pod("a");
  CHECK(w.settle() ==
        "3 Add event for node node=n1\n"
        "3 Add event for unscheduled pod pod=d/a\n"
        "5 Pod moved to an internal scheduling queue pod=d/a event=UnscheduledPodAdd "
        "queue=Active\n"
        "4 About to try and schedule pod pod=d/a\n"
        "3 Attempting to schedule pod pod=d/a\n"
        "3 Add event for scheduled pod pod=d/a\n"
        "3 Delete event for unscheduled pod pod=d/a\n"
        "2 Successfully bound pod to node pod=d/a node=n1 evaluatedNodes=1 feasibleNodes=1\n");
  w.pod("b");
  CHECK(w.settle() ==
        "3 Add event for unscheduled pod pod=d/b\n"
        "5 Pod moved to an internal scheduling queue pod=d/b event=UnscheduledPodAdd "
        "queue=Active\n"
        "4 About to try and schedule pod pod=d/b\n"
        "3 Attempting to schedule pod pod=d/b\n"
        "2 Unable to schedule pod; no fit; waiting pod=d/b err=0/1 nodes are available: 1 "
        "taken.\n"
        "3 Pod moved to an internal scheduling queue pod=d/b event=ScheduleAttemptFailure "
        "queue=Unschedulable schedulingCycle=2 hint=0 unschedulable plugins=[\"OnePod\"]\n"
        "3 Updating pod condition and nominated node name pod=d/b conditionType=PodScheduled "
        "conditionStatus=False conditionReason=Unschedulable nominatedNodeName= "
        "nominatingMode=1\n"
        "4 Update event for unscheduled pod pod=d/b\n");
  REQUIRE(w.server->create(fake_node("n2")).ok());
  REQUIRE(w.scheduler->settle(true).ok());
  CHECK(std::exchange(w.lines->text, {}) ==
        "3 Add event for node node=n2\n"
        "5 Pod moved to an internal scheduling queue pod=d/b event=NodeAdd queue=Backoff\n");
  REQUIRE(w.server->remove_pod("d", "a").ok());
  CHECK(w.settle().find("3 Delete event for scheduled pod pod=d/a\n") == 0);
}

TEST_CASE("no text is made while a level is off") {
  World w(0);
  REQUIRE(w.server->create(fake_node("n1")).ok());
  w.pod("a");
  w.pod("b");
  CHECK(w.settle().empty());
  CHECK_FALSE(Log().on(0));
  CHECK_FALSE(log_of(*make_ref<Services>()).on(0));
  CHECK(log_of(*w.scheduler->services()).on(0));
  CHECK_FALSE(log_of(*w.scheduler->services()).on(1));
}

TEST_CASE("what outlives a scheduler does not log any more") {
  World w(5);
  const std::shared_ptr<Lines> lines = w.lines;
  const SchedulingQueueRef queue = SchedulingQueueRef::share(&w.scheduler->queue());
  const Ref<Services> services = w.scheduler->services();
  CHECK(log_of(*services).on(5));
  w.server->unwatch(w.scheduler.get());
  w.scheduler = {};
  CHECK_FALSE(log_of(*services).on(0));
  const Result<PodRef> pod = parse_pod("metadata: {name: p}\nspec: {schedulerName: fakes}", {});
  REQUIRE(pod.ok());
  REQUIRE(queue->add(*pod).ok());
  CHECK(lines->text.empty());
}

}  // namespace libsched::log_test
