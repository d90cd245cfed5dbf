// The dry run on one node: which pods would have to go.
#pragma once

#include "libsched/framework/plugin.hpp"
#include "libsched/plugins/defaultpreemption/disruption_budgets.hpp"

namespace libsched {

struct Victims {
  std::vector<PodRef> pods;  // most important first
  int64_t budget_violations = 0;
  Status status;  // Success, or why the node is no candidate
};

// Takes every pod of lower priority off a copy of the node, and, if the pod fits then, puts back as
// many as it can, the most important first. The view and the state stay as they are.
Result<Victims> select_victims(const PostFilterCall& call, uint32_t row,
                               const DisruptionBudgets& budgets);

}  // namespace libsched
