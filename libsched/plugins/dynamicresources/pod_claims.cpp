// See pod_claims.hpp.
#include "libsched/plugins/dynamicresources/pod_claims.hpp"

#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"

namespace libsched {
namespace {

Error no_claim(std::string why) { return {Rc::kInvalid, std::move(why)}; }

const ResourceClaimStatus* status_of(const Pod& pod, Str entry) {
  for (const ResourceClaimStatus& s : pod.status.resource_claims)
    if (s.name == entry) return &s;
  return nullptr;
}

bool is_owner(const Pod& pod, const ResourceClaim& claim) {
  for (const OwnerReference& o : claim.meta.owners)
    if (o.controller) return o.uid == pod.meta.uid;
  return false;
}

}  // namespace

Result<std::vector<ResourceClaimRef>> claims_of(const View& view, const Pod& pod) {
  std::vector<ResourceClaimRef> out;
  if (pod.spec.resource_claims.empty()) return out;
  const std::string pod_name = object_key(pod.meta.ns, pod.meta.name);
  for (const PodResourceClaim& entry : pod.spec.resource_claims) {
    Str name = entry.claim_name;
    const bool made = !entry.has_claim_name;
    if (made && !entry.has_template_name)
      return no_claim("pod \"" + pod_name + "\", spec.resourceClaim " + go_quote(entry.name) +
                      ": none of the supported fields are set");
    if (made) {
      const ResourceClaimStatus* const status = status_of(pod, entry.name);
      if (status == nullptr)
        return no_claim("pod \"" + pod_name + "\": ResourceClaim not created yet");
      if (!status->has_claim_name) continue;
      name = status->claim_name;
    }
    const auto* claim = view.objects().find<ResourceClaim>(pod.meta.ns, name);
    if (claim == nullptr)
      return no_claim("could not find ResourceClaim \"" + object_key(pod.meta.ns, name) + "\"");
    if (claim->meta.terminating())
      return no_claim("resourceclaim " + go_quote(name) + " is being deleted");
    if (made && !is_owner(pod, *claim))
      return no_claim("ResourceClaim " + object_key(claim->meta.ns, claim->meta.name) +
                      " was not created for Pod " + pod_name + " (Pod is not owner)");
    out.push_back(ResourceClaimRef::share(claim));
  }
  return out;
}

}  // namespace libsched
