// Which PersistentVolumes a PersistentVolumeClaim can have, as upstream's FindMatchingVolume
// decides it for the scheduler and for the volume controller alike.
#pragma once

#include "libsched/objects/storage.hpp"

namespace libsched {

// Whether the volume's claimRef names the claim, by hand or with the claim's uid.
bool is_bound_to(const PersistentVolume& volume, const PersistentVolumeClaim& claim);

// The conditions for any volume, whether or not it is bound to the claim.
bool is_possible(const PersistentVolume& volume, const PersistentVolumeClaim& claim);

// Whether a volume that is not bound to the claim is available to it, regardless of its class and
// of nodes.
bool is_available(const PersistentVolume& volume, const PersistentVolumeClaim& claim);

bool has_access_modes(const PersistentVolume& volume, const PersistentVolumeClaim& claim);

// Whether the volume controller has completed the claim's binding.
bool is_fully_bound(const PersistentVolumeClaim& claim);

}  // namespace libsched
