// BindingThreads: tasks on a few threads, on a clock that is not virtual.
//
// A task has the scheduler's baton (baton.hpp) while it runs, and gives it up around API calls and
// plugins. Turns come at once.
#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "libsched/framework/framework.hpp"
#include "libsched/framework/tasks.hpp"
#include "libsched/scheduler/baton.hpp"

namespace libsched {

class BindingThreads final : public Tasks {
 public:
  BindingThreads();
  ~BindingThreads() override;

  // Once. Starts fewer threads if the system provides no more; false: it provides none. The plugins
  // of the frameworks are attached to each thread. `progress`: see Baton.
  bool begin(uint32_t threads, const std::vector<FrameworkRef>& frameworks,
             std::function<void()> progress);

  // Tasks. The caller has the baton.
  void start(Steps<> task) override;

  // Gives the baton up until release(). Does nothing after end().
  void hold();

  Baton& baton() { return baton_; }
  // Whether the calling thread is one of these.
  bool include_this_thread() const;

  // For the owner, with the baton.
  //
  // Lets all tasks run that want to. Rethrows what a task has thrown.
  void run_ready();
  size_t count() const;  // of tasks that have not ended
  bool idle() const { return count() == 0; }
  void release();  // the tasks that hold()
  // Waits until all tasks have ended, and joins the threads. A forked child has none: the tasks
  // that they ran are lost to it, and it runs the others and new ones in line.
  void end();

 private:
  struct Threads;

  void attach_and_work(size_t framework);
  void work();
  void run(Steps<>& task);
  void look_for_fork();
  void run_in_line();

  Baton baton_;
  std::vector<FrameworkRef> frameworks_;
  mutable Mutex mutex_;
  Signal started_, released_;
  std::deque<Steps<>> new_;  // not begun
  size_t live_ = 0;          // begun or not, and not ended
  uint64_t holds_ended_ = 0;
  bool ended_ = false;
  std::exception_ptr failure_;
  uint32_t generation_ = fork_generation();
  std::unique_ptr<Threads> threads_;  // null in a forked child
};

}  // namespace libsched
