// Binding: the order of the points, the handling of failures, and a writer that continues
// meanwhile. The plugins are fakes.
#include "libsched/scheduler/binding.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <thread>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::binding_test {

using Names = std::vector<std::string>;

// A fake at every point from Reserve on, and its status at one of them.
struct Script {
  Names log;
  std::string at;  // the point that returns `says`
  Status says;
  std::function<void()> while_pre_bind;

  Status point(const std::string& name) {
    log.push_back(name);
    return name == at ? says : Status();
  }
  Fake fake() {
    Fake f;
    f.name = "F";
    f.reserve = [this](const ReserveCall&) { return point("reserve"); };
    f.unreserve = [this](const ReserveCall&) { point("unreserve"); };
    f.permit = [this](const BindingCall&, int64_t* timeout) {
      *timeout = 1'000'000'000;
      return point("permit");
    };
    f.pre_flight = [this](const BindingCall&, bool*) { return point("preflight"); };
    f.pre_bind = [this](const BindingCall&) {
      if (while_pre_bind) while_pre_bind();
      return point("prebind");
    };
    f.bind = [this](const BindingCall&) { return point("bind"); };
    f.post_bind = [this](const BindingCall& c) {
      CHECK(c.pod.spec.node_name == c.node);
      point("postbind");
    };
    return f;
  }
};

// A pod that is assumed on n1, and its binding.
struct Bound {
  Script script;
  FakeWorld world;
  Ref<MemoryApi> api = make_ref<MemoryApi>();
  Ref<Services> services = make_ref<Services>(Ref<Clock>(), api);
  Ref<WriterQueue> queue = make_ref<WriterQueue>();
  Ref<Binding> binding;

  explicit Bound(Str nominated = {}, const FeatureGates& gates = {}) : world({script.fake()}) {
    const Result<Status> assumed = world.evaluator.assume(*world.state, *world.pod, 0);
    REQUIRE(assumed.ok());
    const View& v = world.cluster->view();
    AssumedPod a;
    // Its plugins have the places that the state knows.
    a.framework = fake_framework(world.fakes, gates);
    a.services = services;
    a.state = world.state;
    const Pod& pod = v.as_bound(*v.slot(v.find_pod(world.pod->meta.ns, world.pod->meta.name)).pod);
    const Ref<Pod> copy = copy_pod(pod, pod.spec.node_name);
    copy->status.nominated_node_name = nominated;
    a.pod = copy;
    a.node = "n1";
    a.row = 0;
    binding = make_ref<Binding>(std::move(a), queue, nullptr);
    script.log.clear();
  }
  // Acts as its writer at a time of its choice.
  std::optional<Failure> run() {
    std::optional<Failure> failure = binding->run();
    const Result<WriterQueue::Counts> done = queue->apply(*world.cluster);
    CHECK(done->applied == 1);
    return failure;
  }
  bool there() const {
    return world.cluster->view().find_pod(world.pod->meta.ns, world.pod->meta.name) != kNoId;
  }
  std::string requests() const {
    std::string out;
    for (const MemoryApi::Request& r : api->requests()) {
      if (r.verb == MemoryApi::Verb::kPatchPodStatus)
        out += r.patch.set_nominated_node ? "expect '" + r.patch.nominated_node + "'" : "patch";
      if (r.verb == MemoryApi::Verb::kEvent) out += r.type + " " + r.reason + ": " + r.note;
      out += "; ";
    }
    return out;
  }
};

std::string uid(const Bound& b) { return std::string(b.world.pod->meta.uid); }

TEST_CASE("a binding cycle runs the points in upstream's order") {
  Bound b;
  CHECK_FALSE(b.run());
  CHECK(b.script.log == Names{"preflight", "prebind", "bind", "postbind"});
  CHECK(b.requests() == "expect 'n1'; Normal Scheduled: Successfully assigned default/p to n1; ");
  CHECK(b.there());
}

TEST_CASE("a pod that is nominated to its node already is not nominated again") {
  Bound b("n1");
  CHECK_FALSE(b.run());
  CHECK(b.requests() == "Normal Scheduled: Successfully assigned default/p to n1; ");
}

TEST_CASE("without NominatedNodeNameForExpectation no plugin is asked whether it has work") {
  const Result<FeatureGates> gates =
      FeatureGates::from_map({{"NominatedNodeNameForExpectation", false}});
  REQUIRE(gates.ok());
  Bound b({}, *gates);
  CHECK_FALSE(b.run());
  CHECK(b.script.log == Names{"prebind", "bind", "postbind"});
  CHECK(b.requests() == "Normal Scheduled: Successfully assigned default/p to n1; ");
}

TEST_CASE("without preparation or waiting the API gets no request before the pod is bound") {
  Bound b;
  b.script.at = "preflight";
  b.script.says = Status(Code::kSkip);
  CHECK_FALSE(b.run());
  CHECK(b.script.log == Names{"preflight", "bind", "postbind"});
  CHECK(b.requests() == "Normal Scheduled: Successfully assigned default/p to n1; ");
}

TEST_CASE("a failure unreserves and forgets, with upstream's texts") {
  const auto failed = [](const std::string& at, const Status& says, const Names& log) {
    Bound b;
    b.script.at = at;
    b.script.says = says;
    const std::optional<Failure> failure = b.run();
    REQUIRE(failure);
    CHECK(b.script.log == log);
    CHECK_FALSE(b.there());
    CHECK(failure->unschedulable_plugins.empty());
    CHECK(failure->nomination->override_node);
    CHECK(failure->nomination->node.empty());
    return failure->status;
  };
  const Status no(Code::kUnschedulable, "no"), broken = Status::from_error("broken");
  CHECK(failed("preflight", broken, {"preflight", "unreserve"}) ==
        Status::from_error("running PreBindPreFlight \"F\": broken"));
  CHECK(failed("preflight", no, {"preflight", "unreserve"}).code == Code::kError);
  CHECK(failed("prebind", broken, {"preflight", "prebind", "unreserve"}) ==
        Status::from_error("running PreBind plugin \"F\": broken"));
  Status rejected = no;
  rejected.plugin = "F";
  CHECK(failed("prebind", no, {"preflight", "prebind", "unreserve"}) == rejected);
  CHECK(failed("bind", broken, {"preflight", "prebind", "bind", "unreserve"}) ==
        Status::from_error("running Bind plugin \"F\": broken"));
}

TEST_CASE("a pod that is rejected while it waits gets a FitError of its node") {
  Bound b;
  b.services->waiting_pods().add(b.world.pod, {{"F", 4'000'000'000}}, b.services->clock_ref());
  const std::optional<Failure> failure = b.run();
  REQUIRE(failure);
  CHECK(failure->status.code == Code::kUnschedulable);
  CHECK(failure->status.error ==
        "0/1 nodes are available: 1 rejected due to timeout after waiting 4s at plugin F.");
  CHECK(failure->unschedulable_plugins == std::set<std::string>{"F"});
  CHECK(b.requests() ==
        "expect 'n1'; Warning FailedScheduling: " + *failure->status.error + "; expect ''; ");
  CHECK(b.script.log == Names{"preflight", "unreserve"});
}

TEST_CASE("metrics: a wait on Permit counts with its result and its time, a pod without one not") {
  Bound b;
  b.services->waiting_pods().add(b.world.pod, {{"F", 4'000'000'000}}, b.services->clock_ref());
  CHECK(b.run());
  const auto& waits = b.services->metrics().permit_waits;
  CHECK(waits[static_cast<size_t>(Code::kUnschedulable)].sum() == 4);
  CHECK(waits[static_cast<size_t>(Code::kUnschedulable)].count() == 1);
  Bound plain;
  CHECK_FALSE(plain.run());
  for (const auto& times : plain.services->metrics().permit_waits) CHECK(times.count() == 0);
}

TEST_CASE("a waiting pod that is preempted fails with an Error, and no plugin rejected it") {
  Bound b;
  b.services->waiting_pods()
      .add(b.world.pod, {{"F", 4'000'000'000}}, b.services->clock_ref())
      ->preempt("DefaultPreemption", "preempted");
  const std::optional<Failure> failure = b.run();
  REQUIRE(failure);
  CHECK(failure->status.code == Code::kError);
  CHECK(failure->status.message() == "waiting on permit for pod: preempted");
  CHECK(failure->unschedulable_plugins.empty());
}

TEST_CASE("preemption cancels a pod during PreBind, not later") {
  Bound b;
  bool cancelled = false;
  b.script.while_pre_bind = [&] {
    cancelled = b.services->pods_in_pre_bind().cancel(uid(b), "preempted by DefaultPreemption");
  };
  const std::optional<Failure> failure = b.run();
  CHECK(cancelled);
  REQUIRE(failure);
  CHECK(failure->status == Status::from_error("preempted by DefaultPreemption"));
  CHECK(b.script.log == Names{"preflight", "prebind", "unreserve"});
  CHECK_FALSE(b.services->pods_in_pre_bind().cancel(uid(b), "again"));
}

TEST_CASE("the writer gets a message, and does the rest at a time of its choice") {
  Bound good;
  CHECK_FALSE(good.binding->run());
  const View& v = good.world.cluster->view();
  CHECK(v.slot(v.find_pod("default", "p")).assumed);
  CHECK(good.queue->apply(*good.world.cluster)->applied == 1);
  CHECK_FALSE(v.slot(v.find_pod("default", "p")).assumed);

  Bound bad;
  bad.script.at = "bind";
  bad.script.says = Status::from_error("broken");
  CHECK(bad.binding->run());
  CHECK(bad.there());
  CHECK(bad.script.log == Names{"preflight", "prebind", "bind"});
  CHECK(bad.queue->apply(*bad.world.cluster)->applied == 1);
  CHECK_FALSE(bad.there());
  CHECK(bad.script.log == Names{"preflight", "prebind", "bind", "unreserve"});
}

TEST_CASE("a queue that is never applied holds nothing once it is dropped") {
  struct Deaf final : CycleObserver {
    void hear(const CycleEvent&) override {}
  };
  const auto observer = std::make_shared<Deaf>();
  Bound b;
  AssumedPod a;
  a.framework = FrameworkRef::share(&b.world.evaluator.framework());
  a.services = b.services;
  a.state = b.world.state;
  a.pod = b.world.pod;
  a.node = "n1";
  b.script.at = "bind";
  b.script.says = Status::from_error("broken");
  b.binding = make_ref<Binding>(std::move(a), b.queue, observer);
  CHECK(b.binding->run());
  CHECK(b.queue->pending() == 1);
  b.binding = {};
  CHECK(observer.use_count() == 2);  // the message's
  b.queue = {};
  CHECK(observer.use_count() == 1);
}

TEST_CASE("a binding runs on its own thread while the writer continues") {
  for (const bool allowed : {true, false}) {
    Bound b;
    const auto waiting = b.services->waiting_pods().add(b.world.pod, {{"F", 3'600'000'000'000}},
                                                        make_ref<SystemClock>());
    std::optional<Failure> failure;
    std::thread binder([&] { failure = b.binding->run(); });
    for (int i = 0; i < 100; ++i) {
      const Result<PodRef> other =
          parse_pod("metadata: {name: o" + std::to_string(i) + ", namespace: default}", {});
      CycleState state;
      const Result<CycleOutcome> chosen = b.world.evaluator.run_cycle(state, **other, {});
      REQUIRE(chosen.ok());
      REQUIRE(b.world.cluster->assume(**other, "n2").ok());
    }
    if (allowed) {
      waiting->allow("F");
    } else {
      waiting->reject("F", "no");
    }
    binder.join();
    CHECK(static_cast<bool>(failure) != allowed);
    CHECK(b.queue->apply(*b.world.cluster)->applied == 1);
    CHECK(b.there() == allowed);
    CHECK(b.world.cluster->view().pod_count() == (allowed ? 101 : 100));
  }
}

}  // namespace libsched::binding_test
