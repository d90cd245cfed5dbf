// The loops, the instruction sets they are compiled for, and the choice at run
// time. Rows outside of the set are masked, not skipped, so that the compiler
// can vectorise the loops.
#include "libsched/framework/score_columns.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "libsched/framework/scoring.hpp"
#include "libsched/framework/vector_intrinsics.hpp"

namespace libsched {
namespace {

// All ones where bit i is set.
[[gnu::always_inline]] inline uint64_t kept(uint64_t bits, size_t i) {
  return uint64_t{0} - (bits >> i & 1);
}

// So few rows cost less one by one.
[[gnu::always_inline]] inline bool few(uint64_t bits) {
  for (int i = 0; i < 4 && bits != 0; ++i) bits &= bits - 1;
  return bits == 0;
}

// One word of rows; `all`: every row is in the set; `small`: the weight fits 32 bits.
template <bool first, bool small, bool all, typename Total>
[[gnu::always_inline]] inline uint64_t add_word(uint64_t b, const int64_t* __restrict in,
                                                uint64_t weight, Total* __restrict out) {
  uint64_t outside = 0;  // its highest bit
  for (size_t i = 0; i < 64; ++i) {
    const auto s = static_cast<uint64_t>(in[i]);
    const uint64_t beyond = s | (static_cast<uint64_t>(kMaxNodeScore) - s);
    outside |= all ? beyond : beyond & kept(b, i);
    // A score in range and such a weight fit 32 bits, which multiply in one
    // instruction.
    const uint64_t product = small ? (s & 0xffffffff) * (weight & 0xffffffff) : s * weight;
    out[i] = static_cast<Total>(first ? product : static_cast<uint64_t>(out[i]) + product);
  }
  return outside;
}

template <bool first, bool small, typename Total>
[[gnu::always_inline]] inline uint64_t add_words(const uint64_t* bits, size_t words,
                                                 const int64_t* scores, uint64_t weight,
                                                 Total* totals) {
  uint64_t outside = 0;
  for (size_t w = 0; w < words; ++w) {
    const uint64_t b = bits[w];
    if (b == 0) continue;
    const int64_t* in = scores + w * 64;
    Total* out = totals + w * 64;
    if (few(b)) {
      for (uint64_t left = b; left != 0; left &= left - 1) {
        const auto i = static_cast<size_t>(std::countr_zero(left));
        const auto s = static_cast<uint64_t>(in[i]);
        outside |= s | (static_cast<uint64_t>(kMaxNodeScore) - s);
        out[i] = static_cast<Total>((first ? 0 : static_cast<uint64_t>(out[i])) + s * weight);
      }
      continue;
    }
    outside |= b == ~uint64_t{0} ? add_word<first, small, true>(b, in, weight, out)
                                 : add_word<first, small, false>(b, in, weight, out);
  }
  return outside;
}

template <typename Total>
[[gnu::always_inline]] inline bool add_body(const uint64_t* bits, size_t words,
                                            const int64_t* scores, int64_t weight, bool first,
                                            Total* totals) {
  static_assert(kMinNodeScore == 0);
  const auto factor = static_cast<uint64_t>(weight);
  const bool small = sizeof(Total) == 4 || factor >> 32 == 0;
  uint64_t outside;
  if (small) {
    outside = first ? add_words<true, true>(bits, words, scores, factor, totals)
                    : add_words<false, true>(bits, words, scores, factor, totals);
  } else {
    outside = first ? add_words<true, false>(bits, words, scores, factor, totals)
                    : add_words<false, false>(bits, words, scores, factor, totals);
  }
  return outside >> 63 == 0;
}

[[gnu::always_inline]] inline ColumnRange range_body(const uint64_t* bits, size_t words,
                                                     const int64_t* values) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  int64_t low = kHigh, high = kLow;
  for (size_t w = 0; w < words; ++w) {
    const uint64_t b = bits[w];
    if (b == 0) continue;
    const int64_t* in = values + w * 64;
    if (b == ~uint64_t{0}) {
      for (size_t i = 0; i < 64; ++i) {
        low = in[i] < low ? in[i] : low;
        high = in[i] > high ? in[i] : high;
      }
      continue;
    }
    for (size_t i = 0; i < 64; ++i) {
      const auto keep = static_cast<int64_t>(kept(b, i));
      const int64_t for_low = (in[i] & keep) | (kHigh & ~keep);
      const int64_t for_high = (in[i] & keep) | (kLow & ~keep);
      low = for_low < low ? for_low : low;
      high = for_high > high ? for_high : high;
    }
  }
  return {low, high};
}

// Counts in the words alone that have the largest value.
template <typename T>
[[gnu::always_inline]] inline ColumnTop top_of_column(const uint64_t* bits, size_t words,
                                                      const T* values) {
  constexpr T kLow = std::numeric_limits<T>::min();
  ColumnTop out{kLow, 0};
  for (size_t w = 0; w < words; ++w) {
    const uint64_t b = bits[w];
    if (b == 0) continue;
    const T* in = values + w * 64;
    T high = kLow;
    if (b == ~uint64_t{0}) {
      for (size_t i = 0; i < 64; ++i) high = in[i] > high ? in[i] : high;
    } else {
      for (size_t i = 0; i < 64; ++i) {
        const auto keep = static_cast<T>(kept(b, i));
        const T v = (in[i] & keep) | (kLow & ~keep);
        high = v > high ? v : high;
      }
    }
    if (high < out.value) continue;
    if (high > out.value) out = {high, 0};
    uint64_t n = 0;
    for (size_t i = 0; i < 64; ++i) n += (in[i] == high ? b >> i : 0) & 1;
    out.count += static_cast<size_t>(n);
  }
  return out;
}

[[gnu::always_inline]] inline size_t count_body(const uint64_t* bits, size_t words,
                                                const int64_t* values, int64_t value) {
  uint64_t n = 0;
  for (size_t w = 0; w < words; ++w) {
    const uint64_t b = bits[w];
    if (b == 0) continue;
    const int64_t* in = values + w * 64;
    if (b == ~uint64_t{0}) {
      for (size_t i = 0; i < 64; ++i) n += in[i] == value ? 1 : 0;
      continue;
    }
    for (size_t i = 0; i < 64; ++i) n += (in[i] == value ? b >> i : 0) & 1;
  }
  return static_cast<size_t>(n);
}

[[gnu::always_inline]] inline WordBest best_body(const int32_t* values, const uint32_t* ranks) {
  WordBest out{values[0], 0, std::numeric_limits<uint32_t>::max()};
  for (size_t i = 0; i < 64; ++i) out.value = values[i] > out.value ? values[i] : out.value;
  for (size_t i = 0; i < 64; ++i) out.ties += values[i] == out.value ? 1 : 0;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t rank = ranks[i] | (values[i] == out.value ? 0 : ~uint32_t{0});
    out.first = rank < out.first ? rank : out.first;
  }
  return out;
}

[[gnu::always_inline]] inline uint32_t first_body(const int32_t* values, const uint32_t* ranks,
                                                  size_t words, int32_t value) {
  uint32_t out = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < words * 64; ++i) {
    const uint32_t rank = ranks[i] | (values[i] == value ? 0 : ~uint32_t{0});
    out = rank < out ? rank : out;
  }
  return out;
}

[[gnu::always_inline]] inline int32_t top_body(uint64_t bits, const int32_t* values) {
  int32_t top = std::numeric_limits<int32_t>::min();
  if (bits == ~uint64_t{0}) {
    for (size_t i = 0; i < 64; ++i) top = values[i] > top ? values[i] : top;
  } else {
    for (; bits != 0; bits &= bits - 1) top = std::max(top, values[std::countr_zero(bits)]);
  }
  return top;
}

[[gnu::always_inline]] inline uint64_t equal_body(const int32_t* values, int32_t value) {
  uint64_t out = 0;
  for (size_t i = 0; i < 64; ++i) out |= static_cast<uint64_t>(values[i] == value) << i;
  return out;
}

// Calls f(w) for the words whose bits are set.
template <typename F>
[[gnu::always_inline]] inline void for_each_word(const uint64_t* which, size_t words, F&& f) {
  for (size_t k = 0; k * 64 < words; ++k)
    for (uint64_t left = which[k]; left != 0; left &= left - 1)
      if (const size_t w = k * 64 + static_cast<size_t>(std::countr_zero(left)); w < words) f(w);
}

[[gnu::always_inline]] inline void tops_body(const uint64_t* which, const uint64_t* bits,
                                             size_t words, const int32_t* values, int32_t* best) {
  for_each_word(which, words, [&](size_t w) { best[w] = top_body(bits[w], values + w * 64); });
}

[[gnu::always_inline]] inline WordBest best_of_body(const int32_t* values, const uint32_t* ranks,
                                                    size_t count) {
  WordBest out{std::numeric_limits<int32_t>::min(), 0, std::numeric_limits<uint32_t>::max()};
  for (size_t i = 0; i < count; ++i) out.value = values[i] > out.value ? values[i] : out.value;
  for (size_t i = 0; i < count; ++i) {
    const bool same = values[i] == out.value;
    const uint32_t rank = ranks[i] | (same ? 0 : ~uint32_t{0});
    out.ties += same ? 1 : 0;
    out.first = rank < out.first ? rank : out.first;
  }
  return out;
}

// Totals of rows of no node may overflow.
[[gnu::always_inline]] inline void add_small_body(const int32_t* sums, const uint8_t* scores,
                                                  int32_t weight, size_t words, int32_t* totals) {
  const auto factor = static_cast<uint32_t>(weight);
  for (size_t i = 0; i < words * 64; ++i)
    totals[i] = static_cast<int32_t>(static_cast<uint32_t>(sums[i]) + scores[i] * factor);
}

// As many words from w on as there are whole blocks for; returns the next one. A block stays in
// registers.
template <size_t kBlock>
[[gnu::always_inline]] inline size_t intersect_blocks(uint64_t* __restrict alive, size_t w,
                                                      size_t words, const uint64_t* const* sets,
                                                      size_t count) {
  for (; w + kBlock <= words; w += kBlock) {
    uint64_t block[kBlock];
    for (size_t i = 0; i < kBlock; ++i) block[i] = alive[w + i];
    for (size_t k = 0; k < count; ++k) {
      const uint64_t* const set = sets[k] + w;
      for (size_t i = 0; i < kBlock; ++i) block[i] &= set[i];
    }
    for (size_t i = 0; i < kBlock; ++i) alive[w + i] = block[i];
  }
  return w;
}

[[gnu::always_inline]] inline void intersect_body(uint64_t* __restrict alive, size_t words,
                                                  const uint64_t* const* sets, size_t count) {
  size_t w = intersect_blocks<16>(alive, 0, words, sets, count);
  w = intersect_blocks<4>(alive, w, words, sets, count);
  intersect_blocks<1>(alive, w, words, sets, count);
}

[[gnu::always_inline]] inline size_t ones_body(const uint64_t* bits, size_t words) {
  int n = 0;
  for (size_t w = 0; w < words; ++w) n += std::popcount(bits[w]);
  return static_cast<size_t>(n);
}

// From a word on, before which there are n rows.
[[gnu::always_inline]] inline size_t ranks_body(const uint64_t* bits, size_t from, size_t words,
                                                uint32_t n, uint32_t* ranks) {
  for (size_t w = from; w < words; ++w) {
    ranks[w] = n;
    n += static_cast<uint32_t>(std::popcount(bits[w]));
  }
  return n;
}

[[gnu::always_inline]] inline int32_t largest_body(const int32_t* values, size_t count) {
  int32_t out = values[0];
  for (size_t i = 0; i < count; ++i) out = values[i] > out ? values[i] : out;
  return out;
}

[[gnu::always_inline]] inline void put_body(uint64_t which, const int32_t* __restrict from,
                                            int32_t* __restrict to) {
  for (size_t i = 0; i < 64; ++i) to[i] = (which >> i & 1) != 0 ? from[i] : to[i];
}

[[gnu::always_inline]] inline void take_body(const uint64_t* bits, size_t from, size_t words,
                                             const PlaceSets& sets) {
  for (size_t w = from; w < words; ++w) {
    const uint64_t b = bits[w];
    sets.moved_in[w / 64] |= uint64_t{sets.now[w] != b} << (w % 64);
    sets.fresh_in[w / 64] |= uint64_t{(b & ~sets.ever[w]) != 0} << (w % 64);
    sets.now[w] = b;
    sets.ever[w] |= b;
  }
}

#define LIBSCHED_COLUMN_KERNELS(NAME, ATTRIBUTE)                                                  \
  ATTRIBUTE bool NAME##_add(const uint64_t* bits, size_t words, const int64_t* scores,            \
                            int64_t weight, bool first, int64_t* totals) {                        \
    return add_body(bits, words, scores, weight, first, totals);                                  \
  }                                                                                               \
  ATTRIBUTE ColumnRange NAME##_range(const uint64_t* bits, size_t words, const int64_t* values) { \
    return range_body(bits, words, values);                                                       \
  }                                                                                               \
  ATTRIBUTE bool NAME##_add_narrow(const uint64_t* bits, size_t words, const int64_t* scores,     \
                                   int64_t weight, bool first, int32_t* totals) {                 \
    return add_body(bits, words, scores, weight, first, totals);                                  \
  }                                                                                               \
  ATTRIBUTE ColumnTop NAME##_top(const uint64_t* bits, size_t words, const int64_t* values) {     \
    return top_of_column(bits, words, values);                                                    \
  }                                                                                               \
  ATTRIBUTE size_t NAME##_count(const uint64_t* bits, size_t words, const int64_t* values,        \
                                int64_t value) {                                                  \
    return count_body(bits, words, values, value);                                                \
  }                                                                                               \
  ATTRIBUTE void NAME##_intersect(uint64_t* alive, size_t words, const uint64_t* const* sets,     \
                                  size_t count) {                                                 \
    intersect_body(alive, words, sets, count);                                                    \
  }                                                                                               \
  ATTRIBUTE size_t NAME##_ones(const uint64_t* bits, size_t words) {                              \
    return ones_body(bits, words);                                                                \
  }                                                                                               \
  ATTRIBUTE WordBest NAME##_best(const int32_t* values, const uint32_t* ranks) {                  \
    return best_body(values, ranks);                                                              \
  }                                                                                               \
  ATTRIBUTE void NAME##_add_small(const int32_t* sums, const uint8_t* scores, int32_t weight,     \
                                  size_t words, int32_t* totals) {                                \
    add_small_body(sums, scores, weight, words, totals);                                          \
  }                                                                                               \
  ATTRIBUTE uint32_t NAME##_first(const int32_t* values, const uint32_t* ranks, size_t words,     \
                                  int32_t value) {                                                \
    return first_body(values, ranks, words, value);                                               \
  }                                                                                               \
  ATTRIBUTE WordBest NAME##_best_of(const int32_t* values, const uint32_t* ranks, size_t count) { \
    return best_of_body(values, ranks, count);                                                    \
  }                                                                                               \
  ATTRIBUTE size_t NAME##_ranks(const uint64_t* bits, size_t words, uint32_t* ranks) {            \
    return ranks_body(bits, 0, words, 0, ranks);                                                  \
  }                                                                                               \
  ATTRIBUTE int32_t NAME##_largest(const int32_t* values, size_t count) {                         \
    return largest_body(values, count);                                                           \
  }                                                                                               \
  ATTRIBUTE void NAME##_put(uint64_t which, const int32_t* from, int32_t* to) {                   \
    put_body(which, from, to);                                                                    \
  }

LIBSCHED_COLUMN_KERNELS(portable, )
void portable_tops(const uint64_t* which, const uint64_t* bits, size_t words, const int32_t* values,
                   int32_t* best) {
  tops_body(which, bits, words, values, best);
}
ColumnTop portable_top_narrow(const uint64_t* bits, size_t words, const int32_t* values) {
  return top_of_column(bits, words, values);
}
uint64_t portable_equal(const int32_t* values, int32_t value) { return equal_body(values, value); }
void portable_take(const uint64_t* bits, size_t words, PlaceSets sets) {
  take_body(bits, 0, words, sets);
}

#if defined(__x86_64__)
// --- 64 numbers at a time ---
__attribute__((target("avx2,popcnt"))) void avx2_tops(const uint64_t* which, const uint64_t* bits,
                                                      size_t words, const int32_t* values,
                                                      int32_t* best) {
  const __m256i least = _mm256_set1_epi32(std::numeric_limits<int32_t>::min());
  const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  for (size_t k = 0; k * 64 < words; ++k)
    for (uint64_t left = which[k]; left != 0; left &= left - 1) {
      const size_t w = k * 64 + static_cast<size_t>(std::countr_zero(left));
      if (w >= words) break;
      __m256i top = least;
      for (size_t i = 0; i < 64; i += 8) {
        const __m256i of = _mm256_set1_epi32(static_cast<int32_t>(bits[w] >> i & 0xff));
        const __m256i in = _mm256_cmpeq_epi32(_mm256_and_si256(of, lanes), lanes);
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + w * 64 + i));
        top = _mm256_max_epi32(top, _mm256_blendv_epi8(least, v, in));
      }
      __m128i four = _mm_max_epi32(_mm256_castsi256_si128(top), _mm256_extracti128_si256(top, 1));
      four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
      four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0xb1));
      best[w] = _mm_cvtsi128_si32(four);
    }
}
__attribute__((target("avx2,popcnt"))) ColumnTop avx2_top_narrow(const uint64_t* bits, size_t words,
                                                                 const int32_t* values) {
  return top_of_column(bits, words, values);
}
__attribute__((target("avx2,popcnt"))) uint64_t avx2_equal(const int32_t* values, int32_t value) {
  const __m256i wanted = _mm256_set1_epi32(value);
  uint64_t out = 0;
  for (size_t i = 0; i < 64; i += 8) {
    const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
    const __m256i same = _mm256_cmpeq_epi32(v, wanted);
    out |=
        static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(same))))
        << i;
  }
  return out;
}
// Four words at a time.
__attribute__((target("avx2,popcnt"))) void avx2_take(const uint64_t* bits, size_t words,
                                                      PlaceSets sets) {
  const auto vector = [](uint64_t* p) { return reinterpret_cast<__m256i*>(p); };
  // The bits of the words in which they differ.
  const auto differ = [](__m256i a, __m256i b) __attribute__((target("avx2,popcnt"))) {
    const int same = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b)));
    return static_cast<uint64_t>(same ^ 0xf);
  };
  const size_t whole = words / 4 * 4;
  for (size_t w = 0; w < whole; w += 4) {
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bits + w));
    const __m256i now = _mm256_loadu_si256(vector(sets.now + w));
    const __m256i ever = _mm256_loadu_si256(vector(sets.ever + w));
    const __m256i all = _mm256_or_si256(ever, b);
    sets.moved_in[w / 64] |= differ(now, b) << (w % 64);
    sets.fresh_in[w / 64] |= differ(ever, all) << (w % 64);
    _mm256_storeu_si256(vector(sets.now + w), b);
    _mm256_storeu_si256(vector(sets.ever + w), all);
  }
  take_body(bits, whole, words, sets);
}
__attribute__((target("avx512f,avx512dq,popcnt"))) void avx512_tops(const uint64_t* which,
                                                                    const uint64_t* bits,
                                                                    size_t words,
                                                                    const int32_t* values,
                                                                    int32_t* best) {
  const __m512i least = _mm512_set1_epi32(std::numeric_limits<int32_t>::min());
  for (size_t k = 0; k * 64 < words; ++k)
    for (uint64_t left = which[k]; left != 0; left &= left - 1) {
      const size_t w = k * 64 + static_cast<size_t>(std::countr_zero(left));
      if (w >= words) break;
      const int32_t* const in = values + w * 64;
      const auto part = [&](size_t i) __attribute__((target("avx512f,avx512dq,popcnt"))) {
        return _mm512_mask_loadu_epi32(least, static_cast<__mmask16>(bits[w] >> i), in + i);
      };
      const __m512i top = _mm512_max_epi32(_mm512_max_epi32(part(0), part(16)),
                                           _mm512_max_epi32(part(32), part(48)));
      const __m256i eight =
          _mm256_max_epi32(_mm512_castsi512_si256(top), _mm512_extracti64x4_epi64(top, 1));
      __m128i four =
          _mm_max_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
      four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0x4e));
      four = _mm_max_epi32(four, _mm_shuffle_epi32(four, 0xb1));
      best[w] = _mm_cvtsi128_si32(four);
    }
}
// The largest value first, lane by lane, then how many there are of it.
__attribute__((target("avx512f,avx512dq,popcnt"))) ColumnTop
avx512_top_narrow(const uint64_t* bits, size_t words, const int32_t* values) {
  const __m512i least = _mm512_set1_epi32(std::numeric_limits<int32_t>::min());
  const auto part = [&](size_t w, size_t i) __attribute__((target("avx512f,avx512dq,popcnt"))) {
    return _mm512_mask_loadu_epi32(least, static_cast<__mmask16>(bits[w] >> i),
                                   values + w * 64 + i);
  };
  __m512i tops = least;
  for (size_t w = 0; w < words; ++w) {
    const int32_t* const in = values + w * 64;
    const bool all = bits[w] == ~uint64_t{0};
    const __m512i a = all ? _mm512_loadu_si512(in) : part(w, 0);
    const __m512i b = all ? _mm512_loadu_si512(in + 16) : part(w, 16);
    const __m512i c = all ? _mm512_loadu_si512(in + 32) : part(w, 32);
    const __m512i d = all ? _mm512_loadu_si512(in + 48) : part(w, 48);
    tops = _mm512_max_epi32(tops, _mm512_max_epi32(_mm512_max_epi32(a, b), _mm512_max_epi32(c, d)));
  }
  const int32_t top = _mm512_reduce_max_epi32(tops);
  const __m512i wanted = _mm512_set1_epi32(top), one = _mm512_set1_epi32(1);
  __m512i counts = _mm512_setzero_si512();
  for (size_t w = 0; w < words; ++w)
    for (size_t i = 0; i < 64; i += 16) {
      const __mmask16 same = _mm512_mask_cmpeq_epi32_mask(
          static_cast<__mmask16>(bits[w] >> i), _mm512_loadu_si512(values + w * 64 + i), wanted);
      counts = _mm512_mask_add_epi32(counts, same, counts, one);
    }
  return {top, static_cast<size_t>(_mm512_reduce_add_epi32(counts))};
}
__attribute__((target("avx512f,avx512dq,popcnt"))) uint64_t avx512_equal(const int32_t* values,
                                                                         int32_t value) {
  const __m512i wanted = _mm512_set1_epi32(value);
  uint64_t out = 0;
  for (size_t i = 0; i < 64; i += 16)
    out |= static_cast<uint64_t>(_mm512_cmpeq_epi32_mask(_mm512_loadu_si512(values + i), wanted))
           << i;
  return out;
}

// Eight words at a time.
__attribute__((target("avx512f,avx512dq,popcnt"))) void avx512_take(const uint64_t* bits,
                                                                    size_t words, PlaceSets sets) {
  const size_t whole = words / 8 * 8;
  for (size_t w = 0; w < whole; w += 8) {
    const __m512i b = _mm512_loadu_si512(bits + w);
    const __m512i now = _mm512_loadu_si512(sets.now + w);
    const __m512i ever = _mm512_loadu_si512(sets.ever + w);
    const __m512i all = _mm512_or_si512(ever, b);
    sets.moved_in[w / 64] |= uint64_t{_mm512_cmpneq_epi64_mask(now, b)} << (w % 64);
    sets.fresh_in[w / 64] |= uint64_t{_mm512_cmpneq_epi64_mask(ever, all)} << (w % 64);
    _mm512_storeu_si512(sets.now + w, b);
    _mm512_storeu_si512(sets.ever + w, all);
  }
  take_body(bits, whole, words, sets);
}
// Sums of eight words' numbers of rows, each with those before it, in three steps.
__attribute__((target("avx512f,avx512dq,avx512vpopcntdq,popcnt"))) size_t
vpopcnt_ranks(const uint64_t* bits, size_t words, uint32_t* ranks) {
  const __m512i by_1 = _mm512_setr_epi64(0, 0, 1, 2, 3, 4, 5, 6);
  const __m512i by_2 = _mm512_setr_epi64(0, 0, 0, 1, 2, 3, 4, 5);
  const __m512i by_4 = _mm512_setr_epi64(0, 0, 0, 0, 0, 1, 2, 3);
  const __m512i last = _mm512_set1_epi64(7);
  __m512i before = _mm512_setzero_si512();
  size_t w = 0;
  for (; w + 8 <= words; w += 8) {
    const __m512i n = _mm512_popcnt_epi64(_mm512_loadu_si512(bits + w));
    __m512i sum = _mm512_add_epi64(n, _mm512_maskz_permutexvar_epi64(0xfe, by_1, n));
    sum = _mm512_add_epi64(sum, _mm512_maskz_permutexvar_epi64(0xfc, by_2, sum));
    sum = _mm512_add_epi64(sum, _mm512_maskz_permutexvar_epi64(0xf0, by_4, sum));
    const __m512i rank = _mm512_add_epi64(before, _mm512_sub_epi64(sum, n));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(ranks + w), _mm512_cvtepi64_epi32(rank));
    before = _mm512_add_epi64(before, _mm512_permutexvar_epi64(last, sum));
  }
  const auto n = static_cast<uint32_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(before)));
  return ranks_body(bits, w, words, n, ranks);
}

LIBSCHED_COLUMN_KERNELS(avx2, __attribute__((target("avx2,popcnt"))))
LIBSCHED_COLUMN_KERNELS(avx512, __attribute__((target("avx512f,avx512dq,popcnt"))))
#endif
#undef LIBSCHED_COLUMN_KERNELS

struct Available {
  std::array<ColumnKernels, 4> list;
  size_t count = 0;

  Available() {
    list[count++] = {
        "portable",         portable_add,        portable_add_narrow, portable_range,
        portable_top,       portable_top_narrow, portable_count,      portable_intersect,
        portable_ones,      portable_best,       portable_tops,       portable_equal,
        portable_add_small, portable_first,      portable_best_of,    portable_ranks,
        portable_largest,   portable_put,        portable_take};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
      list[count++] = {"avx2",          avx2_add,     avx2_add_narrow, avx2_range, avx2_top,
                       avx2_top_narrow, avx2_count,   avx2_intersect,  avx2_ones,  avx2_best,
                       avx2_tops,       avx2_equal,   avx2_add_small,  avx2_first, avx2_best_of,
                       avx2_ranks,      avx2_largest, avx2_put,        avx2_take};
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512dq")) return;
    list[count++] = {"avx512",         avx512_add,        avx512_add_narrow, avx512_range,
                     avx512_top,       avx512_top_narrow, avx512_count,      avx512_intersect,
                     avx512_ones,      avx512_best,       avx512_tops,       avx512_equal,
                     avx512_add_small, avx512_first,      avx512_best_of,    avx512_ranks,
                     avx512_largest,   avx512_put,        avx512_take};
    if (!__builtin_cpu_supports("avx512vpopcntdq")) return;
    list[count] = list[count - 1];
    list[count].name = "avx512 and vpopcntdq";
    list[count++].ranks = vpopcnt_ranks;
#endif
  }
};

const Available kernels;

const Available& available() { return kernels; }

}  // namespace

std::span<const ColumnKernels> all_column_kernels() {
  return {available().list.data(), available().count};
}

const ColumnKernels& column_kernels() { return available().list[available().count - 1]; }

}  // namespace libsched
