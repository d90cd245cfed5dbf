// Loops over words of 64 rows, which compilers turn into vectors, and the instruction sets that
// they are compiled for. Loops with numbers of several widths are split where these meet, because a
// vector holds as many as it has of the widest. Rows of unusual size are left to the plain loops.
//
// Rows need no division where the columns have the inverses of capacities.
#include "libsched/plugins/noderesources/score_words.hpp"

#include "libsched/cluster/columns.hpp"
#include "libsched/plugins/noderesources/score_rows.hpp"

#if defined(__x86_64__)

namespace libsched {
namespace {

constexpr size_t kRows = 64;
// 1.5 * 2^52: doubles near it are whole numbers, and their bits count as they do.
constexpr double kWhole = 6755399441055744.0;

// `converts`: the instruction set does it. Otherwise the result is exact between -2^51 and 2^51,
// and beyond, up to twice that, only the sign is right and that it lies beyond.
template <bool converts>
[[gnu::always_inline]] inline double as_double(uint64_t v) {
  if constexpr (converts) return static_cast<double>(static_cast<int64_t>(v));
  return __builtin_bit_cast(double, v + __builtin_bit_cast(uint64_t, kWhole)) - kWhole;
}

// What a loop is compiled for.
template <bool kConverts, bool kInverses, bool kLeft>
struct Form {
  static constexpr bool converts = kConverts;
  static constexpr bool inverses = kInverses;  // both columns have them
  static constexpr bool left = kLeft;          // no column has amounts in use
};

// What words have in common.
struct Pair {
  explicit Pair(const AllocationInput& input)
      : a(input.columns[0]),
        b(input.columns[1]),
        weight_a(static_cast<double>(a.weight)),
        weight_b(static_cast<double>(b.weight)),
        inverse_weight(1 / (weight_a + weight_b)) {}

  AllocationColumn a, b;
  double weight_a, weight_b, inverse_weight;
};

constexpr int kUsualBits = Columns::kUsualBits - 1;

// A column's rows of one word. A row is of usual size if neither its amount in use nor its capacity
// less one has more bits than kUsualBits.
template <typename Form>
struct ColumnWord {
  const int64_t* capacity;
  const double* inverse;  // of capacity, rounded, or null
  const int64_t *left, *used;
  uint64_t ask;
  alignas(64) int64_t made[kRows];

  [[gnu::always_inline]] ColumnWord(const AllocationColumn& c, size_t w)
      : capacity(c.allocatable.word(w)),
        inverse(c.inverse != nullptr ? c.inverse + w * kRows : nullptr),
        left(c.left.word(w)),
        used(c.used ? c.used.word(w) : made),
        ask(static_cast<uint64_t>(c.ask)) {
    if (Form::left || c.used) return;
    for (size_t i = 0; i < kRows; ++i) made[i] = wrapping_sub(capacity[i], left[i]);
  }
  [[gnu::always_inline]] uint64_t capacity_at(size_t i) const {
    return static_cast<uint64_t>(capacity[i]);
  }
  [[gnu::always_inline]] uint64_t used_at(size_t i) const {
    return Form::left ? capacity_at(i) - static_cast<uint64_t>(left[i])
                      : static_cast<uint64_t>(used[i]);
  }
  [[gnu::always_inline]] uint64_t sizes(size_t i) const {
    return used_at(i) | (capacity_at(i) - 1);
  }
};

// Returns the rows of unusual size. `sizes` has the bits of the sizes of all rows.
template <typename Form>
[[gnu::always_inline]] inline uint64_t unusual_rows(const ColumnWord<Form>& a,
                                                    const ColumnWord<Form>& b, uint64_t sizes) {
  uint64_t out = 0;
  if (sizes >> kUsualBits == 0) return out;
  for (size_t i = 0; i < kRows; ++i)
    out |= uint64_t{(a.sizes(i) | b.sizes(i)) >> kUsualBits != 0} << i;
  return out;
}

// kWhole + floor(100 * (capacity - used - ask) / capacity), or that of 0 where the request does not
// fit. Adding half a unit keeps the quotient at least 0.5 / capacity >= 2^-44 away from every
// integer, and its error is less than 101 * 2^-52; so one half less rounds to the integer below.
template <typename Form>
[[gnu::always_inline]] inline double free_share(const ColumnWord<Form>& c, size_t i) {
  const double free = as_double<Form::converts>(c.capacity_at(i) - c.used_at(i) - c.ask);
  const double hundredfold = __builtin_fma(free > 0 ? free : 0, 100, 0.5);
  if constexpr (Form::inverses) return __builtin_fma(hundredfold, c.inverse[i], -0.5) + kWhole;
  return hundredfold / as_double<Form::converts>(c.capacity_at(i)) - 0.5 + kWhole;
}

// Sets the scores of a word of rows, and returns those of unusual size, which get 0.
template <typename Form>
[[gnu::always_inline]] inline uint64_t least_word(const Pair& pair, size_t w, int32_t* scores) {
  const ColumnWord<Form> a(pair.a, w), b(pair.b, w);
  alignas(64) double sums[kRows];
  uint64_t sizes = 0;
  for (size_t i = 0; i < kRows; ++i) {
    sizes |= a.sizes(i) | b.sizes(i);
    const double share_a = free_share(a, i);
    const double share_b = free_share(b, i);
    const double sum = __builtin_fma(share_a, pair.weight_a, -kWhole * pair.weight_a) +
                       __builtin_fma(share_b, pair.weight_b, -kWhole * pair.weight_b);
    sums[i] = __builtin_fma(sum, pair.inverse_weight, 0.5 * pair.inverse_weight);
  }
  const uint64_t unusual = unusual_rows(a, b, sizes);
  for_each_bit(unusual, 0, [&](size_t i) { sums[i] = 0; });
  for (size_t i = 0; i < kRows; ++i) scores[i] = static_cast<int32_t>(sums[i]);
  return unusual;
}

// (used + more) / capacity, rounded as IEEE's quotient, or 1 if that is less: with the exact
// remainder of a first guess, the value before the last rounding is less than 2^-50 ulp from the
// quotient, but the quotient of a number below 2^53 by one below 2^44 is at least 2^-45 ulp from
// where rounding changes.
template <typename Form>
[[gnu::always_inline]] inline double fraction(const ColumnWord<Form>& c, size_t i, uint64_t more) {
  const double used = as_double<Form::converts>(c.used_at(i) + more);
  const double capacity = as_double<Form::converts>(c.capacity_at(i));
  double quotient;
  if constexpr (Form::inverses) {
    const double guess = used * c.inverse[i];
    quotient = __builtin_fma(__builtin_fma(-guess, capacity, used), c.inverse[i], guess);
  } else {
    quotient = used / capacity;
  }
  return quotient < 1 ? quotient : 1;
}

// The balance of a row with the pod or without, before its fraction is cut off.
template <bool with_pod, typename Form>
[[gnu::always_inline]] inline double balance(const ColumnWord<Form>& a, const ColumnWord<Form>& b,
                                             size_t i) {
  const double apart = fraction(a, i, with_pod ? a.ask : 0) - fraction(b, i, with_pod ? b.ask : 0);
  return __builtin_fma(__builtin_fabs(apart), -0.5, 1) * 100;
}

// Sets balances with the pod and, if `both`, without, and returns the rows of unusual size, which
// get 0. `usual`: there are none.
template <typename Form, bool both, bool usual>
[[gnu::always_inline]] inline uint64_t balances_of(const Pair& pair, size_t w, int32_t* with_pod,
                                                   int32_t* without) {
  const ColumnWord<Form> a(pair.a, w), b(pair.b, w);
  alignas(64) double with_sums[kRows], sums[kRows];
  uint64_t sizes = 0;
  for (size_t i = 0; i < kRows; ++i) {
    if (!usual) sizes |= a.sizes(i) | b.sizes(i);
    with_sums[i] = balance<true>(a, b, i);
    if (both) sums[i] = balance<false>(a, b, i);
  }
  const uint64_t unusual = unusual_rows(a, b, sizes);
  for_each_bit(unusual, 0, [&](size_t i) { with_sums[i] = sums[i] = 0; });
  for (size_t i = 0; i < kRows; ++i) with_pod[i] = static_cast<int32_t>(with_sums[i]);
  for (size_t i = 0; both && i < kRows; ++i) without[i] = static_cast<int32_t>(sums[i]);
  return unusual;
}

template <typename Form>
[[gnu::always_inline]] inline uint64_t balanced_word(const Pair& pair, BalanceForm form,
                                                     uint8_t* memos, size_t w, int32_t* scores) {
  alignas(64) int32_t without[kRows];
  if (form == BalanceForm::kAbsolute)
    return balances_of<Form, false, false>(pair, w, scores, without);
  uint64_t unusual;
  uint8_t all = memos == nullptr ? Columns::kNoMemo : 0;
  for (size_t i = 0; memos != nullptr && i < kRows; ++i) all |= memos[i];
  if (all >> 7 == 0) {
    for (size_t i = 0; i < kRows; ++i) without[i] = memos[i];
    unusual = balances_of<Form, false, true>(pair, w, scores, without);
  } else {
    unusual = balances_of<Form, true, false>(pair, w, scores, without);
    for (size_t i = 0; memos != nullptr && i < kRows; ++i)
      memos[i] = static_cast<uint8_t>(without[i]);
    if (memos != nullptr) for_each_bit(unusual, 0, [&](size_t i) { memos[i] = Columns::kNoMemo; });
  }
  // 50 + (50 + change) / 2, of which no term is negative: a balance is at least 50.
  for (size_t i = 0; i < kRows; ++i) scores[i] = (150 + scores[i] - without[i]) >> 1;
  return unusual;
}

enum class Scorer : uint8_t { kLeast, kBalanced };

template <Scorer scorer, typename Form>
[[gnu::always_inline]] inline uint64_t score_word(const AllocationInput& input, const Pair& pair,
                                                  size_t w, int32_t* scores) {
  if constexpr (scorer == Scorer::kLeast) return least_word<Form>(pair, w, scores);
  uint8_t* const memos = input.balances == nullptr ? nullptr : input.balances + w * kRows;
  return balanced_word<Form>(pair, input.form, memos, w, scores);
}

template <Scorer scorer, bool converts>
[[gnu::always_inline]] inline bool add_words(const AllocationInput& input, uint32_t weight,
                                             int32_t* totals) {
  constexpr bool kLeast = scorer == Scorer::kLeast;
  if (!usual_ask(input))
    return kLeast ? portable_add_least(input, weight, totals)
                  : portable_add_balanced(input, weight, totals);
  const Pair pair(input);
  const bool inverses = pair.a.inverse != nullptr && pair.b.inverse != nullptr;
  const bool left = !pair.a.used && !pair.b.used;
  bool within = true;
  for (size_t w = 0; w < input.words; ++w) {
    int32_t* const out = totals + w * kRows;
    if (input.bits[w] == 0) {
      if (input.first) std::fill_n(out, kRows, 0);
      continue;
    }
    alignas(64) int32_t scores[kRows];
    uint64_t unusual =
        !inverses ? score_word<scorer, Form<converts, false, false>>(input, pair, w, scores)
        : left    ? score_word<scorer, Form<converts, true, true>>(input, pair, w, scores)
                  : score_word<scorer, Form<converts, true, false>>(input, pair, w, scores);
    for_each_bit(unusual, 0, [&](size_t i) { scores[i] = 0; });
    const auto add = [&](size_t i, int32_t before) __attribute__((always_inline)) {
      out[i] = static_cast<int32_t>(static_cast<uint32_t>(before) +
                                    static_cast<uint32_t>(scores[i]) * weight);
    };
    if (input.first) {
      for (size_t i = 0; i < kRows; ++i) add(i, 0);
    } else {
      for (size_t i = 0; i < kRows; ++i) add(i, out[i]);
    }
    unusual &= input.bits[w];
    if (unusual == 0) continue;
    within &= kLeast ? add_least_rows(unusual, w, input, weight, totals)
                     : add_balanced_rows(unusual, w, input, weight, totals);
  }
  return within;
}

// The scores themselves are sums of one score each, some words at a time; where a score is out of
// range, they are `plain`'s.
template <bool (*add)(const AllocationInput&, uint32_t, int32_t*),
          void (*plain)(const AllocationInput&, int64_t*)>
void score_by_sums(const AllocationInput& input, int64_t* scores) {
  if (!input.few.empty()) return plain(input, scores);
  constexpr size_t kWords = 16;
  alignas(64) int32_t sums[kWords * kRows];
  for (size_t w = 0; w < input.words; w += kWords) {
    std::array<AllocationColumn, 2> columns = {input.columns[0], input.columns[1]};
    for (AllocationColumn& c : columns) {
      c.allocatable = c.allocatable.from(w);
      c.left = c.left.from(w);
      if (c.used) c.used = c.used.from(w);
      if (c.inverse != nullptr) c.inverse += w * kRows;
    }
    AllocationInput part = input;
    part.columns = columns;
    part.bits += w;
    part.words = std::min(kWords, input.words - w);
    if (part.balances != nullptr) part.balances += w * kRows;
    part.first = true;
    if (!add(part, 1, sums)) {
      plain(part, scores + w * kRows);
      continue;
    }
    for (size_t k = 0; k < part.words; ++k)
      if (part.bits[k] != 0) std::copy_n(sums + k * kRows, kRows, scores + (w + k) * kRows);
  }
}

#define LIBSCHED_ALLOCATION_KERNELS(NAME, CONVERTS, ATTRIBUTE)                      \
  ATTRIBUTE bool NAME##_add_least(const AllocationInput& input, uint32_t weight,    \
                                  int32_t* totals) {                                \
    return add_words<Scorer::kLeast, CONVERTS>(input, weight, totals);              \
  }                                                                                 \
  ATTRIBUTE bool NAME##_add_balanced(const AllocationInput& input, uint32_t weight, \
                                     int32_t* totals) {                             \
    return add_words<Scorer::kBalanced, CONVERTS>(input, weight, totals);           \
  }                                                                                 \
  constexpr AllocationKernels NAME##_kernels = {                                    \
      #NAME, score_by_sums<NAME##_add_least, portable_least>,                       \
      score_by_sums<NAME##_add_balanced, portable_balanced>, NAME##_add_least,      \
      NAME##_add_balanced};
LIBSCHED_ALLOCATION_KERNELS(avx2, false, __attribute__((target("avx2,fma"))))
LIBSCHED_ALLOCATION_KERNELS(avx512, true, __attribute__((target("avx512f,avx512dq"))))
#undef LIBSCHED_ALLOCATION_KERNELS

}  // namespace

AllocationKernels avx2_allocation_kernels() { return avx2_kernels; }
AllocationKernels avx512_allocation_kernels() { return avx512_kernels; }

}  // namespace libsched

#endif
