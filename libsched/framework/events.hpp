// Cluster events: those that plugins register for to have rejected pods retried, and those that
// they may subscribe to. Names are upstream's, and numbers are those of 1.36.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libsched/cluster/observer.hpp"
#include "libsched/config/feature_gates.hpp"

namespace libsched {

using ActionType = int64_t;
enum : ActionType {
  kAdd = 1 << 0,
  kDelete = 1 << 1,
  kUpdateNodeAllocatable = 1 << 2,
  kUpdateNodeLabel = 1 << 3,
  kUpdateNodeTaint = 1 << 4,
  kUpdateNodeCondition = 1 << 5,
  kUpdateNodeAnnotation = 1 << 6,
  kUpdateNodeDeclaredFeature = 1 << 7,
  kUpdatePodLabel = 1 << 8,
  kUpdatePodScaleDown = 1 << 9,
  kUpdatePodToleration = 1 << 10,
  kUpdatePodSchedulingGatesEliminated = 1 << 11,
  kUpdatePodGeneratedResourceClaim = 1 << 12,
  kAllActions = (1 << 13) - 1,
  kUpdate = kAllActions & ~(kAdd | kDelete),
  // Later actions follow. A set with all updates of before has them, too.
  kUpdatePodScaleUp = 1 << 13,
  kUpdateNodePreemptionPolicy = 1 << 14,
};

// Events of pods tell which pods they are about: those with a node, and others. With
// Behaviours::target_pod_events, the update of a pod that waits is one of the pod itself alone.
inline constexpr Str kAssignedPods = "AssignedPod";
bool is_about_pods(Str resource);  // of any of these
inline Str waiting_pods(const Behaviours& b) {
  return b.target_pod_events ? "UnscheduledPod" : "UnschedulablePod";
}
inline Str updated_pod(const Behaviours& b) {
  return b.target_pod_events ? "TargetPod" : "UnschedulablePod";
}

struct ClusterEvent {
  std::string resource;  // "Pod", "Node", "storage.k8s.io/CSINode", "*", ...
  ActionType actions = 0;
  std::string custom_label;
  // Upstream's label: the custom label, or resource and action.
  std::string label() const;
  friend bool operator==(const ClusterEvent&, const ClusterEvent&) = default;
};
// Whether the registered event covers the incoming event, as upstream's MatchClusterEvents (T40).
bool matches(const ClusterEvent& registered, const ClusterEvent& incoming);

struct ClusterEventWithHint {
  ClusterEvent event;
  bool has_hint = false;  // else the pod is always retried
};

enum class QueueingHint : int32_t { kQueueSkip = 0, kQueue = 1 };

// The events that upstream registers for a plugin without events of its own: every resource that it
// watches by default, with all actions.
std::vector<ClusterEventWithHint> default_events(const FeatureGates& gates);

}  // namespace libsched
