// Numbers as the clauses %f and %e of string.format() write them, in upstream's English.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/result.hpp"

namespace libsched::cel {

// "1,234.50": digits in groups of three. Rc::kUnsupported for more than 255 digits of precision.
Result<std::string> format_fixed(double value, int64_t precision);
// "1.234500×10⁰³". Always six digits of precision; upstream takes the precision for a width.
Result<std::string> format_scientific(double value, int64_t width);
// "1234.500000": six digits without groups, as doubles in lists are.
std::string format_six(double value);

}  // namespace libsched::cel
