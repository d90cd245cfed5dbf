// Scheduler: whole ways of pods through the queue, cycles and bindings, against an API server in
// memory. The plugins are fakes.
#include "libsched/scheduler/loop/scheduler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"

namespace libsched::scheduler_test {

using Names = std::vector<std::string>;
constexpr int64_t kSecond = 1'000'000'000;

// What has happened, in one line.
std::string taken(Names* lines) {
  std::string out;
  for (const std::string& line : *lines) out += (out.empty() ? "" : "; ") + line;
  lines->clear();
  return out;
}

std::string key(const Pod& pod) { return std::string(pod.meta.name); }

struct Log final : SchedulerObserver {
  Names lines;
  void popped(const QueuedPodInfo& p) override { lines.push_back("pop " + key(*p.pod)); }
  void assumed(const QueuedPodInfo& p, Str node) override {
    lines.push_back("assume " + key(*p.pod) + " " + std::string(node));
  }
  void bound(const QueuedPodInfo& p, Str node) override {
    lines.push_back("bound " + key(*p.pod) + " " + std::string(node));
  }
  void failed(const QueuedPodInfo& p, Str, const Failure& f) override {
    lines.push_back("failed " + key(*p.pod) + ": " + f.status.message());
  }
};

// One node takes one pod.
Fake one_pod_a_node() {
  Fake fake;
  fake.name = "OnePod";
  fake.filter = [](const FilterCall& call, const Node& node) {
    const uint32_t row = call.view.find_node(node.meta.name);
    return call.view.row(row).pods.empty() ? Status() : Status(Code::kUnschedulable, "taken");
  };
  fake.events = []() -> Result<std::vector<ClusterEventWithHint>> {
    return std::vector<ClusterEventWithHint>{{{"Node", kAdd, {}}, false},
                                             {{"AssignedPod", kDelete, {}}, false}};
  };
  return fake;
}

struct World {
  std::vector<Fake> fakes;
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  Ref<VirtualClock> clock = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server;
  std::shared_ptr<Log> log = std::make_shared<Log>();
  SchedulerRef scheduler;

  explicit World(std::vector<Fake> given, const ApiServerOptions& api = {})
      : fakes(std::move(given)), server(make_ref<ApiServer>(clock, api)) {
    Fake binder;
    binder.name = "Binder";
    binder.bind = [](const BindingCall& call) {
      const Result<void> bound = call.services.api().bind(call.pod, call.node);
      return bound.ok() ? Status() : Status::from_error(bound.error().message);
    };
    fakes.push_back(binder);
    SchedulerOptions options;
    options.observer = log;
    Result<SchedulerRef> made =
        Scheduler::create({fake_framework(fakes)}, cluster, clock, server, options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    scheduler = *made;
    scheduler->add(server.get());
    server->watch(scheduler.get());
    REQUIRE(scheduler->start().ok());
  }
  ~World() { server->unwatch(scheduler.get()); }

  void node(const std::string& name) { REQUIRE(server->create(fake_node(name)).ok()); }
  void pod(const std::string& name, const std::string& more = "") {
    const Result<PodRef> pod =
        parse_pod("metadata: {name: " + name + ", namespace: default, uid: u-" + name +
                      "}\nspec: {schedulerName: fakes" + more + "}",
                  {});
    REQUIRE_MESSAGE(pod.ok(), pod.error().text());
    REQUIRE(server->create(*pod).ok());
    settle_events();
  }
  // Pods come one after the other, so that their order is certain.
  void settle_events() {
    REQUIRE(scheduler->settle(true).ok());
    clock->advance_to(clock->now_ns() + 1000);
  }
  std::string settle() {
    const Result<void> settled = scheduler->settle(false, 1000);
    REQUIRE_MESSAGE(settled.ok(), settled.error().text());
    return taken(&log->lines);
  }
  std::string pass(int64_t seconds) {
    const Result<void> ran = scheduler->run_until(clock->now_ns() + seconds * kSecond);
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
    return taken(&log->lines);
  }
  std::string node_of(const std::string& name) const {
    return std::string(server->pod("default", name)->spec.node_name);
  }
};

TEST_CASE("A pod is bound, and the next one waits for another node") {
  World w({one_pod_a_node()});
  w.node("n1");
  w.pod("a");
  w.pod("b");
  CHECK(w.settle() ==
        "pop a; assume a n1; bound a n1; pop b; failed b: 0/1 nodes are available: 1 taken.");
  CHECK(w.node_of("a") == "n1");
  CHECK(w.node_of("b").empty());
  CHECK(w.server->pod("default", "b")->status.conditions[0].message ==
        "0/1 nodes are available: 1 taken.");
  CHECK(w.cluster->view().pod_count() == 1);
  CHECK_FALSE(w.cluster->view().slot(w.cluster->view().find_pod("default", "a")).assumed);
  CHECK(w.pass(20).empty());
  w.node("n2");
  CHECK(w.settle() == "pop b; assume b n2; bound b n2");
  CHECK(w.scheduler->queue().in_flight().empty());
}

TEST_CASE("A pod that is deleted frees its node for a pod that was rejected") {
  World w({one_pod_a_node()});
  w.node("n1");
  w.pod("a");
  w.pod("b");
  w.settle();
  REQUIRE(w.server->remove_pod("default", "a").ok());
  CHECK(w.settle() == "pop b; assume b n1; bound b n1");
}

TEST_CASE("A pod of another scheduler is left alone, and takes room once it has a node") {
  World w({one_pod_a_node()});
  w.node("n1");
  const Result<PodRef> other = parse_pod(
      "metadata: {name: o, namespace: default, uid: o}\nspec: {schedulerName: other}", {});
  REQUIRE(other.ok());
  REQUIRE(w.server->create(*other).ok());
  CHECK(w.settle().empty());
  REQUIRE(w.server->assign("default", "o", "n1").ok());
  w.pod("a");
  CHECK(w.settle() == "pop a; failed a: 0/1 nodes are available: 1 taken.");
}

TEST_CASE("A refused binding is retried after its backoff, and leaves nothing behind") {
  World w({one_pod_a_node()});
  w.node("n1");
  ApiFault fault;
  fault.verb = ApiVerb::kBind;
  fault.times = 1;
  fault.error = "conflict";
  w.server->add_fault(fault);
  w.pod("a");
  CHECK(w.settle().starts_with(
      "pop a; assume a n1; failed a: running Bind plugin \"Binder\": Operation cannot be"));
  CHECK(w.cluster->view().pod_count() == 0);
  CHECK(w.pass(3) == "pop a; assume a n1; bound a n1");
}

TEST_CASE("Permit: a pod waits without keeping others, and its time runs out") {
  Fake permit;
  permit.name = "Permit";
  permit.permit = [](const BindingCall& call, int64_t* timeout) {
    if (call.pod.meta.name != "slow") return Status();
    *timeout = 4 * kSecond;
    return Status(Code::kWait);
  };
  permit.reserve = [](const ReserveCall&) { return Status(); };
  int unreserved = 0;
  permit.unreserve = [&](const ReserveCall& call) {
    CHECK(call.pod.meta.name == "slow");
    ++unreserved;
  };
  World w({one_pod_a_node(), permit});
  w.node("n1");
  w.node("n2");
  w.pod("slow");
  w.pod("b");
  CHECK(w.settle() == "pop slow; assume slow n1; pop b; assume b n2; bound b n2");
  CHECK(w.server->pod("default", "slow")->status.nominated_node_name == "n1");
  CHECK(w.scheduler->binding_count() == 1);
  SUBCASE("in time") {
    w.scheduler->services()->waiting_pods().get("u-slow")->allow("Permit");
    CHECK(w.settle() == "bound slow n1");
    CHECK(unreserved == 0);
    CHECK(w.scheduler->binding_count() == 0);
  }
  SUBCASE("too late") {
    const int64_t began = w.clock->now_ns();
    // Every event is a reason to try again for a plugin that registers for none, such as the change
    // of the pod's own status.
    CHECK(w.pass(5) ==
          "failed slow: 0/1 nodes are available: 1 rejected due to timeout after waiting 4s at "
          "plugin Permit.; pop slow; assume slow n1");
    CHECK(unreserved == 1);
    CHECK(w.clock->now_ns() == began + 5 * kSecond);
    CHECK(w.scheduler->binding_count() == 1);  // it waits again
  }
  SUBCASE("the scheduler stops") {
    REQUIRE(w.scheduler->stop().ok());
    CHECK(taken(&w.log->lines) == "failed slow: 0/1 nodes are available: 1 the scheduler stops.");
    CHECK(w.cluster->view().pod_count() == 1);
    w.pod("late");
    CHECK(w.settle().empty());  // no further pod is tried
  }
  SUBCASE("the scheduler is dropped") {}
}

TEST_CASE("PreBind that sleeps lets others go first") {
  Fake sleeper;
  sleeper.name = "Sleeper";
  sleeper.pre_flight = [](const BindingCall& call, bool*) {
    return call.pod.meta.name == "slow" ? Status() : Status(Code::kSkip);
  };
  sleeper.pre_bind = [](const BindingCall& call) {
    Clock& clock = call.services.clock();
    const int64_t end = clock.now_ns() + 2 * kSecond;
    Mutex mutex;
    Signal never;
    for (std::unique_lock lock(mutex); clock.now_ns() < end;) clock.wait(never, lock, end);
    return Status();
  };
  World w({one_pod_a_node(), sleeper});
  w.node("n1");
  w.node("n2");
  w.pod("slow");
  w.pod("b");
  CHECK(w.settle() == "pop slow; assume slow n1; pop b; assume b n2; bound b n2");
  SUBCASE("and is bound in the end") { CHECK(w.pass(3) == "bound slow n1"); }
  SUBCASE("and the scheduler may be dropped meanwhile") {}
}

TEST_CASE("A pod that preemption cancels in PreBind sleeps no longer") {
  Fake sleeper;
  sleeper.name = "Sleeper";
  sleeper.pre_bind = [](const BindingCall& call) {
    Clock& clock = call.services.clock();
    const int64_t end = clock.now_ns() + 60 * kSecond;
    Mutex mutex;
    Signal never;
    for (std::unique_lock lock(mutex); clock.now_ns() < end;) {
      if (!call.services.pods_in_pre_bind().cancelled(call.pod.meta.uid).empty())
        return Status::from_error("binding: context canceled");
      clock.wait(never, lock, end);
    }
    return Status();
  };
  World w({one_pod_a_node(), sleeper});
  w.node("n1");
  w.pod("a");
  CHECK(w.settle() == "pop a; assume a n1");
  REQUIRE(w.scheduler->services()->pods_in_pre_bind().cancel("u-a", "preempted"));
  CHECK(w.settle().starts_with("failed a: running PreBind plugin \"Sleeper\": preempted"));
}

TEST_CASE("A slow API call of a cycle lets bindings go on, but no other cycle begin") {
  World w({one_pod_a_node()});
  w.node("n1");
  ApiFault fault;
  fault.verb = ApiVerb::kPatchPodStatus;
  fault.times = 1;
  fault.slow_ns = 2 * kSecond;
  w.server->add_fault(fault);
  w.pod("a");
  w.pod("b");
  CHECK(w.settle() ==
        "pop a; assume a n1; bound a n1; pop b; failed b: 0/1 nodes are available: 1 taken.");
  CHECK(w.scheduler->in_cycle());
  w.pod("c");
  CHECK(w.settle().empty());
  CHECK(w.pass(3) == "pop c; failed c: 0/1 nodes are available: 1 taken.");
  CHECK_FALSE(w.scheduler->in_cycle());
}

TEST_CASE("metrics: attempts, handlers of events and points of a scheduler are counted") {
  Fake slow = one_pod_a_node();
  slow.permit = [](const BindingCall& call, int64_t* timeout) {
    *timeout = 4 * kSecond;
    return call.pod.meta.name == "b" ? Status(Code::kWait) : Status();
  };
  World w({slow});
  w.node("n1");
  w.node("n2");
  const auto come = [&](const char* name) {
    w.pod(name);
    return w.settle();
  };
  CHECK(come("a") == "pop a; assume a n1; bound a n1");
  CHECK(come("b") == "pop b; assume b n2");
  CHECK(come("c") == "pop c; failed c: 0/2 nodes are available: 2 taken.");
  const auto has = [&](const std::string& line) {
    const std::string text = w.scheduler->metrics_text();
    CHECK_MESSAGE(text.find("\nscheduler_" + line + "\n") != std::string::npos, line);
  };
  has("goroutines{operation=\"binding\"} 1");
  has("cache_size{type=\"assumed_pods\"} 1");
  CHECK(w.pass(3).empty());
  // b's time is up, and c takes its node.
  CHECK(w.pass(2) ==
        "failed b: 0/1 nodes are available: 1 rejected due to timeout after waiting 4s at plugin "
        "OnePod.; pop c; assume c n2; bound c n2; pop b; failed b: 0/2 nodes are available: 2 "
        "taken.");
  has("schedule_attempts_total{profile=\"fakes\",result=\"scheduled\"} 2");
  has("schedule_attempts_total{profile=\"fakes\",result=\"unschedulable\"} 3");
  has("scheduling_attempt_duration_seconds_count{profile=\"fakes\",result=\"scheduled\"} 2");
  has("scheduling_algorithm_duration_seconds_count 5");
  has("pod_scheduling_attempts_sum 3");
  has("pod_scheduling_sli_duration_seconds_count{attempts=\"2\"} 1");
  has("permit_wait_duration_seconds_count{result=\"Unschedulable\"} 1");
  has("permit_wait_duration_seconds_bucket{result=\"Unschedulable\",le=\"2.048\"} 0");
  has("permit_wait_duration_seconds_bucket{result=\"Unschedulable\",le=\"4.096\"} 1");
  has("goroutines{operation=\"binding\"} 0");
  has("event_handling_duration_seconds_count{event=\"NodeAdd\"} 2");
  has("event_handling_duration_seconds_count{event=\"UnscheduledPodAdd\"} 3");
  has("event_handling_duration_seconds_count{event=\"AssignedPodAdd\"} 2");
  has("event_handling_duration_seconds_count{event=\"UnscheduledPodDelete\"} 2");
  has("framework_extension_point_duration_seconds_count{extension_point=\"Filter\",profile="
      "\"fakes\",status=\"Success\"} 5");
  has("framework_extension_point_duration_seconds_count{extension_point=\"Permit\",profile="
      "\"fakes\",status=\"Wait\"} 1");
}

TEST_CASE("Plugins are attached to each thread in virtual time, and detached at its end") {
  std::vector<std::thread::id> attached;
  size_t attachments = 0, binds = 0;
  Fake fake;
  fake.name = "Where";
  fake.attach = [&](bool attach) {
    if (attach) {
      ++attachments;
      attached.push_back(std::this_thread::get_id());
    } else {
      CHECK(std::erase(attached, std::this_thread::get_id()) == 1);
    }
  };
  fake.pre_bind = [&](const BindingCall&) {
    ++binds;
    CHECK(std::count(attached.begin(), attached.end(), std::this_thread::get_id()) == 1);
    return Status();
  };
  {
    World w({fake});
    w.node("n1");
    w.pod("a");
    CHECK(attachments == 0);
    CHECK(w.settle() == "pop a; assume a n1; bound a n1");
    w.pod("b");
    CHECK(w.settle() == "pop b; assume b n1; bound b n1");
    CHECK(attachments == 1);  // the thread is used again
  }
  CHECK(binds == 2);
  CHECK(attached.empty());
}

// A clock that is not virtual: each look at it takes a millisecond.
class CountingClock final : public Clock {
 public:
  int64_t now_ns() const override { return now_ns_ += kSecond / 1000; }
  void wait(Signal&, std::unique_lock<Mutex>&, int64_t deadline_ns) override {
    now_ns_ = std::max(now_ns_, deadline_ns);
  }

 private:
  mutable int64_t now_ns_ = 0;
};

struct AlwaysDue final : TimeSource {
  size_t runs = 0;
  std::optional<int64_t> next_due() const override { return runs < 100'000 ? 1 : INT64_MAX; }
  bool run_due(int64_t) override { return ++runs < 100'000; }
};

TEST_CASE("Work without end does not outlast the time of a clock that runs") {
  World w({one_pod_a_node()});
  const Ref<Clock> clock = make_ref<CountingClock>();
  Result<SchedulerRef> made =
      Scheduler::create({fake_framework(w.fakes)}, make_ref<Cluster>(NodeOrder::kInsertion), clock,
                        make_ref<ApiServer>(clock, ApiServerOptions{}), {});
  REQUIRE(made.ok());
  AlwaysDue source;
  (*made)->add(&source);
  REQUIRE((*made)->start().ok());
  REQUIRE((*made)->run_until(clock->now_ns() + kSecond).ok());
  CHECK(source.runs > 0);
  CHECK(source.runs <= 1000);
  const size_t before = std::exchange(source.runs, 0);
  REQUIRE((*made)->run_until(clock->now_ns()).ok());  // what is left goes on
  CHECK(before > source.runs);
  CHECK(source.runs > 0);
}

TEST_CASE("A clock drives one scheduler at a time") {
  World w({one_pod_a_node()});
  const Result<SchedulerRef> other =
      Scheduler::create({fake_framework(w.fakes)}, w.cluster, w.clock, w.server, {});
  CHECK(other.error().rc == Rc::kState);
}

}  // namespace libsched::scheduler_test
