// The score kernels for AVX2: four rows at a time.
#include "libsched/framework/vector_intrinsics.hpp"
#include "libsched/plugins/noderesources/score_words.hpp"

#if defined(__x86_64__)

namespace libsched {
namespace {

struct Four {
  __m256i capacity, used;
};
__attribute__((target("avx2"), always_inline)) inline Four load4(const WordOf& c, size_t i) {
  const auto at = [i](const int64_t* p) __attribute__((target("avx2"))) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + i));
  };
  const __m256i capacity = at(c.allocatable);
  return {capacity, c.used != nullptr ? at(c.used) : _mm256_sub_epi64(capacity, at(c.left))};
}
// The rows that need the plain loop, or whose capacities have more bits: bit i for lane i.
__attribute__((target("avx2"), always_inline)) inline uint64_t unusual4(
    const Four& a, const Four& b, int capacity_bits = kCapacityBits) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i high =
      _mm256_or_si256(_mm256_srli_epi64(_mm256_or_si256(a.capacity, b.capacity), capacity_bits),
                      _mm256_srli_epi64(_mm256_or_si256(a.used, b.used), kAmountBits));
  const __m256i usual = _mm256_andnot_si256(
      _mm256_or_si256(_mm256_cmpeq_epi64(a.capacity, zero), _mm256_cmpeq_epi64(b.capacity, zero)),
      _mm256_cmpeq_epi64(high, zero));
  return static_cast<uint64_t>(_mm256_movemask_pd(_mm256_castsi256_pd(usual))) ^ 0xf;
}
__attribute__((target("avx2"), always_inline)) inline __m256d doubles4(__m256i v) {
  const __m256i magic = _mm256_set1_epi64x(kMagicBits);
  return _mm256_sub_pd(_mm256_castsi256_pd(_mm256_or_si256(v, magic)), _mm256_set1_pd(kMagic));
}
__attribute__((target("avx2"), always_inline)) inline void store4(int64_t* out, __m256d v) {
  const __m256i bits = _mm256_castpd_si256(_mm256_add_pd(v, _mm256_set1_pd(kMagic)));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                      _mm256_xor_si256(bits, _mm256_set1_epi64x(kMagicBits)));
}
// floor(100 * (capacity - used - ask) / capacity), 0 where the request does not fit.
__attribute__((target("avx2"), always_inline)) inline __m256d free4(const Four& c, __m256d ask) {
  const __m256d capacity = doubles4(c.capacity);
  const __m256d requested = _mm256_add_pd(doubles4(c.used), ask);
  const __m256d free = _mm256_max_pd(_mm256_sub_pd(capacity, requested), _mm256_setzero_pd());
  return _mm256_floor_pd(_mm256_div_pd(_mm256_mul_pd(free, _mm256_set1_pd(100)), capacity));
}
__attribute__((target("avx2"), always_inline)) inline __m256d balance4(__m256d used_a,
                                                                       __m256d used_b, __m256d a,
                                                                       __m256d b) {
  const __m256d one = _mm256_set1_pd(1);
  const __m256d fa = _mm256_min_pd(_mm256_div_pd(used_a, a), one);
  const __m256d fb = _mm256_min_pd(_mm256_div_pd(used_b, b), one);
  const __m256d half = _mm256_mul_pd(_mm256_sub_pd(fa, fb), _mm256_set1_pd(0.5));
  const __m256d deviation = _mm256_andnot_pd(_mm256_set1_pd(-0.0), half);
  return _mm256_floor_pd(_mm256_mul_pd(_mm256_sub_pd(one, deviation), _mm256_set1_pd(100)));
}

struct LeastOf4 {
  __m256d ask_a, ask_b, weight_a, weight_b, inverse;

  LeastOf4(const AllocationColumn& a, const AllocationColumn& b) __attribute__((target("avx2")))
      : ask_a(_mm256_set1_pd(static_cast<double>(a.ask))),
        ask_b(_mm256_set1_pd(static_cast<double>(b.ask))),
        weight_a(_mm256_set1_pd(static_cast<double>(a.weight))),
        weight_b(_mm256_set1_pd(static_cast<double>(b.weight))),
        // Small integers: half a unit keeps the product away from where rounding could matter.
        inverse(_mm256_set1_pd(1.0 / static_cast<double>(a.weight + b.weight))) {}
};
// The scores of four rows, to be truncated.
__attribute__((target("avx2"), always_inline)) inline __m256d least4(const LeastOf4& c,
                                                                     const Four& a, const Four& b) {
  const __m256d sum = _mm256_add_pd(_mm256_mul_pd(free4(a, c.ask_a), c.weight_a),
                                    _mm256_mul_pd(free4(b, c.ask_b), c.weight_b));
  return _mm256_mul_pd(_mm256_add_pd(sum, _mm256_set1_pd(0.5)), c.inverse);
}
// Scores the rows of a word, and returns those that need the plain loop.
__attribute__((target("avx2"), always_inline)) inline uint64_t least4(const LeastOf4& c,
                                                                      const WordOf& a,
                                                                      const WordOf& b,
                                                                      int64_t* out) {
  uint64_t plain = 0;
  for (size_t i = 0; i < 64; i += 4) {
    const Four at_a = load4(a, i), at_b = load4(b, i);
    plain |= unusual4(at_a, at_b) << i;
    store4(out + i, _mm256_floor_pd(least4(c, at_a, at_b)));
  }
  return plain;
}

__attribute__((target("avx2"))) void avx2_least(const AllocationInput& input, int64_t* scores) {
  if (!input.few.empty() || !usual_ask(input)) return portable_least(input, scores);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const LeastOf4 common(a, b);
  const auto plain = [&](size_t r) { return least_allocated_row(input.columns, r); };
  for (size_t w = 0; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const uint64_t unusual = least4(common, WordOf(a, w), WordOf(b, w), scores + w * 64);
    each_row(unusual & input.bits[w], w, scores, plain);
  }
}

// Adds four scores, truncated, to their totals, but for the unusual rows: bit i for lane i.
__attribute__((target("avx2"), always_inline)) inline void add4(int32_t* totals, __m256d scores,
                                                                uint64_t unusual, __m128i factor) {
  auto* const at = reinterpret_cast<__m128i*>(totals);
  const __m128i lanes = _mm_setr_epi32(1, 2, 4, 8);
  const __m128i skipped =
      _mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(static_cast<int32_t>(unusual)), lanes), lanes);
  const __m128i more = _mm_mullo_epi32(_mm256_cvttpd_epi32(scores), factor);
  _mm_storeu_si128(at, _mm_add_epi32(_mm_loadu_si128(at), _mm_andnot_si128(skipped, more)));
}

__attribute__((target("avx2"))) bool avx2_add_least(const AllocationInput& input, uint32_t weight,
                                                    int32_t* totals) {
  if (!usual_ask(input)) return portable_add_least(input, weight, totals);
  begin_totals(input, totals);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const LeastOf4 common(a, b);
  const __m128i factor = _mm_set1_epi32(static_cast<int32_t>(weight));
  bool within = true;
  for (size_t w = 0; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const WordOf in_a(a, w), in_b(b, w);
    uint64_t plain = 0;
    for (size_t i = 0; i < 64; i += 4) {
      const Four at_a = load4(in_a, i), at_b = load4(in_b, i);
      const uint64_t unusual = unusual4(at_a, at_b);
      plain |= unusual << i;
      add4(totals + w * 64 + i, least4(common, at_a, at_b), unusual, factor);
    }
    within &= add_least_rows(plain & input.bits[w], w, input, weight, totals);
  }
  return within;
}

struct BalancedOf4 {
  __m256d ask_a, ask_b;
  bool absolute;

  BalancedOf4(const AllocationInput& input) __attribute__((target("avx2")))
      : ask_a(_mm256_set1_pd(static_cast<double>(input.columns[0].ask))),
        ask_b(_mm256_set1_pd(static_cast<double>(input.columns[1].ask))),
        absolute(input.form == BalanceForm::kAbsolute) {}
};
// The balances of four rows, made if they are unknown.
__attribute__((target("avx2"), always_inline)) inline __m256d known4(uint8_t* balances,
                                                                     const Four& a, const Four& b,
                                                                     __m256d used_a, __m256d used_b,
                                                                     __m256d capacity_a,
                                                                     __m256d capacity_b) {
  if (balances == nullptr) return balance4(used_a, used_b, capacity_a, capacity_b);
  uint32_t four;
  __builtin_memcpy(&four, balances, 4);
  if ((four & 0x80808080) != 0) {
    const __m256d now = balance4(used_a, used_b, capacity_a, capacity_b);
    const uint64_t lost = unusual4(a, b, Columns::kUsualBits);
    alignas(16) std::array<int32_t, 4> whole;
    _mm_store_si128(reinterpret_cast<__m128i*>(whole.data()), _mm256_cvttpd_epi32(now));
    for (size_t k = 0; k < 4; ++k)
      if ((lost >> k & 1) == 0) balances[k] = static_cast<uint8_t>(whole[k]);
    return now;
  }
  return _mm256_cvtepi32_pd(_mm_cvtepu8_epi32(_mm_cvtsi32_si128(static_cast<int>(four))));
}
// The scores of four rows.
__attribute__((target("avx2"), always_inline)) inline __m256d balanced4(const BalancedOf4& c,
                                                                        const Four& a,
                                                                        const Four& b,
                                                                        uint8_t* balances) {
  const __m256d fifty = _mm256_set1_pd(50);
  const __m256d capacity_a = doubles4(a.capacity), capacity_b = doubles4(b.capacity);
  const __m256d used_a = doubles4(a.used), used_b = doubles4(b.used);
  const __m256d with_pod = balance4(_mm256_add_pd(used_a, c.ask_a), _mm256_add_pd(used_b, c.ask_b),
                                    capacity_a, capacity_b);
  if (c.absolute) return with_pod;
  const __m256d without = known4(balances, a, b, used_a, used_b, capacity_a, capacity_b);
  const __m256d change = _mm256_sub_pd(_mm256_add_pd(fifty, with_pod), without);
  return _mm256_add_pd(fifty, _mm256_floor_pd(_mm256_mul_pd(change, _mm256_set1_pd(0.5))));
}
// Scores the rows of a word, and returns those that need the plain loop.
__attribute__((target("avx2"), always_inline)) inline uint64_t balanced4(
    const BalancedOf4& c, const WordOf& a, const WordOf& b, uint8_t* balances, int64_t* out) {
  uint64_t plain = 0;
  for (size_t i = 0; i < 64; i += 4) {
    const Four at_a = load4(a, i), at_b = load4(b, i);
    plain |= unusual4(at_a, at_b) << i;
    store4(out + i, balanced4(c, at_a, at_b, balances == nullptr ? nullptr : balances + i));
  }
  return plain;
}

__attribute__((target("avx2"))) void avx2_balanced(const AllocationInput& input, int64_t* scores) {
  if (!input.few.empty() || !usual_ask(input)) return portable_balanced(input, scores);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const BalancedOf4 common(input);
  const auto plain = [&](size_t r) { return balanced_row(input, r); };
  for (size_t w = 0; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const uint64_t unusual =
        balanced4(common, WordOf(a, w), WordOf(b, w), balances_of(input, w), scores + w * 64);
    each_row(unusual & input.bits[w], w, scores, plain);
  }
}

__attribute__((target("avx2"))) bool avx2_add_balanced(const AllocationInput& input,
                                                       uint32_t weight, int32_t* totals) {
  if (!usual_ask(input)) return portable_add_balanced(input, weight, totals);
  begin_totals(input, totals);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const BalancedOf4 common(input);
  const __m128i factor = _mm_set1_epi32(static_cast<int32_t>(weight));
  bool within = true;
  for (size_t w = 0; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const WordOf in_a(a, w), in_b(b, w);
    uint8_t* const balances = balances_of(input, w);
    uint64_t plain = 0;
    for (size_t i = 0; i < 64; i += 4) {
      const Four at_a = load4(in_a, i), at_b = load4(in_b, i);
      const uint64_t unusual = unusual4(at_a, at_b);
      plain |= unusual << i;
      const __m256d score =
          balanced4(common, at_a, at_b, balances == nullptr ? nullptr : balances + i);
      add4(totals + w * 64 + i, score, unusual, factor);
    }
    within &= add_balanced_rows(plain & input.bits[w], w, input, weight, totals);
  }
  return within;
}

}  // namespace

AllocationKernels avx2_allocation_kernels() {
  return {"avx2", avx2_least, avx2_balanced, avx2_add_least, avx2_add_balanced};
}

}  // namespace libsched

#endif
