// See evictions.hpp. The rules are those of the API server's eviction subresource.
#include "libsched/scheduler/evictions.hpp"

#include <algorithm>

#include "libsched/objects/selecting.hpp"

namespace libsched {
namespace {

constexpr size_t kMostDisruptedPods = 2000;

bool is_ready(const Pod& pod) {
  for (const PodCondition& c : pod.status.conditions)
    if (c.type == "Ready") return c.status == "True";
  return false;
}

// Such a pod causes no further disruption.
bool needs_no_budget(const Pod& pod) {
  return pod.terminated() || pod.status.phase == "Pending" || pod.meta.terminating();
}

bool selects(const PodDisruptionBudget& budget, const Pod& pod) {
  const LabelSelector& s = budget.selector;
  return budget.meta.ns == pod.meta.ns && s.present && selector_matches(s, pod.meta.labels);
}

}  // namespace

EvictionBudgets::EvictionBudgets(const View& view) {
  view.objects().for_each<PodDisruptionBudget>([&](const PodDisruptionBudget& b) {
    if (label_selector_error(b.selector).empty())
      budgets_.push_back({&b, b.disruptions_allowed, b.disrupted_pods.size()});
  });
}

EvictionBudgets::Refusal EvictionBudgets::evict(const Pod& pod) {
  if (needs_no_budget(pod)) return {};
  Budget* found = nullptr;
  for (Budget& b : budgets_) {
    if (!selects(*b.object, pod)) continue;
    if (found != nullptr)
      return {
          "This pod has more than one PodDisruptionBudget, which the eviction subresource does not "
          "support.",
          {}};
    found = &b;
  }
  if (found == nullptr) return {};
  if (!is_ready(pod)) {
    const PodDisruptionBudget& b = *found->object;
    if (b.always_allows_unhealthy) return {};
    if (b.current_healthy >= b.desired_healthy && b.desired_healthy > 0) return {};
  }
  return count(*found);
}

EvictionBudgets::Refusal EvictionBudgets::count(Budget& budget) {
  const PodDisruptionBudget& b = *budget.object;
  const std::string name(b.meta.name);
  if (b.outdated)
    return {"The disruption budget " + name + " is still being processed by the server.", name};
  if (budget.allowed < 0) return {"pdb disruptions allowed is negative", name};
  if (budget.disrupted > kMostDisruptedPods)
    return {"DisruptedPods map too big - too many evictions not confirmed by PDB controller", name};
  if (budget.allowed == 0) {
    if (b.current_healthy <= b.desired_healthy)
      return {"The disruption budget " + name + " needs " + std::to_string(b.desired_healthy) +
                  " healthy pods and has " + std::to_string(b.current_healthy) + " currently",
              name};
    return {"The disruption budget " + name + " does not allow evicting pods currently", name};
  }
  --budget.allowed;
  ++budget.disrupted;
  return {};
}

}  // namespace libsched
