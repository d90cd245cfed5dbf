// Changes of ResourceClaims: the steps of upstream's updates on copies, and the requests that write
// them.
#pragma once

#include "libsched/framework/services.hpp"
#include "libsched/objects/pod_group.hpp"
#include "libsched/plugins/dynamicresources/allocation_result.hpp"

namespace libsched {

// Puts an allocation into the claim, with the finalizer that protects it.
void set_allocation(ResourceClaim& copy, const NewAllocationRef& allocation);
// The consumer is the group as a whole, or the pod if `group` is null.
void add_consumer(ResourceClaim& copy, const Pod& pod, const PodGroup* group);
// Notes the time of the allocation, unless it has one.
void stamp(ResourceClaim& copy, int64_t now_ns);

// Asks the API server to write a claim that has got an allocation or a consumer. The request fails
// if the claim has another version there (is_conflict). Here and below the arguments outlive the
// steps.
Steps<Result<void>> write_claim(Services& services, ResourceClaimRef claim);
// Takes a pod or group out of the claim's consumers. Upstream ignores that this fails.
Steps<Result<void>> release_consumer(Services& services, const ResourceClaim& claim, Str uid);

// Whether the API server has refused a change because the object has another version.
bool is_conflict(const Error& error);

// Whether both have the same status.
bool same_status(const ResourceClaim& a, const ResourceClaim& b);

}  // namespace libsched
