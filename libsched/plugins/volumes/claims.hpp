// PersistentVolumeClaims of a pod's volumes, and upstream's texts about objects that are missing.
#pragma once

#include <string>

#include "libsched/cluster/cluster.hpp"

namespace libsched {

// Whether a claim stands behind the volume: a persistentVolumeClaim or a generic ephemeral volume.
inline bool has_claim(const Volume& v) {
  return v.kind == VolumeKind::kPersistentVolumeClaim || v.kind == VolumeKind::kEphemeral;
}

// The name of the volume's claim; that of an ephemeral volume is put together in `scratch`.
Str claim_name(const Pod& pod, const Volume& v, std::string* scratch);

// Whether an ephemeral volume's claim was made for this pod, and upstream's error if it was not.
bool claim_is_of_pod(const PersistentVolumeClaim& claim, const Pod& pod);
std::string not_owner_error(const PersistentVolumeClaim& claim, const Pod& pod);

// Whether the pod names the claim in a persistentVolumeClaim volume; and whether it uses it there
// or as that of an ephemeral volume.
bool names_claim(const Pod& pod, const PersistentVolumeClaim& claim);
bool uses_claim(const Pod& pod, const PersistentVolumeClaim& claim);

// `persistentvolumeclaim "x" not found`
std::string not_found_error(StoredKind kind, Str name);

}  // namespace libsched
