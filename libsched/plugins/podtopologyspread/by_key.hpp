// Constraints of one topology key and action where counts are by key: see
// Behaviours::spread_by_key.
#pragma once

#include "libsched/plugins/podtopologyspread/filter.hpp"
#include "libsched/plugins/podtopologyspread/score.hpp"

namespace libsched {

// Gives constraints of one key their common counts. Data without such constraints stays as it is.
void share_hard(HardConstraints* data);
void share_soft(SoftConstraints* data);

// HardConstraint::change() of the constraint at `place`, for all constraints of its key.
void change_shared(const View& view, size_t place, uint32_t row, int32_t delta,
                   HardConstraints* data);

}  // namespace libsched
