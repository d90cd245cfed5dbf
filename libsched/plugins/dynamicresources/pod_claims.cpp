// See pod_claims.hpp.
#include "libsched/plugins/dynamicresources/pod_claims.hpp"

#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"

namespace libsched {
namespace {

Error no_claim(std::string why) { return {Rc::kInvalid, std::move(why)}; }

const ResourceClaimStatus* status_of(Span<ResourceClaimStatus> statuses, Str entry) {
  for (const ResourceClaimStatus& s : statuses)
    if (s.name == entry) return &s;
  return nullptr;
}

constexpr Str kGroupApi = "scheduling.k8s.io";

const OwnerReference* controller_of(const ResourceClaim& claim) {
  for (const OwnerReference& o : claim.meta.owners)
    if (o.controller) return &o;
  return nullptr;
}

bool is_owner(const ObjectMeta& owner, const ResourceClaim& claim) {
  const OwnerReference* const controller = controller_of(claim);
  return controller != nullptr && controller->uid == owner.uid;
}

// Pods do not know the uid of their group.
bool is_of_group(const Pod& pod, const ResourceClaim& claim) {
  const OwnerReference* const controller = controller_of(claim);
  return controller != nullptr && controller->name == pod.spec.scheduling_group &&
         controller->kind == "PodGroup" &&
         controller->api_version.starts_with(std::string(kGroupApi) + "/");
}

std::string not_made_for(const Pod& pod, const ResourceClaim& claim, bool groups) {
  const std::string text = "ResourceClaim " + object_key(claim.meta.ns, claim.meta.name) +
                           " was not created for Pod " + object_key(pod.meta.ns, pod.meta.name);
  if (!groups || pod.spec.scheduling_group.empty()) return text + " (Pod is not owner)";
  return text + " (neither Pod nor PodGroup " + std::string(pod.spec.scheduling_group) +
         " is the owner)";
}

Error not_set(std::string what) {
  return no_claim(std::move(what) + ": none of the supported fields are set");
}

bool same_source(const PodResourceClaim& a, const PodResourceClaim& b) {
  return a.name == b.name && a.has_claim_name == b.has_claim_name &&
         a.has_template_name == b.has_template_name && a.claim_name == b.claim_name &&
         a.template_name == b.template_name;
}

}  // namespace

Result<std::vector<ResourceClaimRef>> claims_of(const View& view, const Pod& pod, bool groups) {
  std::vector<ResourceClaimRef> out;
  if (pod.spec.resource_claims.empty()) return out;
  const std::string pod_name = object_key(pod.meta.ns, pod.meta.name);
  for (const PodResourceClaim& entry : pod.spec.resource_claims) {
    Str name = entry.claim_name;
    const bool made = !entry.has_claim_name;
    if (made && !entry.has_template_name)
      return not_set("pod \"" + pod_name + "\", spec.resourceClaim " + go_quote(entry.name));
    if (made) {
      const ResourceClaimStatus* const status = status_of(pod.status.resource_claims, entry.name);
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
    if (made && !is_owner(pod.meta, *claim) && !(groups && is_of_group(pod, *claim)))
      return no_claim(not_made_for(pod, *claim, groups));
    out.push_back(ResourceClaimRef::share(claim));
  }
  return out;
}

Result<std::vector<PodGroupRef>> groups_of_entries(const View& view, const Pod& pod,
                                                   bool snapshot) {
  std::vector<PodGroupRef> out(pod.spec.resource_claims.size());
  if (pod.spec.scheduling_group.empty()) return out;
  const auto* const group = view.objects().find<PodGroup>(pod.meta.ns, pod.spec.scheduling_group);
  const std::string key = object_key(pod.meta.ns, pod.spec.scheduling_group);
  if (group == nullptr)
    return no_claim(snapshot ? "pod group state not found for pod group podgroup/" + key
                             : "podgroup.scheduling.k8s.io " + go_quote(pod.spec.scheduling_group) +
                                   " not found");
  for (size_t i = 0; i < out.size(); ++i)
    for (const PodResourceClaim& of_group : group->resource_claims) {
      if (!of_group.has_claim_name && !of_group.has_template_name)
        return not_set("PodGroup " + key + " claim " + std::string(of_group.name));
      if (!same_source(of_group, pod.spec.resource_claims[i])) continue;
      out[i] = PodGroupRef::share(group);
      break;
    }
  return out;
}

bool is_reserved(const ResourceClaim& claim, const Pod& pod, bool groups) {
  for (const ClaimConsumer& c : claim.reserved_for) {
    if (c.uid == pod.meta.uid) return true;
    if (groups && !pod.spec.scheduling_group.empty() && c.api_group == kGroupApi &&
        c.resource == "podgroups" && c.name == pod.spec.scheduling_group)
      return true;
  }
  return false;
}

Result<std::vector<ResourceClaimRef>> claims_of_group(const View& view, const PodGroup& group) {
  std::vector<ResourceClaimRef> out;
  const std::string key = object_key(group.meta.ns, group.meta.name);
  for (const PodResourceClaim& entry : group.resource_claims) {
    Str name = entry.claim_name;
    const bool made = !entry.has_claim_name;
    if (made && !entry.has_template_name)
      return not_set("PodGroup " + key + ", spec.resourceClaim " + std::string(entry.name));
    if (made) {
      const ResourceClaimStatus* const status = status_of(group.claim_statuses, entry.name);
      if (status == nullptr) return no_claim("PodGroup " + key + ": ResourceClaim not created yet");
      if (!status->has_claim_name) continue;
      name = status->claim_name;
    }
    const auto* claim = view.objects().find<ResourceClaim>(group.meta.ns, name);
    if (claim == nullptr)
      return no_claim("could not find ResourceClaim \"" + object_key(group.meta.ns, name) + "\"");
    if (!made || is_owner(group.meta, *claim)) out.push_back(ResourceClaimRef::share(claim));
  }
  return out;
}

}  // namespace libsched
