// AllocatableClaimList: what the devices of a pod's claims take of its node's own resources, found
// out before the pod is assumed there, and written to its status before it is bound.
#pragma once

#include <string>

#include "libsched/objects/pod.hpp"

namespace libsched {

class AllocatableClaimList final : public RefCounted {
 public:
  Arena arena;
  Span<AllocatableClaim> claims;
  std::string json;  // status.nodeAllocatableResourceClaimStatuses
};

// A copy with its parts in a given arena.
Span<AllocatableClaim> copy_allocatable_claims(Span<AllocatableClaim> claims, Arena& arena);

}  // namespace libsched
