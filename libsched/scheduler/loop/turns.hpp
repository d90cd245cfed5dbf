// Turns: tasks in virtual time, one at a time, in an order that does not depend on chance.
//
// Tasks run on the owner's thread, one after the other, each until it is suspended or has ended. It
// waits for its turn, for a time or for other tasks. The owner runs all tasks that need not wait,
// and only then gives turns. All that tasks and the owner share is safe without locks.
//
// A call that may block is made on one of a few threads, while the owner waits until the call has
// ended or blocks: they pass a baton. What blocks, waits as a task does. If the system provides no
// thread, the owner makes the call itself.
//
// The owner may wait for a turn, a time or tasks as well: it then lets the others run until it may
// continue.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/framework/framework.hpp"
#include "libsched/framework/tasks.hpp"

namespace libsched {

class Turns final : public Tasks, private VirtualClock::Sleeper {
 public:
  // Time passes by this much for each turn.
  static constexpr int64_t kTurnNs = 1000;
  // The most threads for calls that block. Further calls wait until one has ended.
  static constexpr size_t kMaxThreads = 48;

  // Runs on the owner's thread whenever tasks or time have advanced: handles what has happened.
  using CatchUp = std::function<void()>;

  // Runs calls while the cluster may change.
  using OutsideCycle = std::function<void(const std::function<void()>&)>;

  // Calls of clock->wait() become those of this object.
  Turns(Ref<VirtualClock> clock, CatchUp catch_up, OutsideCycle outside_cycle = run_plainly);
  ~Turns() override;

  // Attaches the plugins to each thread before its first call, and detaches them when it ends.
  void attach(std::vector<FrameworkRef> frameworks) { frameworks_ = std::move(frameworks); }

  // Tasks.
  void start(Steps<> task) override;
  void outside_cycle(const std::function<void()>& calls) override { outside_cycle_(calls); }

  // Keeps a thread for the next call that is made first. False: the system provides none.
  bool reserve_thread();
  // As apart(), before all calls that wait for a thread.
  template <typename F>
  Apart<F> first_apart(F& f) {
    Apart<F> out(*this, f);
    out.first = true;
    return out;
  }

  struct Hold {
    Turns& turns;
    bool await_ready() const noexcept { return false; }
    template <typename P>
    bool await_suspend(std::coroutine_handle<P> at) const {
      return turns.await_release(suspended(at));
    }
    void await_resume() const noexcept {}
  };
  // co_await: lets the task wait until release(), or until others have run if the turns end. Does
  // nothing for the owner.
  Hold hold() { return {*this}; }

  struct Done {
    Turns& turns;
    const bool& done;
    bool await_ready() const noexcept { return done; }
    template <typename P>
    bool await_suspend(std::coroutine_handle<P> at) const {
      return turns.await_done(suspended(at), done);
    }
    void await_resume() const noexcept {}
  };
  // co_await: lets the task wait until `done`, which another task sets.
  Done wait_for(const bool& done) { return {*this, done}; }

  // For the owner.
  bool idle() const { return live_ == 0; }  // no task has begun that has not ended
  // Whether a task runs, or the owner waits.
  bool nested() const { return own_worker() != nullptr || running_ != 0 || waits_ != 0; }
  // Whether a task waits for its turn.
  bool waiting() const { return !parked_.empty(); }
  // Runs all tasks that need not wait.
  void run_ready();
  // Gives the first waiting task its turn, and runs all that need not wait afterwards.
  void next();
  std::optional<int64_t> next_wake() const;  // of tasks that sleep
  void release() { ready_.take(held_); }     // the tasks that hold()
  void wake_all();  // lets sleeping tasks look whether they still want to sleep
  // Lets the time of one turn pass.
  void tick();
  // Lets all tasks end without waiting: turns come at once, and sleeping moves the clock. There are
  // no more notifications.
  void end();

 private:
  struct Worker;
  struct Task;
  // Tasks in the order in which they came. A task is in one list at most.
  class List {
   public:
    bool empty() const { return first_ == nullptr; }
    void push(Task& task);
    Task& pop();
    void take(List& other);

   private:
    Task *first_ = nullptr, *last_ = nullptr;
  };
  // A waiting task's place in the order.
  struct Parked {
    std::string key;
    Rank rank;
    const char* what;
    uint64_t number;
    Task* task;
  };
  struct Sleeping {
    int64_t until_ns;
    uint64_t number;
    Task* task;
  };
  // The orders of the heaps, which have the last element at the top.
  static bool after(const Parked& a, const Parked& b);
  static bool later(const Sleeping& a, const Sleeping& b);
  static void run_plainly(const std::function<void()>& calls) { calls(); }

  bool await_turn(Resumable* task, const Turn& turn) override;
  bool await_time(Resumable* task, const Time& time) override;
  bool await_call(Resumable* task, Call& call) override;
  bool await_release(Resumable* task);
  bool await_done(Resumable* task, const bool& done);
  void await_own_turn(const Turn& turn);
  Parked place_of(const Turn& turn, Task* task);
  void sleep_until(int64_t deadline_ns) override;
  void sleep(Task& task, int64_t until_ns);

  Worker* own_worker() const;  // whose thread this is, or null
  bool make_worker();
  bool try_worker() noexcept;
  bool may_call() const;
  bool make_call(Task& task);
  void attach_and_work(Worker& worker, size_t framework);
  void work(Worker& worker);
  void end_threads();
  template <typename F>
  void run(Task& task, F&& f);
  void begin(Task& task);
  void resume(Task& task);
  static void yield(Worker& worker);  // to the owner
  void wake_sleepers();
  void wake_waiters();
  // Lets others run until done() holds; moves the clock up to `until_ns` if nothing else can run.
  template <typename F>
  void run_others(F&& done, int64_t until_ns);

  Ref<VirtualClock> clock_;
  CatchUp catch_up_;
  OutsideCycle outside_cycle_;
  std::vector<FrameworkRef> frameworks_;
  bool ended_ = false;
  size_t live_ = 0;
  size_t waits_ = 0;    // of the owner
  size_t running_ = 0;  // tasks on the owner's stack
  uint64_t last_number_ = 0;
  List new_;      // not begun
  List ready_;    // need not wait
  List callers_;  // wait for a thread
  List held_;
  List waiters_;                    // wait_for()
  std::vector<Parked> parked_;      // a heap
  std::vector<Sleeping> sleeping_;  // likewise
  std::vector<Worker*> resting_;    // threads without a call
  Worker* reserved_ = nullptr;      // likewise
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace libsched
