// Which victims a PodDisruptionBudget would rather keep.
#pragma once

#include <vector>

#include "libsched/framework/call.hpp"

namespace libsched {

class DisruptionBudgets {
 public:
  explicit DisruptionBudgets(const View& view);

  struct Split {
    std::vector<PodRef> violating, others;  // each in the order of the pods
  };
  // Pods are taken in their order, each from all budgets that select it. Ends early, with less than
  // all, once the limits of `state` are exceeded.
  Split split(const std::vector<PodRef>& pods, const Call& call) const;

 private:
  std::vector<const PodDisruptionBudget*> list_;  // that may select something
};

}  // namespace libsched
