// The victims that violate a PodDisruptionBudget.
#pragma once

#include <utility>
#include <vector>

#include "libsched/framework/call.hpp"

namespace libsched {

class DisruptionBudgets {
 public:
  // `first_violated`: see Behaviours::first_violated_budget.
  DisruptionBudgets(const View& view, bool first_violated);

  struct Split {
    std::vector<PodRef> violating, others;  // each in the order of the pods
    // The budgets that each of `violating` violates, pod by pod.
    std::vector<std::pair<const Pod*, const PodDisruptionBudget*>> broken;
  };
  // Counts pods in their order against the budgets that select them, in order of namespace and
  // name. Ends early, with an incomplete result, once the limits of `state` are exceeded.
  Split split(const std::vector<PodRef>& pods, const Call& call) const;

 private:
  std::vector<const PodDisruptionBudget*> list_;  // without budgets that select nothing
  bool first_violated_;
};

}  // namespace libsched
