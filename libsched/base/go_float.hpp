// Floating-point numbers as Go writes them: the shortest digits that give the value back.
#pragma once

#include <string>

namespace libsched {

// strconv.FormatFloat with 'g' and precision -1: 0.25, 1e+06, +Inf.
std::string go_float(double value);
std::string go_float(float value);
// With 'f': never an exponent.
std::string go_float_plain(double value);
// As encoding/json writes a number; the value must be finite.
std::string json_float(double value);
std::string json_float(float value);

}  // namespace libsched
