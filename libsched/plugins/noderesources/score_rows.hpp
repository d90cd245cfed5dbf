// The plain loops of the score kernels, row by row, and the portable kernels made of them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "libsched/framework/scoring.hpp"
#include "libsched/plugins/noderesources/score_kernel.hpp"

namespace libsched {

// Up to here sums and products stay below 2^53. A capacity is also at most 2^46, because
// LeastAllocated multiplies it by 100.
constexpr int kAmountBits = 51;
constexpr int kCapacityBits = 46;
inline bool usual_amount(int64_t v) { return static_cast<uint64_t>(v) >> kAmountBits == 0; }

inline bool usual_row(const AllocationInput& input, size_t row, std::array<double, 2>& capacity,
                      std::array<double, 2>& used) {
  for (size_t i = 0; i < 2; ++i) {
    const int64_t c = input.columns[i].allocatable[row], u = input.columns[i].used_at(row);
    if (c <= 0 || c >> kCapacityBits != 0 || !usual_amount(u)) return false;
    capacity[i] = static_cast<double>(c);
    used[i] = static_cast<double>(u);
  }
  return true;
}

// The same as balanced_allocation_row(), with the balance without the pod if it is known.
int64_t balanced_row(const AllocationInput& input, size_t row);
// Add the scores of the rows of a word to the totals, and return whether all are in range.
bool add_least_rows(uint64_t bits, size_t word, const AllocationInput& input, uint32_t weight,
                    int32_t* totals);
bool add_balanced_rows(uint64_t bits, size_t word, const AllocationInput& input, uint32_t weight,
                       int32_t* totals);

inline bool usual_weight(int64_t weight) { return weight > 0 && weight <= 1000; }

// The balance of two resources of usual size, in steps that give what upstream's do.
inline int64_t pair_balance(double used_a, double used_b, double capacity_a, double capacity_b) {
  const double a = std::min(used_a / capacity_a, 1.0), b = std::min(used_b / capacity_b, 1.0);
  return static_cast<int64_t>((1 - std::abs((a - b) / 2)) * static_cast<double>(kMaxNodeScore));
}

// Whether the inputs common to all rows are of usual size.
inline bool usual_ask(const AllocationInput& input) {
  return std::all_of(input.columns.begin(), input.columns.end(), [](const AllocationColumn& c) {
    return usual_amount(c.ask) && usual_weight(c.weight);
  });
}

// Makes the totals 0 if they hold nothing yet.
inline void begin_totals(const AllocationInput& input, int32_t* totals) {
  if (input.first) std::fill_n(totals, input.words * 64, 0);
}

template <typename RowScore>
void each_row(uint64_t bits, size_t word, int64_t* scores, RowScore&& score) {
  for_each_bit(bits, word * 64, [&](size_t row) { scores[row] = score(row); });
}

template <typename RowScore>
void each_row(const AllocationInput& input, int64_t* scores, RowScore&& score) {
  for (const uint32_t row : input.few) scores[row] = score(row);
  if (!input.few.empty()) return;
  for (size_t w = 0; w < input.words; ++w) each_row(input.bits[w], w, scores, score);
}

void portable_least(const AllocationInput& input, int64_t* scores);
void portable_balanced(const AllocationInput& input, int64_t* scores);
bool portable_add_least(const AllocationInput& input, uint32_t weight, int32_t* totals);
bool portable_add_balanced(const AllocationInput& input, uint32_t weight, int32_t* totals);

}  // namespace libsched
