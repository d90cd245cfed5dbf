// The ResourceClaims that a pod's entries name, and for whom they are reserved.
#pragma once

#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/pod_group.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// In the order of the pod's entries; an entry whose template made no claim has none. A claim that
// two entries name is there twice. With `groups` (gate DRAWorkloadResourceClaims), one may have
// been made for the pod's PodGroup. Errors: INVALID with upstream's text for the first entry
// without a claim that the pod may use.
Result<std::vector<ResourceClaimRef>> claims_of(const View& view, const Pod& pod, bool groups);

// For each entry of the pod, the PodGroup that it is reserved for as a whole, or null: for the pod.
// Errors: as of claims_of(). `snapshot` is Behaviours::groups_of_snapshot.
Result<std::vector<PodGroupRef>> groups_of_entries(const View& view, const Pod& pod, bool snapshot);

// Whether the claim is reserved for the pod or, with `groups`, for its PodGroup.
bool is_reserved(const ResourceClaim& claim, const Pod& pod, bool groups);

// The claims of a PodGroup that were not left out, with the names of their entries. Errors: INVALID
// with upstream's text.
Result<std::vector<ResourceClaimRef>> claims_of_group(const View& view, const PodGroup& group);

}  // namespace libsched
