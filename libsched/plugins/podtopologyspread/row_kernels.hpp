// The loops over all rows: 64 rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace libsched {

// The rows of a word whose count is above the limit.
inline uint64_t rows_above(const int32_t* counts, int32_t limit) {
  uint64_t out = 0;
#if defined(__SSE2__)
  const __m128i bound = _mm_set1_epi32(limit);
  const auto above = [&](size_t i) {
    return _mm_cmpgt_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(counts + i)), bound);
  };
  for (size_t i = 0; i < 64; i += 16) {
    const __m128i low = _mm_packs_epi32(above(i), above(i + 4));
    const __m128i high = _mm_packs_epi32(above(i + 8), above(i + 12));
    const int bits = _mm_movemask_epi8(_mm_packs_epi16(low, high));
    out |= static_cast<uint64_t>(static_cast<uint32_t>(bits)) << i;
  }
#else
  for (size_t i = 0; i < 64; ++i) out |= static_cast<uint64_t>(counts[i] > limit) << i;
#endif
  return out;
}

// As Go's int64(math.Round(x)): to the nearest, halves away from zero.
inline int64_t round_half_away(double x) {
  const int64_t whole = static_cast<int64_t>(x);
  const double rest = x - static_cast<double>(whole);  // exact
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

}  // namespace libsched
