// See node_lifecycle.hpp.
#include "libsched/scheduler/control_plane/node_lifecycle.hpp"

#include <algorithm>

#include "libsched/objects/toleration_index.hpp"
#include "libsched/scheduler/changed_node.hpp"

namespace libsched {
namespace {

constexpr Str kUnschedulable = "node.kubernetes.io/unschedulable";

// The taints that follow conditions. Those of a node that is not ready or not reachable evict pods
// as well.
constexpr Str kConditionTaints[] = {
    "node.kubernetes.io/not-ready",       "node.kubernetes.io/unreachable",
    "node.kubernetes.io/memory-pressure", "node.kubernetes.io/disk-pressure",
    "node.kubernetes.io/pid-pressure",    "node.kubernetes.io/network-unavailable"};

bool follows_conditions(const Taint& taint) {
  const auto* const at = std::ranges::find(kConditionTaints, taint.key);
  if (at == std::end(kConditionTaints)) return false;
  return taint.effect == TaintEffect::kNoSchedule ||
         (taint.effect == TaintEffect::kNoExecute && at < kConditionTaints + 2);
}

bool is_cordon(const Taint& taint) { return follows_cordon(taint.key, taint.effect); }

bool has_cordon_taint(const Node& node) { return std::ranges::any_of(node.taints, is_cordon); }

template <typename Leaves>
Span<Taint> taints_without(Node& node, Leaves&& leaves) {
  std::vector<Taint> taints(node.taints.begin(), node.taints.end());
  std::erase_if(taints, leaves);
  return node.arena.copy(taints);
}

}  // namespace

bool follows_cordon(Str key, TaintEffect effect) {
  return key == kUnschedulable && effect == TaintEffect::kNoSchedule;
}

NodeRef cordoned(const Node& node) {
  const bool tainted = has_cordon_taint(node);
  if (node.unschedulable && tainted) return NodeRef::share(&node);
  return changed_node(node, [&](Node& copy) {
    copy.unschedulable = true;
    if (tainted) return;
    std::vector<Taint> taints(node.taints.begin(), node.taints.end());
    taints.push_back({kUnschedulable, Str("", 0), TaintEffect::kNoSchedule, "NoSchedule"});
    copy.taints = copy.arena.copy(taints);
  });
}

NodeRef uncordoned(const Node& node) {
  if (!node.unschedulable && !has_cordon_taint(node)) return NodeRef::share(&node);
  return changed_node(node, [](Node& copy) {
    copy.unschedulable = false;
    copy.taints = taints_without(copy, is_cordon);
  });
}

NodeRef as_joining(const Node& node, std::vector<std::string>* left_out) {
  const auto leaves = [](const Taint& t) { return is_cordon(t) || follows_conditions(t); };
  if (node.unschedulable) left_out->emplace_back("cordon");
  for (const Taint& taint : node.taints)
    if (leaves(taint))
      left_out->push_back("taint " + std::string(taint.key) + ":" + std::string(taint.effect_text));
  if (left_out->empty()) return NodeRef::share(&node);
  return changed_node(node, [&](Node& copy) {
    copy.unschedulable = false;
    copy.taints = taints_without(copy, leaves);
  });
}

bool evicted_by(const Taint& taint, const Pod& pod) {
  if (taint.effect != TaintEffect::kNoExecute || pod.mirror) return false;
  const auto covers = [&](const Toleration& t) { return tolerates(t, taint, false); };
  const auto first = std::ranges::find_if(pod.spec.tolerations, covers);
  return first == pod.spec.tolerations.end() || first->seconds.has_value();
}

}  // namespace libsched
