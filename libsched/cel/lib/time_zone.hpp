// Time zones by name or offset. The rules are a table of the IANA database in the program; no file
// is read.
#pragma once

#include <cstdint>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched::cel {

// The offset in seconds east of UTC that a zone has at a moment. `zone` is "" or "UTC", a name such
// as "Europe/Berlin", or an offset such as "+01:30".
Result<int64_t> zone_offset(Str zone, int64_t unix_seconds);

}  // namespace libsched::cel
