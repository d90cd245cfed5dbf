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
#endif
#undef LIBSCHED_SOFT_KERNELS

struct Available {
  std::array<SoftKernels, 2> list;
  size_t count = 0;

  Available() {
    list[count++] = {"portable", portable_score, portable_normalize};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) list[count++] = {"avx2", avx2_score, avx2_normalize};
#endif
  }
};

const Available kernels;

}  // namespace

std::span<const SoftKernels> all_soft_kernels() { return {kernels.list.data(), kernels.count}; }

const SoftKernels& soft_kernels() { return kernels.list[kernels.count - 1]; }

}  // namespace libsched
