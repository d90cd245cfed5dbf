// TimeSource: something that happens by itself at a time of a virtual clock.
#pragma once

#include <cstdint>
#include <optional>

namespace libsched {

// Used on the thread of the scheduler that it is added to.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  // When something happens next; absent: nothing is planned. May be in the past.
  virtual std::optional<int64_t> next_due() const = 0;
  // Does one thing that is due, and returns whether there was one.
  virtual bool run_due(int64_t now_ns) = 0;
};

}  // namespace libsched
