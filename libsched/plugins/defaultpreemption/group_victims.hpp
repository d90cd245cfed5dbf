// The dry run of preemption for a PodGroup: the pods that would have to go, anywhere.
#pragma once

#include <vector>

#include "libsched/framework/plugin.hpp"
#include "libsched/plugins/defaultpreemption/disruption_budgets.hpp"

namespace libsched {

struct GroupVictims {
  std::vector<PodRef> pods;  // most important first
  int64_t budget_violations = 0;
  size_t disrupted = 0;  // units of groups
  std::vector<GroupNomination> nominations;
  Status status;          // Success, or why preemption does not help
  bool evaluated = true;  // whether victims were looked for
};

// How it is found out whether a unit can stay.
enum class Reprieve : uint8_t {
  kFilter,    // the pods of the group still pass Filter where they have been placed
  kSchedule,  // the group is placed anew
};

// Removes every unit of lower priority from the copy of the cluster. If the group can be placed
// then, as many as possible are added back, the most important first. The copy is as before
// afterwards.
Result<GroupVictims> select_group_victims(const GroupPostFilterCall& call, GroupsAsVictims groups,
                                          const DisruptionBudgets& budgets, Reprieve how);

}  // namespace libsched
