// Values of the C API as those of C++, and back.
#pragma once

#include <libsched.h>

#include <string_view>

#include "libsched/base/result.hpp"

namespace libsched {

inline std::string_view view_of(libsched_str s) { return {s.ptr, s.ptr == nullptr ? 0 : s.len}; }
inline libsched_str str_of(std::string_view s) { return {s.data(), s.size()}; }

// Takes an error over from the C API.
Error taken(libsched_error* error);

}  // namespace libsched
