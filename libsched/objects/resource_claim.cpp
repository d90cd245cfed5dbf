// ResourceClaims: copies that can be changed.
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

Ref<ResourceClaim> copy_resource_claim(const ResourceClaim& claim) {
  Ref<ResourceClaim> copy = make_ref<ResourceClaim>(256);
  // A copy of a copy keeps both alive, because the first copy's changes are in its own arena.
  copy->origin = Ref<const Object>::share(&claim);
  copy->meta = claim.meta;
  copy->raw = claim.raw;
  copy->finalizers = claim.finalizers;
  copy->spec = claim.spec;
  copy->allocation = claim.allocation;
  copy->reserved_for = claim.reserved_for;
  copy->devices = claim.devices;
  return copy;
}

}  // namespace libsched
