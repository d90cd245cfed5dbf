// The kernels, one pair per instruction set, the plain loops they must equal, and the choice at run
// time.
#include "libsched/plugins/noderesources/score_kernel.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "libsched/framework/vector_intrinsics.hpp"

namespace libsched {

int64_t balance_score(BalanceForm form, int64_t with_pod, int64_t without_pod) {
  if (form == BalanceForm::kAbsolute) return with_pod;
  constexpr int64_t kHalf = kMaxNodeScore / 2;
  return wrapping_add(kHalf, wrapping_sub(wrapping_add(kHalf, with_pod), without_pod) / 2);
}

int64_t least_allocated_row(std::span<const AllocationColumn> columns, size_t row) {
  int64_t sum = 0, weights = 0;
  for (const AllocationColumn& c : columns) {
    const int64_t capacity = c.allocatable[row];
    if (capacity == 0) continue;
    const int64_t requested = wrapping_add(c.used_at(row), c.ask);
    const int64_t score =
        requested > capacity
            ? 0
            : wrapping_div(wrapping_mul(wrapping_sub(capacity, requested), kMaxNodeScore),
                           capacity);
    sum = wrapping_add(sum, wrapping_mul(score, c.weight));
    weights = wrapping_add(weights, c.weight);
  }
  return weights == 0 ? 0 : wrapping_div(sum, weights);
}

namespace {

// How evenly the resources are used: 100 where all fractions are equal. `with_pod` adds the pod's
// requests.
int64_t balance_of(std::span<const AllocationColumn> columns, size_t row, bool with_pod) {
  const auto fraction = [&](const AllocationColumn& c) {
    const int64_t used = with_pod ? wrapping_add(c.used_at(row), c.ask) : c.used_at(row);
    const double f = static_cast<double>(used) / static_cast<double>(c.allocatable[row]);
    return f > 1 ? 1 : f;
  };
  size_t count = 0;
  double total = 0, first = 0, last = 0;
  for (const AllocationColumn& c : columns) {
    if (c.allocatable[row] == 0) continue;
    last = fraction(c);
    if (count++ == 0) first = last;
    total += last;
  }
  double deviation = 0;
  if (count == 2) {
    deviation = std::abs((first - last) / 2);
  } else if (count > 2) {
    const double mean = total / static_cast<double>(count);
    double sum = 0;
    for (const AllocationColumn& c : columns) {
      if (c.allocatable[row] == 0) continue;
      const double d = fraction(c) - mean;
      sum = sum + d * d;
    }
    deviation = std::sqrt(sum / static_cast<double>(count));
  }
  return truncated((1 - deviation) * static_cast<double>(kMaxNodeScore));
}

}  // namespace

int64_t balanced_allocation_row(std::span<const AllocationColumn> columns, BalanceForm form,
                                size_t row) {
  return balance_score(form, balance_of(columns, row, true), balance_of(columns, row, false));
}

namespace {

// Up to here sums and products stay below 2^53. A capacity is also at most 2^46, because
// LeastAllocated multiplies it by 100.
constexpr int kAmountBits = 51;
constexpr int kCapacityBits = 46;
bool usual_amount(int64_t v) { return static_cast<uint64_t>(v) >> kAmountBits == 0; }

// Whether the row's balance is kept: only if every kernel would use doubles for the row, so that
// known balances tell that. It is then between 0 and 100.
bool keeps_balance(const AllocationInput& input, size_t row) {
  return std::all_of(input.columns.begin(), input.columns.end(), [&](const AllocationColumn& c) {
    const int64_t capacity = c.allocatable[row];
    return capacity > 0 && capacity >> Columns::kUsualBits == 0 && usual_amount(c.used_at(row));
  });
}

// The same as balanced_allocation_row(), with the balance without the pod if it is known.
int64_t balanced_row(const AllocationInput& input, size_t row) {
  const int64_t with_pod = balance_of(input.columns, row, true);
  if (input.form == BalanceForm::kAbsolute) return with_pod;
  if (input.balances != nullptr && input.balances[row] != Columns::kUnknownBalance)
    return balance_score(input.form, with_pod, input.balances[row]);
  const int64_t without = balance_of(input.columns, row, false);
  if (input.balances != nullptr && keeps_balance(input, row))
    input.balances[row] = static_cast<uint8_t>(without);
  return balance_score(input.form, with_pod, without);
}

// Adds a row's score to its total, and returns whether it is in range.
bool add_balanced_row(const AllocationInput& input, size_t row, uint32_t weight, int64_t* totals) {
  const int64_t score = balanced_row(input, row);
  totals[row] = wrapping_add(totals[row], wrapping_mul(score, int64_t{weight}));
  return score >= kMinNodeScore && score <= kMaxNodeScore;
}

// Whether the inputs common to all rows are of usual size.
bool usual_ask(const AllocationInput& input) {
  return std::all_of(input.columns.begin(), input.columns.end(), [](const AllocationColumn& c) {
    return usual_amount(c.ask) && c.weight > 0 && c.weight <= 1000;
  });
}

template <typename RowScore>
void each_row(uint64_t bits, size_t word, int64_t* scores, RowScore&& score) {
  for_each_bit(bits, word * 64, [&](size_t row) { scores[row] = score(row); });
}

template <typename RowScore>
void each_row(const AllocationInput& input, int64_t* scores, RowScore&& score) {
  for (const uint32_t row : input.few) scores[row] = score(row);
  if (!input.few.empty()) return;
  for (size_t w = input.first_word; w < input.words; ++w) each_row(input.bits[w], w, scores, score);
}

// --- portable: doubles one row at a time ---

bool usual_row(const AllocationInput& input, size_t row, std::array<double, 2>& capacity,
               std::array<double, 2>& used) {
  for (size_t i = 0; i < 2; ++i) {
    const int64_t c = input.columns[i].allocatable[row], u = input.columns[i].used_at(row);
    if (c <= 0 || c >> kCapacityBits != 0 || !usual_amount(u)) return false;
    capacity[i] = static_cast<double>(c);
    used[i] = static_cast<double>(u);
  }
  return true;
}

bool portable_least(const AllocationInput& input, int64_t* scores) {
  const bool usual = usual_ask(input);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const double weights = static_cast<double>(a.weight + b.weight);
  each_row(input, scores, [&](size_t row) {
    std::array<double, 2> capacity, used;
    if (!usual || !usual_row(input, row, capacity, used))
      return least_allocated_row(input.columns, row);
    double sum = 0;
    for (size_t i = 0; i < 2; ++i) {
      const AllocationColumn& c = input.columns[i];
      const double free = std::max(capacity[i] - (used[i] + static_cast<double>(c.ask)), 0.0) * 100;
      sum += static_cast<double>(static_cast<int64_t>(free / capacity[i])) *
             static_cast<double>(c.weight);
    }
    return static_cast<int64_t>(sum / weights);
  });
  return false;  // unknown
}

void portable_balanced(const AllocationInput& input, int64_t* scores) {
  each_row(input, scores, [&](size_t row) { return balanced_row(input, row); });
}

bool add_rows(uint64_t bits, size_t word, const AllocationInput& input, uint32_t weight,
              int64_t* totals) {
  bool within = true;
  for_each_bit(bits, word * 64,
               [&](size_t row) { within &= add_balanced_row(input, row, weight, totals); });
  return within;
}

bool portable_add_balanced(const AllocationInput& input, uint32_t weight, int64_t* totals) {
  bool within = true;
  for (size_t w = input.first_word; w < input.words; ++w)
    within &= add_rows(input.bits[w], w, input, weight, totals);
  return within;
}

#if defined(__x86_64__)
// An integer below 2^52 is the mantissa of 2^52 + itself.
constexpr int64_t kMagicBits = 0x4330000000000000;
constexpr double kMagic = 4503599627370496.0;

// --- AVX2: four rows at a time ---

struct Four {
  __m256i capacity, used;
};
// The arrays of one word of rows.
struct WordOf {
  const int64_t *allocatable, *left, *used;  // used null: allocatable - left
  const double* inverse;                     // null: not kept

  WordOf(const AllocationColumn& c, size_t w)
      : allocatable(c.allocatable.word(w)),
        left(c.left.word(w)),
        used(c.used ? c.used.word(w) : nullptr),
        inverse(c.inverse ? c.inverse.doubles(w) : nullptr) {}
  WordOf(const int64_t* all, const int64_t* taken, const double* inverses)
      : allocatable(all), left(nullptr), used(taken), inverse(inverses) {}
};

// Up to 64 rows of two columns, side by side.
struct Gathered {
  alignas(64) std::array<std::array<int64_t, 64>, 2> allocatable, used;
  alignas(64) std::array<std::array<double, 64>, 2> inverse;
  size_t count = 0;  // a multiple of 8

  // The last one fills up.
  void gather(std::span<const AllocationColumn> columns, std::span<const uint32_t> rows) {
    count = (rows.size() + 7) / 8 * 8;
    for (size_t i = 0; i < 2; ++i) {
      const AllocationColumn& c = columns[i];
      const size_t n = rows.size();
      if (c.allocatable.base != nullptr) {  // of a writer: one array each
        const int64_t* const all = c.allocatable.word(0);
        const int64_t* const left = c.left.word(0);
        const int64_t* const taken = c.used ? c.used.word(0) : nullptr;
        for (size_t k = 0; k < n; ++k) allocatable[i][k] = all[rows[k]];
        if (taken != nullptr) {
          for (size_t k = 0; k < n; ++k) used[i][k] = taken[rows[k]];
        } else {
          for (size_t k = 0; k < n; ++k)
            used[i][k] = wrapping_sub(allocatable[i][k], left[rows[k]]);
        }
        if (c.inverse) {
          const double* const inverses = c.inverse.doubles(0);
          for (size_t k = 0; k < n; ++k) inverse[i][k] = inverses[rows[k]];
        }
      } else {
        for (size_t k = 0; k < n; ++k) {
          const size_t row = rows[k];
          allocatable[i][k] = c.allocatable[row];
          used[i][k] = c.used_at(row);
          if (c.inverse) inverse[i][k] = c.inverse.doubles(row / 64)[row % 64];
        }
      }
      for (size_t k = n; k < count; ++k) {
        allocatable[i][k] = allocatable[i][n - 1];
        used[i][k] = used[i][n - 1];
        if (c.inverse) inverse[i][k] = inverse[i][n - 1];
      }
    }
  }
  WordOf word(const AllocationColumn& c, size_t i) const {
    return {allocatable[i].data(), used[i].data(), c.inverse ? inverse[i].data() : nullptr};
  }
};

// Those of the rows of a word.
uint8_t* balances_of(const AllocationInput& input, size_t w) {
  return input.balances == nullptr ? nullptr : input.balances + w * 64;
}

// Calls score(a, b, count, out), which returns the rows that need `plain` as bits, for 64 of the
// few rows at a time.
template <typename Score, typename Plain>
void score_few(const AllocationInput& input, int64_t* scores, Score&& score, Plain&& plain) {
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  constexpr size_t kVeryFew = 3;
  if (input.few.size() <= kVeryFew) return each_row(input, scores, plain);
  Gathered gathered;
  alignas(64) std::array<int64_t, 64> out;
  for (size_t first = 0; first < input.few.size(); first += 64) {
    const std::span<const uint32_t> rows =
        input.few.subspan(first, std::min<size_t>(64, input.few.size() - first));
    gathered.gather(input.columns, rows);
    const uint64_t unusual =
        score(gathered.word(a, 0), gathered.word(b, 1), gathered.count, out.data());
    for (size_t k = 0; k < rows.size(); ++k) scores[rows[k]] = out[k];
    for_each_bit(unusual, 0, [&](size_t k) {
      if (k < rows.size()) scores[rows[k]] = plain(rows[k]);
    });
  }
}
__attribute__((target("avx2"), always_inline)) inline Four load4(const WordOf& c, size_t i) {
  const auto at = [i](const int64_t* p) __attribute__((target("avx2"))) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + i));
  };
  const __m256i capacity = at(c.allocatable);
  return {capacity, c.used != nullptr ? at(c.used) : _mm256_sub_epi64(capacity, at(c.left))};
}
// The rows that need the plain loop: bit i for lane i.
__attribute__((target("avx2"), always_inline)) inline uint64_t unusual4(const Four& a,
                                                                        const Four& b) {
  const __m256i zero = _mm256_setzero_si256();
  const __m256i high =
      _mm256_or_si256(_mm256_srli_epi64(_mm256_or_si256(a.capacity, b.capacity), kCapacityBits),
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
};
// Scores `end` rows of a word, and returns those that need the plain loop.
__attribute__((target("avx2"), always_inline)) inline uint64_t least4(const LeastOf4& c,
                                                                      const WordOf& a,
                                                                      const WordOf& b, size_t end,
                                                                      int64_t* out) {
  uint64_t plain = 0;
  for (size_t i = 0; i < end; i += 4) {
    const Four at_a = load4(a, i), at_b = load4(b, i);
    plain |= unusual4(at_a, at_b) << i;
    const __m256d sum = _mm256_add_pd(_mm256_mul_pd(free4(at_a, c.ask_a), c.weight_a),
                                      _mm256_mul_pd(free4(at_b, c.ask_b), c.weight_b));
    store4(out + i,
           _mm256_floor_pd(_mm256_mul_pd(_mm256_add_pd(sum, _mm256_set1_pd(0.5)), c.inverse)));
  }
  return plain;
}

__attribute__((target("avx2"))) bool avx2_least(const AllocationInput& input, int64_t* scores) {
  if (!usual_ask(input)) return portable_least(input, scores);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  // Small integers: half a unit keeps the product away from where rounding could matter.
  const LeastOf4 common = {
      _mm256_set1_pd(static_cast<double>(a.ask)), _mm256_set1_pd(static_cast<double>(b.ask)),
      _mm256_set1_pd(static_cast<double>(a.weight)), _mm256_set1_pd(static_cast<double>(b.weight)),
      _mm256_set1_pd(1.0 / static_cast<double>(a.weight + b.weight))};
  const auto plain = [&](size_t r) { return least_allocated_row(input.columns, r); };
  if (!input.few.empty()) {
    score_few(
        input, scores,
        [&](const WordOf& a, const WordOf& b, size_t end, int64_t* out)
            __attribute__((target("avx2"))) { return least4(common, a, b, end, out); },
        plain);
    return false;  // unknown
  }
  bool usual = true;  // the scores of other rows may be out of range
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const uint64_t unusual = least4(common, WordOf(a, w), WordOf(b, w), 64, scores + w * 64);
    usual = usual && (unusual & input.bits[w]) == 0;
    each_row(unusual & input.bits[w], w, scores, plain);
  }
  return usual;
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
    const __m256i high = _mm256_or_si256(
        _mm256_srli_epi64(_mm256_or_si256(a.capacity, b.capacity), Columns::kUsualBits),
        _mm256_srli_epi64(_mm256_or_si256(a.used, b.used), kAmountBits));
    const int small =
        _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(high, _mm256_setzero_si256())));
    const uint64_t kept = ~unusual4(a, b) & static_cast<uint64_t>(small);
    alignas(16) std::array<int32_t, 4> whole;
    _mm_store_si128(reinterpret_cast<__m128i*>(whole.data()), _mm256_cvttpd_epi32(now));
    for (size_t k = 0; k < 4; ++k)
      if ((kept >> k & 1) != 0) balances[k] = static_cast<uint8_t>(whole[k]);
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
// Scores `end` rows of a word, and returns those that need the plain loop.
__attribute__((target("avx2"), always_inline)) inline uint64_t balanced4(
    const BalancedOf4& c, const WordOf& a, const WordOf& b, size_t end, uint8_t* balances,
    int64_t* out) {
  uint64_t plain = 0;
  for (size_t i = 0; i < end; i += 4) {
    const Four at_a = load4(a, i), at_b = load4(b, i);
    plain |= unusual4(at_a, at_b) << i;
    store4(out + i, balanced4(c, at_a, at_b, balances == nullptr ? nullptr : balances + i));
  }
  return plain;
}

__attribute__((target("avx2"))) void avx2_balanced(const AllocationInput& input, int64_t* scores) {
  if (!usual_ask(input)) return portable_balanced(input, scores);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const BalancedOf4 common(input);
  const auto plain = [&](size_t r) { return balanced_row(input, r); };
  if (!input.few.empty())
    return score_few(
        input, scores,
        [&](const WordOf& a, const WordOf& b, size_t end, int64_t* out)
            __attribute__((target("avx2"))) { return balanced4(common, a, b, end, nullptr, out); },
        plain);
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const uint64_t unusual =
        balanced4(common, WordOf(a, w), WordOf(b, w), 64, balances_of(input, w), scores + w * 64);
    each_row(unusual & input.bits[w], w, scores, plain);
  }
}

__attribute__((target("avx2"))) bool avx2_add_balanced(const AllocationInput& input,
                                                       uint32_t weight, int64_t* totals) {
  if (!usual_ask(input)) return portable_add_balanced(input, weight, totals);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const BalancedOf4 common(input);
  const __m256d high = _mm256_set1_pd(static_cast<double>(kMaxNodeScore));
  const __m256i factor = _mm256_set1_epi64x(weight);
  bool within = true;
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const WordOf in_a(a, w), in_b(b, w);
    uint8_t* const balances = balances_of(input, w);
    uint64_t plain = 0, outside = 0;
    for (size_t i = 0; i < 64; i += 4) {
      const Four at_a = load4(in_a, i), at_b = load4(in_b, i);
      const uint64_t unusual = unusual4(at_a, at_b);
      plain |= unusual << i;
      const __m256d score =
          balanced4(common, at_a, at_b, balances == nullptr ? nullptr : balances + i);
      outside |= static_cast<uint64_t>(_mm256_movemask_pd(_mm256_cmp_pd(score, high, _CMP_GT_OQ)))
                 << i;
      const __m256i whole =
          _mm256_xor_si256(_mm256_castpd_si256(_mm256_add_pd(score, _mm256_set1_pd(kMagic))),
                           _mm256_set1_epi64x(kMagicBits));
      const __m256i skipped =
          _mm256_cmpgt_epi64(_mm256_and_si256(_mm256_set1_epi64x(static_cast<int64_t>(unusual)),
                                              _mm256_setr_epi64x(1, 2, 4, 8)),
                             _mm256_setzero_si256());
      auto* const at = reinterpret_cast<__m256i*>(totals + w * 64 + i);
      const __m256i more = _mm256_andnot_si256(skipped, _mm256_mul_epu32(whole, factor));
      _mm256_storeu_si256(at, _mm256_add_epi64(_mm256_loadu_si256(at), more));
    }
    within = within && (outside & ~plain & input.bits[w]) == 0;
    within &= add_rows(plain & input.bits[w], w, input, weight, totals);
  }
  return within;
}

// --- AVX-512: eight rows at a time, without divisions where the column has the inverses ---

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

struct LeastOf8 {
  __m512i ask_a, ask_b;
  __m512d weight_a, weight_b, inverse;
};
// Scores `end` rows of a word, and returns those that need the plain loop.
LIBSCHED_AVX512 uint64_t least8(const LeastOf8& c, const WordOf& a, const WordOf& b, size_t end,
                                int64_t* out) {
  __m512i used = _mm512_setzero_si512();
  __m512d inverse = _mm512_set1_pd(1);  // an inverse is at most 1
  for (size_t i = 0; i < end; i += 8) {
    const Eight at_a = load8(a, i), at_b = load8(b, i);
    used = _mm512_ternarylogic_epi64(used, at_a.used, at_b.used, 0xfe);
    inverse = _mm512_min_pd(inverse, _mm512_min_pd(at_a.inverse, at_b.inverse));
    const __m512d sum =
        _mm512_fmadd_pd(free8(at_a, c.ask_a), c.weight_a,
                        _mm512_fmadd_pd(free8(at_b, c.ask_b), c.weight_b, _mm512_set1_pd(0.5)));
    store8(out + i, _mm512_mul_pd(sum, c.inverse));
  }
  if (unusual8({used, used, inverse}, {used, used, inverse}) == 0) return 0;
  uint64_t plain = 0;
  for (size_t i = 0; i < end; i += 8) plain |= unusual8(load8(a, i), load8(b, i)) << i;
  return plain;
}

__attribute__((target("avx512f,avx512dq"))) bool avx512_least(const AllocationInput& input,
                                                              int64_t* scores) {
  if (!usual_ask(input)) return portable_least(input, scores);
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const LeastOf8 common = {_mm512_set1_epi64(a.ask), _mm512_set1_epi64(b.ask),
                           _mm512_set1_pd(static_cast<double>(a.weight)),
                           _mm512_set1_pd(static_cast<double>(b.weight)),
                           _mm512_set1_pd(1.0 / static_cast<double>(a.weight + b.weight))};
  const auto plain = [&](size_t r) { return least_allocated_row(input.columns, r); };
  if (!input.few.empty()) {
    score_few(
        input, scores,
        [&](const WordOf& a, const WordOf& b, size_t end, int64_t* out)
            __attribute__((target("avx512f,avx512dq"))) { return least8(common, a, b, end, out); },
        plain);
    return false;  // unknown
  }
  bool usual = true;  // the scores of other rows may be out of range
  for (size_t w = input.first_word; w < input.words; ++w) {
    if (input.bits[w] == 0) continue;
    const uint64_t unusual = least8(common, WordOf(a, w), WordOf(b, w), 64, scores + w * 64);
    usual = usual && (unusual & input.bits[w]) == 0;
    each_row(unusual & input.bits[w], w, scores, plain);
  }
  return usual;
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

// Adds the scores of the rows of a word, which `bits` names if not all. Rows with a known balance
// are of usual size. Raises the lanes of `highest` to the scores, and returns the rows that need
// the plain loop.
template <bool all, bool once>
LIBSCHED_AVX512 uint64_t add_balanced8(const BalancedOf8& c, const WordOf& a, const WordOf& b,
                                       uint8_t* balances, uint64_t bits, __m512i factor,
                                       __m512i* highest, int64_t* totals) {
  uint64_t plain = 0;
  for (size_t i = 0; i < 64; i += 8) {
    const Eight at_a = load8(a, i), at_b = load8(b, i);
    uint64_t unusual = 0;
    __m512d score;
    __m128i known = _mm_set1_epi8(-1);
    if (balances != nullptr) known = _mm_loadl_epi64(reinterpret_cast<__m128i*>(balances + i));
    if (__builtin_expect((_mm_movemask_epi8(known) & 0xff) == 0, 1)) {
      const __m512d without = _mm512_cvtepi32_pd(_mm256_cvtepu8_epi32(known));
      const EightDoubles d = doubles8(at_a, at_b);
      score = change8(balance_with8(c, d, at_a.inverse, at_b.inverse), without);
    } else {
      score = balanced8(c, at_a, at_b, balances == nullptr ? nullptr : balances + i, &unusual);
      plain |= unusual << i;
    }
    const __m512i whole = _mm512_cvttpd_epi64(score);
    const __m512i more = once ? whole : _mm512_mul_epu32(whole, factor);
    const __m512i before = _mm512_loadu_si512(totals + i);
    if constexpr (all) {
      if (__builtin_expect(unusual == 0, 1)) {
        *highest = _mm512_max_epi64(*highest, whole);
        _mm512_storeu_si512(totals + i, _mm512_add_epi64(before, more));
        continue;
      }
    }
    const auto wanted = static_cast<__mmask8>(~unusual & bits >> i);
    *highest = _mm512_mask_max_epi64(*highest, wanted, *highest, whole);
    _mm512_storeu_si512(totals + i, _mm512_mask_add_epi64(before, wanted, before, more));
  }
  return plain;
}

template <bool once>
LIBSCHED_AVX512 bool add_balanced8(const AllocationInput& input, uint32_t weight, int64_t* totals) {
  const AllocationColumn &a = input.columns[0], &b = input.columns[1];
  const BalancedOf8 common(input);
  const __m512i factor = _mm512_set1_epi64(weight);
  __m512i highest = _mm512_setzero_si512();
  bool within = true;
  for (size_t w = input.first_word; w < input.words; ++w) {
    const uint64_t bits = input.bits[w];
    if (bits == 0) continue;
    uint8_t* const balances = common.absolute ? nullptr : balances_of(input, w);
    const uint64_t plain =
        bits == ~uint64_t{0}
            ? add_balanced8<true, once>(common, WordOf(a, w), WordOf(b, w), balances, bits, factor,
                                        &highest, totals + w * 64)
            : add_balanced8<false, once>(common, WordOf(a, w), WordOf(b, w), balances, bits, factor,
                                         &highest, totals + w * 64);
    within &= add_rows(plain & bits, w, input, weight, totals);
  }
  return within && _mm512_reduce_max_epi64(highest) <= kMaxNodeScore;
}

__attribute__((target("avx512f,avx512dq"))) bool avx512_add_balanced(const AllocationInput& input,
                                                                     uint32_t weight,
                                                                     int64_t* totals) {
  if (!usual_ask(input)) return portable_add_balanced(input, weight, totals);
  return weight == 1 ? add_balanced8<true>(input, weight, totals)
                     : add_balanced8<false>(input, weight, totals);
}
#undef LIBSCHED_AVX512
#endif

// In ascending order of speed.
struct Kernels {
  std::array<AllocationKernels, 3> list;
  size_t count = 0;

  Kernels() {
    list[count++] = {"portable", portable_least, portable_balanced, portable_add_balanced};
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2"))
      list[count++] = {"avx2", avx2_least, avx2_balanced, avx2_add_balanced};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      list[count++] = {"avx512", avx512_least, avx512_balanced, avx512_add_balanced};
#endif
  }
};

const Kernels available;

const Kernels& kernels() { return available; }

}  // namespace

std::span<const AllocationKernels> allocation_kernels() {
  return {kernels().list.data(), kernels().count};
}

bool least_allocated(const AllocationInput& input, int64_t* scores) {
  if (input.columns.size() == 2) return allocation_kernels().back().least(input, scores);
  each_row(input, scores, [&](size_t row) { return least_allocated_row(input.columns, row); });
  return false;  // unknown
}

void balanced_allocation(const AllocationInput& input, int64_t* scores) {
  if (input.columns.size() == 2) return allocation_kernels().back().balanced(input, scores);
  portable_balanced(input, scores);
}

bool add_balanced_allocation(const AllocationInput& input, uint32_t weight, int64_t* totals) {
  if (input.columns.size() == 2)
    return allocation_kernels().back().add_balanced(input, weight, totals);
  return portable_add_balanced(input, weight, totals);
}

}  // namespace libsched
