// See volume_fit.hpp.
#include "libsched/objects/volume_fit.hpp"

#include <algorithm>

namespace libsched {

bool is_bound_to(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  const std::optional<ClaimRef>& ref = volume.claim_ref;
  return ref && ref->name == claim.meta.name && ref->ns == claim.meta.ns &&
         (ref->uid.empty() || ref->uid == claim.meta.uid);
}

bool is_possible(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return (!volume.claim_ref || is_bound_to(volume, claim)) &&
         volume.capacity.value_or(Quantity()).compare(claim.request.value_or(Quantity())) >= 0 &&
         volume_mode_or_default(volume.volume_mode) == volume_mode_or_default(claim.volume_mode) &&
         volume.volume_attributes_class.value_or(Str()) ==
             claim.volume_attributes_class.value_or(Str()) &&
         !volume.meta.terminating();
}

bool is_available(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.phase == "Available" &&
         (!claim.selector.present || selector_matches(claim.selector, volume.meta.labels)) &&
         has_access_modes(volume, claim);
}

bool has_access_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return std::all_of(claim.access_modes.begin(), claim.access_modes.end(),
                     [&](Str mode) { return has_access_mode(volume.access_modes, mode); });
}

bool is_fully_bound(const PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() &&
         find_annotation(claim.meta, kBindCompletedAnnotation) != nullptr;
}

}  // namespace libsched
