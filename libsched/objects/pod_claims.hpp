// ResourceClaims that pods have from ResourceClaimTemplates, as upstream's resourceclaim controller
// makes them: one for each entry of spec.resourceClaims that names a template.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "libsched/objects/pod.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// Names the entry of spec.resourceClaims that a claim was made for.
inline constexpr Str kPodClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

// Whether the entry's claim is made from a template.
inline bool is_from_template(const PodResourceClaim& entry) {
  return !entry.has_claim_name && !entry.template_name.empty();
}
// Whether the pod has such an entry.
bool has_claims_from_templates(const Pod& pod);

// Whether the pod is the controller of the claim. A pod without uid is known by its name.
bool owns_claim(const Pod& pod, const ResourceClaim& claim);
// The pod that the claim was made for; null: it was not made for a pod.
const OwnerReference* owning_pod(const ResourceClaim& claim);
// The entry that the claim was made for, or null.
inline const Str* claim_entry(const ResourceClaim& claim) {
  return find_annotation(claim.meta, kPodClaimAnnotation);
}

// The beginning of the name of an entry's claim: "POD-ENTRY-", whose parts are cut in proportion to
// their lengths if it is longer than 58 bytes.
std::string claim_name_prefix(Str pod, Str entry);
// The end of the name, five letters and digits as the API server draws them. It depends on these
// texts and the number of the attempt alone.
std::string claim_name_suffix(Str ns, Str pod, Str entry, uint64_t attempt);

// The claim that the controller makes for an entry, without uid.
Ref<ResourceClaim> claim_from_template(const ResourceClaimTemplate& like, const Pod& pod, Str entry,
                                       Str name);

// A claim that was made for a pod, as if it had been made for another one.
Ref<ResourceClaim> owned_claim(const ResourceClaim& claim, const Pod& pod);

// The pod with these claims in status.resourceClaimStatuses, beside those of other entries.
Ref<Pod> with_claim_statuses(const Pod& pod, const std::vector<ResourceClaimStatus>& made);

// The claim without consumers: it loses its allocation and the scheduler's finalizer.
Ref<ResourceClaim> unreserved_claim(const ResourceClaim& claim);

// The claim without the consumers that `gone` names; without any it is an unreserved one. Null:
// nothing changes.
template <typename Gone>
Ref<ResourceClaim> released_claim(const ResourceClaim& claim, Gone&& gone) {
  const auto left = claim.reserved_for.size() -
                    static_cast<size_t>(std::ranges::count_if(claim.reserved_for, gone));
  if (left == claim.reserved_for.size()) return {};
  if (left == 0) return unreserved_claim(claim);
  Ref<ResourceClaim> copy = copy_resource_claim(claim);
  remove_items(*copy, &ResourceClaim::reserved_for, gone);
  return copy;
}

}  // namespace libsched
