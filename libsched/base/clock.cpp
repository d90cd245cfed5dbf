// Clock: the machine's time, and a time that is moved by hand.
#include "libsched/base/clock.hpp"

#include <algorithm>
#include <chrono>

namespace libsched {

int64_t SystemClock::now_ns() const {
  using std::chrono::duration_cast, std::chrono::nanoseconds, std::chrono::system_clock;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

void SystemClock::wait(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                       int64_t deadline_ns) {
  // By the steady clock: a jump of the machine's time shall not stretch a wait by hours.
  const int64_t left = std::clamp<int64_t>(deadline_ns - now_ns(), 0, 3'600'000'000'000);
  changed.wait_for(lock, std::chrono::nanoseconds(left));
}

int64_t VirtualClock::now_ns() const {
  const std::lock_guard guard(mutex_);
  return now_ns_;
}

void VirtualClock::wait(std::condition_variable&, std::unique_lock<std::mutex>&,
                        int64_t deadline_ns) {
  advance_to(deadline_ns);
}

void VirtualClock::advance_to(int64_t now_ns) {
  const std::lock_guard guard(mutex_);
  now_ns_ = std::max(now_ns_, now_ns);
}

}  // namespace libsched
