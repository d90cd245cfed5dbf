// RFC 3339 times as Go's time.Parse(time.RFC3339, ...) reads them.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/base/arena.hpp"

namespace libsched {

// Nanoseconds since 1970 UTC; times outside of the years 1678 to 2261 give the nearest that fits.
std::optional<int64_t> parse_rfc3339(Str s);

}  // namespace libsched
