// The hints of upstream's podtopologyspread/plugin.go; only DoNotSchedule constraints count.
#include "libsched/plugins/podtopologyspread/requeue.hpp"

#include <algorithm>

#include "libsched/plugins/hints.hpp"

namespace libsched {
namespace {

using Constraints = std::vector<SpreadConstraint>;

bool is_counted(const Pod& other, const Pod& pod) {
  return same_pod(other, pod) || (has_node(other) && other.meta.ns == pod.meta.ns);
}

bool same_tolerations(const Pod& a, const Pod& b) {
  const auto same = [](const Toleration& x, const Toleration& y) {
    return x.key == y.key && x.value == y.value && x.op_text == y.op_text &&
           x.effect_text == y.effect_text && x.seconds == y.seconds;
  };
  return std::equal(a.spec.tolerations.begin(), a.spec.tolerations.end(),
                    b.spec.tolerations.begin(), b.spec.tolerations.end(), same);
}

bool same_taints(const Node& a, const Node& b) {
  return std::equal(a.taints.begin(), a.taints.end(), b.taints.begin(), b.taints.end(),
                    [](const Taint& x, const Taint& y) {
                      return x.key == y.key && x.value == y.value && x.effect_text == y.effect_text;
                    });
}

bool has_all_keys(const Node& node, const Constraints& constraints) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& c) {
    return find_label(node.meta.labels, c.topology_key) != nullptr;
  });
}

// Whether a selector matches only one of the versions of a pod.
bool select_otherwise(const Constraints& constraints, const Pod& before, const Pod& after) {
  return std::any_of(constraints.begin(), constraints.end(), [&](const SpreadConstraint& c) {
    return c.selector.matches(before.meta.labels) != c.selector.matches(after.meta.labels);
  });
}

Str value_of(const Node& node, Str key) {
  const Label* label = find_label(node.meta.labels, key);
  return label == nullptr ? Str() : label->value;
}

}  // namespace

Result<QueueingHint> hint_after_pod(const SpreadSettings& settings, const View& view,
                                    const Pod& pod, const Pod* before, const Pod* after) {
  for (const Pod* other : {after, before})
    if (other != nullptr && !is_counted(*other, pod)) return QueueingHint::kQueueSkip;
  const Result<Constraints> constraints =
      spread_constraints(settings, view, pod, SpreadKind::kHard);
  if (!constraints.ok()) return constraints.error();
  if (before != nullptr && after != nullptr)
    return queue_if(select_otherwise(*constraints, *before, *after));
  const Labels labels = (after != nullptr ? after : before)->meta.labels;
  return queue_if(
      std::any_of(constraints->begin(), constraints->end(),
                  [&](const SpreadConstraint& c) { return c.selector.matches(labels); }));
}

Result<QueueingHint> hint_after_own_update(const SpreadSettings& settings, const View& view,
                                           const Pod& pod, const Pod& before, const Pod& after) {
  const Result<Constraints> constraints =
      spread_constraints(settings, view, pod, SpreadKind::kHard);
  if (!constraints.ok()) return constraints.error();
  return queue_if((!same_tolerations(before, after) &&
                   std::any_of(constraints->begin(), constraints->end(),
                               [](const SpreadConstraint& c) { return c.honor_taints; })) ||
                  select_otherwise(*constraints, before, after));
}

Result<QueueingHint> hint_after_node(const SpreadSettings& settings, const View& view,
                                     const Pod& pod, const Node* before, const Node* after) {
  const Result<Constraints> constraints =
      spread_constraints(settings, view, pod, SpreadKind::kHard);
  if (!constraints.ok()) return constraints.error();
  if (before == nullptr || after == nullptr)
    return queue_if(has_all_keys(after != nullptr ? *after : *before, *constraints));
  const bool matches = has_all_keys(*after, *constraints);
  if (has_all_keys(*before, *constraints) != matches) return QueueingHint::kQueue;
  const bool moved =
      std::any_of(constraints->begin(), constraints->end(), [&](const SpreadConstraint& c) {
        return value_of(*before, c.topology_key) != value_of(*after, c.topology_key);
      });
  return queue_if(matches && (moved || !same_taints(*before, *after)));
}

}  // namespace libsched
