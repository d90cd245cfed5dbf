// The score kernels for AVX-512: eight rows at a time, without divisions where the column has the
// inverses.
#include "libsched/framework/vector_intrinsics.hpp"
#include "libsched/plugins/noderesources/score_words.hpp"

#if defined(__x86_64__)

namespace libsched {
namespace {

#define LIBSCHED_AVX512 __attribute__((target("avx512f,avx512dq"), always_inline)) inline

struct Eight {
  __m512i capacity, used;
  __m512d inverse;  // of capacity, rounded; where it is 0, the row needs the plain loop
};
LIBSCHED_AVX512 Eight load8(const WordOf& c, size_t row) {
  const __m512i capacity = _mm512_loadu_si512(c.allocatable + row);
  const __m512i used = c.used != nullptr
                           ? _mm512_loadu_si512(c.used + row)
                           : _mm512_sub_epi64(capacity, _mm512_loadu_si512(c.left + row));
  if (c.inverse != nullptr) return {capacity, used, _mm512_loadu_pd(c.inverse + row)};
  const __m512i high = _mm512_srli_epi64(capacity, Columns::kUsualBits);
  const __mmask8 usual =
      _mm512_mask_test_epi64_mask(_mm512_testn_epi64_mask(high, high), capacity, capacity);
  return {capacity, used,
          _mm512_maskz_div_pd(usual, _mm512_set1_pd(1), _mm512_cvtepi64_pd(capacity))};
}
LIBSCHED_AVX512 uint64_t unusual8(const Eight& a, const Eight& b) {
  const __m512i high = _mm512_srli_epi64(_mm512_or_si512(a.used, b.used), kAmountBits);
  const __m512i inverse_a = _mm512_castpd_si512(a.inverse);
  const __m512i inverse_b = _mm512_castpd_si512(b.inverse);
  return static_cast<uint64_t>(_mm512_test_epi64_mask(high, high) |
                               _mm512_testn_epi64_mask(inverse_a, inverse_a) |
                               _mm512_testn_epi64_mask(inverse_b, inverse_b)) &
         0xff;
}
LIBSCHED_AVX512 __m512d floor8(__m512d v) {
  return _mm512_roundscale_pd(v, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}
// v is not negative.
LIBSCHED_AVX512 void store8(int64_t* out, __m512d v) {
  _mm512_storeu_si512(out, _mm512_cvttpd_epi64(v));
}
// floor(100 * (capacity - used - ask) / capacity), 0 where the request does not fit. Adding half a
// unit keeps the product at least 0.5 / capacity > 2^-45 away from every integer, and its error is
// less than 101 * 2^-52.
LIBSCHED_AVX512 __m512d free8(const Eight& c, __m512i ask) {
  const __m512i left = _mm512_sub_epi64(_mm512_sub_epi64(c.capacity, c.used), ask);
  const __m512d free = _mm512_cvtepi64_pd(_mm512_max_epi64(left, _mm512_setzero_si512()));
  return floor8(
      _mm512_mul_pd(_mm512_fmadd_pd(free, _mm512_set1_pd(100), _mm512_set1_pd(0.5)), c.inverse));
}
// min(used / capacity, 1), the quotient rounded as IEEE's: with the exact remainder of a first
// guess, the value before the last rounding is less than 2^-50 ulp from the quotient, but the
// quotient of a number below 2^53 by one below 2^44 is at least 2^-45 ulp from where rounding
// changes.
LIBSCHED_AVX512 __m512d fraction8(__m512d used, __m512d capacity, __m512d inverse) {
  const __m512d guess = _mm512_mul_pd(used, inverse);
  const __m512d rest = _mm512_fnmadd_pd(guess, capacity, used);
  return _mm512_min_pd(_mm512_fmadd_pd(rest, inverse, guess), _mm512_set1_pd(1));
}
LIBSCHED_AVX512 __m512d balance8(__m512d a, __m512d b) {
  const __m512d apart = _mm512_abs_pd(_mm512_sub_pd(a, b));
  const __m512d even = _mm512_fnmadd_pd(apart, _mm512_set1_pd(0.5), _mm512_set1_pd(1));
  return floor8(_mm512_mul_pd(even, _mm512_set1_pd(100)));
}

// Adds eight scores of rows of usual size, truncated, to their totals. `once`: the factor is 1;
// `first`: there are no totals yet.
template <bool once, bool first = false>
LIBSCHED_AVX512 void add8(int32_t* totals, __m512d scores, __m256i factor) {
  auto* const at = reinterpret_cast<__m256i*>(totals);
  const __m256i whole = _mm512_cvttpd_epi32(scores);
  const __m256i more = once ? whole : _mm256_mullo_epi32(whole, factor);
  _mm256_storeu_si256(at, first ? more : _mm256_add_epi32(_mm256_loadu_si256(at), more));
}

struct LeastOf8 {
  __m512i ask_a, ask_b;
  __m512d weight_a, weight_b, inverse;

  LeastOf8(const AllocationColumn& a, const AllocationColumn& b)
      __attribute__((target("avx512f,avx512dq")))
      : ask_a(_mm512_set1_epi64(a.ask)),
        ask_b(_mm512_set1_epi64(b.ask)),
        weight_a(_mm512_set1_pd(static_cast<double>(a.weight))),
        weight_b(_mm512_set1_pd(static_cast<double>(b.weight))),
        inverse(_mm512_set1_pd(1.0 / static_cast<double>(a.weight + b.weight))) {}
};
// The scores of eight rows, to be truncated.
LIBSCHED_AVX512 __m512d least8(const LeastOf8& c, const Eight& a, const Eight& b) {
  const __m512d sum =
      _mm512_fmadd_pd(free8(a, c.ask_a), c.weight_a,
                      _mm512_fmadd_pd(free8(b, c.ask_b), c.weight_b, _mm512_set1_pd(0.5)));
  return _mm512_mul_pd(sum, c.inverse);
}
// Calls store(i, scores) for each eight of `end` rows of a word, and returns the rows that need the
// plain loop.
template <typename Store>
LIBSCHED_AVX512 uint64_t least8(const LeastOf8& c, const WordOf& a, const WordOf& b, size_t end,
                                Store&& store) {
  __m512i used = _mm512_setzero_si512();
  __m512d inverse = _mm512_set1_pd(1);  // an inverse is at most 1
  for (size_t i = 0; i < end; i += 8) {
    const Eight at_a = load8(a, i), at_b = load8(b, i);
    used = _mm512_ternarylogic_epi64(used, at_a.used, at_b.used, 0xfe);
    inverse = _mm512_min_pd(inverse, _mm512_min_pd(at_a.inverse, at_b.inverse));
    store(i, least8(c, at_a, at_b));
  }
  if (unusual8({used, used, inverse}, {used, used, inverse}) == 0) return 0;
  uint64_t plain = 0;
  for (size_t i = 0; i < end; i += 8) plain |= unusual8(load8(a, i), load8(b, i)) << i;
  return plain;
}

__attribute__((target("avx512f,avx512dq"))) void avx512_least(const AllocationInput& input,
                                                              int64_t* scores) {
  if (!usual_ask(input)) return portable_least(input, scores);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const LeastOf8 common(a, b);
  const auto plain = [&](size_t r) { return least_allocated_row(input.columns, r); };
  const auto of_word = [&](const WordOf& a, const WordOf& b, size_t end,
                           int64_t* out) __attribute__((target("avx512f,avx512dq"))) {
    return least8(common, a, b, end,
                  [out](size_t i, __m512d v)
                      __attribute__((target("avx512f,avx512dq"))) { store8(out + i, v); });
  };
  if (!input.few.empty()) return score_few(input, scores, of_word, plain);
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const uint64_t unusual = of_word(WordOf(a, w), WordOf(b, w), 64, scores + w * 64);
    each_row(unusual & input.bits[w], w, scores, plain);
  }
}

// Adds the scores of the rows of a word of usual size to their totals, and returns the others.
template <bool once, bool first>
LIBSCHED_AVX512 uint64_t add_least8(const LeastOf8& c, const WordOf& a, const WordOf& b,
                                    uint32_t weight, int32_t* totals) {
  const __m256i factor = _mm256_set1_epi32(static_cast<int32_t>(weight));
  const uint64_t unusual =
      least8(c, a, b, 64, [&](size_t i, __m512d v) __attribute__((target("avx512f,avx512dq"))) {
        add8<once, first>(totals + i, v, factor);
      });
  if (__builtin_expect(unusual == 0, 1)) return 0;
  // What was added to the others is taken off.
  const __m256i minus = _mm256_set1_epi32(static_cast<int32_t>(0 - weight));
  for (size_t i = 0; i < 64; i += 8) {
    const __m512d v = least8(c, load8(a, i), load8(b, i));
    add8<false>(totals + i, _mm512_maskz_mov_pd(static_cast<__mmask8>(unusual >> i), v), minus);
  }
  return unusual;
}

template <bool once, bool first>
LIBSCHED_AVX512 bool add_least_words(const AllocationInput& input, uint32_t weight,
                                     int32_t* totals) {
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const LeastOf8 common(a, b);
  bool within = true;
  if (first) std::fill_n(totals, input.first_word * 64, 0);
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) {
      if (first) std::fill_n(totals + w * 64, 64, 0);
      continue;
    }
    const uint64_t unusual =
        add_least8<once, first>(common, WordOf(a, w), WordOf(b, w), weight, totals + w * 64);
    within &= add_least_rows(unusual & input.bits[w], w, input, weight, totals);
  }
  return within;
}

__attribute__((target("avx512f,avx512dq"))) bool avx512_add_least(const AllocationInput& input,
                                                                  uint32_t weight,
                                                                  int32_t* totals) {
  if (!usual_ask(input)) return portable_add_least(input, weight, totals);
  if (input.first)
    return weight == 1 ? add_least_words<true, true>(input, weight, totals)
                       : add_least_words<false, true>(input, weight, totals);
  return weight == 1 ? add_least_words<true, false>(input, weight, totals)
                     : add_least_words<false, false>(input, weight, totals);
}

struct BalancedOf8 {
  __m512d ask_a, ask_b;
  bool absolute;

  BalancedOf8(const AllocationInput& input) __attribute__((target("avx512f,avx512dq")))
      : ask_a(_mm512_set1_pd(static_cast<double>(input.columns[0].ask))),
        ask_b(_mm512_set1_pd(static_cast<double>(input.columns[1].ask))),
        absolute(input.form == BalanceForm::kAbsolute) {}
};
// Eight rows as doubles.
struct EightDoubles {
  __m512d capacity_a, capacity_b, used_a, used_b;
};
LIBSCHED_AVX512 EightDoubles doubles8(const Eight& a, const Eight& b) {
  return {_mm512_cvtepi64_pd(a.capacity), _mm512_cvtepi64_pd(b.capacity),
          _mm512_cvtepi64_pd(a.used), _mm512_cvtepi64_pd(b.used)};
}
LIBSCHED_AVX512 __m512d balance_with8(const BalancedOf8& c, const EightDoubles& d,
                                      __m512d inverse_a, __m512d inverse_b) {
  return balance8(fraction8(_mm512_add_pd(d.used_a, c.ask_a), d.capacity_a, inverse_a),
                  fraction8(_mm512_add_pd(d.used_b, c.ask_b), d.capacity_b, inverse_b));
}
// 50 + (50 + change) / 2, to be truncated; its terms are not negative.
LIBSCHED_AVX512 __m512d change8(__m512d with_pod, __m512d without) {
  return _mm512_fmadd_pd(_mm512_sub_pd(with_pod, without), _mm512_set1_pd(0.5), _mm512_set1_pd(75));
}
// The scores of eight rows, to be truncated; sets `unusual` to those that need the plain loop.
// Keeps balances, unless null.
LIBSCHED_AVX512 __m512d balanced8(const BalancedOf8& c, const Eight& a, const Eight& b,
                                  uint8_t* balances, uint64_t* unusual) {
  *unusual = unusual8(a, b);
  const EightDoubles d = doubles8(a, b);
  const __m512d with_pod = balance_with8(c, d, a.inverse, b.inverse);
  if (c.absolute) return with_pod;
  const __m512d without = balance8(fraction8(d.used_a, d.capacity_a, a.inverse),
                                   fraction8(d.used_b, d.capacity_b, b.inverse));
  if (balances != nullptr) {
    const __m512i kept =
        _mm512_mask_mov_epi64(_mm512_cvttpd_epi64(without), static_cast<__mmask8>(*unusual),
                              _mm512_set1_epi64(Columns::kUnknownBalance));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(balances), _mm512_cvtepi64_epi8(kept));
  }
  return change8(with_pod, without);
}
LIBSCHED_AVX512 uint64_t balanced8(const BalancedOf8& c, const WordOf& a, const WordOf& b,
                                   size_t end, uint8_t* balances, int64_t* out) {
  uint64_t plain = 0;
  for (size_t i = 0; i < end; i += 8) {
    uint64_t unusual;
    store8(out + i, balanced8(c, load8(a, i), load8(b, i),
                              balances == nullptr ? nullptr : balances + i, &unusual));
    plain |= unusual << i;
  }
  return plain;
}

__attribute__((target("avx512f,avx512dq"))) void avx512_balanced(const AllocationInput& input,
                                                                 int64_t* scores) {
  if (!usual_ask(input)) return portable_balanced(input, scores);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const BalancedOf8 common(input);
  const auto plain = [&](size_t r) { return balanced_row(input, r); };
  if (!input.few.empty())
    return score_few(
        input, scores,
        [&](const WordOf& a, const WordOf& b, size_t end, int64_t* out) __attribute__((
            target("avx512f,avx512dq"))) { return balanced8(common, a, b, end, nullptr, out); },
        plain);
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const uint64_t unusual =
        balanced8(common, WordOf(a, w), WordOf(b, w), 64, balances_of(input, w), scores + w * 64);
    each_row(unusual & input.bits[w], w, scores, plain);
  }
}

// Adds the scores of the rows of a word of usual size to their totals, and returns the others. Rows
// with a known balance are of usual size.
template <bool once>
LIBSCHED_AVX512 uint64_t add_balanced8(const BalancedOf8& c, const WordOf& a, const WordOf& b,
                                       uint8_t* balances, __m256i factor, int32_t* totals) {
  uint64_t plain = 0;
  for (size_t i = 0; i < 64; i += 8) {
    const Eight at_a = load8(a, i), at_b = load8(b, i);
    __m512d score;
    __m128i known = _mm_set1_epi8(-1);
    if (balances != nullptr) known = _mm_loadl_epi64(reinterpret_cast<__m128i*>(balances + i));
    if (__builtin_expect((_mm_movemask_epi8(known) & 0xff) == 0, 1)) {
      const __m512d without = _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(known));
      const EightDoubles d = doubles8(at_a, at_b);
      score = change8(balance_with8(c, d, at_a.inverse, at_b.inverse), without);
    } else {
      uint64_t unusual;
      score = balanced8(c, at_a, at_b, balances == nullptr ? nullptr : balances + i, &unusual);
      score = _mm512_maskz_mov_pd(static_cast<__mmask8>(~unusual), score);
      plain |= unusual << i;
    }
    add8<once>(totals + i, score, factor);
  }
  return plain;
}

__attribute__((target("avx512f,avx512dq"))) bool avx512_add_balanced(const AllocationInput& input,
                                                                     uint32_t weight,
                                                                     int32_t* totals) {
  if (!usual_ask(input)) return portable_add_balanced(input, weight, totals);
  begin_totals(input, totals);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const BalancedOf8 common(input);
  const __m256i factor = _mm256_set1_epi32(static_cast<int32_t>(weight));
  bool within = true;
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    uint8_t* const balances = common.absolute ? nullptr : balances_of(input, w);
    const WordOf in_a(a, w), in_b(b, w);
    const uint64_t plain =
        weight == 1 ? add_balanced8<true>(common, in_a, in_b, balances, factor, totals + w * 64)
                    : add_balanced8<false>(common, in_a, in_b, balances, factor, totals + w * 64);
    within &= add_balanced_rows(plain & input.bits[w], w, input, weight, totals);
  }
  return within;
}
#undef LIBSCHED_AVX512

}  // namespace

AllocationKernels avx512_allocation_kernels() {
  return {"avx512", avx512_least, avx512_balanced, avx512_add_least, avx512_add_balanced};
}

}  // namespace libsched

#endif
