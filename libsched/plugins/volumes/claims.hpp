// PersistentVolumeClaims of a pod's volumes, and upstream's error texts for missing objects.
#pragma once

#include <string>

#include "libsched/cluster/cluster.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/objects/ephemeral_claims.hpp"

namespace libsched {

// Reports whether the volume uses a claim: it is a persistentVolumeClaim or a generic ephemeral
// volume.
inline bool has_claim(const Volume& v) {
  return v.kind == VolumeKind::kPersistentVolumeClaim || v.kind == VolumeKind::kEphemeral;
}

// Returns the name of the volume's claim. The name of an ephemeral volume's claim is built in
// `scratch`.
Str claim_name(const Pod& pod, const Volume& v, std::string* scratch);

// Upstream's error if an ephemeral volume's claim was not made for this pod.
std::string not_owner_error(const PersistentVolumeClaim& claim, const Pod& pod);

// Report whether the pod names the claim in a persistentVolumeClaim volume, and whether it uses the
// claim there or through an ephemeral volume.
bool names_claim(const Pod& pod, const PersistentVolumeClaim& claim);
bool uses_claim(const Pod& pod, const PersistentVolumeClaim& claim);

// Adds the first of the pod's claims that is not there to a fact, with its volume and "exists".
void add_missing_claim(const View& view, const Pod& pod, Fact* fact);
// Adds the key, phase, class and volume of a claim to a fact, as far as it has them.
void add_claim(const PersistentVolumeClaim& claim, Fact* fact);

// `persistentvolumeclaim "x" not found`
std::string not_found_error(StoredKind kind, Str name);

}  // namespace libsched
