// The ResourceClaims that a pod's entries name.
#pragma once

#include <vector>

#include "libsched/cluster/view.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// In the order of the pod's entries; an entry whose template made no claim has none. A claim that
// two entries name is there twice. Errors: INVALID with upstream's text for the first entry without
// a claim that the pod may use.
Result<std::vector<ResourceClaimRef>> claims_of(const View& view, const Pod& pod);

}  // namespace libsched
