// The dry run of preemption on one node: the pods that would have to go.
#pragma once

#include "libsched/framework/plugin.hpp"
#include "libsched/plugins/defaultpreemption/disruption_budgets.hpp"

namespace libsched {

struct Victims {
  std::vector<PodRef> pods;  // most important first
  int64_t budget_violations = 0;
  std::vector<const PodDisruptionBudget*> budgets;  // that they violate, in no order
  Status status;  // Success, or the reason why the node is no candidate
};

// Removes every unit of lower priority from a copy of the node; of pods on other nodes that leave
// with one, only the state knows. If the pod fits then, as many as possible are added back, the
// most important first. View and state do not change.
Result<Victims> select_victims(const PostFilterCall& call, uint32_t row, const VictimUnits& units,
                               const DisruptionBudgets& budgets);

}  // namespace libsched
