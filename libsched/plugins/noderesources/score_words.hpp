// Words of 64 rows as the kernels for x86-64 read them.
#pragma once

#if defined(__x86_64__)

#include <array>

#include "libsched/base/wrapping.hpp"
#include "libsched/plugins/noderesources/score_rows.hpp"

namespace libsched {

// An integer below 2^52 is the mantissa of 2^52 + itself.
constexpr int64_t kMagicBits = 0x4330000000000000;
constexpr double kMagic = 4503599627370496.0;

// The arrays of one word of rows.
struct WordOf {
  const int64_t *allocatable, *left, *used;  // used null: allocatable - left
  const double* inverse;                     // null: not kept

  WordOf(const AllocationColumn& c, size_t w)
      : allocatable(c.allocatable.word(w)),
        left(c.left.word(w)),
        used(c.used ? c.used.word(w) : nullptr),
        inverse(c.inverse ? c.inverse.doubles(w) : nullptr) {}
  WordOf(const int64_t* all, const int64_t* taken, const double* inverses)
      : allocatable(all), left(nullptr), used(taken), inverse(inverses) {}
};

// Up to 64 rows of two columns, side by side.
struct Gathered {
  alignas(64) std::array<std::array<int64_t, 64>, 2> allocatable, used;
  alignas(64) std::array<std::array<double, 64>, 2> inverse;
  size_t count = 0;  // a multiple of 8

  // The last one fills up.
  void gather(std::span<const AllocationColumn> columns, std::span<const uint32_t> rows) {
    count = (rows.size() + 7) / 8 * 8;
    for (size_t i = 0; i < 2; ++i) {
      const AllocationColumn& c = columns[i];
      const size_t n = rows.size();
      if (c.allocatable.base != nullptr) {  // of a writer: one array each
        const int64_t* const all = c.allocatable.word(0);
        const int64_t* const left = c.left.word(0);
        const int64_t* const taken = c.used ? c.used.word(0) : nullptr;
        for (size_t k = 0; k < n; ++k) allocatable[i][k] = all[rows[k]];
        if (taken != nullptr) {
          for (size_t k = 0; k < n; ++k) used[i][k] = taken[rows[k]];
        } else {
          for (size_t k = 0; k < n; ++k)
            used[i][k] = wrapping_sub(allocatable[i][k], left[rows[k]]);
        }
        if (c.inverse) {
          const double* const inverses = c.inverse.doubles(0);
          for (size_t k = 0; k < n; ++k) inverse[i][k] = inverses[rows[k]];
        }
      } else {
        for (size_t k = 0; k < n; ++k) {
          const size_t row = rows[k];
          allocatable[i][k] = c.allocatable[row];
          used[i][k] = c.used_at(row);
          if (c.inverse) inverse[i][k] = c.inverse.doubles(row / 64)[row % 64];
        }
      }
      for (size_t k = n; k < count; ++k) {
        allocatable[i][k] = allocatable[i][n - 1];
        used[i][k] = used[i][n - 1];
        if (c.inverse) inverse[i][k] = inverse[i][n - 1];
      }
    }
  }
  WordOf word(const AllocationColumn& c, size_t i) const {
    return {allocatable[i].data(), used[i].data(), c.inverse ? inverse[i].data() : nullptr};
  }
};

// Those of the rows of a word.
inline uint8_t* balances_of(const AllocationInput& input, size_t w) {
  return input.balances == nullptr ? nullptr : input.balances + w * 64;
}

// Calls score(a, b, count, out), which returns the rows that need `plain` as bits, for 64 of the
// few rows at a time.
template <typename Score, typename Plain>
void score_few(const AllocationInput& input, int64_t* scores, Score&& score, Plain&& plain) {
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  constexpr size_t kVeryFew = 3;
  if (input.few.size() <= kVeryFew) return each_row(input, scores, plain);
  Gathered gathered;
  alignas(64) std::array<int64_t, 64> out;
  for (size_t first = 0; first < input.few.size(); first += 64) {
    const std::span<const uint32_t> rows =
        input.few.subspan(first, std::min<size_t>(64, input.few.size() - first));
    gathered.gather(input.columns, rows);
    const uint64_t unusual =
        score(gathered.word(a, 0), gathered.word(b, 1), gathered.count, out.data());
    for (size_t k = 0; k < rows.size(); ++k) scores[rows[k]] = out[k];
    for_each_bit(unusual, 0, [&](size_t k) {
      if (k < rows.size()) scores[rows[k]] = plain(rows[k]);
    });
  }
}

AllocationKernels avx2_allocation_kernels();

}  // namespace libsched

#endif
