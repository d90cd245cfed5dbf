// Durations as upstream's configuration writes them: "1h0m0s", "1.5s", "300ms".
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched {

// Nanoseconds; the same texts and errors as Go's time.ParseDuration.
Result<int64_t> parse_duration(Str text);

// As Go's time.Duration prints itself.
std::string duration_text(int64_t ns);

}  // namespace libsched
