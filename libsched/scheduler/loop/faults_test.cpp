// Nothing is lost: random worlds with failing and slow API calls, Permit that rejects or times out,
// PreBind that sleeps or fails, pods that leave and schedulers that end at any moment; in virtual
// time, and with threads on a clock that runs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <set>

#include "libsched/framework/api_calls.hpp"
#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"
#include "tests/unit/fast_clock.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched::faults_test {

constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kRoom = 2;  // pods on a node

class World {
 public:
  // Threads: 0 means virtual time. Otherwise a second takes 50 us, which is about what a thread
  // needs to begin.
  World(uint64_t seed, uint32_t threads) : random_(seed), threads_(threads) {
    if (threads_ != 0) clock_ = make_ref<FastClock>(20'000, 1000 * kSecond);
    ApiServerOptions api;
    api.grace_ns = pick(2) == 0 ? 0 : 2 * kSecond;
    api.keep_calls = true;
    api.faults.seed = seed;
    api.faults.rate = 0.1 * static_cast<double>(pick(5));
    api.faults.slow_rate = pick(2) == 0 ? 0 : 0.2;
    api.faults.most_slow_ns = 3 * kSecond;
    server_ = make_ref<ApiServer>(clock_, api);
    make_plugins();
    framework_ = fake_framework(
        fakes_, FeatureGates::parse(pick(2) == 0 ? "" : "SchedulerAsyncAPICalls=true").value());
    begin();
  }
  ~World() { end(false); }

  void act() {
    const size_t what = pick(60);
    if (what == 59) {
      end(pick(2) == 0);
      begin();
    } else {
      act(what % 10);
    }
    look_at_calls();
  }

  // After the faults are over, and all times that pods wait.
  void check_end() {
    server_->add_fault({});  // of every call, so none is drawn at random
    pass(2000 * kSecond);
    for (int i = 0; i < 1000 && !settled(); ++i) pass(20 * kSecond);
    look_at_calls();
    std::map<std::string, size_t> taken;
    size_t bound = 0;
    for (const PodRef& pod : server_->pods()) {
      if (pod->spec.node_name.empty()) {
        CHECK_FALSE(pod->status.conditions.empty());  // why it is pending
        continue;
      }
      ++bound;
      CHECK(++taken[std::string(pod->spec.node_name)] <= kRoom);
      const uint32_t slot = cluster_->view().find_pod(pod->meta.ns, pod->meta.name);
      REQUIRE(slot != kNoId);
      CHECK(cluster_->view().slot(slot).pod->meta.uid == pod->meta.uid);
      CHECK_FALSE(cluster_->view().slot(slot).assumed);
    }
    // No pod is assumed, in flight, or known that the API server does not have.
    CHECK(cluster_->view().pod_count() == bound);
    CHECK(scheduler_->queue().in_flight().empty());
    CHECK(scheduler_->pods().unassigned_count() == server_->pods().size() - bound);
    SchedulingQueue& queue = scheduler_->queue();
    CHECK(queue.active_count() + queue.backoff_count() + queue.error_backoff_count() +
              queue.unschedulable(false).size() ==
          server_->pods().size() - bound);
  }

 private:
  void begin() {
    cluster_ = make_ref<Cluster>(NodeOrder::kInsertion);
    SchedulerOptions options;
    options.binding_threads = threads_;
    Result<SchedulerRef> made = Scheduler::create({framework_}, cluster_, clock_, server_, options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    scheduler_ = *made;
    scheduler_->add(server_.get());
    server_->watch(scheduler_.get());
    REQUIRE(scheduler_->start().ok());
  }
  // The scheduler goes away, whatever is under way; or stops first.
  void end(bool stop) {
    if (stop) {
      const Result<void> stopped = scheduler_->stop();
      CHECK_MESSAGE(stopped.ok(), stopped.error().text());
      CHECK(scheduler_->queue().in_flight().empty());
    }
    server_->unwatch(scheduler_.get());
    scheduler_ = nullptr;
  }

  void act(size_t what) {
    if (what < 4) {
      create_pod();
    } else if (what == 4) {
      REQUIRE(server_->create(fake_node("n" + std::to_string(nodes_++))).ok());
    } else if (what == 5 || what == 6) {
      const std::vector<PodRef> pods = server_->pods();
      if (pods.empty()) return;
      const Pod& pod = *pods[pick(pods.size())];
      REQUIRE((what == 5 ? server_->remove_pod(pod.meta.ns, pod.meta.name)
                         : server_->finish_pod(pod.meta.ns, pod.meta.name))
                  .ok());
    } else {
      pass(static_cast<int64_t>(pick(8)) * kSecond / 2);
    }
  }

  // Any thread may call it.
  size_t pick(size_t n) {
    const std::lock_guard lock(random_mutex_);
    return random_() % n;
  }
  // No pod is on its way. A pod that is being bound is no longer in flight, but still assumed; a
  // pod that has failed is no longer in flight either while a thread writes down why.
  bool settled() {
    return scheduler_->queue().in_flight().empty() && scheduler_->queue().active_count() == 0 &&
           cluster_->view().pod_count() == assigned() && none_assumed() && all_say_why();
  }
  bool none_assumed() const {
    const std::vector<PodRef> pods = server_->pods();
    return std::none_of(pods.begin(), pods.end(), [&](const PodRef& p) {
      const uint32_t slot = cluster_->view().find_pod(p->meta.ns, p->meta.name);
      return slot != kNoId && cluster_->view().slot(slot).assumed;
    });
  }
  bool all_say_why() const {
    const std::vector<PodRef> pods = server_->pods();
    return std::none_of(pods.begin(), pods.end(), [](const PodRef& p) {
      return p->spec.node_name.empty() && p->status.conditions.empty();
    });
  }
  size_t assigned() const {
    const std::vector<PodRef> pods = server_->pods();
    return static_cast<size_t>(std::count_if(
        pods.begin(), pods.end(), [](const PodRef& p) { return !p->spec.node_name.empty(); }));
  }

  void make_plugins() {
    Fake room;
    room.name = "Room";
    room.filter = [](const FilterCall& call, const Node& node) {
      const uint32_t row = call.view.find_node(node.meta.name);
      return call.view.row(row).pods.size() < kRoom ? Status()
                                                    : Status(Code::kUnschedulable, "full");
    };
    // Bindings go on while it waits for its call.
    room.post_filter = [this](const PostFilterCall& call, std::optional<Nomination>*) {
      static const PodRef kNobody = fake_pod("nobody");
      if (pick(2) == 0) static_cast<void>(call.services.api().delete_pod(*kNobody));
      return Status(Code::kUnschedulable, "no room");
    };
    Fake chance;
    chance.name = "Chance";
    chance.reserve = [this](const ReserveCall&) {
      return pick(12) == 0 ? Status(Code::kUnschedulable, "not now") : Status();
    };
    chance.unreserve = [](const ReserveCall&) {};
    chance.permit = [this](const BindingCall&, int64_t* timeout) {
      const size_t what = pick(8);
      if (what == 0) return Status(Code::kUnschedulable, "not permitted");
      if (what > 2) return Status();
      *timeout = static_cast<int64_t>(pick(4)) * kSecond;
      return Status(Code::kWait);
    };
    chance.pre_flight = [this](const BindingCall&, bool*) {
      return pick(3) == 0 ? Status() : Status(Code::kSkip);
    };
    chance.pre_bind = [this](const BindingCall& call) {
      Clock& clock = call.services.clock();
      const int64_t end = clock.now_ns() + static_cast<int64_t>(pick(3)) * kSecond;
      Mutex mutex;
      Signal never;
      for (std::unique_lock lock(mutex); clock.now_ns() < end;) clock.wait(never, lock, end);
      return pick(6) == 0 ? Status::from_error("broken") : Status();
    };
    Fake binder;
    binder.name = "Binder";
    binder.foreign = false;
    binder.bind = [](const BindingCall& call) -> Steps<Status> {  // as DefaultBinder
      const Result<void> bound = co_await bind_pod(call.services, call.pod, call.node);
      co_return bound.ok() ? Status() : Status::from_error(bound.error().message);
    };
    fakes_ = {room, chance, binder};
  }

  void create_pod() {
    const std::string name = "p" + std::to_string(pick(20));
    const Result<PodRef> pod =
        parse_pod("metadata: {name: " + name + ", namespace: d, uid: u" +
                      std::to_string(created_++) + "}\nspec: {schedulerName: fakes}",
                  {});
    REQUIRE(pod.ok());
    const Result<void> made = server_->create(*pod);
    if (!made.ok()) CHECK(made.error().rc == Rc::kExists);
  }

  void pass(int64_t ns) {
    const int64_t end = clock_->now_ns() + ns;
    const Result<void> ran = scheduler_->run_until(end);
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
  }

  // A pod is bound once at most.
  void look_at_calls() {
    for (const ApiCall& call : server_->take_calls()) {
      if (call.verb != ApiVerb::kBind || !call.error.empty()) continue;
      const PodRef pod = server_->pod("d", call.key.substr(2));
      if (pod) CHECK(bound_.insert(std::string(pod->meta.uid)).second);
    }
  }

  std::mt19937_64 random_;
  Mutex random_mutex_;
  const uint32_t threads_;
  std::vector<Fake> fakes_;
  Ref<Cluster> cluster_;
  Ref<Clock> clock_ = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server_;
  FrameworkRef framework_;
  SchedulerRef scheduler_;
  std::set<std::string> bound_;
  size_t created_ = 0, nodes_ = 0;
};

void play(size_t worlds, uint32_t threads) {
  for (size_t seed = 1; seed <= worlds; ++seed) {
    CAPTURE(seed);
    World world(seed, threads);
    for (int i = 0; i < 60; ++i) world.act();
    world.check_end();
  }
}

// As many worlds as LIBSCHED_WORLDS says, if it is set.
size_t worlds(size_t usual) {
  const char* const wanted = std::getenv("LIBSCHED_WORLDS");
  return wanted == nullptr ? rounds(usual) : std::strtoul(wanted, nullptr, 10);
}

TEST_CASE("Nothing is lost in random worlds with faults") { play(worlds(400), 0); }

TEST_CASE("Nothing is lost in random worlds with faults on four threads") { play(worlds(40), 4); }

}  // namespace libsched::faults_test
