// Turns: the tasks, and the order of the turns.
#include "libsched/scheduler/loop/turns.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "libsched/base/later.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/framework/attached.hpp"

namespace libsched {

struct Turns::Task : Resumable {
  explicit Task(Steps<> s) : steps(std::move(s)) {}
  Steps<> steps;
  Task* next = nullptr;        // the next one of its list
  Call* call = nullptr;        // the call under way, if any
  Worker* worker = nullptr;    // makes the call; null if it has not begun
  const bool* done = nullptr;  // what wait_for() waits for
};

struct Turns::Worker {
  const Turns* turns = nullptr;
  Task* task = nullptr;  // whose call it makes; null asks the thread to end
  bool ended = false;    // whether the call has ended

  Mutex mutex;
  Signal changed;
  bool runs = false;  // whether this thread has the baton, rather than the owner
  std::thread thread;

  void pass(bool to_worker) {
    {
      const std::lock_guard guard(mutex);
      runs = to_worker;
    }
    changed.notify_all();
  }
  void wait_for(bool worker) {
    std::unique_lock lock(mutex);
    while (runs != worker) changed.wait(lock, Signal::kForEver);
  }
};

namespace {

// Held while the owner waits, or a task is on its stack.
class Counted {
 public:
  explicit Counted(size_t* count) : count_(count) { ++*count_; }
  ~Counted() { --*count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  size_t* count_;
};

// The worker of this thread, or null: an owner.
thread_local void* current_worker = nullptr;

}  // namespace

void Turns::List::push(Task& task) {
  task.next = nullptr;
  (first_ == nullptr ? first_ : last_->next) = &task;
  last_ = &task;
}

Turns::Task& Turns::List::pop() {
  Task& task = *first_;
  first_ = task.next;
  return task;
}

void Turns::List::take(List& other) {
  if (other.empty()) return;
  (first_ == nullptr ? first_ : last_->next) = other.first_;
  last_ = other.last_;
  other.first_ = nullptr;
}

// A worker's thread may own the turns of another clock.
Turns::Worker* Turns::own_worker() const {
  auto* const worker = static_cast<Worker*>(current_worker);
  return worker != nullptr && worker->turns == this ? worker : nullptr;
}

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
  reserved_ = nullptr;
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
  if (!sleeping_.empty())
    clock_->advance_to(std::min_element(sleeping_.begin(), sleeping_.end(), later)->until_ns);
  wake_sleepers();
  release();
  while (!idle()) {
    run_ready();
    if (waiting()) next();
    release();  // a task may hold until another one has ended
  }
  clock_->set_sleeper(nullptr);
  end_threads();
}

void Turns::tick() { clock_->advance_to(later_ns(clock_->now_ns(), kTurnNs)); }

void Turns::attach_and_work(Worker& worker, size_t framework) {
  if (framework == frameworks_.size()) return work(worker);
  const Attached attached(*frameworks_[framework]);
  attach_and_work(worker, framework + 1);
}

// A thread for calls: makes one after the other.
void Turns::work(Worker& worker) {
  current_worker = &worker;
  while (true) {
    worker.wait_for(true);
    if (worker.task == nullptr) return;
    {
      const Running running(worker.task);
      (*worker.task->call)();
    }
    worker.ended = true;
    worker.pass(false);
  }
}

void Turns::yield(Worker& worker) {
  worker.pass(false);
  worker.wait_for(true);
}

bool Turns::make_worker() {
  workers_.reserve(workers_.size() + 1);
  resting_.reserve(workers_.size() + 1);
  auto made = std::make_unique<Worker>();
  made->turns = this;
  try {
    made->thread = std::thread([this, w = made.get()] {
      w->wait_for(true);
      attach_and_work(*w, 0);
    });
  } catch (const std::system_error&) {
    return false;
  }
  resting_.push_back(made.get());
  workers_.push_back(std::move(made));
  return true;
}

// Without memory there is no thread either: the call is not lost.
bool Turns::try_worker() noexcept {
  try {
    return make_worker();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool Turns::reserve_thread() {
  if (reserved_ != nullptr) return true;
  if (resting_.empty() && !make_worker()) return false;
  reserved_ = resting_.back();
  resting_.pop_back();
  return true;
}

// Whether a thread is free, or none is at work, so that the owner makes the call itself.
bool Turns::may_call() const {
  const size_t kept = reserved_ == nullptr ? 0 : 1;
  return !resting_.empty() || (workers_.size() == kept && waits_ == 0);
}

// Lets the task's call go on, and returns whether it has ended.
bool Turns::make_call(Task& task) {
  if (task.worker == nullptr) {
    if (task.call->first && reserved_ != nullptr) {
      task.worker = std::exchange(reserved_, nullptr);
    } else if (!resting_.empty() || (workers_.size() < kMaxThreads && try_worker())) {
      task.worker = resting_.back();
      resting_.pop_back();
    } else if (may_call()) {
      (*std::exchange(task.call, nullptr))();
      return true;
    } else {
      callers_.push(task);
      return false;
    }
    task.worker->task = &task;
  }
  Worker& worker = *task.worker;
  worker.pass(true);
  worker.wait_for(false);
  if (!worker.ended) return false;
  worker.ended = false;
  worker.task = nullptr;
  resting_.push_back(&worker);  // there is room
  task.worker = nullptr;
  task.call = nullptr;
  return true;
}

template <typename F>
void Turns::run(Task& task, F&& f) {
  {
    const Counted counted(&running_);
    const Running running(&task);
    f();
  }
  if (!task.steps.ended()) return;
  --live_;
  const std::unique_ptr<Task> ended(&task);
  task.steps.take();
}

void Turns::begin(Task& task) {
  run(task, [&] { task.steps.begin(&task); });
}

// Runs a task until it waits or ends.
void Turns::resume(Task& task) {
  if (task.call == nullptr || make_call(task)) run(task, [&] { task.at.resume(); });
}

void Turns::start(Steps<> task) {
  new_.push(*new Task(std::move(task)));
  ++live_;
}

void Turns::run_ready() {
  do {
    wake_sleepers();
    while (true) {
      if (!ready_.empty())
        resume(ready_.pop());
      else if (!callers_.empty() && may_call())
        resume(callers_.pop());
      else if (!new_.empty())
        begin(new_.pop());
      else
        break;
    }
    if (catch_up_) catch_up_();
    wake_waiters();
  } while (!new_.empty() || !ready_.empty() || (!callers_.empty() && may_call()));
}

bool Turns::after(const Parked& a, const Parked& b) {
  const int what = std::string_view(a.what).compare(b.what);
  return std::tie(a.key, a.rank) != std::tie(b.key, b.rank)
             ? std::tie(a.key, a.rank) > std::tie(b.key, b.rank)
             : std::make_pair(what, a.number) > std::make_pair(0, b.number);
}

bool Turns::later(const Sleeping& a, const Sleeping& b) {
  return std::tie(a.until_ns, a.number) > std::tie(b.until_ns, b.number);
}

void Turns::next() {
  std::pop_heap(parked_.begin(), parked_.end(), after);
  Task& task = *parked_.back().task;
  parked_.pop_back();
  resume(task);
  run_ready();
}

void Turns::sleep(Task& task, int64_t until_ns) {
  sleeping_.push_back({until_ns, ++last_number_, &task});
  std::push_heap(sleeping_.begin(), sleeping_.end(), later);
}

void Turns::wake_sleepers() {
  const int64_t now = clock_->now_ns();
  while (!sleeping_.empty() && sleeping_.front().until_ns <= now) {
    std::pop_heap(sleeping_.begin(), sleeping_.end(), later);
    ready_.push(*sleeping_.back().task);
    sleeping_.pop_back();
  }
}

std::optional<int64_t> Turns::next_wake() const {
  if (sleeping_.empty()) return std::nullopt;
  return sleeping_.front().until_ns;
}

void Turns::wake_all() {
  std::sort(sleeping_.begin(), sleeping_.end(),
            [](const Sleeping& a, const Sleeping& b) { return a.number < b.number; });
  for (const Sleeping& s : sleeping_) ready_.push(*s.task);
  sleeping_.clear();
}

void Turns::wake_waiters() {
  List waiters;
  std::swap(waiters, waiters_);
  while (!waiters.empty()) {
    Task& task = waiters.pop();
    (*task.done ? ready_ : waiters_).push(task);
  }
}

template <typename F>
void Turns::run_others(F&& done, int64_t until_ns) {
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

bool Turns::await_turn(Resumable* task, const Turn& turn) {
  if (ended_) return false;
  Worker* const worker = task == nullptr ? own_worker() : nullptr;
  if (task == nullptr && worker == nullptr) {
    await_own_turn(turn);
    return false;
  }
  Task& waits = task == nullptr ? *worker->task : static_cast<Task&>(*task);
  parked_.push_back(place_of(turn, &waits));
  std::push_heap(parked_.begin(), parked_.end(), after);
  if (worker != nullptr) yield(*worker);
  return worker == nullptr;
}

Turns::Parked Turns::place_of(const Turn& turn, Task* task) {
  return {object_key(turn.about.ns, turn.about.name), turn.rank, turn.what, ++last_number_, task};
}

void Turns::await_own_turn(const Turn& turn) {
  const Counted waiting(&waits_);
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
  const Parked own = place_of(turn, nullptr);
  while (true) {
    run_ready();
    if (!std::exchange(ticked, false)) {
      tick();
      run_ready();  // what that time has made due comes first
    }
    if (parked_.empty() || after(parked_.front(), own)) return;
    next();
  }
}

bool Turns::await_time(Resumable* task, const Time& time) {
  if (task == nullptr) return Tasks::await_time(task, time);
  if (ended_) {
    clock_->advance_to(time.until_ns);
    return false;
  }
  sleep(static_cast<Task&>(*task), time.until_ns);
  return true;
}

bool Turns::await_call(Resumable* task, Call& call) {
  if (task == nullptr) return Tasks::await_call(task, call);
  auto& caller = static_cast<Task&>(*task);
  caller.call = &call;
  return !make_call(caller);
}

bool Turns::await_release(Resumable* task) {
  Worker* const worker = task == nullptr ? own_worker() : nullptr;
  if (task == nullptr && worker == nullptr) return false;
  held_.push(task == nullptr ? *worker->task : static_cast<Task&>(*task));
  if (worker != nullptr) yield(*worker);
  return worker == nullptr;
}

bool Turns::await_done(Resumable* task, const bool& done) {
  Worker* const worker = task == nullptr ? own_worker() : nullptr;
  if (task == nullptr && worker == nullptr) {
    run_others([&] { return done; }, INT64_MAX);
    return false;
  }
  Task& waits = task == nullptr ? *worker->task : static_cast<Task&>(*task);
  waits.done = &done;
  waiters_.push(waits);
  if (worker != nullptr) yield(*worker);
  return worker == nullptr;
}

// The clock's: a wait in a call, or of the owner.
void Turns::sleep_until(int64_t deadline_ns) {
  if (ended_) return clock_->advance_to(deadline_ns);
  if (Worker* const worker = own_worker()) {
    sleep(*worker->task, deadline_ns);
    return yield(*worker);
  }
  const Counted waiting(&waits_);
  run_others([&] { return clock_->now_ns() >= deadline_ns; }, deadline_ns);
}

}  // namespace libsched
