// Numbers and texts: Go's strconv as far as CEL's conversions use it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched::cel {

std::optional<int64_t> parse_int(Str text);    // base 10, with a sign
std::optional<uint64_t> parse_uint(Str text);  // base 10, no sign
std::optional<double> parse_double(Str text);  // decimal and hexadecimal, Inf, NaN
std::optional<bool> parse_bool(Str text);

// Truncated; no value for NaN and for what the type does not hold. Upstream refuses MIN, too.
std::optional<int64_t> double_to_int(double value);
std::optional<uint64_t> double_to_uint(double value);

// A number with its sign in base 2, 8 or 16.
std::string format_int(int64_t value, int base);
std::string format_uint(uint64_t value, int base);

}  // namespace libsched::cel
