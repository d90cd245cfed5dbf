// prefetch: asks for a cache line ahead of its use.
//
// The empty asm statement is necessary: GCC treats a function that only prefetches as one without
// effect, and drops its calls.
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
