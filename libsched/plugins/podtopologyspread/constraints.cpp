// Spread constraints, read as in upstream's filterTopologySpreadConstraints, and the node inclusion
// policies.
#include "libsched/plugins/podtopologyspread/constraints.hpp"

#include <algorithm>

#include "libsched/cluster/node_match.hpp"
#include "libsched/objects/toleration_index.hpp"

namespace libsched {
namespace {

SpreadSelector selector_of(const TopologySpreadConstraint& c, const Pod& pod,
                           const SpreadSettings& settings) {
  SpreadSelector s;
  s.nothing = !c.selector.present;
  if (s.nothing) return s;  // match label keys do not change that
  for (const Label& l : c.selector.match_labels) s.requirements.push_back(has_label(l));
  s.requirements.insert(s.requirements.end(), c.selector.match_expressions.begin(),
                        c.selector.match_expressions.end());
  if (!settings.match_label_keys) return s;
  for (const Str key : c.match_label_keys)
    if (const Label* l = find_label(pod.meta.labels, key); l != nullptr)
      s.requirements.push_back(has_label(*l));
  return s;
}

SpreadConstraint read(const TopologySpreadConstraint& c, const SpreadSettings& settings) {
  SpreadConstraint out;
  out.max_skew = c.max_skew;
  out.min_domains = c.min_domains.value_or(1);
  out.topology_key = c.topology_key;
  out.idle_without_domains = settings.by_key;
  if (!settings.inclusion_policies) return out;
  if (c.node_affinity_policy) out.honor_affinity = c.node_affinity_policy == "Honor";
  if (c.node_taints_policy) out.honor_taints = c.node_taints_policy == "Honor";
  return out;
}

}  // namespace

Result<std::vector<SpreadConstraint>> spread_constraints(const SpreadSettings& settings,
                                                         const View& view, const Pod& pod,
                                                         SpreadKind kind) {
  const bool hard = kind == SpreadKind::kHard;
  const bool own = !pod.spec.spread.empty();
  const Str action = hard ? "DoNotSchedule" : "ScheduleAnyway";
  std::vector<SpreadConstraint> out;
  SpreadSelector selector;
  if (!own) {
    if (std::none_of(settings.defaults.begin(), settings.defaults.end(),
                     [&](const auto& c) { return c.when_unsatisfiable == action; }))
      return out;
    selector = default_selector(view, pod);
    if (selector.requirements.empty()) return out;
  }
  for (const TopologySpreadConstraint& c : own ? pod.spec.spread : settings.defaults) {
    if (c.when_unsatisfiable != action) continue;
    if (c.selector.present)
      if (const std::string e = label_selector_error(c.selector, settings.texts); !e.empty())
        return Error{Rc::kInvalid, std::string(own ? "obtaining pod's " : "setting default ") +
                                       (hard ? "hard" : "soft") +
                                       " topology spread constraints: " + e};
    out.push_back(read(c, settings));
    out.back().selector = own ? selector_of(c, pod, settings) : selector;
  }
  return out;
}

Reads spread_reads(const SpreadSettings& settings, const View& view, const Pod& pod,
                   SpreadKind kind) {
  Reads reads;
  const Str action = kind == SpreadKind::kHard ? "DoNotSchedule" : "ScheduleAnyway";
  const auto of_kind = [&](const TopologySpreadConstraint& c) {
    return c.when_unsatisfiable == action;
  };
  if (pod.spec.spread.empty() &&
      std::any_of(settings.defaults.begin(), settings.defaults.end(), of_kind))
    for (const StoredKind selecting : {StoredKind::kService, StoredKind::kReplicationController,
                                       StoredKind::kReplicaSet, StoredKind::kStatefulSet})
      reads.any |= object_changed(selecting);
  const auto constraints = spread_constraints(settings, view, pod, kind);
  if (!constraints.ok() || constraints->empty()) return reads;
  reads.any |= kLabelsChanged;
  for (const SpreadConstraint& c : *constraints) {
    if (c.selector.counts()) reads.any |= kPodsChanged;
    if (c.honor_taints) reads.any |= kTaintsChanged;
  }
  return reads;
}

CountsRef count_matching(const View& view, const Pod& pod, const SpreadSelector& selector) {
  CountKey key;
  CountKey::Term& term = key.terms.emplace_back();
  term.namespaces.push_back(pod.meta.ns);
  term.requirements = selector.requirements;
  term.skip_terminating = true;
  return view.tables().counts(view, key);
}

Span<uint64_t> EligibleRows::of(const SpreadConstraint& constraint) {
  const PodSpec& spec = pod_.spec;
  const bool affinity = constraint.honor_affinity &&
                        (!spec.node_selector.empty() || spec.node_affinity.required.present);
  const bool taints = constraint.honor_taints;
  if (!affinity && !taints) return base_;
  std::vector<uint64_t>& rows = by_policy_[(affinity ? 1 : 0) + (taints ? 2 : 0)];
  if (!rows.empty() || base_.empty()) return rows;
  rows = base_;
  if (affinity) leave_matching(&rows);
  if (taints) leave_tolerated(&rows);
  return rows;
}

void EligibleRows::leave_matching(std::vector<uint64_t>* rows) const {
  const NodeMatch match(view_, pod_.spec.node_selector, pod_.spec.node_affinity.required);
  std::vector<uint64_t> matching(rows->size());
  match.rows(view_, 0, matching.size(), matching.data());
  for (size_t w = 0; w < rows->size(); ++w) (*rows)[w] &= matching[w];
}

void EligibleRows::leave_tolerated(std::vector<uint64_t>* rows) const {
  const TolerationIndex index(pod_.spec.tolerations, settings_.comparison_operators);
  const auto tolerated = [&](const Taint& t) {
    return (t.effect != TaintEffect::kNoSchedule && t.effect != TaintEffect::kNoExecute) ||
           index.covers(t);
  };
  view_.taint_sets().sets().for_each([&](uint32_t, const TaintSets::Set& set) {
    if (!std::all_of(set.taints.begin(), set.taints.end(), tolerated))
      set.rows.and_not_into(0, rows->size(), rows->data());
  });
}

}  // namespace libsched
