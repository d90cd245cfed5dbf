// Turns: the baton, and the order of the turns.
#include "libsched/scheduler/loop/turns.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/framework/attached.hpp"

namespace libsched {

struct Turns::Worker {
  Turns* turns = nullptr;
  std::function<void()> task;  // empty: the thread is to end
  std::exception_ptr failure;
  bool ended = false;

  Mutex mutex;
  Signal changed;
  bool runs = false;  // this task has the baton, not the owner
  std::thread thread;

  void pass(bool to_task) {
    {
      const std::lock_guard guard(mutex);
      runs = to_task;
    }
    changed.notify_all();
  }
  void wait_for(bool task) {
    std::unique_lock lock(mutex);
    while (runs != task) changed.wait(lock, Signal::kForEver);
  }
};

namespace {

// Held while the owner waits.
class Waiting {
 public:
  explicit Waiting(size_t* count) : count_(count) { ++*count_; }
  ~Waiting() { --*count_; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  size_t* count_;
};

// The worker of this thread, or null: an owner.
thread_local void* current_worker = nullptr;

}  // namespace

Turns::Worker* Turns::current() { return static_cast<Worker*>(current_worker); }

Turns::Turns(Ref<VirtualClock> clock, CatchUp catch_up, OutsideCycle outside_cycle)
    : clock_(std::move(clock)),
      catch_up_(std::move(catch_up)),
      outside_cycle_(std::move(outside_cycle)) {
  clock_->set_sleeper(this);
}

Turns::~Turns() { end(); }

// Threads that rest end, in the order of their beginning; one detaches its plugins at a time.
void Turns::end_threads() {
  resting_.clear();
  for (const std::unique_ptr<Worker>& w : workers_) {
    w->pass(true);
    w->thread.join();
  }
  workers_.clear();
  frameworks_.clear();
}

void Turns::end() {
  if (ended_) return;
  ended_ = true;
  catch_up_ = nullptr;
  for (const Sleeping& s : std::exchange(sleeping_, {})) {
    clock_->advance_to(s.until_ns);
    ready_.push_back(s.worker);
  }
  release();
  while (!idle()) {
    run_ready();
    if (waiting()) next();
    release();  // a task may hold until another one has ended
  }
  clock_->set_sleeper(nullptr);
  end_threads();
}

void Turns::tick() { clock_->advance_to(clock_->now_ns() + kTurnNs); }

void Turns::attach_and_work(Worker& worker, size_t framework) {
  if (framework == frameworks_.size()) return work(worker);
  const Attached attached(*frameworks_[framework]);
  attach_and_work(worker, framework + 1);
}

// A task's thread: runs one task after the other.
void Turns::work(Worker& worker) {
  current_worker = &worker;
  while (true) {
    worker.wait_for(true);
    if (!worker.task) return;
    try {
      worker.task();
    } catch (...) {
      worker.failure = std::current_exception();
    }
    worker.task = nullptr;
    worker.ended = true;
    worker.pass(false);
  }
}

void Turns::yield(Worker& worker) {
  worker.pass(false);
  worker.wait_for(true);
}

// Runs a task until it waits or ends.
void Turns::resume(Worker& worker) {
  worker.pass(true);
  worker.wait_for(false);
  if (!worker.ended) return;
  worker.ended = false;
  --live_;
  resting_.push_back(&worker);
  if (worker.failure) std::rethrow_exception(std::exchange(worker.failure, nullptr));
}

void Turns::start(std::function<void()> task) {
  new_.push_back(std::move(task));
  ++live_;
}

void Turns::run_ready() {
  do {
    wake_sleepers();
    while (!new_.empty() || !ready_.empty()) {
      if (!ready_.empty()) {
        Worker* const worker = ready_.front();
        ready_.pop_front();
        resume(*worker);
        continue;
      }
      if (resting_.empty()) {
        workers_.reserve(workers_.size() + 1);
        resting_.reserve(workers_.size() + 1);
        auto made = std::make_unique<Worker>();
        made->turns = this;
        made->thread = std::thread([this, w = made.get()] {
          w->wait_for(true);
          attach_and_work(*w, 0);
        });
        resting_.push_back(made.get());
        workers_.push_back(std::move(made));
      }
      Worker* const worker = resting_.back();
      resting_.pop_back();
      worker->task = std::move(new_.front());
      new_.pop_front();
      resume(*worker);
    }
    if (catch_up_) catch_up_();
    wake_waiters();
  } while (!new_.empty() || !ready_.empty());
}

bool Turns::before(const Parked& a, const Parked& b) {
  const int what = std::string_view(a.what).compare(b.what);
  return std::tie(a.key, a.rank) != std::tie(b.key, b.rank)
             ? std::tie(a.key, a.rank) < std::tie(b.key, b.rank)
             : std::make_pair(what, a.number) < std::make_pair(0, b.number);
}

void Turns::next() {
  const auto first = std::min_element(parked_.begin(), parked_.end(), before);
  Worker* const worker = first->worker;
  parked_.erase(first);
  resume(*worker);
  run_ready();
}

void Turns::wake_sleepers() {
  if (sleeping_.empty()) return;
  const int64_t now = clock_->now_ns();
  std::vector<Sleeping> due;
  const auto end = std::partition(sleeping_.begin(), sleeping_.end(),
                                  [&](const Sleeping& s) { return s.until_ns > now; });
  due.assign(end, sleeping_.end());
  sleeping_.erase(end, sleeping_.end());
  std::stable_sort(due.begin(), due.end(),
                   [](const Sleeping& a, const Sleeping& b) { return a.until_ns < b.until_ns; });
  for (const Sleeping& s : due) ready_.push_back(s.worker);
}

std::optional<int64_t> Turns::next_wake() const {
  if (sleeping_.empty()) return std::nullopt;
  return std::min_element(
             sleeping_.begin(), sleeping_.end(),
             [](const Sleeping& a, const Sleeping& b) { return a.until_ns < b.until_ns; })
      ->until_ns;
}

template <typename Done>
void Turns::run_others(Done&& done, int64_t until_ns) {
  while (true) {
    run_ready();
    if (done()) return;
    if (waiting()) {
      tick();
      run_ready();  // what that time has made due comes first
      if (done()) return;
      if (waiting()) next();
      continue;
    }
    const std::optional<int64_t> wake = next_wake();
    clock_->advance_to(wake ? std::min(*wake, until_ns) : until_ns);
  }
}

void Turns::turn(Rank rank, const char* what, const ObjectMeta& about) {
  if (ended_) return;
  Worker* const self = current();
  if (self != nullptr) {
    parked_.push_back({object_key(about.ns, about.name), rank, what, ++last_number_, self});
    return yield(*self);
  }
  const Waiting waiting(&waits_);
  bool ticked = false;
  if (idle()) {  // most often: nothing else could be first
    if (catch_up_) catch_up_();
    if (idle()) {
      tick();
      ticked = true;
      if (catch_up_) catch_up_();
      if (idle()) return;
    }
  }
  const Parked own{object_key(about.ns, about.name), rank, what, ++last_number_, nullptr};
  while (true) {
    run_ready();
    if (!std::exchange(ticked, false)) {
      tick();
      run_ready();  // what that time has made due comes first
    }
    const auto first = std::min_element(parked_.begin(), parked_.end(), before);
    if (first == parked_.end() || before(own, *first)) return;
    next();
  }
}

void Turns::hold() {
  Worker* const self = current();
  if (self == nullptr) return;
  held_.push_back(self);
  yield(*self);
}

void Turns::wait_for(const bool& done) {
  Worker* const self = current();
  if (self == nullptr) return run_others([&] { return done; }, INT64_MAX);
  while (!done) {
    waiters_.emplace_back(&done, self);
    yield(*self);
  }
}

void Turns::wake_waiters() {
  std::erase_if(waiters_, [&](const auto& waiter) {
    if (!*waiter.first) return false;
    ready_.push_back(waiter.second);
    return true;
  });
}

void Turns::wake_all() {
  for (const Sleeping& s : sleeping_) ready_.push_back(s.worker);
  sleeping_.clear();
}

void Turns::release() {
  ready_.insert(ready_.end(), held_.begin(), held_.end());
  held_.clear();
}

void Turns::sleep_until(int64_t deadline_ns) {
  Worker* const self = current();
  if (ended_) return clock_->advance_to(deadline_ns);
  if (self != nullptr) {
    sleeping_.push_back({deadline_ns, self});
    return yield(*self);
  }
  const Waiting waiting(&waits_);
  run_others([&] { return clock_->now_ns() >= deadline_ns; }, deadline_ns);
}

}  // namespace libsched
