// Compares two versions of a pod or node as upstream does: empty equals absent, quantities compare
// by value, tolerations by number. Fields that no plugin reads (annotations, conditions, times of
// taints) exist as hashes only; they are keyed by the process's secret, so collisions cannot be
// chosen.
#include "libsched/framework/property_changes.hpp"

#include <algorithm>

#include "libsched/config/accounting.hpp"
#include "libsched/objects/pod_requests.hpp"

namespace libsched {
namespace {

template <typename T, typename Same>
bool equal(Span<T> a, Span<T> b, Same&& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool same_labels(Labels a, Labels b) {
  return equal(a, b,
               [](const Label& x, const Label& y) { return x.key == y.key && x.value == y.value; });
}

bool same_amounts(ResourceList a, ResourceList b) {
  return equal(a, b, [](const NamedQuantity& x, const NamedQuantity& y) {
    return x.name == y.name && x.quantity.compare(y.quantity) == 0;
  });
}

bool same_taints(const Node& a, const Node& b) {
  return a.taint_times_hash == b.taint_times_hash &&
         equal(a.taints, b.taints, [](const Taint& x, const Taint& y) {
           return x.key == y.key && x.value == y.value && x.effect_text == y.effect_text;
         });
}

bool same_claims(const PodStatus& a, const PodStatus& b) {
  return a.extended_claim_hash == b.extended_claim_hash &&
         equal(a.resource_claims, b.resource_claims,
               [](const ResourceClaimStatus& x, const ResourceClaimStatus& y) {
                 return x.name == y.name && x.has_claim_name == y.has_claim_name &&
                        x.claim_name == y.claim_name;
               });
}

}  // namespace

ActionList node_change_list(const Node& after, const Node& before, const FeatureGates& gates) {
  ActionList out;
  out.add_if(before.unschedulable && !after.unschedulable, kUpdateNodeTaint);
  out.add_if(!same_amounts(before.allocatable_list, after.allocatable_list),
             kUpdateNodeAllocatable);
  out.add_if(!same_labels(before.meta.labels, after.meta.labels), kUpdateNodeLabel);
  out.add_if(!same_taints(before, after), kUpdateNodeTaint);
  out.add_if(before.conditions_hash != after.conditions_hash, kUpdateNodeCondition);
  out.add_if(before.annotations_hash != after.annotations_hash, kUpdateNodeAnnotation);
  out.add_if(
      behaviours_of(gates.release()).target_pod_events &&
          (before.preemption_policy_present != after.preemption_policy_present ||
           !equal(before.no_resize_preemption, after.no_resize_preemption, std::equal_to<Str>())),
      kUpdateNodePreemptionPolicy);
  out.add_if(gates.enabled(Gate::kNodeDeclaredFeatures) &&
                 !equal(before.declared_features, after.declared_features, std::equal_to<Str>()),
             kUpdateNodeDeclaredFeature);
  return out;
}

ActionList pod_change_list(const Pod& after, const Pod& before, const FeatureGates& gates) {
  const Behaviours behaviours = behaviours_of(gates.release());
  const PodAccounting accounting = accounting_of(gates, behaviours);
  ActionList out;
  out.add_if(!same_labels(before.meta.labels, after.meta.labels), kUpdatePodLabel);
  out.add_if(requests_scaled_down(after, before, accounting), kUpdatePodScaleDown);
  out.add_if(behaviours.target_pod_events && requests_scaled_down(before, after, accounting),
             kUpdatePodScaleUp);
  out.add_if(after.spec.scheduling_gates.empty() && !before.spec.scheduling_gates.empty(),
             kUpdatePodSchedulingGatesEliminated);
  out.add_if(after.spec.tolerations.size() != before.spec.tolerations.size(), kUpdatePodToleration);
  out.add_if(
      gates.enabled(Gate::kDynamicResourceAllocation) && !same_claims(before.status, after.status),
      kUpdatePodGeneratedResourceClaim);
  out.add_if(out.count == 0, kUpdate);
  return out;
}

ActionType node_changes(const Node& after, const Node& before, const FeatureGates& gates) {
  ActionType out = 0;
  for (const ActionType action : node_change_list(after, before, gates)) out |= action;
  return out;
}

ActionType pod_changes(const Pod& after, const Pod& before, const FeatureGates& gates) {
  ActionType out = 0;
  for (const ActionType action : pod_change_list(after, before, gates)) out |= action;
  return out;
}

ActionType actions_of(const ObjectChange& change, const FeatureGates& gates) {
  if (!change.before) return kAdd;
  if (!change.after) return kDelete;
  if (change.resource == "Node")
    return node_changes(static_cast<const Node&>(*change.after),
                        static_cast<const Node&>(*change.before), gates);
  if (change.resource == "Pod")
    return pod_changes(static_cast<const Pod&>(*change.after),
                       static_cast<const Pod&>(*change.before), gates);
  return kUpdate;
}

}  // namespace libsched
