// Tasks: what they have in common.
#include "libsched/framework/tasks.hpp"

#include <mutex>

namespace libsched {

thread_local const Resumable* Tasks::current_ = nullptr;

bool Tasks::await_time(Resumable*, const Time& time) {
  Mutex mutex;
  Signal never;
  std::unique_lock lock(mutex);
  if (time.clock.now_ns() < time.until_ns) time.clock.wait(never, lock, time.until_ns);
  return false;
}

}  // namespace libsched
