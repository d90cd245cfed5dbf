// FastClock: runs from the machine's time, a number of times as fast.
#pragma once

#include "libsched/base/clock.hpp"

namespace libsched {

class FastClock final : public Clock {
 public:
  explicit FastClock(int64_t times, int64_t start_ns = 0) : times_(times), start_ns_(start_ns) {}

  int64_t now_ns() const override { return start_ns_ + (time_.now_ns() - began_ns_) * times_; }
  void wait(Signal& changed, std::unique_lock<Mutex>& lock, int64_t deadline_ns) override {
    const int64_t left = (deadline_ns - start_ns_) / times_ + 1;
    time_.wait(changed, lock, began_ns_ + left);
  }

 private:
  SystemClock time_;
  const int64_t began_ns_ = time_.now_ns();
  const int64_t times_, start_ns_;
};

}  // namespace libsched
