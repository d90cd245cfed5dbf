// The remaining disruptions of each budget, as upstream's filterPodsWithPDBViolation.
#include "libsched/plugins/defaultpreemption/disruption_budgets.hpp"

#include <algorithm>

namespace libsched {

DisruptionBudgets::DisruptionBudgets(const View& view, bool first_violated)
    : first_violated_(first_violated) {
  view.objects().for_each<PodDisruptionBudget>([&](const PodDisruptionBudget& budget) {
    // An absent or empty selector selects nothing here, nor does one that upstream cannot parse.
    const LabelSelector& s = budget.selector;
    if (s.present && !s.empty() && label_selector_error(s).empty()) list_.push_back(&budget);
  });
}

DisruptionBudgets::Split DisruptionBudgets::split(const std::vector<PodRef>& pods,
                                                  const Call& call) const {
  std::vector<int32_t> allowed;
  for (const PodDisruptionBudget* b : list_) allowed.push_back(b->disruptions_allowed);
  Split out;
  for (const PodRef& pod : pods) {
    bool violated = false;
    if (call.exceeded()) return out;
    for (size_t i = 0; i < list_.size() && !pod->meta.labels.empty(); ++i) {
      const PodDisruptionBudget& b = *list_[i];
      if (b.meta.ns != pod->meta.ns || !selector_matches(b.selector, pod->meta.labels)) continue;
      if (std::any_of(b.disrupted_pods.begin(), b.disrupted_pods.end(),
                      [&](const KeyValue& d) { return d.key == pod->meta.name; }))
        continue;  // its eviction is already counted
      allowed[i] = static_cast<int32_t>(static_cast<uint32_t>(allowed[i]) - 1);
      if (allowed[i] >= 0) continue;
      violated = true;
      out.broken.emplace_back(pod.get(), &b);
      if (first_violated_) break;
    }
    (violated ? out.violating : out.others).push_back(pod);
  }
  return out;
}

}  // namespace libsched
