// First fit: the first node in node order that takes a pod.
#pragma once

#include "libsched/run/evaluator.hpp"

namespace libsched {

struct Fit {
  uint32_t row = kNoId;  // kNoId: no node, and `status` says why
  size_t position = 0;   // of the row in the node order: the next search may begin after it
  Status status;         // PreFilter's; a bare Unschedulable if no node passed the filters
};

// Runs PreFilter, then Filter from options.start on, wrapping around, until a node is found;
// options.limit is ignored. Nominated pods count.
Result<Fit> first_fit(Evaluator& evaluator, CycleState& state, const Pod& pod,
                      const FilterOptions& options);

}  // namespace libsched
