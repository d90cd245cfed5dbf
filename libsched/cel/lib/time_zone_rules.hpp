// The rules of named time zones, from the IANA database.
#pragma once

#include <cstdint>
#include <optional>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

// The offset in seconds east of UTC that a zone such as "Europe/Berlin" has at a moment; none if no
// zone has this name. Names are told apart by case.
std::optional<int32_t> named_zone_offset(Str name, int64_t unix_seconds);

}  // namespace libsched::cel
