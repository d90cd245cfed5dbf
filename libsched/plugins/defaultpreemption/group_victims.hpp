// The dry run of preemption for a PodGroup: the pods that would have to go, anywhere.
#pragma once

#include <vector>

#include "libsched/framework/plugin.hpp"
#include "libsched/plugins/defaultpreemption/disruption_budgets.hpp"

namespace libsched {

struct GroupVictims {
  std::vector<PodRef> pods;  // most important first
  std::vector<GroupNomination> nominations;
  Status status;  // Success, or why preemption does not help
};

// The priority of a pod as a victim: that of its group.
int32_t victim_priority(const View& view, const Pod& pod);

// The order of victims where PodGroups matter: by priority, members of groups before other pods,
// then the pod that has run longer.
bool more_important_victim(const View& view, const Pod& a, const Pod& b, int64_t now_ns);

// Removes every pod of lower priority from the copy of the cluster. If the group can be placed
// then, as many as possible are added back, the most important first. The copy is as before
// afterwards.
Result<GroupVictims> select_group_victims(const GroupPostFilterCall& call,
                                          const DisruptionBudgets& budgets);

}  // namespace libsched
