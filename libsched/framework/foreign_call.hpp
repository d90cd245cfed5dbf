// ForeignCall: marks that this thread is inside of a foreign plugin.
//
// Such a plugin may hold a lock of its own, for which other threads would wait in vain; and values
// that it stores in a CycleState may be used wherever its slots may run.
#pragma once

#include <cstdint>
#include <utility>

#include "libsched/framework/plugin.hpp"

namespace libsched {

class ForeignCall {
 public:
  explicit ForeignCall(Plugin::Threading threading)
      : before_(std::exchange(innermost,
                              threading == Plugin::Threading::kCallerThread ? kHere : kAnywhere)) {
    ++nesting;
  }
  ~ForeignCall() {
    innermost = before_;
    --nesting;
  }
  ForeignCall(const ForeignCall&) = delete;
  ForeignCall& operator=(const ForeignCall&) = delete;

  static bool inside() { return innermost != kNone; }
  // The number of foreign calls that this thread is inside of: plugins may call plugins in turn.
  static uint32_t depth() { return nesting; }
  static constexpr uint32_t kMaxDepth = 32;
  // Whether this thread is inside of a plugin whose slots may run on any thread.
  static bool anywhere() { return innermost == kAnywhere; }

 private:
  enum Kind : uint8_t { kNone, kHere, kAnywhere };
  // Every call up to Filter of one node reads this, hence the model that needs no function call.
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local Kind innermost = kNone;
  [[gnu::tls_model("initial-exec")]] static constinit inline thread_local uint32_t nesting = 0;

  Kind before_;
};

}  // namespace libsched
