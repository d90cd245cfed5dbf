// Timestamps of the years 1 to 9999 that remember the offset in which they were written.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched::cel {

struct Timestamp {
  int64_t seconds = 0;      // since 1970-01-01T00:00:00Z
  int32_t nanoseconds = 0;  // 0..999,999,999
  int32_t offset = 0;       // in seconds east of UTC; only for output
};

// timestamp(string); errors are "timestamp overflow" and "type conversion error ...".
Result<Timestamp> parse_timestamp(Str text);
bool is_rfc3339(Str text);                         // of any year
Result<Timestamp> timestamp_of(int64_t seconds);   // timestamp(int)
std::string format_timestamp(const Timestamp& t);  // RFC 3339 with the offset

int compare(const Timestamp& a, const Timestamp& b);  // -1, 0, 1; offsets have no part in it
Result<Timestamp> add_duration(const Timestamp& t, int64_t nanoseconds);
Result<Timestamp> subtract_duration(const Timestamp& t, int64_t nanoseconds);
Result<int64_t> subtract(const Timestamp& a, const Timestamp& b);  // in nanoseconds

enum class TimePart : uint8_t {
  kFullYear,
  kMonth,       // 0..11
  kDayOfYear,   // 0..365
  kDayOfMonth,  // 0..30
  kDate,        // 1..31
  kDayOfWeek,   // 0 is Sunday
  kHours,
  kMinutes,
  kSeconds,
  kMilliseconds,
};

int64_t time_part(TimePart part, const Timestamp& t);                    // in UTC
Result<int64_t> time_part(TimePart part, const Timestamp& t, Str zone);  // see time_zone.hpp

}  // namespace libsched::cel
