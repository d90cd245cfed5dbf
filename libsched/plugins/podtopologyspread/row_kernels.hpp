// The loops over all rows: 64 rows at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libsched/base/bitmap.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace libsched {

// Returns the rows of a word whose count is above the limit.
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

// Rounds as Go's int64(math.Round(x)): to the nearest integer, halves away from zero.
inline int64_t round_half_away(double x) {
  const int64_t whole = static_cast<int64_t>(x);
  const double rest = x - static_cast<double>(whole);  // exact
  return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

// out[i] = round_half_away(x[i]) for the 64 rows of a word.
inline void round_rows(const double* x, int64_t* out) {
  size_t i = 0;
#if defined(__SSE2__)
  // Numbers of 32 bits, which is the usual case, are converted in vectors. Others would become
  // INT32_MIN.
  const __m128d limit = _mm_set1_pd(2147483000.0), half = _mm_set1_pd(0.5), one = _mm_set1_pd(1);
  const __m128d sign = _mm_set1_pd(-0.0);
  __m128d large = _mm_setzero_pd();
  for (size_t k = 0; k < 64; k += 2)
    large = _mm_max_pd(large, _mm_andnot_pd(sign, _mm_loadu_pd(x + k)));
  if (_mm_movemask_pd(_mm_cmplt_pd(large, limit)) == 3) {
    for (; i < 64; i += 2) {
      const __m128d v = _mm_loadu_pd(x + i);
      const __m128d whole = _mm_cvtepi32_pd(_mm_cvttpd_epi32(v));
      const __m128d rest = _mm_sub_pd(v, whole);
      const __m128d away = _mm_and_pd(_mm_cmpge_pd(_mm_andnot_pd(sign, rest), half),
                                      _mm_or_pd(_mm_and_pd(rest, sign), one));
      const __m128i n = _mm_cvttpd_epi32(_mm_add_pd(whole, away));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                       _mm_unpacklo_epi32(n, _mm_srai_epi32(n, 31)));
    }
  }
#endif
  for (; i < 64; ++i) out[i] = round_half_away(x[i]);
}

// Widens [*min, *max] by the values of these rows of a word.
inline void range_of_rows(const int64_t* values, uint64_t rows, int64_t* min, int64_t* max) {
  if (rows == ~uint64_t{0}) {
    int64_t low[4] = {*min, *min, *min, *min}, high[4] = {*max, *max, *max, *max};
    for (size_t i = 0; i < 64; i += 4)
      for (size_t k = 0; k < 4; ++k) {
        low[k] = values[i + k] < low[k] ? values[i + k] : low[k];
        high[k] = values[i + k] > high[k] ? values[i + k] : high[k];
      }
    for (size_t k = 0; k < 4; ++k) {
      *min = low[k] < *min ? low[k] : *min;
      *max = high[k] > *max ? high[k] : *max;
    }
    return;
  }
  for_each_bit(rows, 0, [&](size_t i) {
    *min = values[i] < *min ? values[i] : *min;
    *max = values[i] > *max ? values[i] : *max;
  });
}

}  // namespace libsched
