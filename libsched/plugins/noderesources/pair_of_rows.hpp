// The scores of a few rows for cpu and memory, row by row with doubles: where rows lie scattered,
// that costs less than bringing them side by side for vectors.
#pragma once

#include <cstdint>
#include <span>

#include "libsched/plugins/noderesources/score_kernel.hpp"

namespace libsched {

// Set scores[r] for each of the rows. Return false if an amount is of unusual size; the scores are
// then meaningless. `balances`: as in AllocationInput.
bool least_of_rows(const PairOfRows& pair, std::span<const uint32_t> rows, int64_t* scores);
bool balanced_of_rows(const PairOfRows& pair, BalanceForm form, uint8_t* balances,
                      std::span<const uint32_t> rows, int64_t* scores);

}  // namespace libsched
