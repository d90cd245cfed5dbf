// Turns: tasks in virtual time, one at a time, in an order that does not depend on chance.
//
// Tasks are threads that pass one baton: while a task runs, the owner waits, and no other task
// runs. A task keeps the baton until it waits for its turn, for a time or for other tasks, or ends.
// The owner then runs all tasks that need not wait, and only then gives turns. All that tasks and
// the owner share is safe without locks.
//
// The owner may wait for a turn, a time or tasks as well, as a task with the owner's stack: it then
// lets the others run until it may continue.
#pragma once

#include <deque>
#include <exception>
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

  // Runs on the owner's thread whenever tasks or time have advanced: handles what has happened.
  using CatchUp = std::function<void()>;

  // Runs calls while the cluster may change.
  using OutsideCycle = std::function<void(const std::function<void()>&)>;

  // Calls of clock->wait() become those of this object.
  Turns(Ref<VirtualClock> clock, CatchUp catch_up, OutsideCycle outside_cycle = run_plainly);
  ~Turns() override;

  // Attaches the plugins to each thread before its first task, and detaches them when it ends.
  void attach(std::vector<FrameworkRef> frameworks) { frameworks_ = std::move(frameworks); }

  // Tasks.
  void start(std::function<void()> task) override;
  void turn(Rank rank, const char* what, const ObjectMeta& about) override;
  void outside_cycle(const std::function<void()>& calls) override { outside_cycle_(calls); }

  // Lets the calling task wait until release(), or until others have run if the turns end. Does
  // nothing for the owner.
  void hold();
  // Lets the calling task wait until `done`, which another task sets.
  void wait_for(const bool& done);

  // For the owner.
  bool idle() const { return live_ == 0; }  // no task has begun that has not ended
  // Whether this is a task's thread, or the owner waits.
  bool nested() const { return current() != nullptr || waits_ != 0; }
  // Whether a task waits for its turn.
  bool waiting() const { return !parked_.empty(); }
  // Runs all tasks that need not wait.
  void run_ready();
  // Gives the first waiting task its turn, and runs all that need not wait afterwards.
  void next();
  std::optional<int64_t> next_wake() const;  // of tasks that sleep
  void release();   // the tasks that hold()
  void wake_all();  // lets sleeping tasks look whether they still want to sleep
  // Lets the time of one turn pass.
  void tick();
  // Lets all tasks end without waiting: turns come at once, and sleeping moves the clock. There are
  // no more notifications.
  void end();

 private:
  struct Worker;
  // A waiting task's place in the order; `worker` null: the owner's.
  struct Parked {
    std::string key;
    Rank rank;
    const char* what;
    uint64_t number;
    Worker* worker;
  };
  struct Sleeping {
    int64_t until_ns;
    Worker* worker;
  };
  static bool before(const Parked& a, const Parked& b);
  static void run_plainly(const std::function<void()>& calls) { calls(); }

  void sleep_until(int64_t deadline_ns) override;
  static Worker* current();
  void attach_and_work(Worker& worker, size_t framework);
  void work(Worker& worker);
  void end_threads();
  void resume(Worker& worker);
  void yield(Worker& worker);  // to the owner
  void wake_sleepers();
  void wake_waiters();
  // Lets others run until done() holds; moves the clock up to `until_ns` if nothing else can run.
  template <typename Done>
  void run_others(Done&& done, int64_t until_ns);

  Ref<VirtualClock> clock_;
  CatchUp catch_up_;
  OutsideCycle outside_cycle_;
  std::vector<FrameworkRef> frameworks_;
  bool ended_ = false;
  size_t live_ = 0;
  size_t waits_ = 0;  // of the owner
  uint64_t last_number_ = 0;
  std::deque<std::function<void()>> new_;  // not begun
  std::deque<Worker*> ready_;
  std::vector<Parked> parked_;
  std::vector<Sleeping> sleeping_;
  std::vector<Worker*> held_;
  std::vector<std::pair<const bool*, Worker*>> waiters_;  // wait_for()
  std::vector<Worker*> resting_;  // threads without a task
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace libsched
