// Lock: a futex (std::atomic::wait) whose value is the fork generation of the holder's process.
#include "lock.hpp"

#include <pthread.h>

#include "binding.hpp"

namespace libsched {
namespace {

std::atomic<uint32_t> generation{1};

void on_fork_in_child() { generation.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

void watch_for_fork() { pthread_atfork(nullptr, nullptr, on_fork_in_child); }

void Lock::acquire() {
  const uint32_t mine = generation.load(std::memory_order_relaxed);
  uint32_t seen = 0;
  while (!holder_.compare_exchange_strong(seen, mine, std::memory_order_acquire)) {
    if (seen != mine) {
      raise(LIBSCHED_ERR_STATE,
            "another thread was using this object when the process forked; make a new one");
    }
    if (thread_.load(std::memory_order_relaxed) == std::this_thread::get_id()) {
      if (InSlot::depth() != 0) {
        ++again_;
        return;
      }
      raise(LIBSCHED_ERR_STATE, "a finalizer used an object in the middle of a call on it");
    }
    if (!python_is_there())  // its holder waits for the end of the process
      raise(LIBSCHED_ERR_STATE, "another thread was using this object when Python ended");
    {
      const Unlocked released;
      holder_.wait(seen, std::memory_order_relaxed);
    }
    seen = 0;
  }
  thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
}

void Lock::release() noexcept {
  if (again_ != 0) {
    --again_;
    return;
  }
  thread_.store({}, std::memory_order_relaxed);
  holder_.store(0, std::memory_order_release);
  holder_.notify_one();
}

}  // namespace libsched
