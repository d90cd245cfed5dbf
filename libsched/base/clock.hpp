// Clock: the library's source of time. Nothing in the core reads the machine's time directly.
//
// Times are nanoseconds since 1970. Any thread may use a clock.
#pragma once

#include <atomic>
#include <cstdint>

#include "libsched/base/mutex.hpp"
#include "libsched/base/ref.hpp"

namespace libsched {

class Clock : public RefCounted {
 public:
  virtual int64_t now_ns() const = 0;
  // Sleeps until `changed` is notified or the deadline has passed; may return early. Releases the
  // mutex meanwhile.
  virtual void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) = 0;
};

// The machine's clock.
class SystemClock final : public Clock {
 public:
  int64_t now_ns() const override;
  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override;
};

// A clock that stands still until it is moved. Waiting moves it to the deadline at once, so an hour
// passes immediately.
class VirtualClock final : public Clock {
 public:
  // Far from any start time of a pod: one without counts as started last, as upstream's.
  static constexpr int64_t kStart = 7'258'118'400'000'000'000;  // 2200-01-01

  explicit VirtualClock(int64_t now_ns = kStart) : now_ns_(now_ns) {}
  int64_t now_ns() const override;
  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override;
  // Moves forward to `now_ns`, never back.
  void advance_to(int64_t now_ns);

  // Takes over waiting: returns when the clock has reached the deadline, or earlier.
  class Sleeper {
   public:
    virtual void sleep_until(int64_t deadline_ns) = 0;

   protected:
    ~Sleeper() = default;
  };
  // Null: waiting moves the clock. Called while nothing waits.
  void set_sleeper(Sleeper* sleeper);
  bool has_sleeper() const;

 private:
  mutable Mutex mutex_;
  std::atomic<int64_t> now_ns_;
  Sleeper* sleeper_ = nullptr;
};

}  // namespace libsched
