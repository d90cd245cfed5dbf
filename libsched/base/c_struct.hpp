// Structs of the C API that begin with struct_size, of programs that may be older or newer than
// this library (rule 6 of libsched.h). Both libraries read them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "libsched/base/result.hpp"

namespace libsched {

// No struct of this or a later version is nearly this large: a larger struct_size was not set.
constexpr uint32_t kMaxStructSize = 64 * 1024;

// Reads a struct that may be older (shorter) or newer (longer) than ours. Unknown fields of a newer
// struct must be zero.
template <typename T>
Result<T> read_struct(const T* given, const T& defaults, const char* name) {
  if (given == nullptr) return defaults;
  T copy = defaults;
  uint32_t size = 0;
  std::memcpy(&size, given, sizeof(size));
  if (size < sizeof(uint32_t) || size > kMaxStructSize)
    return Error{Rc::kMisuse, std::string(name) + ".struct_size is not set"};
  std::memcpy(static_cast<void*>(&copy), given, size < sizeof(T) ? size : sizeof(T));
  const char* bytes = reinterpret_cast<const char*>(given);
  for (size_t i = sizeof(T); i < size; ++i)
    if (bytes[i] != 0)
      return Error{Rc::kUnsupported,
                   std::string(name) + " has fields that this version does not know"};
  return copy;
}

// Reserved fields of a struct that was read must be 0.
inline Result<void> refuse_reserved(bool set, const char* name) {
  if (!set) return {};
  return Error{Rc::kUnsupported, std::string(name) + ": reserved field is set"};
}
template <size_t n>
Result<void> refuse_reserved(const bool (&reserved)[n], const char* name) {
  bool set = false;
  for (const bool field : reserved) set = set || field;
  return refuse_reserved(set, name);
}

}  // namespace libsched
