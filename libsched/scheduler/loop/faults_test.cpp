// Nothing is lost: random worlds with failing and slow API calls, Permit that rejects or times out,
// PreBind that sleeps or fails, and pods that leave at any moment.
#include <doctest/doctest.h>

#include <map>
#include <mutex>
#include <random>
#include <set>

#include "libsched/framework/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"
#include "tests/unit/rounds.hpp"

namespace libsched {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr size_t kRoom = 2;  // pods on a node

class World {
 public:
  explicit World(uint64_t seed) : random_(seed) {
    ApiServerOptions api;
    api.grace_ns = pick(2) == 0 ? 0 : 2 * kSecond;
    api.keep_calls = true;
    api.faults.seed = seed;
    api.faults.rate = 0.1 * static_cast<double>(pick(5));
    api.faults.slow_rate = pick(2) == 0 ? 0 : 0.2;
    api.faults.most_slow_ns = 3 * kSecond;
    server_ = make_ref<ApiServer>(clock_, api);
    make_plugins();
    framework_ = fake_framework(fakes_);
    Result<SchedulerRef> made = Scheduler::create({framework_}, cluster_, clock_, server_, {});
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    scheduler_ = *made;
    scheduler_->add(server_.get());
    server_->watch(scheduler_.get());
    REQUIRE(scheduler_->start().ok());
  }
  ~World() { server_->unwatch(scheduler_.get()); }

  void act() {
    const size_t what = pick(10);
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
    look_at_calls();
  }

  // After the faults are over, and all times that pods wait.
  void check_end() {
    server_->clear_faults();
    pass(2000 * kSecond);
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
  size_t pick(size_t n) { return random_() % n; }

  void make_plugins() {
    Fake room;
    room.name = "Room";
    room.filter = [](const FilterCall& call, const Node& node) {
      const uint32_t row = call.view.find_node(node.meta.name);
      return call.view.row(row).pods.size() < kRoom ? Status()
                                                    : Status(Code::kUnschedulable, "full");
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
    binder.bind = [](const BindingCall& call) {
      const Result<void> bound = call.services.api().bind(call.pod, call.node);
      return bound.ok() ? Status() : Status::from_error(bound.error().message);
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
  std::vector<Fake> fakes_;
  Ref<Cluster> cluster_ = make_ref<Cluster>(NodeOrder::kInsertion);
  Ref<VirtualClock> clock_ = make_ref<VirtualClock>(1000 * kSecond);
  Ref<ApiServer> server_;
  FrameworkRef framework_;
  SchedulerRef scheduler_;
  std::set<std::string> bound_;
  size_t created_ = 0, nodes_ = 0;
};

TEST_CASE("Nothing is lost in random worlds with faults") {
  for (size_t seed = 1; seed <= rounds(400); ++seed) {
    CAPTURE(seed);
    World world(seed);
    for (int i = 0; i < 60; ++i) world.act();
    world.check_end();
  }
}

}  // namespace
}  // namespace libsched
