// Scores row by row: as upstream computes them, and with doubles where these give the same.
#include "libsched/plugins/noderesources/score_rows.hpp"

#include <cmath>
#include <optional>

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

// The row's score for two columns and usual amounts; none for others.
std::optional<int64_t> pair_row(const AllocationInput& input, size_t row) {
  std::array<double, 2> capacity, used;
  if (input.columns.size() != 2 || !usual_row(input, row, capacity, used)) return std::nullopt;
  const int64_t ask_a = input.columns[0].ask, ask_b = input.columns[1].ask;
  if (!usual_amount(ask_a) || !usual_amount(ask_b)) return std::nullopt;
  const int64_t with_pod =
      pair_balance(used[0] + static_cast<double>(ask_a), used[1] + static_cast<double>(ask_b),
                   capacity[0], capacity[1]);
  if (input.form == BalanceForm::kAbsolute) return with_pod;
  if (input.balances == nullptr)
    return balance_score(input.form, with_pod,
                         pair_balance(used[0], used[1], capacity[0], capacity[1]));
  uint8_t& known = input.balances[row];
  if (known != Columns::kNoMemo) return balance_score(input.form, with_pod, known);
  const int64_t without = pair_balance(used[0], used[1], capacity[0], capacity[1]);
  constexpr auto kEnd = static_cast<double>(int64_t{1} << Columns::kUsualBits);
  if (capacity[0] < kEnd && capacity[1] < kEnd) known = static_cast<uint8_t>(without);
  return balance_score(input.form, with_pod, without);
}

// `usual`: there are two columns, and the pod's requests are of usual size.
int64_t least_row(const AllocationInput& input, bool usual, size_t row) {
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
  const double weights = static_cast<double>(input.columns[0].weight + input.columns[1].weight);
  return static_cast<int64_t>(sum / weights);
}

template <typename RowScore>
bool add_rows(uint64_t bits, size_t word, uint32_t weight, int32_t* totals, RowScore&& row_score) {
  bool within = true;
  for_each_bit(bits, word * 64, [&](size_t row) {
    const int64_t score = row_score(row);
    add_weighted(score, weight, &totals[row]);
    within = within && score >= kMinNodeScore && score <= kMaxNodeScore;
  });
  return within;
}

}  // namespace

int64_t balanced_row(const AllocationInput& input, size_t row) {
  if (const std::optional<int64_t> score = pair_row(input, row)) return *score;
  return balanced_allocation_row(input.columns, input.form, row);
}

void portable_least(const AllocationInput& input, int64_t* scores) {
  const bool usual = usual_ask(input);
  each_row(input, scores, [&](size_t row) { return least_row(input, usual, row); });
}

void portable_balanced(const AllocationInput& input, int64_t* scores) {
  each_row(input, scores, [&](size_t row) { return balanced_row(input, row); });
}

bool add_least_rows(uint64_t bits, size_t word, const AllocationInput& input, uint32_t weight,
                    int32_t* totals) {
  return add_rows(bits, word, weight, totals,
                  [&](size_t row) { return least_allocated_row(input.columns, row); });
}

bool add_balanced_rows(uint64_t bits, size_t word, const AllocationInput& input, uint32_t weight,
                       int32_t* totals) {
  return add_rows(bits, word, weight, totals, [&](size_t row) { return balanced_row(input, row); });
}

bool portable_add_least(const AllocationInput& input, uint32_t weight, int32_t* totals) {
  begin_totals(input, totals);
  const bool usual = input.columns.size() == 2 && usual_ask(input);
  bool within = true;
  for (size_t w = 0; w < input.words; ++w)
    within &= add_rows(input.bits[w], w, weight, totals,
                       [&](size_t row) { return least_row(input, usual, row); });
  return within;
}

bool portable_add_balanced(const AllocationInput& input, uint32_t weight, int32_t* totals) {
  begin_totals(input, totals);
  bool within = true;
  for (size_t w = 0; w < input.words; ++w)
    within &= add_balanced_rows(input.bits[w], w, input, weight, totals);
  return within;
}

}  // namespace libsched
