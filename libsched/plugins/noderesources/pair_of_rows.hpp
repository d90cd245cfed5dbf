// The scores of a few rows for cpu and memory, row by row with doubles: where rows lie scattered,
// that costs less than bringing them side by side for vectors.
#pragma once

#include <cstdint>
#include <span>

#include "libsched/plugins/noderesources/score_kernel.hpp"

namespace libsched {

// Add to sums[i] the score of rows[i] times the weight. Return false if an amount is of unusual
// size; the sums are then meaningless. `balances`: as in AllocationInput.
bool add_least_of_rows(const PairOfRows& pair, std::span<const uint32_t> rows, uint32_t weight,
                       int32_t* sums);
bool add_balanced_of_rows(const PairOfRows& pair, BalanceForm form, uint8_t* balances,
                          std::span<const uint32_t> rows, uint32_t weight, int32_t* sums);

}  // namespace libsched
