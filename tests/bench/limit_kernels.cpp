// Memory is the bottleneck: 24 bytes a node come from the L2 cache. So the kernels use one load per
// value, as few other instructions as possible, and keep results in registers until a word is
// complete. Prefetching a kilobyte ahead gains a tenth with AVX-512 and loses it with AVX2.
// Compares into mask registers, masks joined by unpacking, and one column after the other were
// slower or equal.
#include "tests/bench/limit_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace libsched_bench {
namespace {

// The prefetch distance, in values. Beyond the end of a column prefetching does nothing.
constexpr size_t kAhead = 128;

inline uint64_t candidates(const LimitInput& in, size_t w) {
  return in.untainted[w] & in.label_a[w] & in.label_b[w];
}

#if defined(__x86_64__)

// Every x86-64 has SSE2: the sign of (left - need) stands for "does not fit".
void portable(const LimitInput& in, uint64_t* out) {
  const __m128i need0 = _mm_set1_epi64x(in.need[0]);
  const __m128i need1 = _mm_set1_epi64x(in.need[1]);
  const __m128i need2 = _mm_set1_epi64x(in.need[2]);
  for (size_t w = 0; w < in.words; ++w) {
    uint64_t alive = candidates(in, w);
    if (alive != 0) {
      const auto at = [w](const int64_t* column) {
        return reinterpret_cast<const __m128i*>(column + w * 64);
      };
      const __m128i *c0 = at(in.left[0]), *c1 = at(in.left[1]), *c2 = at(in.left[2]);
      uint64_t lacking = 0;
#pragma GCC unroll 32
      for (size_t i = 0; i < 32; ++i) {
        const __m128i sign =
            _mm_or_si128(_mm_or_si128(_mm_sub_epi64(_mm_loadu_si128(c0 + i), need0),
                                      _mm_sub_epi64(_mm_loadu_si128(c1 + i), need1)),
                         _mm_sub_epi64(_mm_loadu_si128(c2 + i), need2));
        lacking |= static_cast<uint64_t>(_mm_movemask_pd(_mm_castsi128_pd(sign))) << (i * 2);
      }
      alive &= ~lacking;
    }
    out[w] = alive;
  }
}

__attribute__((target("avx2"))) void avx2(const LimitInput& in, uint64_t* out) {
  const __m256i need0 = _mm256_set1_epi64x(in.need[0]);
  const __m256i need1 = _mm256_set1_epi64x(in.need[1]);
  const __m256i need2 = _mm256_set1_epi64x(in.need[2]);
  for (size_t w = 0; w < in.words; ++w) {
    uint64_t alive = candidates(in, w);
    if (alive != 0) {
      const int64_t *c0 = in.left[0] + w * 64, *c1 = in.left[1] + w * 64, *c2 = in.left[2] + w * 64;
      uint64_t lacking = 0;
#pragma GCC unroll 16
      for (size_t i = 0; i < 64; i += 4) {
        const auto load = [i](const int64_t* column) __attribute__((target("avx2"))) {
          return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(column + i));
        };
        const __m256i sign = _mm256_or_si256(
            _mm256_or_si256(_mm256_sub_epi64(load(c0), need0), _mm256_sub_epi64(load(c1), need1)),
            _mm256_sub_epi64(load(c2), need2));
        lacking |= static_cast<uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(sign))) << i;
      }
      alive &= ~lacking;
    }
    out[w] = alive;
  }
}

__attribute__((target("avx512f,avx512dq"))) void avx512(const LimitInput& in, uint64_t* out) {
  const __m512i need0 = _mm512_set1_epi64(in.need[0]);
  const __m512i need1 = _mm512_set1_epi64(in.need[1]);
  const __m512i need2 = _mm512_set1_epi64(in.need[2]);
  for (size_t w = 0; w < in.words; ++w) {
    uint64_t alive = candidates(in, w);
    if (alive != 0) {
      const int64_t *c0 = in.left[0] + w * 64, *c1 = in.left[1] + w * 64, *c2 = in.left[2] + w * 64;
      uint64_t lacking = 0;
#pragma GCC unroll 8
      for (size_t i = 0; i < 64; i += 8) {
        const auto load = [i](const int64_t* column) __attribute__((target("avx512f"))) {
          _mm_prefetch(reinterpret_cast<const char*>(column + i + kAhead), _MM_HINT_T0);
          return _mm512_loadu_si512(column + i);
        };
        const __m512i d0 = _mm512_sub_epi64(load(c0), need0);
        const __m512i d1 = _mm512_sub_epi64(load(c1), need1);
        const __m512i d2 = _mm512_sub_epi64(load(c2), need2);
        const __m512i any = _mm512_ternarylogic_epi64(d0, d1, d2, 0xfe);  // d0 | d1 | d2
        lacking |= static_cast<uint64_t>(_mm512_movepi64_mask(any)) << i;
      }
      alive &= ~lacking;
    }
    out[w] = alive;
  }
}

#else

void portable(const LimitInput& in, uint64_t* out) {
  for (size_t w = 0; w < in.words; ++w) {
    uint64_t alive = candidates(in, w);
    if (alive != 0) {
      const int64_t *c0 = in.left[0] + w * 64, *c1 = in.left[1] + w * 64, *c2 = in.left[2] + w * 64;
      uint64_t lacking = 0;
      for (size_t i = 0; i < 64; ++i) {
        const int64_t sign = (c0[i] - in.need[0]) | (c1[i] - in.need[1]) | (c2[i] - in.need[2]);
        lacking |= (static_cast<uint64_t>(sign) >> 63) << i;
      }
      alive &= ~lacking;
    }
    out[w] = alive;
  }
}

#endif

}  // namespace

std::vector<NamedLimitKernel> limit_kernels() {
  std::vector<NamedLimitKernel> out = {{"portable", portable}};
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2")) out.push_back({"avx2", avx2});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    out.push_back({"avx512", avx512});
#endif
  return out;
}

}  // namespace libsched_bench
