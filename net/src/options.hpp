// Reading an options struct of the C API that an older or newer program made, as libsched.h says
// (rule 6).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "libsched/base/result.hpp"

namespace libsched {

// No options of this or a later version are nearly this large: a larger struct_size was not set.
constexpr uint32_t kMaxOptionsSize = 64 * 1024;

// Copies the fields that `given` has over the defaults in `known`. Fields that this version does
// not know must be zero.
template <typename T>
Result<void> read_options(const T* given, T* known, const char* name) {
  if (given == nullptr) return {};
  const uint32_t size = given->struct_size;
  if (size < sizeof(size) || size > kMaxOptionsSize)
    return Error{Rc::kMisuse, std::string(name) + ".struct_size is not set", {}, {}};
  const char* bytes = reinterpret_cast<const char*>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      return Error{Rc::kUnsupported,
                   std::string(name) + " has fields that this version does not know",
                   {},
                   {}};
  std::memcpy(static_cast<void*>(known), given, size < sizeof(T) ? size : sizeof(T));
  return {};
}

}  // namespace libsched
