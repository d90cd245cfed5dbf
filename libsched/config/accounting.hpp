// What counts of a pod with given feature gates in a release.
#pragma once

#include "libsched/config/feature_gates.hpp"
#include "libsched/objects/pod_accounting.hpp"

namespace libsched {

inline PodAccounting accounting_of(const FeatureGates& gates, const Behaviours& behaviours) {
  return {.pod_level = gates.enabled(Gate::kPodLevelResources),
          .resizes = gates.enabled(Gate::kInPlacePodVerticalScaling),
          .pod_level_resizes = gates.enabled(Gate::kInPlacePodLevelResourcesVerticalScaling),
          .sidecar_ports = !behaviours.ports_of_containers_only,
          .sidecar_defaults = !behaviours.sidecars_not_in_nonzero,
          .resizes_by_pod = behaviours.resizes_by_pod,
          .claims_by_changes = behaviours.claims_by_changes,
          .allocatable = !gates.enabled(Gate::kDRANodeAllocatableResources)
                             ? AllocatableClaims::kNone
                         : behaviours.allocatable_overheads ? AllocatableClaims::kMapped
                                                            : AllocatableClaims::kResources};
}

}  // namespace libsched
