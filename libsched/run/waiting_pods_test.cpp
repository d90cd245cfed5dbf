// Waiting pods: the first decision stands, timeouts, the results of the calls; with a clock that is
// moved by hand, and with threads.
#include "libsched/framework/waiting_pods.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "libsched/run/fake_plugin_test.hpp"

namespace libsched::waiting_pods_test {

constexpr int64_t kMs = 1'000'000;
using Names = std::vector<std::string>;

struct Waits {
  Ref<VirtualClock> clock = make_ref<VirtualClock>();
  WaitingPod pod;
  explicit Waits(std::vector<PermitWait> waits) : pod(fake_pod("p"), std::move(waits), clock) {}
  void pass(int64_t ns) const { clock->advance_to(clock->now_ns() + ns); }
};

TEST_CASE("a waiting pod is allowed when the last plugin allows it") {
  Waits w({{"b", kMs}, {"a", 2 * kMs}});
  CHECK(w.pod.pending_plugins() == Names{"a", "b"});
  w.pod.allow("stranger");
  w.pod.allow("b");
  CHECK(w.pod.pending_plugins() == Names{"a"});
  CHECK_FALSE(w.pod.decided().has_value());
  w.pass(kMs + 1);  // b's timeout no longer counts
  CHECK_FALSE(w.pod.decided().has_value());
  w.pod.allow("a");
  CHECK(w.pod.wait().success());
  CHECK_FALSE(w.pod.reject("a", "late"));
  CHECK_FALSE(w.pod.preempt("a", "late"));
  w.pass(kMs);
  CHECK(w.pod.wait().success());
}

TEST_CASE("a waiting pod is rejected or preempted once") {
  Waits w({{"a", kMs}, {"b", kMs}});
  SUBCASE("rejected") {
    CHECK(w.pod.reject("x", "no"));
    CHECK_FALSE(w.pod.reject("y", "again"));
    const Status s = w.pod.wait();
    CHECK(s.code == Code::kUnschedulable);
    CHECK(s.plugin == "x");
    CHECK(s.message() == "no");
  }
  SUBCASE("preempted") {
    CHECK(w.pod.preempt("x", ""));
    CHECK(w.pod.wait().code == Code::kError);
    CHECK(w.pod.wait().reasons == Names{""});
  }
  w.pod.allow("a");
  w.pod.allow("b");  // too late, but no longer pending
  CHECK_FALSE(w.pod.wait().success());
  CHECK(w.pod.pending_plugins().empty());
}

TEST_CASE("a waiting pod's timeouts: the earliest timer rejects, in Go's words") {
  Waits w({{"slow", 1500 * kMs}, {"quick", kMs + kMs / 2}});
  SUBCASE("somebody looks") {
    w.pass(kMs + kMs / 2 - 1);
    CHECK_FALSE(w.pod.decided().has_value());
    w.pass(1);
    REQUIRE(w.pod.decided().has_value());
    CHECK_FALSE(w.pod.reject("x", "too late"));
  }
  SUBCASE("somebody waits: the clock moves on by itself") {
    const int64_t before = w.clock->now_ns();
    w.pod.wait();
    CHECK(w.clock->now_ns() == before + kMs + kMs / 2);
  }
  SUBCASE("both are over") { w.pass(3'600'000 * kMs); }
  const Status s = w.pod.wait();
  CHECK(s.code == Code::kUnschedulable);
  CHECK(s.plugin == "quick");
  CHECK(s.message() == "rejected due to timeout after waiting 1.5ms at plugin quick");
}

TEST_CASE("a timeout of zero is up immediately, an infinite one never") {
  CHECK(Waits({{"a", 0}}).pod.wait().message() ==
        "rejected due to timeout after waiting 0s at plugin a");
  CHECK(Waits({{"a", -kMs}}).pod.decided()->message() ==
        "rejected due to timeout after waiting -1ms at plugin a");
  Waits w({{"a", INT64_MAX}});
  CHECK_FALSE(w.pod.decided().has_value());
}

TEST_CASE("waiting pods are found by uid") {
  WaitingPods pods;
  const Ref<Clock> clock = make_ref<VirtualClock>();
  const PodRef a = copy_pod(*fake_pod("a"), "a", "default", "ua", "");
  const PodRef b = copy_pod(*fake_pod("b"), "b", "default", "ub", "");
  pods.add(b, {{"x", kMs}}, clock);
  const auto first = pods.add(a, {{"x", kMs}}, clock);
  REQUIRE(pods.all().size() == 2);
  CHECK(pods.all()[0] == first);
  CHECK(pods.get("ua") == first);
  CHECK(pods.get("uc") == nullptr);
  CHECK(pods.add(a, {{"y", kMs}}, clock) != first);  // replaces it
  CHECK(pods.get("ua")->pending_plugins() == Names{"y"});
  CHECK(pods.reject("ua"));
  CHECK_FALSE(pods.reject("ua"));
  CHECK_FALSE(pods.reject("uc"));
  CHECK(pods.get("ua")->wait().message() == "removed");
  CHECK(pods.get("ua")->wait().plugin.empty());
  pods.remove("ua");
  pods.remove("ua");
  CHECK(pods.get("ua") == nullptr);
  CHECK(pods.all().size() == 1);
}

TEST_CASE("several threads: one waits, others decide") {
  const Ref<Clock> clock = make_ref<SystemClock>();
  for (int i = 0; i < 20; ++i) {
    WaitingPods pods;
    const PodRef pod = copy_pod(*fake_pod("a"), "a", "default", "u", "");
    const auto waiting = pods.add(pod, {{"x", 60'000 * kMs}, {"y", 60'000 * kMs}}, clock);
    Status seen(Code::kError);
    std::thread waiter([&] { seen = waiting->wait(); });
    bool rejected = false;
    std::thread other([&] { rejected = pods.get("u")->reject("z", "no"); });
    pods.get("u")->allow("x");
    pods.get("u")->allow("y");
    waiter.join();
    other.join();
    CHECK(seen.success() == !rejected);
  }
  const auto timed =
      std::make_shared<WaitingPod>(fake_pod("p"), std::vector<PermitWait>{{"x", kMs}}, clock);
  CHECK(timed->wait().message() == "rejected due to timeout after waiting 1ms at plugin x");
}

}  // namespace libsched::waiting_pods_test
