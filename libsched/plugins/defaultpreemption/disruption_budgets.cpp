// The remaining disruptions of each budget, as upstream's filterPodsWithPDBViolation.
#include "libsched/plugins/defaultpreemption/disruption_budgets.hpp"

#include <algorithm>

namespace libsched {

DisruptionBudgets::DisruptionBudgets(const View& view, Counts counts) : counts_(counts) {
  view.objects().for_each<PodDisruptionBudget>([&](const PodDisruptionBudget& budget) {
    // An absent or empty selector selects nothing here, nor does one that upstream cannot parse.
    const LabelSelector& s = budget.selector;
    if (s.present && !s.empty() && label_selector_error(s).empty()) list_.push_back(&budget);
  });
}

bool DisruptionBudgets::violates(const Pod& pod, size_t unit, std::vector<int32_t>* allowed,
                                 Split* out) const {
  bool violated = false;
  for (size_t i = 0; i < list_.size() && !pod.meta.labels.empty(); ++i) {
    const PodDisruptionBudget& b = *list_[i];
    if (b.meta.ns != pod.meta.ns || !selector_matches(b.selector, pod.meta.labels)) continue;
    if (std::any_of(b.disrupted_pods.begin(), b.disrupted_pods.end(),
                    [&](const KeyValue& d) { return d.key == pod.meta.name; }))
      continue;  // its eviction is already counted
    int32_t& left = (*allowed)[i];
    left = static_cast<int32_t>(static_cast<uint32_t>(left) - 1);
    if (left >= 0) continue;
    violated = true;
    out->broken.emplace_back(unit, &b);
    if (counts_ != Counts::kAll) break;
  }
  return violated;
}

DisruptionBudgets::Split DisruptionBudgets::split(const std::vector<VictimUnit>& units,
                                                  const Call& call) const {
  std::vector<int32_t> allowed;
  for (const PodDisruptionBudget* b : list_) allowed.push_back(b->disruptions_allowed);
  Split out;
  for (size_t u = 0; u < units.size(); ++u) {
    if (call.exceeded()) return out;
    int64_t violating = 0;
    for (size_t i = 0; i < units[u].size(); ++i) {
      if (!violates(*units[u][i], u, &allowed, &out)) continue;
      ++violating;
      if (counts_ == Counts::kFirst) break;
    }
    if (violating > 0)
      out.violating.push_back({u, violating});
    else
      out.others.push_back(u);
  }
  return out;
}

}  // namespace libsched
