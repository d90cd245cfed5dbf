// The victims that violate a PodDisruptionBudget.
#pragma once

#include <utility>
#include <vector>

#include "libsched/framework/call.hpp"

namespace libsched {

class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(const View& view);

  struct Split {
    std::vector<PodRef> violating, others;  // each in the order of the pods
    // The budgets that each of `violating` violates, pod by pod.
    std::vector<std::pair<const Pod*, const PodDisruptionBudget*>> broken;
  };
  // Counts pods in their order against all budgets that select them. Ends early, with an incomplete
  // result, once the limits of `state` are exceeded.
  Split split(const std::vector<PodRef>& pods, const Call& call) const;

 private:
  std::vector<const PodDisruptionBudget*> list_;  // without budgets that select nothing
};

}  // namespace libsched
