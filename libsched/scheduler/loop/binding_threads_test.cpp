// Binding threads: what overlaps and what does not, and how bindings end.
#include "libsched/scheduler/loop/binding_threads.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <set>
#include <thread>

#include "libsched/framework/foreign_call.hpp"
#include "libsched/run/fake_plugin_test.hpp"
#include "libsched/scheduler/api_memory/api_server.hpp"
#include "libsched/scheduler/loop/scheduler.hpp"
#include "tests/unit/fast_clock.hpp"
#include "tests/unit/forks.hpp"

namespace libsched::binding_threads_test {

constexpr int64_t kSecond = 1'000'000'000;

// Threads meet here: each that comes waits until `count` are there at once, or for ten seconds.
class Meeting {
 public:
  explicit Meeting(size_t count) : count_(count) {}
  void come() {
    std::unique_lock lock(mutex_);
    ++there_;
    most_ = std::max(most_, there_);
    changed_.notify_all();
    const int64_t end = time_.now_ns() + 10 * kSecond;
    while (most_ < count_ && time_.now_ns() < end) time_.wait(changed_, lock, end);
    --there_;
  }
  size_t most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  mutable Mutex mutex_;
  Signal changed_;
  SystemClock time_;
  const size_t count_;
  size_t there_ = 0, most_ = 0;
};

// A number that a thread may wait for.
class Latch {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // False: not within ten seconds.
  bool wait() {
    std::unique_lock lock(mutex_);
    const int64_t end = time_.now_ns() + 10 * kSecond;
    while (!open_ && time_.now_ns() < end) time_.wait(changed_, lock, end);
    return open_;
  }
  bool opened() {
    const std::lock_guard lock(mutex_);
    return open_;
  }

 private:
  Mutex mutex_;
  Signal changed_;
  SystemClock time_;
  bool open_ = false;
};

// An API server whose bindings meet.
class MeetingApi final : public ApiClient {
 public:
  MeetingApi(Ref<ApiServer> server, Meeting* meeting)
      : server_(std::move(server)), meeting_(meeting) {}
  Result<void> bind(const Pod& pod, Str node) override {
    if (meeting_ != nullptr) meeting_->come();
    return server_->bind(pod, node);
  }
  Result<void> delete_pod(const Pod& pod) override { return server_->delete_pod(pod); }
  Result<void> patch_pod_status(const Pod& pod, const PodStatusPatch& patch) override {
    return server_->patch_pod_status(pod, patch);
  }
  Result<void> update_object(StoredKind kind, const ObjectRef& object, Str patch) override {
    return server_->update_object(kind, object, patch);
  }
  void event(const Pod& pod, Str type, Str reason, Str action, Str note) override {
    server_->event(pod, type, reason, action, note);
  }

 private:
  Ref<ApiServer> server_;
  Meeting* meeting_;
};

struct Log final : SchedulerObserver {
  std::vector<std::string> lines;
  void bound(const QueuedPodInfo& p, Str node) override {
    lines.push_back(std::string(p.pod->meta.name) + " on " + std::string(node));
  }
  void failed(const QueuedPodInfo& p, Str, const Failure& f) override {
    lines.push_back(std::string(p.pod->meta.name) + " failed: " + f.status.message());
  }
};

Fake binder() {
  Fake fake;
  fake.name = "Binder";
  fake.bind = [](const BindingCall& call) {
    const Result<void> bound = call.services.api().bind(call.pod, call.node);
    return bound.ok() ? Status() : Status::from_error(bound.error().message);
  };
  return fake;
}

struct World {
  std::vector<Fake> fakes;
  Ref<Cluster> cluster = make_ref<Cluster>(NodeOrder::kInsertion);
  Ref<Clock> clock = make_ref<SystemClock>();
  Ref<ApiServer> server = make_ref<ApiServer>(clock, ApiServerOptions{});
  std::shared_ptr<Log> log = std::make_shared<Log>();
  SchedulerRef scheduler;

  explicit World(std::vector<Fake> given, Meeting* bindings = nullptr, uint32_t threads = 4)
      : fakes(std::move(given)) {
    fakes.push_back(binder());
    SchedulerOptions options;
    options.observer = log;
    options.binding_threads = threads;
    Result<SchedulerRef> made = Scheduler::create({fake_framework(fakes)}, cluster, clock,
                                                  make_ref<MeetingApi>(server, bindings), options);
    REQUIRE_MESSAGE(made.ok(), made.error().text());
    scheduler = *made;
    server->watch(scheduler.get());
    REQUIRE(scheduler->start().ok());
    REQUIRE(server->create(fake_node("n1")).ok());
  }
  ~World() {
    if (scheduler) server->unwatch(scheduler.get());
    scheduler = nullptr;
  }

  void pod(const std::string& name) {
    const Result<PodRef> pod = parse_pod("metadata: {name: " + name + ", namespace: d, uid: u-" +
                                             name + "}\nspec: {schedulerName: fakes}",
                                         {});
    REQUIRE(pod.ok());
    REQUIRE(server->create(*pod).ok());
  }
  // Runs until so many different lines are in the log, at most ten seconds. A pod that fails may be
  // tried again at once, and its line then comes a second time.
  std::set<std::string> run(size_t ends) {
    const int64_t end = clock->now_ns() + 10 * kSecond;
    std::set<std::string> different;
    while (true) {
      different.insert(log->lines.begin(), log->lines.end());
      if (different.size() >= ends || clock->now_ns() >= end) return different;
      run_for(kSecond / 100);
    }
  }
  void run_for(int64_t ns) {
    const Result<void> ran = scheduler->run_until(clock->now_ns() + ns);
    REQUIRE_MESSAGE(ran.ok(), ran.error().text());
  }
};

using Lines = std::set<std::string>;

std::string text(const Lines& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "; ";
  return out;
}

Status sleep_until_cancelled(const BindingCall& call) {
  Clock& clock = call.services.clock();
  const int64_t end = clock.now_ns() + 600 * kSecond;
  Mutex mutex;
  Signal never;
  for (std::unique_lock lock(mutex); clock.now_ns() < end;) {
    if (!call.services.pods_in_pre_bind().cancelled(call.pod.meta.uid).empty())
      return Status::from_error("binding: context canceled");
    clock.wait(never, lock, clock.now_ns() + kSecond / 1000);
  }
  return Status();
}

TEST_CASE("Slow API calls of bindings on threads overlap, as many as there are threads") {
  Meeting meeting(3);
  World w({}, &meeting, 3);
  for (const char* name : {"a", "b", "c", "d"}) w.pod(name);
  CHECK(w.run(4) == Lines{"a on n1", "b on n1", "c on n1", "d on n1"});
  CHECK(meeting.most() == 3);
  for (const PodRef& pod : w.server->pods()) CHECK(pod->spec.node_name == "n1");
  CHECK(w.scheduler->queue().in_flight().empty());
}

TEST_CASE("PreBind, Bind and PostBind of plugins on threads overlap with cycles and each other") {
  Latch second_is_bound;
  Meeting pre_bind(2), post_bind(2);
  Fake fake;
  fake.name = "Slow";
  fake.pre_bind = [&](const BindingCall& call) {
    if (call.pod.meta.name == "first") CHECK(second_is_bound.wait());
    if (call.pod.meta.name > "x") pre_bind.come();
    return Status();
  };
  fake.post_bind = [&](const BindingCall& call) {
    if (call.pod.meta.name == "second") second_is_bound.open();
    if (call.pod.meta.name > "x") post_bind.come();
  };
  World w({fake});
  w.pod("first");
  w.run_for(kSecond / 100);
  w.pod("second");
  CHECK(w.run(2) == Lines{"first on n1", "second on n1"});
  w.pod("x1");
  w.pod("x2");
  w.run(4);
  CHECK(pre_bind.most() == 2);
  CHECK(post_bind.most() == 2);
}

TEST_CASE("Between the owner's calls threads do not touch the scheduler's state") {
  Latch began, may_end;
  Fake fake;
  fake.name = "Slow";
  fake.pre_bind = [&](const BindingCall&) {
    began.open();
    CHECK(may_end.wait());
    return Status();
  };
  World w({fake});
  w.pod("a");
  REQUIRE(w.scheduler->settle(false).ok());
  // Only inside of a call has the thread the baton that it needs to begin.
  for (int i = 0; i < 1000 && !began.opened(); ++i) w.run_for(kSecond / 1000);
  REQUIRE(began.opened());
  may_end.open();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(w.server->pod("d", "a")->spec.node_name.empty());
  CHECK(w.log->lines.empty());
  CHECK(w.run(1) == Lines{"a on n1"});
}

TEST_CASE("Permit with threads: allowed by another thread, timed out, and deleted") {
  Fake fake;
  fake.name = "Permit";
  fake.permit = [](const BindingCall& call, int64_t* timeout) {
    *timeout = call.pod.meta.name == "late" ? kSecond / 100 : 600 * kSecond;
    return Status(Code::kWait);
  };
  World w({fake});
  for (const char* name : {"good", "gone", "late"}) w.pod(name);
  CHECK(w.run(1) ==
        Lines{"late failed: 0/1 nodes are available: 1 rejected due to timeout after waiting 10ms "
              "at plugin Permit."});
  std::thread other([services = w.scheduler->services()] {
    services->waiting_pods().get("u-good")->allow("Permit");
  });
  other.join();
  REQUIRE(w.server->remove_pod("d", "gone").ok());
  CHECK(w.run(3).size() == 3);
  CHECK(std::count(w.log->lines.begin(), w.log->lines.end(), "good on n1") == 1);
  CHECK(w.server->pods().size() == 2);
  CHECK(w.cluster->view().find_pod("d", "gone") == kNoId);
}

TEST_CASE("A pod on a thread that preemption cancels in PreBind fails with the reason") {
  Fake fake;
  fake.name = "Sleeper";
  fake.pre_bind = sleep_until_cancelled;
  World w({fake});
  w.pod("a");
  while (!w.scheduler->services()->pods_in_pre_bind().cancel("u-a", "preempted"))
    w.run_for(kSecond / 1000);
  CHECK(w.run(1) == Lines{"a failed: running PreBind plugin \"Sleeper\": preempted"});
  CHECK(w.cluster->view().pod_count() == 0);
}

TEST_CASE("A scheduler with threads that stops rejects and cancels, and waits for the rest") {
  Latch began;
  Fake fake;
  fake.name = "Sleeper";
  fake.permit = [](const BindingCall& call, int64_t* timeout) {
    *timeout = 600 * kSecond;
    return call.pod.meta.name == "waits" ? Status(Code::kWait) : Status();
  };
  fake.pre_bind = [&](const BindingCall& call) {
    if (call.pod.meta.name == "early") return Status();
    began.open();
    return sleep_until_cancelled(call);
  };
  World w({fake}, nullptr, 1);
  w.pod("early");
  w.run(1);
  w.pod("sleeps");
  while (!began.opened()) w.run_for(kSecond / 1000);
  for (const char* name : {"waits", "late"}) w.pod(name);
  w.run_for(kSecond / 100);
  const int64_t start = w.clock->now_ns();
  SUBCASE("by stop()") {
    REQUIRE(w.scheduler->stop().ok());
    const Lines lines(w.log->lines.begin(), w.log->lines.end());
    CAPTURE(text(lines));
    CHECK(lines == Lines{"early on n1",
                         "waits failed: 0/1 nodes are available: 1 the scheduler stops.",
                         "sleeps failed: running PreBind plugin \"Sleeper\": the scheduler stops",
                         "late failed: the scheduler stops"});
    CHECK(w.cluster->view().pod_count() == 1);
    CHECK(w.scheduler->queue().in_flight().empty());
  }
  SUBCASE("by the destructor") {
    w.server->unwatch(w.scheduler.get());
    w.scheduler = nullptr;
    for (const char* name : {"sleeps", "late", "waits"})
      CHECK(w.server->pod("d", name)->spec.node_name.empty());
  }
  CHECK(w.clock->now_ns() - start < 60 * kSecond);
}

TEST_CASE("Profiles with a plugin of the caller's thread bind in line, others on threads") {
  for (const bool caller : {true, false}) {
    std::set<std::thread::id> used;  // with the baton or in line
    Mutex mutex;
    Fake fake;
    fake.name = "Where";
    if (caller) fake.threading = Plugin::Threading::kCallerThread;
    fake.pre_bind = [&](const BindingCall&) {
      const std::lock_guard lock(mutex);
      used.insert(std::this_thread::get_id());
      return Status();
    };
    World w({fake});
    w.pod("a");
    CHECK(w.run(1) == Lines{"a on n1"});
    CHECK(used.count(std::this_thread::get_id()) == (caller ? 1 : 0));
    CHECK(used.size() == 1);
  }
}

TEST_CASE("Plugins are attached to each thread before its tasks, and detached at its end") {
  Mutex mutex;
  std::set<std::thread::id> attached;
  size_t attachments = 0;
  Fake fake;
  fake.name = "Where";
  fake.attach = [&](bool attach) {
    const std::lock_guard lock(mutex);
    if (attach) {
      ++attachments;
      CHECK(attached.insert(std::this_thread::get_id()).second);
    } else {
      CHECK(attached.erase(std::this_thread::get_id()) == 1);
    }
  };
  fake.pre_bind = [&](const BindingCall&) {
    const std::lock_guard lock(mutex);
    CHECK(attached.count(std::this_thread::get_id()) == 1);
    return Status();
  };
  {
    World w({fake}, nullptr, 3);
    w.pod("a");
    CHECK(w.run(1) == Lines{"a on n1"});
  }
  CHECK(attachments == 3);
  CHECK(attached.empty());
}

TEST_CASE("A task on a thread does not change the cluster while the owner's PostFilter waits") {
  Latch failing;
  bool unreserved = false;
  Fake fake;
  fake.name = "Preemption";
  fake.reserve = [](const ReserveCall&) { return Status(); };
  fake.unreserve = [&](const ReserveCall&) { unreserved = true; };
  fake.filter = [](const FilterCall& call, const Node&) {
    return call.pod.meta.name == "b" ? Status(Code::kUnschedulable, "no") : Status();
  };
  fake.pre_bind = [&](const BindingCall&) {
    CHECK(failing.wait());
    return Status::from_error("broken");
  };
  fake.post_filter = [&](const PostFilterCall& call, std::optional<Nomination>*) {
    if (failing.opened()) return Status(Code::kUnschedulable, "no room");
    failing.open();
    // The call gives the baton up, so that the thread goes on.
    for (int i = 0; i < 20; ++i) {
      call.services.api().event(call.pod, "Normal", "Slow", "", "");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      CHECK_FALSE(unreserved);
    }
    return Status(Code::kUnschedulable, "no room");
  };
  World w({fake});
  w.pod("a");
  w.run_for(kSecond / 100);
  w.pod("b");
  for (int i = 0; i < 1000 && !unreserved; ++i) w.run_for(kSecond / 100);
  const Lines lines = w.run(2);
  CHECK(lines.count("a failed: running PreBind plugin \"Preemption\": broken") == 1);
  CHECK(unreserved);
}

Steps<> fail(bool memory) {
  if (memory) throw std::bad_alloc();
  throw 7;
  co_return;
}

TEST_CASE("What a task on a thread throws reaches the owner's call") {
  World w({});
  for (const bool memory : {true, false}) {
    w.scheduler->services()->tasks().start(fail(memory));
    const auto run = [&] {
      const int64_t end = w.clock->now_ns() + 10 * kSecond;
      Result<void> ran;
      while (ran.ok() && w.clock->now_ns() < end)
        ran = w.scheduler->run_until(w.clock->now_ns() + kSecond / 1000);
      return ran;
    };
    if (memory) {
      CHECK(run().error().rc == Rc::kNoMemory);
    } else {
      CHECK_THROWS_AS(run(), int);
    }
  }
  w.pod("a");
  CHECK(w.run(1) == Lines{"a on n1"});
}

TEST_CASE("fork: a child binds in line, and has lost what was under way" *
          doctest::skip(kNoForks)) {
  Latch began, may_end;
  Fake fake;
  fake.name = "Slow";
  fake.pre_bind = [&](const BindingCall& call) {
    if (call.pod.meta.name != "a") return Status();
    began.open();
    CHECK(may_end.wait());
    return Status();
  };
  World w({fake}, nullptr, 1);
  w.pod("a");
  while (!began.opened()) w.run_for(kSecond / 1000);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(30);
    w.pod("b");
    w.run(1);
    const bool good =
        w.log->lines == std::vector<std::string>{"b on n1"} && w.scheduler->settle(false).ok();
    w.server->unwatch(w.scheduler.get());
    w.scheduler = nullptr;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  CHECK(waitpid(pid, &status, 0) == pid);
  CHECK(status == 0);
  may_end.open();
  CHECK(w.run(1) == Lines{"a on n1"});
}

TEST_CASE("The baton goes from thread to thread in their order, and plugins' locks keep it") {
  Baton baton;
  CHECK(baton.held());
  std::vector<int> order;
  std::vector<std::thread> threads;
  std::atomic<int> asked{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const Baton::Away nothing(&baton);
      ++asked;
      const Baton::Hold hold(baton);
      const Baton::Hold again(baton);
      order.push_back(i);
    });
    while (asked <= i) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  CHECK(order.empty());
  {
    const ForeignCall inside(Plugin::Threading::kSerialised);
    const Baton::Away away(&baton);
    CHECK(baton.held());
  }
  baton.pass();
  CHECK(order == std::vector<int>{0, 1, 2, 3});
  CHECK(baton.held());
  for (std::thread& t : threads) t.join();
  {
    const Baton::Away away(&baton);
    CHECK_FALSE(baton.held());
  }
  CHECK(baton.held());
}

}  // namespace libsched::binding_threads_test
