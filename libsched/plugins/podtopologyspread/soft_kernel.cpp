// The loops, the instruction sets they are compiled for, and the choice at run time.
//
// Rounding adds the largest double below one half and cuts off: for numbers from 0 on that is
// Go's math.Round, as one half itself is not. Dividing by the largest score multiplies by its
// reciprocal: numerators have one half added, so they are further from any multiple of the divisor
// than doubles can err.
#include "libsched/plugins/podtopologyspread/soft_kernel.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "libsched/framework/scoring.hpp"
#include "libsched/framework/vector_intrinsics.hpp"

namespace libsched {
namespace {

constexpr double kBelowHalf = 0.49999999999999994;
constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
constexpr int32_t kMost = std::numeric_limits<int32_t>::max();

// sum[i] += what one constraint says of row i of the word.
[[gnu::always_inline]] inline void add_column(const SoftColumn& c, size_t word,
                                              double* __restrict sum) {
  if (c.value != nullptr) {
    const int32_t* const domain = c.domain + word * 64;
    const double* const value = c.value + 1;
    for (size_t i = 0; i < 64; ++i) sum[i] += value[domain[i]];
    return;
  }
  const uint64_t labelled = c.labelled[word];
  if (c.counts == nullptr) {
    for (size_t i = 0; i < 64; ++i) sum[i] += (labelled >> i & 1) != 0 ? c.offset : 0.0;
    return;
  }
  const int32_t* const count = c.counts + word * 64;
  if (labelled == ~uint64_t{0}) {
    for (size_t i = 0; i < 64; ++i) sum[i] += static_cast<double>(count[i]) * c.weight + c.offset;
  } else {
    for (size_t i = 0; i < 64; ++i)
      sum[i] +=
          (labelled >> i & 1) != 0 ? static_cast<double>(count[i]) * c.weight + c.offset : 0.0;
  }
}

[[gnu::always_inline]] inline bool score_body(std::span<const SoftColumn> columns,
                                              std::span<const uint64_t> bits, int32_t* scores,
                                              SoftRange* range) {
  constexpr double kBeyond = 2147483647;
  int32_t low = kMost, high = kLeast;
  alignas(64) double sum[64];
  for (size_t w = 0; w < bits.size(); ++w) {
    const uint64_t b = bits[w];
    if (b == 0) continue;
    std::fill(sum, sum + 64, 0.0);
    for (const SoftColumn& c : columns) add_column(c, w, sum);
    int32_t* const out = scores + w * 64;
    for (size_t i = 0; i < 64; ++i) {
      const double s = sum[i] + kBelowHalf;
      out[i] = s < kBeyond ? static_cast<int32_t>(s) : -1;
    }
    for (size_t i = 0; i < 64; ++i) {
      const int32_t keep = -static_cast<int32_t>(b >> i & 1);
      const int32_t for_low = (out[i] & keep) | (kMost & ~keep);
      const int32_t for_high = (out[i] & keep) | (kLeast & ~keep);
      low = for_low < low ? for_low : low;
      high = for_high > high ? for_high : high;
    }
  }
  *range = {low, high};
  return low >= 0;
}

// floor((100 * (max + min - score)) / max), where the numerator and one half are `top` - 100 *
// score.
template <typename Real>
struct Division {
  explicit Division(SoftRange range)
      : top(Real{100} * (static_cast<Real>(range.max) + static_cast<Real>(range.min)) + Real{0.5}),
        reciprocal(Real{1} / static_cast<Real>(range.max)) {}
  Real top, reciprocal;
};

// Up to here floats hold numerators and one half exactly, and err less than half a divisor.
constexpr int32_t kMostAsFloats = 40000;

// Whether all rows of the range get the same; `out` then has it.
bool normalize_all(size_t words, SoftRange range, uint8_t* out) {
  static_assert(kMaxNodeScore == 100);
  if (range.max > 0) return false;
  std::memset(out, kMaxNodeScore, words * 64);
  return true;
}

template <typename Real>
[[gnu::always_inline]] inline void divide(const int32_t* __restrict scores, size_t words,
                                          SoftRange range, uint8_t* __restrict out) {
  const Division<Real> d(range);
  for (size_t i = 0; i < words * 64; ++i) {
    const Real q = (d.top - Real{100} * static_cast<Real>(scores[i])) * d.reciprocal;
    const Real in = q < 0 ? 0 : q;
    out[i] = static_cast<uint8_t>(static_cast<int32_t>(in < 255 ? in : 255));
  }
}

[[gnu::always_inline]] inline void normalize_body(const int32_t* scores, size_t words,
                                                  SoftRange range, uint8_t* out) {
  if (normalize_all(words, range, out)) return;
  if (range.max <= kMostAsFloats) {
    divide<float>(scores, words, range, out);
  } else {
    divide<double>(scores, words, range, out);
  }
}

#define LIBSCHED_SOFT_KERNELS(NAME, ATTRIBUTE)                                                     \
  ATTRIBUTE bool NAME##_score(std::span<const SoftColumn> columns, std::span<const uint64_t> bits, \
                              int32_t* scores, SoftRange* range) {                                 \
    return score_body(columns, bits, scores, range);                                               \
  }                                                                                                \
  ATTRIBUTE void NAME##_normalize(const int32_t* scores, size_t words, SoftRange range,            \
                                  uint8_t* out) {                                                  \
    normalize_body(scores, words, range, out);                                                     \
  }
LIBSCHED_SOFT_KERNELS(portable, )

#if defined(__x86_64__)
LIBSCHED_SOFT_KERNELS(avx2, __attribute__((target("avx2"))))

#define LIBSCHED_AVX512 __attribute__((target("avx512f,avx512dq")))

// The scores of few domains, to be looked up in two registers: four bits of an index count, so
// that of -1 is the last.
struct alignas(64) FewDomains {
  static constexpr size_t kMost = 15;
  double value[kMost + 1];

  static bool suffice(const SoftColumn& c) { return c.value != nullptr && c.values <= kMost + 1; }
  void take(const SoftColumn& c) {
    std::copy(c.value + 1, c.value + c.values, value);
    value[kMost] = c.value[0];
  }
};

// 64 rows: eight vectors that stay in registers.
LIBSCHED_AVX512 bool avx512_score(std::span<const SoftColumn> columns,
                                  std::span<const uint64_t> bits, int32_t* scores,
                                  SoftRange* range) {
  constexpr size_t kFew = 4;
  FewDomains few[kFew] = {};
  for (size_t i = 0; i < std::min(kFew, columns.size()); ++i)
    if (FewDomains::suffice(columns[i])) few[i].take(columns[i]);
  __m512i low = _mm512_set1_epi32(kMost), high = _mm512_set1_epi32(kLeast);
  const __m512d below_half = _mm512_set1_pd(kBelowHalf);
  for (size_t w = 0; w < bits.size(); ++w) {
    const uint64_t b = bits[w];
    if (b == 0) continue;
    __m512d sum[8];
#pragma GCC unroll 8
    for (size_t k = 0; k < 8; ++k) sum[k] = _mm512_setzero_pd();
    for (size_t i = 0; i < columns.size(); ++i) {
      const SoftColumn& c = columns[i];
      if (c.value != nullptr) {
        const auto* const domain = reinterpret_cast<const __m256i*>(c.domain + w * 64);
        if (i < kFew && FewDomains::suffice(c)) {
          const __m512d first = _mm512_load_pd(few[i].value);
          const __m512d last = _mm512_load_pd(few[i].value + 8);
#pragma GCC unroll 8
          for (size_t k = 0; k < 8; ++k) {
            const __m512i at = _mm512_cvtepi32_epi64(_mm256_loadu_si256(domain + k));
            sum[k] = _mm512_add_pd(sum[k], _mm512_permutex2var_pd(first, at, last));
          }
          continue;
        }
#pragma GCC unroll 8
        for (size_t k = 0; k < 8; ++k)
          sum[k] = _mm512_add_pd(
              sum[k], _mm512_i32gather_pd(_mm256_loadu_si256(domain + k), c.value + 1, 8));
        continue;
      }
      const __m512d weight = _mm512_set1_pd(c.weight), offset = _mm512_set1_pd(c.offset);
      const uint64_t labelled = c.labelled[w];
      if (c.counts == nullptr) {
#pragma GCC unroll 8
        for (size_t k = 0; k < 8; ++k)
          sum[k] = _mm512_mask_add_pd(sum[k], static_cast<__mmask8>(labelled >> (8 * k)), sum[k],
                                      offset);
        continue;
      }
      const auto* const count = reinterpret_cast<const __m256i*>(c.counts + w * 64);
#pragma GCC unroll 8
      for (size_t k = 0; k < 8; ++k) {
        const __m512d n = _mm512_cvtepi32_pd(_mm256_loadu_si256(count + k));
        const __m512d of = _mm512_add_pd(_mm512_mul_pd(n, weight), offset);
        sum[k] = _mm512_mask_add_pd(sum[k], static_cast<__mmask8>(labelled >> (8 * k)), sum[k], of);
      }
    }
#pragma GCC unroll 4
    for (size_t k = 0; k < 8; k += 2) {
      const __m256i a = _mm512_cvttpd_epi32(_mm512_add_pd(sum[k], below_half));
      const __m256i z = _mm512_cvttpd_epi32(_mm512_add_pd(sum[k + 1], below_half));
      const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(a), z, 1);
      _mm512_storeu_si512(scores + w * 64 + 8 * k, both);
      const auto in = static_cast<__mmask16>(b >> (8 * k));
      low = _mm512_mask_min_epi32(low, in, low, both);
      high = _mm512_mask_max_epi32(high, in, high, both);
    }
  }
  *range = {_mm512_reduce_min_epi32(low), _mm512_reduce_max_epi32(high)};
  return range->min >= 0;
}

// What is computed is exact but for the last product, so that fusing changes nothing.
LIBSCHED_AVX512 void avx512_normalize(const int32_t* scores, size_t words, SoftRange range,
                                      uint8_t* out) {
  if (normalize_all(words, range, out)) return;
  if (range.max <= kMostAsFloats) {
    const Division<float> d(range);
    const __m512 top = _mm512_set1_ps(d.top), reciprocal = _mm512_set1_ps(d.reciprocal);
    const __m512 hundred = _mm512_set1_ps(100);
    for (size_t i = 0; i < words * 64; i += 16) {
      const __m512 s = _mm512_cvtepi32_ps(_mm512_loadu_si512(scores + i));
      const __m512 q = _mm512_mul_ps(_mm512_fnmadd_ps(s, hundred, top), reciprocal);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                       _mm512_cvtepi32_epi8(_mm512_cvttps_epi32(q)));
    }
    return;
  }
  const Division<double> d(range);
  const __m512d top = _mm512_set1_pd(d.top), reciprocal = _mm512_set1_pd(d.reciprocal);
  const __m512d hundred = _mm512_set1_pd(100);
  for (size_t i = 0; i < words * 64; i += 16) {
    const auto part = [&](size_t k) LIBSCHED_AVX512 {
      const __m512d s =
          _mm512_cvtepi32_pd(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(scores + k)));
      return _mm512_cvttpd_epi32(_mm512_mul_pd(_mm512_fnmadd_pd(s, hundred, top), reciprocal));
    };
    const __m512i both = _mm512_inserti64x4(_mm512_castsi256_si512(part(i)), part(i + 8), 1);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i), _mm512_cvtepi32_epi8(both));
  }
}
#undef LIBSCHED_AVX512
#endif
#undef LIBSCHED_SOFT_KERNELS

struct Available {
  std::array<SoftKernels, 3> list;
  size_t count = 0;

  Available() {
    list[count++] = {"portable", portable_score, portable_normalize};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) list[count++] = {"avx2", avx2_score, avx2_normalize};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      list[count++] = {"avx512", avx512_score, avx512_normalize};
#endif
  }
};

const Available kernels;

}  // namespace

std::span<const SoftKernels> all_soft_kernels() { return {kernels.list.data(), kernels.count}; }

const SoftKernels& soft_kernels() { return kernels.list[kernels.count - 1]; }

}  // namespace libsched
