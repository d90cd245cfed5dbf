// AffinityFilter for a pod that joins or leaves after PreFilter: upstream's updateWithPod. Counts
// change one by one, and rows are then judged by them.
#include <algorithm>

#include "libsched/plugins/interpodaffinity/affinity_filter.hpp"

namespace libsched {

struct AffinityFilter::Changes {
  struct Anti {
    Str topology_key;  // points into the pod
    std::unique_ptr<CountRule> rule;
  };
  std::unique_ptr<CountRule> affinity;  // for all terms; null: selects no pod
  std::vector<Anti> anti;
  bool selects_itself = false;
};

void AffinityFilter::begin_changes(const View& view, const Pod& pod) {
  auto made = std::make_shared<Changes>();
  CountKey all;
  if (add_selected_by_all(view, pod, pod.spec.pod_affinity.required, resolved_, &all)) {
    made->affinity = std::make_unique<CountRule>(all);
    made->selects_itself = made->affinity->counts(pod);
  }
  for (const PodAffinityTerm& t : pod.spec.pod_anti_affinity.required) {
    CountKey selected;
    if (add_selected(view, pod, t, resolved_, &selected))
      made->anti.push_back({t.topology_key, std::make_unique<CountRule>(selected)});
  }
  for (const Key& k : keys_)
    affinity_pairs_ += static_cast<size_t>(std::count_if(
        k.counts[kAffinity].begin(), k.counts[kAffinity].end(), [](int32_t n) { return n != 0; }));
  changes_ = std::move(made);
}

void AffinityFilter::add(Key* of, Rule rule, uint32_t row, int32_t delta) {
  const int32_t domain = of->column->domain[row];
  if (domain == TopologyColumn::kNone) return;
  std::vector<int32_t>& list = of->counts[rule];
  if (list.size() < of->column->domains.size()) list.resize(of->column->domains.size());
  int32_t& count = list[static_cast<size_t>(domain)];
  if (rule == kAffinity) affinity_pairs_ -= count != 0 ? 1U : 0U;
  count += delta;
  if (rule == kAffinity) affinity_pairs_ += count != 0 ? 1U : 0U;
}

void AffinityFilter::change(const View& view, const Pod& pod, const Pod& other, uint32_t row,
                            int32_t delta) {
  if (!changes_) begin_changes(view, pod);
  const Span<PodAffinityTerm> theirs = other.spec.pod_anti_affinity.required;
  if (!theirs.empty() && terms_parse(theirs)) {
    const Namespace* ns = view.find_namespace(pod.meta.ns);
    for (const PodAffinityTerm& t : theirs) {
      if (term_selects(other, t, pod, ns))
        add(&key(view, t.topology_key), kExistingAnti, row, delta);
    }
  }
  if (changes_->affinity && changes_->affinity->counts(other))
    for (const PodAffinityTerm& t : pod.spec.pod_affinity.required)
      add(&key(view, t.topology_key), kAffinity, row, delta);
  for (const Changes::Anti& a : changes_->anti)
    if (a.rule->counts(other)) add(&key(view, a.topology_key), kAnti, row, delta);
}

bool AffinityFilter::first_of_group() const {
  return changed() ? affinity_pairs_ == 0 && changes_->selects_itself : selects_itself_;
}

size_t AffinityFilter::rule_by_counts(uint32_t row) const {
  for (const Key& k : keys_)
    if (k.required && (k.column->domain[row] == TopologyColumn::kNone ||
                       (count(k, kAffinity, row) <= 0 && !first_of_group())))
      return kAffinity;
  for (const Rule rule : {kAnti, kExistingAnti})
    for (const Key& k : keys_)
      if (count(k, rule, row) > 0) return rule;
  return kRules;
}

}  // namespace libsched
