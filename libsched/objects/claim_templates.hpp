// The volumeClaimTemplates of a StatefulSet: each of its pods has a claim of its own for each.
#pragma once

#include <string>
#include <vector>

#include "libsched/objects/pod.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

class ClaimTemplates final : public Object {
 public:
  ClaimTemplates() : Object(128) {}

  Str set;                    // the StatefulSet's name
  int32_t first_ordinal = 0;  // of its pods
  std::vector<PersistentVolumeClaimRef> claims;
};

// The templates that a pod has from its StatefulSet's document; null: none.
inline const ClaimTemplates* claim_templates(const Pod& pod) {
  return static_cast<const ClaimTemplates*>(pod.claim_templates.get());
}

// The name of a pod's claim: "TEMPLATE-POD". A pod with the name of the set stands for the first
// one.
std::string claim_name(const ClaimTemplates& templates, const PersistentVolumeClaim& claim,
                       Str pod);

// Gives a pod that is not shared yet a volume for each claim template, which replaces a volume of
// that name, and derives the names of its claims. Does nothing to a pod without templates.
void name_claims(Pod& pod);

}  // namespace libsched
