// The amounts of single resources.
#pragma once

#include "libsched/objects/resources.hpp"

namespace libsched {

// Of a resource other than cpu, memory and ephemeral-storage.
inline int64_t scalar_in(const Resources& of, Str name) {
  for (const ScalarAmount& s : of.scalars)
    if (s.name == name) return s.value;
  return 0;
}

inline int64_t amount_in(const Resources& of, Str name) {
  if (name == "cpu") return of.milli_cpu;
  if (name == "memory") return of.memory;
  if (name == "ephemeral-storage") return of.ephemeral_storage;
  return scalar_in(of, name);
}

}  // namespace libsched
