// Whether a node has what the devices of a pod take of its own resources, beside what its
// containers request (gate DRANodeAllocatableResources).
#pragma once

#include <vector>

#include "libsched/cluster/node_view.hpp"
#include "libsched/framework/status.hpp"
#include "libsched/plugins/dynamicresources/allocatable_status.hpp"

namespace libsched {

struct AllocatableRules {
  bool on = false;         // the gate
  bool overheads = false;  // Behaviours::allocatable_overheads
  bool pod_level = true;   // gate PodLevelResources
};

// Whether the claims may be used so, and the node has enough. Upstream names any of several
// resources at fault; here that is the first by name.
Status check_takes(const Pod& pod, const std::vector<ClaimTake>& takes,
                   Span<AllocatableClaim> taken, const NodeView& node,
                   const AllocatableRules& rules);

// Of an allocated claim: whether another pod on the node takes what its devices take, which must
// not be shared. Not with overheads, where the reservation of the claim decides.
Status check_sharing(const Pod& pod, const ResourceClaim& claim, const NodeView& node);

// Whether a device of the allocation is mapped to a resource of its node, and not only an overhead.
bool has_mapped_device(const ClaimAllocation& allocation, const AllocatedDevices& devices);

}  // namespace libsched
