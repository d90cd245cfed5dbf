// Log with binding threads: one line at a time, complete, and in the order in which it happens to
// each pod.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "libsched/framework/log.hpp"
#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"
#include "tests/unit/fast_clock.hpp"

namespace libsched::log_threads_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int kPods = 60;

// Keeps lines without a lock: a scheduler writes one at a time.
struct Lines final : Logger {
  using Logger::Logger;
  std::vector<std::string> all;
  std::map<std::string, std::vector<std::string>> by_pod;  // messages
  int64_t latest_ns = 0;
  bool in_order = true;
  std::atomic<bool> busy{false};
  std::atomic<bool> overlaps{false};

  void log(const LogRecord& r) noexcept override {
    if (busy.exchange(true)) overlaps = true;
    in_order = in_order && r.time_ns >= latest_ns;
    latest_ns = r.time_ns;
    std::string text(r.message), pod;
    for (const LogRecord::Field& f : r.fields) {
      text += " " + std::string(f.key) + "=" + std::string(f.value);
      if (f.key == "pod") pod = f.value;
    }
    all.push_back(text);
    if (!pod.empty()) by_pod[pod].push_back(std::string(r.message));
    busy = false;
  }
};

// Whether the messages have these lines in this order.
bool has_in_order(const std::vector<std::string>& messages, const std::vector<Str>& wanted) {
  auto at = messages.begin();
  for (const Str line : wanted) {
    at = std::find(at, messages.end(), line);
    if (at == messages.end()) return false;
    ++at;
  }
  return true;
}

TEST_CASE("the lines of bindings on threads: one at a time, complete, and in order for each pod") {
  const auto lines = std::make_shared<Lines>(5);
  const Ref<Clock> clock = make_ref<FastClock>(20);
  const Ref<ApiServer> server = make_ref<ApiServer>(clock, ApiServerOptions{});
  std::atomic<int> binding{0}, most{0};
  Fake binder;
  binder.name = "Binder";
  binder.bind = [&](const BindingCall& call) {
    const int now = ++binding;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    const int64_t end = clock->now_ns() + kSecond / 20;  // so that bindings meet
    while (clock->now_ns() < end) {
    }
    const Result<void> bound = call.services.api().bind(call.pod, call.node);
    --binding;
    return bound.ok() ? Status() : Status::from_error(bound.error().message);
  };
  const std::vector<Fake> fakes = {binder};  // outlives the framework
  SchedulerOptions options;
  options.logger = lines;
  options.binding_threads = 4;
  Result<SchedulerRef> made = Scheduler::create(
      {fake_framework(fakes)}, make_ref<Cluster>(NodeOrder::kInsertion), clock, server, options);
  REQUIRE_MESSAGE(made.ok(), made.error().text());
  Scheduler& scheduler = **made;
  server->watch(&scheduler);
  REQUIRE(scheduler.start().ok());
  REQUIRE(server->create(fake_node("n1")).ok());
  const auto key = [](int i) { return "d/p" + std::to_string(i); };
  for (int i = 0; i < kPods; ++i) {
    const Result<PodRef> pod =
        parse_pod("metadata: {name: p" + std::to_string(i) + ", namespace: d, uid: u-" +
                      std::to_string(i) + "}\nspec: {schedulerName: fakes}",
                  {});
    REQUIRE(pod.ok());
    if (i % 10 == 3) server->add_fault({ApiVerb::kBind, key(i), "refused", 0, 1});
    REQUIRE(server->create(*pod).ok());
  }
  const auto all_bound = [&] {
    const std::vector<PodRef> pods = server->pods();
    return std::all_of(pods.begin(), pods.end(),
                       [](const PodRef& p) { return !p->spec.node_name.empty(); });
  };
  const int64_t end = clock->now_ns() + 400 * kSecond;
  while (!(all_bound() && scheduler.task_count() == 0 && scheduler.binding_count() == 0) &&
         clock->now_ns() < end)
    REQUIRE(scheduler.run_until(clock->now_ns() + kSecond / 5).ok());
  REQUIRE(scheduler.settle(false).ok());
  server->unwatch(&scheduler);

  CHECK(most > 1);
  CHECK_FALSE(lines->overlaps);
  CHECK(lines->in_order);
  for (int i = 0; i < kPods; ++i) {
    const std::vector<std::string>& messages = lines->by_pod[key(i)];
    const auto count = [&](Str message) {
      return std::count(messages.begin(), messages.end(), message);
    };
    CAPTURE(i);
    const int tries = i % 10 == 3 ? 2 : 1;
    CHECK(has_in_order(
        messages, {"Add event for unscheduled pod", "Pod moved to an internal scheduling queue",
                   "About to try and schedule pod", "Attempting to schedule pod"}));
    CHECK(has_in_order(messages, {"Attempting to schedule pod", "Successfully bound pod to node"}));
    CHECK(has_in_order(messages, {"Attempting to schedule pod", "Add event for scheduled pod",
                                  "Delete event for unscheduled pod"}));
    if (tries == 2)
      CHECK(has_in_order(messages, {"Attempting to schedule pod", "Failed to bind pod",
                                    "Error scheduling pod; retrying", "Attempting to schedule pod",
                                    "Successfully bound pod to node"}));
    CHECK(count("About to try and schedule pod") == tries);
    CHECK(count("Attempting to schedule pod") == tries);
    CHECK(count("Failed to bind pod") == tries - 1);
    CHECK(count("Error scheduling pod; retrying") == tries - 1);
    for (const char* once : {"Add event for unscheduled pod", "Add event for scheduled pod",
                             "Delete event for unscheduled pod", "Successfully bound pod to node"})
      CHECK(count(once) == 1);
    CHECK(std::count(lines->all.begin(), lines->all.end(),
                     "Successfully bound pod to node pod=" + key(i) +
                         " node=n1 evaluatedNodes=1 feasibleNodes=1") == 1);
  }
}

}  // namespace libsched::log_threads_test
