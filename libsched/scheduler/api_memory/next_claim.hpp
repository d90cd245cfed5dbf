// New versions of a ResourceClaim, as the API server makes them.
#pragma once

#include "libsched/base/result.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// Errors: kExists, a conflict, if `given` has another uid or was made of another version.
Result<void> check_precondition(const ResourceClaim& now, const ResourceClaim& given);

// What a request of a scheduler makes of the claim: `patch` has the member "status" for the
// subresource status, any other member for the claim itself, whose spec never changes;
// metadata.uid and metadata.resourceVersion are preconditions. Errors: as
// check_precondition(); kInvalid (no JSON object).
Result<Ref<ResourceClaim>> patched_claim(const ResourceClaim& now, const ResourceClaim& given,
                                         Str patch);

// The claim as it is stored: with a uid, a version, and the deletion that has begun already.
Ref<ResourceClaim> stored_claim(const ResourceClaim& given, const ResourceClaim* now, Str uid,
                                uint64_t version);

Ref<ResourceClaim> terminating_claim(const ResourceClaim& claim, int64_t now_ns);

}  // namespace libsched
