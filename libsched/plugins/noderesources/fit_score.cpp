// FitScorer: upstream's most_allocated.go and requested_to_capacity_ratio.go in Go's integer
// arithmetic; LeastAllocated is in score_kernel.cpp.
#include "libsched/plugins/noderesources/fit_score.hpp"

#include <cmath>

#include "libsched/plugins/noderesources/pair_of_rows.hpp"
#include "libsched/plugins/noderesources/score_kernel.hpp"

namespace libsched {
namespace {

int64_t most_allocated_row(std::span<const AllocationColumn> columns, size_t row) {
  int64_t sum = 0, weights = 0;
  for (const AllocationColumn& c : columns) {
    const int64_t capacity = c.allocatable[row];
    if (capacity == 0) continue;
    const int64_t requested = std::min(wrapping_add(c.used_at(row), c.ask), capacity);
    sum = wrapping_add(
        sum,
        wrapping_mul(wrapping_div(wrapping_mul(requested, kMaxNodeScore), capacity), c.weight));
    weights = wrapping_add(weights, c.weight);
  }
  return weights == 0 ? 0 : wrapping_div(sum, weights);
}

}  // namespace

FitScorer::FitScorer(const ScoringStrategy& strategy)
    : allocation_(strategy.resources, Allocation::Basis::kNonZero) {
  if (strategy.type == "MostAllocated") type_ = Type::kMost;
  if (strategy.type == "RequestedToCapacityRatio") type_ = Type::kRatio;
  if (strategy.shape) shape_ = ScoreShape(*strategy.shape);
}

int64_t FitScorer::ratio_row(std::span<const AllocationColumn> columns, size_t row) const {
  int64_t sum = 0, weights = 0;
  for (const AllocationColumn& c : columns) {
    const int64_t capacity = c.allocatable[row];
    if (capacity == 0) continue;
    const int64_t requested = wrapping_add(c.used_at(row), c.ask);
    const int64_t score = shape_.of(requested, capacity);
    if (score <= 0) continue;
    sum = wrapping_add(sum, wrapping_mul(score, c.weight));
    weights = wrapping_add(weights, c.weight);
  }
  if (weights == 0) return 0;
  return truncated(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

Scored FitScorer::score(const View& view, const AllocationAsk& ask, const ScoreSet& set,
                        int64_t* scores) const {
  if (allocation_.empty()) {
    set.for_each([&](uint32_t row) { set.fail(row); });
    return {};
  }
  PairOfRows pair;
  if (!set.few.empty() && type_ == Type::kLeast && allocation_.pair(view.columns(), ask, &pair) &&
      least_of_rows(pair, set.few, scores))
    return {};
  const AllocationColumns columns = allocation_.columns(view.columns(), ask);
  switch (type_) {
    case Type::kLeast:
      least_allocated({columns, set.bits, set.words, BalanceForm::kRelative, set.few}, scores);
      break;
    case Type::kMost:
      set.for_each([&](uint32_t r) { scores[r] = most_allocated_row(columns, r); });
      break;
    case Type::kRatio: set.for_each([&](uint32_t r) { scores[r] = ratio_row(columns, r); }); break;
  }
  return {};
}

bool FitScorer::add_scores(const View& view, const AllocationAsk& ask, const ScoreSet& set,
                           uint32_t weight, int32_t* totals, bool first) const {
  if (type_ != Type::kLeast || allocation_.empty() || !set.few.empty()) return false;
  const AllocationColumns columns = allocation_.columns(view.columns(), ask);
  AllocationInput input{columns, set.bits, set.words, BalanceForm::kRelative};
  input.first = first;
  return add_least_allocated(input, weight, totals);
}

}  // namespace libsched
