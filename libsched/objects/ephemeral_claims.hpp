// Claims of generic ephemeral volumes: each is made for one pod, and goes with it.
#pragma once

#include <algorithm>
#include <string>

#include "libsched/objects/pod.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

inline bool has_ephemeral_volumes(const Pod& pod) {
  return std::ranges::any_of(pod.spec.volumes,
                             [](const Volume& v) { return v.kind == VolumeKind::kEphemeral; });
}

// "POD-VOLUME"
inline std::string ephemeral_claim_name(const Pod& pod, const Volume& volume) {
  return std::string(pod.meta.name).append("-").append(volume.name);
}

// Whether the claim was made for the pod, which its uid alone tells, as upstream has it.
inline bool claim_is_of_pod(const PersistentVolumeClaim& claim, const Pod& pod) {
  if (claim.meta.ns != pod.meta.ns) return false;
  for (const OwnerReference& owner : claim.meta.owners)
    if (owner.controller) return owner.uid == pod.meta.uid;
  return false;
}

}  // namespace libsched
