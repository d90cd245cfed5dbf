// Evictions: whether the eviction API lets a pod go.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/cluster/view.hpp"

namespace libsched {

// The PodDisruptionBudgets of a view, counting down. The view's objects must stay.
class EvictionBudgets {
 public:
  explicit EvictionBudgets(const View& view);

  struct Refusal {
    std::string text;  // empty: the pod may be evicted, and is counted
    std::string budget;
  };
  Refusal evict(const Pod& pod);

 private:
  struct Budget {
    const PodDisruptionBudget* object;
    int32_t allowed;
    size_t disrupted;
  };
  Refusal count(Budget& budget);

  std::vector<Budget> budgets_;
};

}  // namespace libsched
