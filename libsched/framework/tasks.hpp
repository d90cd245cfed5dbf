// Tasks: work that upstream does in goroutines beside the scheduling cycle, and what it waits for.
//
// A task waits with co_await, in the functions below. Whether it is suspended meanwhile or blocks
// its thread is up to the kind of tasks.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

#include "libsched/base/clock.hpp"
#include "libsched/base/ref.hpp"
#include "libsched/base/steps.hpp"
#include "libsched/objects/meta.hpp"

namespace libsched {

class Tasks : public RefCounted {
 public:
  // Of two turns that concern one object, the lower rank comes first.
  enum class Rank : uint8_t { kPlugin, kBind, kPatchStatus, kDelete, kPatchGroup };

  // Starts a task. It may run before or after this returns.
  virtual void start(Steps<> task) = 0;

  struct Turn {
    Tasks& tasks;
    Rank rank;
    const char* what;
    const ObjectMeta& about;
    bool await_ready() const noexcept { return false; }
    template <typename P>
    bool await_suspend(std::coroutine_handle<P> at) const {
      return tasks.await_turn(suspended(at), *this);
    }
    void await_resume() const noexcept {}
  };
  // co_await: goes on when it is the caller's turn, where the order of tasks matters: before an
  // action that others see, and after it. `what` names the action; it and `about` outlive the wait.
  Turn turn(Rank rank, const char* what, const ObjectMeta& about) {
    return {*this, rank, what, about};
  }

  struct Time {
    Tasks& tasks;
    Clock& clock;
    int64_t until_ns;
    bool await_ready() const noexcept { return false; }
    template <typename P>
    bool await_suspend(std::coroutine_handle<P> at) const {
      return tasks.await_time(suspended(at), *this);
    }
    void await_resume() const noexcept {}
  };
  // co_await: lets time pass until then by the clock of the tasks, or less: the caller looks.
  Time until(Clock& clock, int64_t time_ns) { return {*this, clock, time_ns}; }

  // A call that may block.
  struct Call {
    void* f;
    void (*run)(void*);
    std::exception_ptr failure;
    bool first = false;  // before others that wait to be called
    void operator()() noexcept {
      try {
        run(f);
      } catch (...) {
        failure = std::current_exception();
      }
    }
  };
  template <typename F>
  struct Apart : Call {
    Apart(Tasks& t, F& f)
        : Call{&f, [](void* p) { (*static_cast<F*>(p))(); }, nullptr, false}, tasks(t) {}
    Tasks& tasks;
    bool await_ready() const noexcept { return false; }
    template <typename P>
    bool await_suspend(std::coroutine_handle<P> at) {
      return tasks.await_call(suspended(at), *this);
    }
    void await_resume() const {
      if (failure) std::rethrow_exception(failure);
    }
  };
  // co_await: calls what may block, such as a foreign plugin, where that does not hold up other
  // tasks. `f` outlives the wait.
  template <typename F>
  Apart<F> apart(F& f) {
    return {*this, f};
  }

  // The task on whose behalf this thread works; several may share a thread. Null: none.
  static const Resumable* current() { return current_; }

  // Runs calls to the API server in the middle of a cycle, which reads the cluster no more: others
  // may change it meanwhile.
  virtual void outside_cycle(const std::function<void()>& calls) { calls(); }

 protected:
  // The waits. True: the task is suspended. A null task blocks the thread instead.
  virtual bool await_turn(Resumable*, const Turn&) { return false; }
  virtual bool await_time(Resumable* task, const Time& time);
  virtual bool await_call(Resumable*, Call& call) {
    call();
    return false;
  }

  // For kinds of tasks that share threads: held while a thread runs a task.
  class Running {
   public:
    explicit Running(const Resumable* task) : before_(std::exchange(current_, task)) {}
    ~Running() { current_ = before_; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    const Resumable* before_;
  };

  template <typename P>
  static Resumable* suspended(std::coroutine_handle<P> at) {
    Resumable* const task = at.promise().work;
    if (task != nullptr) task->at = at;
    return task;
  }

 private:
  static thread_local const Resumable* current_;
};

// Runs each task at once, on the thread that starts it.
class TasksAtOnce final : public Tasks {
 public:
  void start(Steps<> task) override { std::move(task).now(); }
};

}  // namespace libsched
