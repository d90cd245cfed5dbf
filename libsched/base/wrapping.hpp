// Go's integer arithmetic, which wraps around, even in the only division that traps in C++.
#pragma once

#include <cstdint>

namespace libsched {

inline int64_t wrapping_add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t wrapping_sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
inline int64_t wrapping_mul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
inline int64_t wrapping_div(int64_t a, int64_t b) { return b == -1 ? wrapping_sub(0, a) : a / b; }

}  // namespace libsched
