// The victims that violate a PodDisruptionBudget.
#pragma once

#include <utility>
#include <vector>

#include "libsched/framework/call.hpp"
#include "libsched/plugins/defaultpreemption/victim_units.hpp"

namespace libsched {

class DisruptionBudgets {
 public:
  // Where counting a unit ends.
  enum class Counts : uint8_t {
    kAll,          // with its last pod and budget
    kFirstBudget,  // of each pod, with the first budget that it violates
    kFirst,        // with the first budget that a pod violates
  };
  DisruptionBudgets(const View& view, Counts counts);

  struct Violating {
    size_t unit = 0;
    int64_t pods = 0;  // that violate budgets
  };
  // Indices of units, each list in the order of the units.
  struct Split {
    std::vector<Violating> violating;
    std::vector<size_t> others;
    // The budgets that each of `violating` violates, unit by unit.
    std::vector<std::pair<size_t, const PodDisruptionBudget*>> broken;
  };
  // Counts units in their order against the budgets that select their pods, in order of namespace
  // and name. Ends early, with an incomplete result, once the limits of `call` are exceeded.
  Split split(const std::vector<VictimUnit>& units, const Call& call) const;

 private:
  bool violates(const Pod& pod, size_t unit, std::vector<int32_t>* allowed, Split* out) const;

  std::vector<const PodDisruptionBudget*> list_;  // without budgets that select nothing
  Counts counts_;
};

}  // namespace libsched
