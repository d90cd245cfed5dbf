// ApiDispatcher: which calls are made, and when.
#include "libsched/scheduler/loop/api_dispatcher.hpp"

#include <doctest/doctest.h>

#include <deque>

#include "libsched/ingest/ingest.hpp"
#include "libsched/scheduler/loop/turning_api.hpp"

namespace libsched::api_dispatcher_test {

using Names = std::vector<std::string>;
constexpr int64_t kSecond = 1'000'000'000;

struct Api final : ApiClient {
  Names calls;
  std::function<void()> during;  // the next call
  int64_t slow_ns = 0;           // likewise
  std::string error;

  int64_t begin(const ApiRequest&) override { return std::exchange(slow_ns, 0); }
  Result<void> made(std::string call) {
    calls.push_back(std::move(call));
    if (const auto f = std::exchange(during, {})) f();
    if (!error.empty()) return Error{Rc::kInternal, error};
    return {};
  }
  Result<void> bind(const Pod& pod, Str node) override {
    return made("bind " + std::string(pod.meta.name) + " " + std::string(node));
  }
  Result<void> delete_pod(const Pod&) override { return {}; }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    std::string call = "patch " + std::string(pod.meta.name);
    for (const auto& c : patch.conditions) call += " " + c.type + " " + c.status + " " + c.message;
    if (patch.set_nominated_node) call += " to '" + patch.nominated_node + "'";
    return made(call);
  }
  Result<void> update_object(StoredKind, const ObjectRef&, Str) override { return {}; }
  void event(const Pod&, Str, Str, Str, Str) override {}
};

struct Later final : Tasks {
  std::deque<Steps<>> tasks;
  void start(Steps<> task) override { tasks.push_back(std::move(task)); }
  void run() {
    while (!tasks.empty()) {
      Steps<> first = std::move(tasks.front());
      tasks.pop_front();
      std::move(first).now();
    }
  }
};

PodRef pod_of(const std::string& name, const std::string& status = "") {
  const Result<PodRef> pod = parse_pod("metadata: {name: " + name + ", namespace: d, uid: u-" +
                                           name + "}\nspec: {}\nstatus: {" + status + "}",
                                       {});
  REQUIRE_MESSAGE(pod.ok(), pod.error().text());
  return *pod;
}

struct World {
  Ref<Api> api = make_ref<Api>();
  Ref<Later> later = make_ref<Later>();
  Services services{{}, api, {}, later};
  ApiDispatcher calls{services, nullptr, nullptr};

  void fails(const PodRef& pod, const std::string& message) {
    const PodStatusPatch::Condition condition{"PodScheduled", "False", "Unschedulable", message};
    calls.patch_pod_status(pod, &condition, std::nullopt);
  }
  void nominate(const PodRef& pod, const std::string& node) {
    calls.patch_pod_status(pod, nullptr, Nomination{true, node});
  }
  Names made() {
    later->run();
    return std::exchange(api->calls, {});
  }
};

TEST_CASE("Patches of a pod that wait are merged, and those without effect are not made") {
  World w;
  const PodRef p = pod_of("p"), q = pod_of("q", "nominatedNodeName: 'n'");
  w.fails(p, "one");
  w.nominate(p, "m");
  w.nominate(q, "n");
  w.calls.patch_pod_status(q, nullptr, Nomination{false, "x"});
  CHECK(w.api->calls.empty());
  CHECK(w.made() == Names{"patch p PodScheduled False one to 'm'"});
  w.fails(p, "one");
  w.fails(p, "two");
  w.nominate(p, "k");
  w.nominate(p, "m");
  CHECK(w.made() == Names{"patch p PodScheduled False two to 'm'"});
  // Back to what is there: no call is left.
  w.nominate(q, "m");
  w.nominate(q, "n");
  CHECK(w.made().empty());
  w.nominate(q, "");
  CHECK(w.made() == Names{"patch q to ''"});
}

TEST_CASE("A binding replaces a patch that waits") {
  World w;
  const PodRef p = pod_of("p");
  w.nominate(p, "n");
  CHECK(w.calls.bind(p, "n").now().ok());
  CHECK(w.made() == Names{"bind p n"});
  w.api->error = "no";
  CHECK(w.calls.bind(p, "n").now().error().message == "no");
  CHECK(w.made() == Names{"bind p n"});
}

TEST_CASE("A patch is void while a binding is made") {
  World w;
  const PodRef p = pod_of("p");
  w.api->during = [&] { w.fails(p, "late"); };
  CHECK(w.calls.bind(p, "n").now().ok());
  CHECK(w.made() == Names{"bind p n"});
  w.fails(p, "later");
  CHECK(w.made() == Names{"patch p PodScheduled False later"});
}

TEST_CASE("A patch that comes while another is made follows it, also one without effect") {
  World w;
  const PodRef p = pod_of("p");
  w.api->during = [&] {
    w.nominate(p, "m");
    w.nominate(p, "k");
  };
  w.fails(p, "one");
  // It takes over the condition of the one that is being made.
  CHECK(w.made() ==
        Names{"patch p PodScheduled False one", "patch p PodScheduled False one to 'k'"});
  w.api->during = [&] { w.nominate(p, ""); };
  w.nominate(p, "m");
  CHECK(w.made() == Names{"patch p to 'm'"});
}

TEST_CASE("A patch that waits counts from the pod as it is by then") {
  World w;
  const PodRef p = pod_of("p");
  w.nominate(p, "n");
  w.calls.sync(pod_of("p", "nominatedNodeName: 'n'"));
  CHECK(w.made().empty());
  w.nominate(p, "n");
  w.fails(p, "one");
  w.calls.sync(pod_of("p", "nominatedNodeName: 'n'"));
  w.calls.sync(pod_of("other", "nominatedNodeName: 'n'"));
  CHECK(w.made() == Names{"patch p PodScheduled False one"});
  // Not one that is being made, but the next.
  w.api->during = [&] {
    w.nominate(p, "m");
    w.calls.sync(pod_of("p", "nominatedNodeName: m"));
  };
  w.nominate(p, "n");
  CHECK(w.made() == Names{"patch p to 'n'"});
}

TEST_CASE("Calls are counted when they wait and when they are made") {
  World w;
  const PodRef p = pod_of("p"), q = pod_of("q");
  const auto& binds = w.services.metrics().api_calls[size_t(ApiCallType::kPodBinding)];
  const auto& patches = w.services.metrics().api_calls[size_t(ApiCallType::kPodStatusPatch)];
  w.nominate(p, "n");
  w.fails(p, "one");  // merged
  w.nominate(q, "n");
  CHECK(patches.pending == 2);
  CHECK(!binds.ever_pending);
  w.nominate(q, "");  // nothing to do any more
  CHECK(patches.pending == 1);
  w.nominate(q, "m");
  CHECK(w.calls.bind(q, "m").now().ok());  // replaces the patch
  CHECK(patches.pending == 1);
  CHECK(binds.pending == 0);
  CHECK(binds.ever_pending);
  CHECK(binds.made[0].count() == 1);
  CHECK(w.made() == Names{"bind q m", "patch p PodScheduled False one to 'n'"});
  CHECK(patches.pending == 0);
  CHECK(patches.made[0].count() == 1);
  w.api->error = "no";
  w.api->during = [&] {
    w.nominate(p, "m");  // follows, and waits when the other has ended
    CHECK(patches.pending == 0);
  };
  w.nominate(p, "k");
  w.made();
  CHECK(patches.pending == 0);
  CHECK(patches.made[1].count() == 2);
  CHECK(patches.made[0].count() == 1);
  w.nominate(p, "n");
  w.calls.sync(pod_of("p", "nominatedNodeName: 'n'"));
  CHECK(patches.pending == 0);
  CHECK(w.made().empty());
}

TEST_CASE("A binding waits for the patch that is being made") {
  const Ref<VirtualClock> clock = make_ref<VirtualClock>(kSecond);
  const Ref<Api> api = make_ref<Api>();
  const Ref<Turns> turns = make_ref<Turns>(clock, nullptr);
  Services services(clock, make_ref<TurningApi>(api, turns, clock, nullptr), clock, turns);
  ApiDispatcher calls(services, turns.get(), nullptr);
  const PodRef p = pod_of("p");
  bool bound = false;
  api->slow_ns = kSecond;
  const auto task = [&]() -> Steps<> {
    calls.patch_pod_status(p, nullptr, Nomination{true, "n"});
    co_await turns->until(*clock, clock->now_ns() + kSecond / 2);
    const Result<void> made = co_await calls.bind(p, "n");
    bound = made.ok();
  };
  turns->start(task());
  const auto run = [&] {
    turns->run_ready();
    while (turns->waiting()) {
      turns->tick();
      turns->next();
    }
  };
  run();
  clock->advance_to(kSecond + 900'000'000);
  run();
  CHECK(api->calls.empty());
  CHECK_FALSE(bound);
  clock->advance_to(3 * kSecond);
  run();
  CHECK(api->calls == Names{"patch p to 'n'", "bind p n"});
  CHECK(bound);
  CHECK(turns->idle());
}

}  // namespace libsched::api_dispatcher_test
