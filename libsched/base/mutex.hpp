// Mutex and Signal: synchronisation that survives fork(2).
//
// fork() copies the memory, but only the calling thread: a lock held by another thread would stay
// held in the child for ever, and its data half changed. So fork() waits until no
// thread holds a Mutex and blocks new locks until it is done: the child finds every Mutex free
// and its data consistent. That works because no code calls foreign code, takes Python's lock or
// waits for anything else while it holds a Mutex.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace libsched {

// The number of forks in the ancestry of this process since the library was loaded.
uint32_t fork_generation();
// The number of this thread, from 1 on. Numbers are never reused in this process or its children.
uint64_t thread_number();
// The thread that called fork() for this process, its only thread from the parent; 0: not forked.
uint64_t fork_survivor();

// fork() waits during its lifetime. For actions that happen once, such as initialising a static.
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

// Wakes threads that wait under a Mutex. A forked child has no waiters.
class Signal {
 public:
  Signal() : waiters_(std::make_shared<Waiters>()) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  // The mutex must be held.
  void notify_all();
  // Returns after notify_all(), or when the time is over; kForEver waits without a limit.
  void wait(std::unique_lock<Mutex>& lock, int64_t nanoseconds);
  static constexpr int64_t kForEver = INT64_MAX;

 private:
  // Waiting threads use it without the Mutex, so a thread may hold it at the moment of a fork. The
  // child then makes another, and abandons this one.
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
