// Durations: signed 64-bit nanoseconds, parsed, written and taken apart as Go does it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

std::optional<int64_t> parse_duration(Str text);   // time.ParseDuration
std::string format_duration(int64_t nanoseconds);  // "3661.5s"

// Whole units, by upstream's way through a double, which rounds up at the end of large durations.
int64_t duration_hours(int64_t nanoseconds);
int64_t duration_minutes(int64_t nanoseconds);
int64_t duration_seconds(int64_t nanoseconds);
int64_t duration_milliseconds(int64_t nanoseconds);

}  // namespace libsched::cel
