// prefetch: asks for a cache line ahead of its use.
//
// The empty statement is what makes it happen: GCC takes a function that does nothing but prefetch
// for one without effect, and drops every call of it.
#pragma once

namespace libsched {

inline void prefetch(const void* p) {
  __builtin_prefetch(p);
  asm volatile("");
}
inline void prefetch_to_write(const void* p) {
  __builtin_prefetch(p, 1);
  asm volatile("");
}

}  // namespace libsched
