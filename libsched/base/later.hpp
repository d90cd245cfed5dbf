// later_ns: times that do not run over.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace libsched {

// The time so much later, or the last one that there is; `ns` is not negative.
inline int64_t later_ns(int64_t time_ns, int64_t ns) {
  return time_ns + std::min(ns, std::numeric_limits<int64_t>::max() - std::max(time_ns, int64_t{0}));
}

}  // namespace libsched
