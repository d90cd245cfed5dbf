// PodAccounting: what counts of a pod, on its node and for itself, where releases and feature gates
// differ.
#pragma once

#include "libsched/objects/pod.hpp"

namespace libsched {

// Which part of PodStatus::allocatable_claims counts.
enum class AllocatableClaims : uint8_t { kNone, kResources, kMapped };

// The default is that of 1.37 and of derive_pod().
struct PodAccounting {
  bool pod_level = true;          // gate PodLevelResources: spec.resources count
  bool resizes = true;            // gate InPlacePodVerticalScaling: so does the status of a resize
  bool pod_level_resizes = true;  // gate InPlacePodLevelResourcesVerticalScaling
  // Sidecars use their host ports; without, only containers do.
  bool sidecar_ports = true;
  // The default requests, for scoring, are those of each container, and sidecars add theirs.
  // Without, init containers have them only if no sidecar before them requests anything, sidecars
  // do not add to containers, and each amount is rounded up by itself.
  bool sidecar_defaults = true;
  // Of a resize counts the largest of the pod's totals of what is asked for, set and allocated;
  // without, for each container the largest of the three.
  bool resizes_by_pod = true;
  // Uses of claims are sums of changes since the list of nodes was made: what the pods of a node
  // use that leaves is taken off with it, again when they leave, and not added if it comes back.
  bool claims_by_changes = true;
  // Gate DRANodeAllocatableResources: what devices take of the node's resources adds to the pod's
  // use of the node, but not to its requests.
  AllocatableClaims allocatable = AllocatableClaims::kNone;

  friend bool operator==(const PodAccounting&, const PodAccounting&) = default;
};

// The pod with its derived fields as accounted for: itself or, if they may differ, a copy, which
// has no class_id and shares with `pod` what copy_pod() shares.
PodRef accounted(PodRef pod, const PodAccounting& accounting);

// The same for a while: no copy, and no reference, if nothing differs. `pod` must outlive it.
class AccountedPod {
 public:
  AccountedPod(const Pod& pod, const PodAccounting& accounting) : pod_(&pod) {
    if (accounting == PodAccounting() && !pod.accounted_otherwise) return;
    copy_ = accounted(PodRef::share(&pod), accounting);
    pod_ = copy_.get();
  }
  const Pod& operator*() const { return *pod_; }
  const Pod* operator->() const { return pod_; }

 private:
  const Pod* pod_;
  PodRef copy_;
};

}  // namespace libsched
