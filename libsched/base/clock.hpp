// Clock: where the library reads the time. Nothing in the core asks the machine by itself.
//
// Times are nanoseconds since 1970. Any thread may use a clock.
#pragma once

#include <cstdint>

#include "libsched/base/mutex.hpp"
#include "libsched/base/ref.hpp"

namespace libsched {

class Clock : public RefCounted {
 public:
  virtual int64_t now_ns() const = 0;
  // Sleeps until somebody notifies `changed` or the deadline has come; may return early. Others may
  // take the mutex meanwhile.
  virtual void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) = 0;
};

// The machine's clock.
class SystemClock final : public Clock {
 public:
  int64_t now_ns() const override;
  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override;
};

// A clock that stands still until it is moved. Waiting moves it to the deadline at once: so an hour
// passes in no time.
class VirtualClock final : public Clock {
 public:
  // Far from any start time of a pod: one without counts as started last, as upstream's.
  static constexpr int64_t kStart = 7'258'118'400'000'000'000;  // 2200-01-01

  explicit VirtualClock(int64_t now_ns = kStart) : now_ns_(now_ns) {}
  int64_t now_ns() const override;
  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override;
  // Moves on to `now_ns`, never back.
  void advance_to(int64_t now_ns);

 private:
  mutable Mutex mutex_;
  int64_t now_ns_;
};

}  // namespace libsched
