// The divider is the bottleneck: exact results need four divisions a node. So the kernels make one
// pass over the columns, keep totals only as bytes, and keep the maxima of each lane in registers
// to the end.
#include "tests/bench/limit_cycle.hpp"

#include <algorithm>
#include <cmath>

#if defined(__x86_64__)
// GCC 12 takes the deliberately undefined operands inside its AVX-512 intrinsics for mistakes.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace libsched_bench {

double balance_of(double used_a, double capacity_a, double used_b, double capacity_b) {
  const double a = std::min(used_a / capacity_a, 1.0), b = std::min(used_b / capacity_b, 1.0);
  return std::floor((1 - std::abs((a - b) * 0.5)) * 100);
}

namespace {

CycleLimitAnswer portable(const CycleLimitInput& in, uint64_t* feasible, uint8_t* totals) {
  CycleLimitAnswer best{0, -1};
  for (size_t w = 0; w < in.words; ++w) {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; ++i) {
      const size_t r = w * 64 + i;
      const double with_a = in.used[0][r] + in.ask[0], with_b = in.used[1][r] + in.ask[1];
      const double cap_a = in.capacity[0][r], cap_b = in.capacity[1][r];
      if (!(with_a <= cap_a && with_b <= cap_b && in.pods_left[r] >= 1)) continue;
      word |= uint64_t{1} << i;
      const double least = std::floor((std::floor((cap_a - with_a) * 100 / cap_a) +
                                       std::floor((cap_b - with_b) * 100 / cap_b)) *
                                      0.5);
      const double change = 50 + balance_of(with_a, cap_a, with_b, cap_b) - in.balance_without[r];
      const auto total = static_cast<int64_t>(least + 50 + std::floor(change * 0.5));
      totals[r] = static_cast<uint8_t>(total);
      if (total > best.total) best = {r, total};
    }
    feasible[w] = word;
  }
  return best;
}

// The best lane has the largest total and, among equal totals, the first row.
template <size_t lanes>
CycleLimitAnswer best_lane(const std::array<double, lanes>& totals,
                           const std::array<double, lanes>& rows) {
  size_t best = 0;
  for (size_t i = 1; i < lanes; ++i)
    if (totals[i] > totals[best] || (totals[i] == totals[best] && rows[i] < rows[best])) best = i;
  return {static_cast<size_t>(rows[best]), static_cast<int64_t>(totals[best])};
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) CycleLimitAnswer avx2(const CycleLimitInput& in, uint64_t* feasible,
                                                      uint8_t* totals) {
  const __m256d ask_a = _mm256_set1_pd(in.ask[0]), ask_b = _mm256_set1_pd(in.ask[1]);
  const __m256d one = _mm256_set1_pd(1), half = _mm256_set1_pd(0.5), fifty = _mm256_set1_pd(50);
  const __m256d hundred = _mm256_set1_pd(100), sign = _mm256_set1_pd(-0.0);
  __m256d best = _mm256_set1_pd(-1), best_row = _mm256_setzero_pd();
  __m256d row = _mm256_setr_pd(0, 1, 2, 3);
  for (size_t w = 0; w < in.words; ++w) {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += 4, row = _mm256_add_pd(row, _mm256_set1_pd(4))) {
      const size_t r = w * 64 + i;
      const __m256d cap_a = _mm256_loadu_pd(in.capacity[0] + r);
      const __m256d cap_b = _mm256_loadu_pd(in.capacity[1] + r);
      const __m256d with_a = _mm256_add_pd(_mm256_loadu_pd(in.used[0] + r), ask_a);
      const __m256d with_b = _mm256_add_pd(_mm256_loadu_pd(in.used[1] + r), ask_b);
      const __m256d left_a = _mm256_sub_pd(cap_a, with_a), left_b = _mm256_sub_pd(cap_b, with_b);
      const __m256d pods = _mm256_sub_pd(_mm256_loadu_pd(in.pods_left + r), one);
      const __m256d lacks = _mm256_or_pd(_mm256_or_pd(left_a, left_b), pods);
      word |= static_cast<uint64_t>(~_mm256_movemask_pd(lacks) & 0xf) << i;
      const __m256d least_a = _mm256_floor_pd(_mm256_div_pd(_mm256_mul_pd(left_a, hundred), cap_a));
      const __m256d least_b = _mm256_floor_pd(_mm256_div_pd(_mm256_mul_pd(left_b, hundred), cap_b));
      const __m256d least = _mm256_floor_pd(_mm256_mul_pd(_mm256_add_pd(least_a, least_b), half));
      const __m256d deviation = _mm256_andnot_pd(
          sign,
          _mm256_mul_pd(_mm256_sub_pd(_mm256_div_pd(with_a, cap_a), _mm256_div_pd(with_b, cap_b)),
                        half));
      const __m256d balance =
          _mm256_floor_pd(_mm256_mul_pd(_mm256_sub_pd(one, deviation), hundred));
      const __m256d change =
          _mm256_sub_pd(_mm256_add_pd(fifty, balance), _mm256_loadu_pd(in.balance_without + r));
      __m256d total =
          _mm256_add_pd(_mm256_add_pd(least, fifty), _mm256_floor_pd(_mm256_mul_pd(change, half)));
      const __m128i small = _mm256_cvttpd_epi32(total);
      const __m128i bytes = _mm_packus_epi16(_mm_packus_epi32(small, small), small);
      const int four = _mm_cvtsi128_si32(bytes);
      __builtin_memcpy(totals + r, &four, 4);
      total = _mm256_blendv_pd(total, _mm256_set1_pd(-1), lacks);
      const __m256d better = _mm256_cmp_pd(total, best, _CMP_GT_OQ);
      best = _mm256_max_pd(total, best);
      best_row = _mm256_blendv_pd(best_row, row, better);
    }
    feasible[w] = word;
  }
  std::array<double, 4> tops, rows;
  _mm256_storeu_pd(tops.data(), best);
  _mm256_storeu_pd(rows.data(), best_row);
  return best_lane(tops, rows);
}

__attribute__((target("avx512f,avx512dq"))) CycleLimitAnswer avx512(const CycleLimitInput& in,
                                                                    uint64_t* feasible,
                                                                    uint8_t* totals) {
  const __m512d ask_a = _mm512_set1_pd(in.ask[0]), ask_b = _mm512_set1_pd(in.ask[1]);
  const __m512d one = _mm512_set1_pd(1), half = _mm512_set1_pd(0.5), fifty = _mm512_set1_pd(50);
  const __m512d hundred = _mm512_set1_pd(100);
  constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
  __m512d best = _mm512_set1_pd(-1), best_row = _mm512_setzero_pd();
  __m512d row = _mm512_setr_pd(0, 1, 2, 3, 4, 5, 6, 7);
  for (size_t w = 0; w < in.words; ++w) {
    uint64_t word = 0;
    for (size_t i = 0; i < 64; i += 8, row = _mm512_add_pd(row, _mm512_set1_pd(8))) {
      const size_t r = w * 64 + i;
      const __m512d cap_a = _mm512_loadu_pd(in.capacity[0] + r);
      const __m512d cap_b = _mm512_loadu_pd(in.capacity[1] + r);
      const __m512d with_a = _mm512_add_pd(_mm512_loadu_pd(in.used[0] + r), ask_a);
      const __m512d with_b = _mm512_add_pd(_mm512_loadu_pd(in.used[1] + r), ask_b);
      const __m512d left_a = _mm512_sub_pd(cap_a, with_a), left_b = _mm512_sub_pd(cap_b, with_b);
      const __m512d pods = _mm512_sub_pd(_mm512_loadu_pd(in.pods_left + r), one);
      const __m512i lacks =
          _mm512_ternarylogic_epi64(_mm512_castpd_si512(left_a), _mm512_castpd_si512(left_b),
                                    _mm512_castpd_si512(pods), 0xfe);
      const auto fits = static_cast<__mmask8>(~_mm512_movepi64_mask(lacks));
      word |= static_cast<uint64_t>(fits) << i;
      const __m512d least_a =
          _mm512_roundscale_pd(_mm512_div_pd(_mm512_mul_pd(left_a, hundred), cap_a), kDown);
      const __m512d least_b =
          _mm512_roundscale_pd(_mm512_div_pd(_mm512_mul_pd(left_b, hundred), cap_b), kDown);
      const __m512d least =
          _mm512_roundscale_pd(_mm512_mul_pd(_mm512_add_pd(least_a, least_b), half), kDown);
      const __m512d deviation = _mm512_abs_pd(_mm512_mul_pd(
          _mm512_sub_pd(_mm512_div_pd(with_a, cap_a), _mm512_div_pd(with_b, cap_b)), half));
      const __m512d balance =
          _mm512_roundscale_pd(_mm512_mul_pd(_mm512_sub_pd(one, deviation), hundred), kDown);
      const __m512d change =
          _mm512_sub_pd(_mm512_add_pd(fifty, balance), _mm512_loadu_pd(in.balance_without + r));
      const __m512d total = _mm512_add_pd(_mm512_add_pd(least, fifty),
                                          _mm512_roundscale_pd(_mm512_mul_pd(change, half), kDown));
      _mm_storel_epi64(reinterpret_cast<__m128i*>(totals + r),
                       _mm512_cvtepi64_epi8(_mm512_cvttpd_epi64(total)));
      const __mmask8 better = _mm512_mask_cmp_pd_mask(fits, total, best, _CMP_GT_OQ);
      best = _mm512_mask_mov_pd(best, better, total);
      best_row = _mm512_mask_mov_pd(best_row, better, row);
    }
    feasible[w] = word;
  }
  std::array<double, 8> tops, rows;
  _mm512_storeu_pd(tops.data(), best);
  _mm512_storeu_pd(rows.data(), best_row);
  return best_lane(tops, rows);
}

#endif

}  // namespace

std::vector<NamedCycleLimitKernel> cycle_limit_kernels() {
  std::vector<NamedCycleLimitKernel> out = {{"portable", portable}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) out.push_back({"avx2", avx2});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    out.push_back({"avx512", avx512});
#endif
  return out;
}

}  // namespace libsched_bench
