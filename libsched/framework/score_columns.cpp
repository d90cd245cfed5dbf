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
    const uint64_t beyond = beyond_range(in[i]);
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
        outside |= beyond_range(in[i]);
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
  return !any_beyond(outside);
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

// Calls f(i, in) for the rows of a word; `in` is 1 for those of the set, and as wide as the numbers
// of the rows, so that it takes no more vectors than they do.
template <typename T, typename F>
[[gnu::always_inline]] inline void for_rows(uint64_t bits, F&& f) {
  using Bits = std::make_unsigned_t<T>;
  constexpr size_t kWidth = 8 * sizeof(T);
  for (size_t from = 0; from < 64; from += kWidth) {
    const auto part = static_cast<Bits>(bits >> from);
    for (size_t i = 0; i < kWidth; ++i) f(from + i, static_cast<Bits>(part >> i & 1));
  }
}

// The largest value of a word of rows, or the smallest number if the set has none.
template <typename T>
[[gnu::always_inline]] inline T top_body(uint64_t bits, const T* values) {
  constexpr T kLow = std::numeric_limits<T>::min();
  T high = kLow;
  if (bits == ~uint64_t{0}) {
    for (size_t i = 0; i < 64; ++i) high = values[i] > high ? values[i] : high;
  } else {
    for_rows<T>(bits, [&](size_t i, auto in) __attribute__((always_inline)) {
      const auto outside = static_cast<T>(in - 1);
      const T v = (values[i] & ~outside) | (kLow & outside);
      high = v > high ? v : high;
    });
  }
  return high;
}

// Counts in the words alone that have the largest value.
template <typename T>
[[gnu::always_inline]] inline ColumnTop top_of_column(const uint64_t* bits, size_t words,
                                                      const T* values) {
  ColumnTop out{std::numeric_limits<T>::min(), 0};
  for (size_t w = 0; w < words; ++w) {
    if (bits[w] == 0) continue;
    const T* const in = values + w * 64;
    T high = top_body(~uint64_t{0}, in);  // as a bound, which is found sooner
    if (high < out.value) continue;
    if (~bits[w] != 0) high = top_body(bits[w], in);
    if (high < out.value) continue;
    if (high > out.value) out = {high, 0};
    std::make_unsigned_t<T> n = 0;
    for_rows<T>(bits[w], [&](size_t i, auto counts)
                             __attribute__((always_inline)) { n += in[i] == high ? counts : 0; });
    out.count += static_cast<size_t>(n);
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
  if (count % 16 != 0) __builtin_unreachable();  // so there are no rests to be compared one by one
  WordBest out{std::numeric_limits<int32_t>::min(), std::numeric_limits<uint32_t>::max()};
  for (size_t i = 0; i < count; ++i) out.value = values[i] > out.value ? values[i] : out.value;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t rank = ranks[i] | (values[i] == out.value ? 0 : ~uint32_t{0});
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

[[gnu::always_inline]] inline size_t ranks_body(const uint64_t* bits, size_t words,
                                                uint32_t* ranks) {
  uint32_t n = 0;
  for (size_t w = 0; w < words; ++w) {
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
  ATTRIBUTE ColumnTop NAME##_top_narrow(const uint64_t* bits, size_t words,                       \
                                        const int32_t* values) {                                  \
    return top_of_column(bits, words, values);                                                    \
  }                                                                                               \
  ATTRIBUTE void NAME##_intersect(uint64_t* alive, size_t words, const uint64_t* const* sets,     \
                                  size_t count) {                                                 \
    intersect_body(alive, words, sets, count);                                                    \
  }                                                                                               \
  ATTRIBUTE size_t NAME##_ones(const uint64_t* bits, size_t words) {                              \
    return ones_body(bits, words);                                                                \
  }                                                                                               \
  ATTRIBUTE WordBest NAME##_best(const int32_t* values, const uint32_t* ranks) {                  \
    return best_of_body(values, ranks, 64);                                                       \
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
    return ranks_body(bits, words, ranks);                                                        \
  }                                                                                               \
  ATTRIBUTE int32_t NAME##_largest(const int32_t* values, size_t count) {                         \
    return largest_body(values, count);                                                           \
  }                                                                                               \
  ATTRIBUTE void NAME##_tops(const uint64_t* which, const uint64_t* bits, size_t words,           \
                             const int32_t* values, int32_t* best) {                              \
    tops_body(which, bits, words, values, best);                                                  \
  }                                                                                               \
  ATTRIBUTE void NAME##_put(uint64_t which, const int32_t* from, int32_t* to) {                   \
    put_body(which, from, to);                                                                    \
  }

LIBSCHED_COLUMN_KERNELS(portable, )
uint64_t portable_equal(const int32_t* values, int32_t value) { return equal_body(values, value); }
void portable_take(const uint64_t* bits, size_t words, PlaceSets sets) {
  take_body(bits, 0, words, sets);
}

#if defined(__x86_64__)
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
LIBSCHED_COLUMN_KERNELS(avx2, __attribute__((target("avx2,popcnt"))))
LIBSCHED_COLUMN_KERNELS(avx512, __attribute__((target("avx512f,avx512dq,popcnt"))))
constexpr auto avx512_equal = avx2_equal;
constexpr auto avx512_take = avx2_take;
#endif
#undef LIBSCHED_COLUMN_KERNELS

#define LIBSCHED_COLUMN_KERNELS_OF(NAME) \
  {                                      \
      .name = #NAME,                     \
      .add = NAME##_add,                 \
      .add_narrow = NAME##_add_narrow,   \
      .range = NAME##_range,             \
      .top = NAME##_top,                 \
      .top_narrow = NAME##_top_narrow,   \
      .intersect = NAME##_intersect,     \
      .ones = NAME##_ones,               \
      .best = NAME##_best,               \
      .tops = NAME##_tops,               \
      .equal = NAME##_equal,             \
      .add_small = NAME##_add_small,     \
      .first = NAME##_first,             \
      .best_of = NAME##_best_of,         \
      .ranks = NAME##_ranks,             \
      .largest = NAME##_largest,         \
      .put = NAME##_put,                 \
      .take = NAME##_take,               \
  }

struct Available {
  std::array<ColumnKernels, 3> list;
  size_t count = 0;

  Available() {
    list[count++] = LIBSCHED_COLUMN_KERNELS_OF(portable);
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
      list[count++] = LIBSCHED_COLUMN_KERNELS_OF(avx2);
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      list[count++] = LIBSCHED_COLUMN_KERNELS_OF(avx512);
#endif
  }
};

#undef LIBSCHED_COLUMN_KERNELS_OF

const Available kernels;

const Available& available() { return kernels; }

}  // namespace

std::span<const ColumnKernels> all_column_kernels() {
  return {available().list.data(), available().count};
}

const ColumnKernels& column_kernels() { return available().list[available().count - 1]; }

}  // namespace libsched
