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
};

}  // namespace

std::string ClusterEvent::label() const {
  if (!custom_label.empty()) return custom_label;
  for (const ActionName& a : kNames)
    if (a.action == actions) return resource + std::string(a.name);
  return resource;  // upstream has no name for a mixture
}

bool matches(const ClusterEvent& registered, const ClusterEvent& incoming) {
  const bool all = registered.resource == "*";
  if (all && registered.actions == kAllActions) return true;
  // Upstream's queue distinguishes pods on nodes from waiting pods; a registration for pods is for
  // both.
  const bool same = all || registered.resource == incoming.resource ||
                    (registered.resource == "Pod" && (incoming.resource == "AssignedPod" ||
                                                      incoming.resource == "UnschedulablePod"));
  return same && (registered.actions & incoming.actions) != 0 &&
         incoming.actions <= registered.actions;
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
