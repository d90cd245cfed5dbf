// Tests locks across fork(2): a child finds every Mutex free and its data consistent, waits for no
// thread, and keeps the CallLocks of the forking thread.
#include "libsched/base/mutex.hpp"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "libsched/base/call_lock.hpp"
#include "tests/unit/forks.hpp"

namespace libsched::mutex_test {

// Runs `check` in a child, which is killed if it hangs; returns its result.
bool in_child(const std::function<bool()>& check) {
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(30);
    _exit(check() ? 0 : 1);
  }
  int status = -1;
  return waitpid(pid, &status, 0) == pid && status == 0;
}

// Runs threads until the end of the scope.
class Busy {
 public:
  Busy(int count, const std::function<void(int)>& work) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this, work, i] {
        while (!stop_) work(i);
      });
  }
  ~Busy() {
    stop_ = true;
    for (std::thread& t : threads_) t.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

struct Guarded {
  Mutex mutex;
  std::string first, second;  // equal while the mutex is free

  void change(int round) {
    const std::lock_guard lock(mutex);
    first = std::string(static_cast<size_t>(round % 100), 'x');
    second = first;
  }
  bool whole() {
    const std::lock_guard lock(mutex);
    return first == second;
  }
};

TEST_CASE("fork: mutexes are free in the child and what they guard is whole" *
          doctest::skip(kNoForks)) {
  std::array<Guarded, 3> all;
  std::atomic<int> round{0};
  const Busy busy(4, [&](int i) {
    Guarded& mine = all[static_cast<size_t>(i) % all.size()];
    mine.change(++round);
    if (i == 3) {  // holds several
      const std::scoped_lock both(all[0].mutex, all[1].mutex);
      all[0].first = all[0].second = all[1].first = all[1].second = "both";
      const ForkHeldOff once_more;
    }
    if (mine.mutex.try_lock()) mine.mutex.unlock();
  });
  const uint32_t generation = fork_generation();
  for (int i = 0; i < 100; ++i) {
    REQUIRE(in_child([&] {
      for (Guarded& g : all)
        if (!g.whole()) return false;
      std::thread other([&] { all[0].change(7); });
      other.join();
      return all[0].whole() && fork_generation() == generation + 1 &&
             in_child([&] { return all[1].whole() && fork_generation() == generation + 2; });
    }));
  }
  CHECK(fork_generation() == generation);
}

TEST_CASE("fork: several at once" * doctest::skip(kNoForks)) {
  Guarded g;
  std::atomic<bool> good{true};
  {
    const Busy busy(3, [&](int) {
      g.change(5);
      if (!in_child([&] { return g.whole(); })) good = false;
    });
    for (int i = 0; i < 30; ++i) CHECK(in_child([&] { return g.whole(); }));
  }
  CHECK(good);
}

TEST_CASE("fork: who waits in the parent is not waited for in the child" *
          doctest::skip(kNoForks)) {
  Mutex mutex;
  std::optional<Signal> signal(std::in_place);
  std::atomic<bool> end{false}, waiting{false};
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    waiting = true;
    while (!end) signal->wait(lock, Signal::kForEver);
  });
  while (!waiting) std::this_thread::yield();
  const Busy busy(2, [&](int) {
    std::unique_lock lock(mutex);
    signal->wait(lock, 1000);
    signal->notify_all();
  });
  for (int i = 0; i < 100; ++i) {
    REQUIRE(in_child([&] {
      {
        std::unique_lock lock(mutex);
        signal->notify_all();
        signal->wait(lock, 1000);
      }
      bool woken = false;
      std::thread mine([&] {
        std::unique_lock lock(mutex);
        while (!woken) signal->wait(lock, 1'000'000);
      });
      {
        const std::lock_guard lock(mutex);
        woken = true;
        signal->notify_all();
      }
      mine.join();
      signal.reset();
      return true;
    }));
  }
  end = true;
  {
    const std::lock_guard lock(mutex);
    signal->notify_all();
  }
  waiter.join();
}

TEST_CASE("fork: a call that another was in is over in the child; the one that forks goes on" *
          doctest::skip(kNoForks)) {
  CallLock lock;
  int turns = 0;  // guarded by the lock
  {
    const Busy busy(3, [&](int) {
      lock.lock();
      lock.lock();
      ++turns;
      lock.unlock();
      lock.unlock();
    });
    for (int i = 0; i < 100; ++i) {
      REQUIRE(in_child([&] {
        lock.lock();
        lock.lock();
        lock.unlock();
        std::atomic<bool> in{false};
        std::thread other([&] {
          lock.lock();
          in = true;
          lock.unlock();
        });
        std::this_thread::yield();
        const bool alone = !in;
        lock.unlock();
        other.join();
        return alone && in;
      }));
    }
  }
  // From the middle of a call.
  lock.lock();
  lock.lock();
  CHECK(in_child([&] {
    lock.lock();
    lock.unlock();
    std::atomic<bool> in{false};
    std::thread other([&] {
      lock.lock();
      in = true;
      lock.unlock();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const bool alone = !in;
    lock.unlock();
    lock.unlock();
    other.join();
    return alone && in;
  }));
  lock.unlock();
  lock.unlock();
  CHECK(turns > 0);
}

}  // namespace libsched::mutex_test
