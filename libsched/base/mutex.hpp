// Mutex and Signal: what threads share across fork(2).
//
// fork() copies the memory, but only the thread that calls it: what another thread holds stays held
// in the child for ever, and what it was changing stays half changed. So fork() waits until no
// thread holds a Mutex and lets nobody take one until it is done: the child finds every Mutex free,
// and what they guard whole. That works because nobody calls foreign code, takes Python's lock or
// waits for anything else while holding one.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace libsched {

// How often this process, or those that it was forked from, have been forked off.
uint32_t fork_generation();
// Threads have numbers from 1 on that none after them gets, in this process or its children.
uint64_t thread_number();
// The thread that forked this process off, the only one of its parent's that it has; 0: never was.
uint64_t fork_survivor();

// While one lives, fork() waits. For what happens once, as the making of a static.
class ForkHeldOff {
 public:
  ForkHeldOff() noexcept { enter(); }
  ~ForkHeldOff() { leave(); }
  ForkHeldOff(const ForkHeldOff&) = delete;
  ForkHeldOff& operator=(const ForkHeldOff&) = delete;

 private:
  friend class Mutex;
  static void enter() noexcept;
  static void leave() noexcept;
};

class Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() {
    ForkHeldOff::enter();
    mutex_.lock();
  }
  bool try_lock() {
    ForkHeldOff::enter();
    if (mutex_.try_lock()) return true;
    ForkHeldOff::leave();
    return false;
  }
  void unlock() {
    mutex_.unlock();
    ForkHeldOff::leave();
  }

 private:
  std::mutex mutex_;
};

// Wakes threads that wait under a Mutex. A child has no waiters, whoever waited in the parent.
class Signal {
 public:
  Signal() : waiters_(std::make_shared<Waiters>()) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  // With the mutex held.
  void notify_all();
  // Returns after notify_all(), or when the time is over; kForEver: never is.
  void wait(std::unique_lock<Mutex>& lock, int64_t nanoseconds);
  static constexpr int64_t kForEver = INT64_MAX;

 private:
  // Waiting threads use it without the Mutex, so one may hold it at the moment of a fork: then the
  // child makes another, and this one stays with the thread that is gone.
  struct Waiters {
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t signals = 0;
    uint32_t generation = fork_generation();
  };
  std::shared_ptr<Waiters> current();

  std::shared_ptr<Waiters> waiters_;
};

}  // namespace libsched
