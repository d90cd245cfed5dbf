// Limits: end a call early, by a flag or a deadline, and the check for them.
//
// Plugins cannot be interrupted. The evaluator checks before and after each plugin and between
// nodes that are judged one by one; in-tree plugins check inside loops whose length depends on
// objects, and may return anything once the limits are exceeded. A call that ends so has changed
// nothing but the CycleState it was given.
#pragma once

#include <atomic>
#include <cstdint>

#include "libsched/base/clock.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

struct Limits {
  const std::atomic<bool>* cancel = nullptr;  // ends the call once it is true
  int64_t deadline_ns = 0;  // by Services::deadline_clock(); 0: none, the clock is not read
};

// The check of one call. Once exceeded it stays so, whatever flag and clock say later. Any thread
// may use it.
class LimitWatch {
 public:
  // `clock` must outlive this.
  LimitWatch(const Limits& limits, const Clock& clock) : limits_(limits), clock_(clock) {}

  bool exceeded() const {
    if (found()) return true;
    if (limits_.cancel != nullptr && limits_.cancel->load(std::memory_order_relaxed))
      return find(Rc::kCancelled);
    if (limits_.deadline_ns != 0 && clock_.now_ns() >= limits_.deadline_ns)
      return find(Rc::kDeadline);
    return false;
  }
  // Whether an earlier check found the limits exceeded.
  bool found() const { return found_.load(std::memory_order_relaxed) != Rc::kOk; }
  // The error of a call that exceeded its limits.
  Error error() const {
    const Rc rc = found_.load(std::memory_order_relaxed);
    return {rc, rc == Rc::kDeadline ? "deadline exceeded" : "the call was cancelled"};
  }

 private:
  bool find(Rc rc) const {
    Rc none = Rc::kOk;  // the first reason is kept
    found_.compare_exchange_strong(none, rc, std::memory_order_relaxed);
    return true;
  }

  Limits limits_;
  const Clock& clock_;
  mutable std::atomic<Rc> found_{Rc::kOk};
};

}  // namespace libsched
