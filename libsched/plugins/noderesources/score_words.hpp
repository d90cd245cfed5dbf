// Words of 64 rows as the kernels for x86-64 read them.
#pragma once

#if defined(__x86_64__)

#include "libsched/plugins/noderesources/score_rows.hpp"

namespace libsched {

// An integer below 2^52 is the mantissa of 2^52 + itself.
constexpr int64_t kMagicBits = 0x4330000000000000;
constexpr double kMagic = 4503599627370496.0;

// The arrays of one word of rows.
struct WordOf {
  const int64_t *allocatable, *left, *used;  // used null: allocatable - left

  WordOf(const AllocationColumn& c, size_t w)
      : allocatable(c.allocatable.word(w)),
        left(c.left.word(w)),
        used(c.used ? c.used.word(w) : nullptr) {}
};

// Those of the rows of a word.
inline uint8_t* balances_of(const AllocationInput& input, size_t w) {
  return input.balances == nullptr ? nullptr : input.balances + w * 64;
}

AllocationKernels avx2_allocation_kernels();

}  // namespace libsched

#endif
