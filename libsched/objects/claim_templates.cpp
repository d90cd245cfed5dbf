// See claim_templates.hpp.
#include "libsched/objects/claim_templates.hpp"

#include <unordered_set>

#include "libsched/objects/pod_parts.hpp"

namespace libsched {

std::string claim_name(const ClaimTemplates& templates, const PersistentVolumeClaim& claim,
                       Str pod) {
  std::string name(claim.meta.name);
  name.append("-").append(pod);
  if (pod == templates.set) name.append("-").append(std::to_string(templates.first_ordinal));
  return name;
}

void name_claims(Pod& pod) {
  const ClaimTemplates* const templates = claim_templates(pod);
  if (templates == nullptr) return;
  std::vector<Volume> volumes;
  std::unordered_set<Str> claimed;
  for (const PersistentVolumeClaimRef& claim : templates->claims) {
    Volume v;
    v.name = claim->meta.name;
    v.kind = VolumeKind::kPersistentVolumeClaim;
    v.id = pod.arena.copy(claim_name(*templates, *claim, pod.meta.name));
    volumes.push_back(v);
    claimed.insert(v.name);
  }
  for (const Volume& v : pod.spec.volumes)
    if (!claimed.contains(v.name)) volumes.push_back(v);
  pod.spec.volumes = pod.arena.copy(volumes);
  pod.claim_names = collect_claims(pod);
  note_parts(pod);
}

}  // namespace libsched
