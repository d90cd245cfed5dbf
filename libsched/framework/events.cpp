// Cluster events: upstream's labels, its rule of which events cover others, and its default
// watches.
#include "libsched/framework/events.hpp"

namespace libsched {
namespace {

struct ActionName {
  ActionType action;
  Str name;
};
constexpr ActionName kNames[] = {
    {kAdd, "Add"},
    {kDelete, "Delete"},
    {kUpdateNodeAllocatable, "UpdateNodeAllocatable"},
    {kUpdateNodeLabel, "UpdateNodeLabel"},
    {kUpdateNodeTaint, "UpdateNodeTaint"},
    {kUpdateNodeCondition, "UpdateNodeCondition"},
    {kUpdateNodeAnnotation, "UpdateNodeAnnotation"},
    {kUpdateNodeDeclaredFeature, "UpdateNodeDeclaredFeature"},
    {kUpdatePodLabel, "UpdatePodLabel"},
    {kUpdatePodScaleDown, "UpdatePodScaleDown"},
    {kUpdatePodToleration, "UpdatePodToleration"},
    {kUpdatePodSchedulingGatesEliminated, "UpdatePodSchedulingGatesEliminated"},
    {kUpdatePodGeneratedResourceClaim, "UpdatePodGeneratedResourceClaim"},
    {kAllActions, "All"},
    {kUpdate, "Update"},
    {kUpdatePodScaleUp, "UpdatePodScaleUp"},
    {kUpdateNodePreemptionPolicy, "UpdateNodePreemptionPolicy"},
};

// The number of a set of actions in 1.37, where kUpdateNodePreemptionPolicy comes before
// kUpdatePodLabel, and kUpdatePodScaleUp follows kUpdatePodScaleDown. It orders sets without these
// actions as 1.36 does.
ActionType number_of(ActionType actions) {
  constexpr ActionType kOfNodes = kUpdatePodLabel - 1, kRest = ~(kUpdatePodToleration - 1);
  const auto has = [&](ActionType later) {
    return (actions & kUpdate) == kUpdate || (actions & later) != 0;
  };
  return (actions & kOfNodes) |
         (has(kUpdateNodePreemptionPolicy) ? ActionType{kUpdatePodLabel} : ActionType{0}) |
         (actions & (kUpdatePodLabel | kUpdatePodScaleDown)) << 1 |
         (has(kUpdatePodScaleUp) ? ActionType{kUpdatePodScaleDown} << 2 : ActionType{0}) |
         (actions & kAllActions & kRest) << 2;
}

}  // namespace

std::string ClusterEvent::label() const {
  if (!custom_label.empty()) return custom_label;
  for (const ActionName& a : kNames)
    if (a.action == actions) return resource + std::string(a.name);
  return resource;  // upstream has no name for a mixture
}

bool is_about_pods(Str resource) {
  return resource == kAssignedPods || resource == "UnschedulablePod" ||
         resource == "UnscheduledPod" || resource == "TargetPod";
}

bool matches(const ClusterEvent& registered, const ClusterEvent& incoming) {
  const bool all = registered.resource == "*";
  if (all && registered.actions == kAllActions) return true;
  // A registration for pods is for all of them.
  const bool same = all || registered.resource == incoming.resource ||
                    (registered.resource == "Pod" && is_about_pods(incoming.resource));
  const ActionType wanted = number_of(registered.actions), happened = number_of(incoming.actions);
  return same && (wanted & happened) != 0 && happened <= wanted;
}

std::vector<ClusterEventWithHint> default_events(const FeatureGates& gates) {
  std::vector<ClusterEventWithHint> out;
  for (const char* resource : {"Pod", "Node", "PersistentVolume", "PersistentVolumeClaim",
                               "storage.k8s.io/CSINode", "storage.k8s.io/CSIDriver",
                               "storage.k8s.io/CSIStorageCapacity", "storage.k8s.io/StorageClass",
                               "resource.k8s.io/ResourceClaim", "resource.k8s.io/DeviceClass"})
    out.push_back({{resource, kAllActions, {}}, false});
  if (gates.enabled(Gate::kGenericWorkload))
    out.push_back({{"scheduling.k8s.io/PodGroup", kAllActions, {}}, false});
  return out;
}

}  // namespace libsched
