// Clock: the machine's time, and a virtual time.
#include "libsched/base/clock.hpp"

#include <algorithm>
#include <chrono>

namespace libsched {

int64_t SystemClock::now_ns() const {
  using std::chrono::duration_cast, std::chrono::nanoseconds, std::chrono::system_clock;
  return duration_cast<nanoseconds>(system_clock::now().time_since_epoch()).count();
}

void SystemClock::wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) {
  // Uses the steady clock, so that a jump of the machine's time does not stretch a wait by hours.
  constexpr int64_t kHour = 3'600'000'000'000;
  const int64_t now = now_ns();
  const int64_t left =
      deadline_ns <= now ? 0 : std::min(deadline_ns - std::max(now, int64_t{0}), kHour);
  changed.wait(lock, left);
}

int64_t VirtualClock::now_ns() const { return now_ns_.load(); }

void VirtualClock::wait(Signal&, std::unique_lock<Mutex>& lock, int64_t deadline_ns) {
  Sleeper* sleeper = nullptr;
  {
    const std::lock_guard guard(mutex_);
    sleeper = sleeper_;
  }
  if (sleeper == nullptr) return advance_to(deadline_ns);
  lock.unlock();
  sleeper->sleep_until(deadline_ns);
  lock.lock();
}

bool VirtualClock::has_sleeper() const {
  const std::lock_guard guard(mutex_);
  return sleeper_ != nullptr;
}

void VirtualClock::set_sleeper(Sleeper* sleeper) {
  const std::lock_guard guard(mutex_);
  sleeper_ = sleeper;
}

void VirtualClock::advance_to(int64_t now_ns) {
  int64_t before = now_ns_.load();
  while (before < now_ns && !now_ns_.compare_exchange_weak(before, now_ns)) {
  }
}

}  // namespace libsched
