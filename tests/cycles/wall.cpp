// Wall: real threads, and time that passes when all of them sleep.
#include "wall.hpp"

#include <algorithm>
#include <set>
#include <thread>

#include "scene.hpp"

namespace libsched::cycles {
namespace {

constexpr int64_t kPollNs = 100'000;             // real
constexpr int64_t kPatienceNs = 20'000'000'000;  // likewise
constexpr size_t kMostActions = 2000;            // at one time: more are a livelock

// Stands still while a thread works. If all of them sleep, and the owner waits as well, it goes on
// to the first time that anybody waits for. Those who wait look at the time again and again.
class StepClock final : public Clock {
 public:
  explicit StepClock(int64_t now_ns) : now_ns_(now_ns) {}
  int64_t now_ns() const override { return now_ns_; }
  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override {
    if (deadline_ns <= now_ns_) return;
    const std::thread::id self = std::this_thread::get_id();
    if (self != owner_) note(self, deadline_ns);
    real_.wait(changed, lock, real_.now_ns() + kPollNs);
    if (self != owner_) return forget(self);
    if (const std::optional<int64_t> wake = next_wake()) advance_to(std::min(*wake, deadline_ns));
  }
  // The number of threads that work or sleep.
  void count(std::function<size_t()> threads) { threads_ = std::move(threads); }
  void advance_to(int64_t now_ns) { now_ns_ = std::max<int64_t>(now_ns_, now_ns); }
  // When the first thread wakes; absent: not all are asleep.
  std::optional<int64_t> next_wake() const {
    const size_t threads = threads_();
    const std::lock_guard guard(mutex_);
    int64_t next = INT64_MAX;
    size_t asleep = 0;
    for (const auto& [thread, deadline] : sleeping_) {
      if (deadline <= now_ns_) continue;
      ++asleep;
      next = std::min(next, deadline);
    }
    if (asleep != threads) return std::nullopt;
    return next;
  }
  // In real time.
  void rest() {
    Mutex mutex;
    Signal never;
    std::unique_lock lock(mutex);
    real_.wait(never, lock, real_.now_ns() + 2 * kPollNs);
  }
  int64_t real_ns() const { return real_.now_ns(); }

 private:
  void note(std::thread::id thread, int64_t deadline_ns) {
    const std::lock_guard guard(mutex_);
    sleeping_[thread] = deadline_ns;
  }
  void forget(std::thread::id thread) {
    const std::lock_guard guard(mutex_);
    sleeping_.erase(thread);
  }

  SystemClock real_;
  std::atomic<int64_t> now_ns_;
  const std::thread::id owner_ = std::this_thread::get_id();
  std::function<size_t()> threads_ = [] { return size_t{0}; };
  mutable Mutex mutex_;
  std::map<std::thread::id, int64_t> sleeping_;
};

class Play {
 public:
  Play(const Json& c, uint32_t threads) : scene_(c, clock_), threads_(threads) {
    SchedulerOptions options;
    options.binding_threads = threads;
    scheduler_ = scene_.scheduler(options);
    clock_->count([this] { return std::min(scheduler_->task_count(), threads_); });
    scene_.server()->watch(scheduler_.get());
    scheduler_->add(scene_.server().get());
    for (const Json& object : member(c, "objects", Json::array())) {
      must(scene_.documents().create(object));
      settle(true);
    }
    must(scheduler_->start());
    look_for_room([this](const std::string& node) { forced_.insert(node); });
  }
  ~Play() {
    scene_.server()->unwatch(scheduler_.get());
    clock_->count([] { return size_t{0}; });
  }

  void run(const Json& script) {
    for (const Json& s : script) {
      clock_->advance_to(now() + Turns::kTurnNs);
      Json ignored;
      force(s);
      if (s.at("do") == "advance")
        advance(duration(member<std::string>(s, "by", "")));
      else
        scene_.step(s, *scheduler_, ignored);
      settle(member(s, "hold", false));
      look_for_room(
          [this](const std::string& node) { problem(node + " has more pods than it can take"); });
    }
  }
  // All of the threads slept at some time, while a task waited for one: then it came late.
  bool exhausted() const { return exhausted_; }
  std::set<std::string> bound() const {
    std::set<std::string> out;
    for (const PodRef& p : scene_.server()->pods())
      if (!p->spec.node_name.empty()) out.insert(key_of(p->meta));
    return out;
  }
  void stop() {
    scene_.recorder().clear_faults();
    must(scheduler_->stop());
    must(scheduler_->settle(true));
    const View& view = scheduler_->cluster().view();
    for (uint32_t s = 0; s < view.slot_count(); ++s)
      if (const View::Slot& slot = view.slot(s); slot.pod && slot.assumed)
        problem(key_of(slot.pod->meta) + " is assumed after the end");
    if (!scheduler_->queue().in_flight().empty()) problem("pods are in flight after the end");
    for (const Json& call : scene_.recorder().take_calls()) {
      if (call.at("verb") != "bind" || call.contains("error")) continue;
      // A name may come again, as another pod.
      const std::string name = call.at("name").get<std::string>();
      if (++binds_[name] > lives_[name]) problem(name + " was bound twice");
    }
  }
  std::vector<std::string> problems;

 private:
  int64_t now() const { return clock_->now_ns(); }
  void problem(const std::string& text) {
    if (std::find(problems.begin(), problems.end(), text) == problems.end())
      problems.push_back(text);
  }

  // Until all threads sleep.
  void settle(bool hold) {
    const int64_t end = clock_->real_ns() + kPatienceNs;
    while (true) {
      act(hold);
      if (quiet()) return;
      if (clock_->real_ns() > end) throw BadCase("threads do not come to an end");
      if (hold)
        clock_->rest();
      else
        must(scheduler_->run_until(now() + 1));
    }
  }
  // Each action takes a microsecond, so that pods have the order of the recording.
  void act(bool hold) {
    for (size_t i = 0; i < kMostActions; ++i) {
      clock_->advance_to(now() + Turns::kTurnNs);
      const Result<void> done = scheduler_->settle(hold, 1);
      if (done.ok()) return;
      if (done.error().rc != Rc::kLimit) must(done);
    }
    throw BadCase("there is no end of actions");
  }
  bool quiet() {
    const std::optional<int64_t> wake = clock_->next_wake();
    if (!wake) return false;
    // Those who are cancelled see it when they look next.
    const uint64_t cancels = scheduler_->services()->pods_in_pre_bind().cancel_count();
    if (std::exchange(cancels_, cancels) != cancels) {
      clock_->rest();
      return false;
    }
    exhausted_ = exhausted_ || scheduler_->task_count() > threads_;
    next_wake_ = *wake;
    return true;
  }
  void advance(int64_t by) {
    settle(false);
    const int64_t end = (now() + by) / kTenth * kTenth;
    while (now() < end) {
      const int64_t due = std::min({scheduler_->next_due().value_or(end), next_wake_, end});
      clock_->advance_to(due > now() ? due : std::min(end, (now() / kTenth + 1) * kTenth));
      settle(false);
    }
  }

  // What the script does by itself: it may give a node more than it can take.
  void force(const Json& s) {
    const auto text = [&](const char* key) { return member<std::string>(s, key, ""); };
    const std::string what = text("do");
    if (what == "create" && s.at("object").at("kind") == "Pod") {
      const Json& meta = s.at("object").at("metadata");
      const std::string name = member<std::string>(meta, "namespace", "default") + "/" +
                               meta.at("name").get<std::string>();
      ++lives_[name];
    }
    if (what == "create" && s.at("object").at("kind") == "Node")
      forced_.insert(s.at("object").at("metadata").at("name").get<std::string>());
    if (what == "assign") forced_.insert(member<std::string>(s.at("object"), "nodeName", ""));
    if (what == "patch" && text("kind") == "Node") forced_.insert(text("name"));
    if (what == "patch" && text("kind") == "Pod") {
      const auto [ns, name] = split_key(text("name"));
      const View& view = scheduler_->cluster().view();
      const uint32_t slot = view.find_pod(ns, name);
      if (slot != kNoId) forced_.insert(view.row(view.slot(slot).row).name);
    }
  }
  template <typename F>
  void look_for_room(F&& full) {
    const View& view = scheduler_->cluster().view();
    for (uint32_t row = 0; row < view.row_count(); ++row) {
      if (view.node(row) == nullptr || forced_.count(view.row(row).name) != 0) continue;
      for (const uint32_t resource : {kCpu, kMemory, kPods})
        if (view.columns().left(resource, row) < 0) full(view.row(row).name);
    }
  }

  static constexpr int64_t kTenth = 100'000'000;
  Ref<StepClock> clock_ = make_ref<StepClock>(kFirstStep);
  Scene scene_;
  const size_t threads_;
  SchedulerRef scheduler_;
  int64_t next_wake_ = INT64_MAX;
  uint64_t cancels_ = 0;
  bool exhausted_ = false;
  std::set<std::string> forced_;
  std::map<std::string, int> lives_, binds_;
};

// The pods with a node at the end of a recording.
std::set<std::string> bound_in(const Json& golden) {
  std::set<std::string> out;
  for (const Json& step : golden.at("steps")) {
    const Json pods = member(step, "pods", Json::object());
    for (const auto& [key, pod] : pods.items())
      if (pod.contains("node"))
        out.insert(key);
      else
        out.erase(key);
  }
  return out;
}

// Whether the pods that are bound in the end depend on the order of events at one moment. Bindings
// and cycles overlap here, which they do not in a recording. So another pod may be chosen where a
// binding fails that a cycle counts on, or where preemption looks for victims among pods that are
// just being bound; and the script waits here for a cycle that waits for a slow call. A pod that
// waits in Permit, but is not bound in the end, takes its place for a while, which another would
// have kept that was tried before it: pods that failed at one moment here have one timestamp.
bool order_matters(const Json& golden) {
  const std::set<std::string> bound = bound_in(golden);
  for (const Json& step : golden.at("steps")) {
    if (step.contains("busy")) return true;
    const Json waiting = member(step, "waiting", Json::object());
    for (const auto& [pod, plugins] : waiting.items())
      if (bound.count(pod) == 0) return true;
    for (const Json& event : member(step, "events", Json::array()))
      if (event.at("reason") == "Preempted") return true;
    for (const Json& call : member(step, "api", Json::array()))
      if (call.at("verb") == "bind" && call.contains("error")) return true;
    const Json calls = member(step, "calls", Json::object());
    for (const auto& [pod, lines] : calls.items())
      for (const Json& line : lines) {
        const std::string text = line.get<std::string>();
        if (text.find(".preBind ") != std::string::npos && text.find(": ") != std::string::npos)
          return true;
      }
  }
  return false;
}

std::string list(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += " " + name;
  return out.empty() ? " none" : out;
}

}  // namespace

WallResult play(const Json& c, const Json& golden, uint32_t threads) {
  Play played(c, threads);
  played.run(member(c, "script", Json::array()));
  const std::set<std::string> wanted = bound_in(golden), got = played.bound();
  played.stop();
  WallResult out{std::move(played.problems), !order_matters(golden) && !played.exhausted()};
  if (out.compared && wanted != got)
    out.problems.push_back("bound are" + list(got) + "; recorded are" + list(wanted));
  return out;
}

}  // namespace libsched::cycles
