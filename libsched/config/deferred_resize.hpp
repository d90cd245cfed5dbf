// Resizes of pods that have a node, for which the kubelet waits.
#pragma once

#include "libsched/config/feature_gates.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// Upstream's IsPodResizeDeferred: the node has no room for the resize.
inline bool resize_deferred(const Pod& pod) {
  for (const PodCondition& c : pod.status.conditions)
    if (c.type == "PodResizePending") return c.reason == "Deferred";
  return false;
}

// Whether the scheduler makes room for the resize: the pod is in its queue though it has a node.
inline bool scheduled_for_resize(const FeatureGates& gates, const Pod& pod) {
  return gates.enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption) && resize_deferred(pod);
}

}  // namespace libsched
