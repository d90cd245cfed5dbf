// Names and owners of claims, as in upstream's component-helpers/storage/ephemeral.
#include "libsched/plugins/volumes/claims.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"

namespace libsched {

Str claim_name(const Pod& pod, const Volume& v, std::string* scratch) {
  if (v.kind != VolumeKind::kEphemeral) return v.id;
  scratch->assign(pod.meta.name);
  scratch->append("-").append(v.name);
  return *scratch;
}

std::string not_owner_error(const PersistentVolumeClaim& claim, const Pod& pod) {
  const auto key = [](const ObjectMeta& m) {
    return std::string(m.ns) + "/" + std::string(m.name);
  };
  return "PVC " + key(claim.meta) + " was not created for pod " + key(pod.meta) +
         " (pod is not owner)";
}

bool names_claim(const Pod& pod, const PersistentVolumeClaim& claim) {
  return pod.meta.ns == claim.meta.ns &&
         std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(), [&](const Volume& v) {
           return v.kind == VolumeKind::kPersistentVolumeClaim && v.id == claim.meta.name;
         });
}

bool uses_claim(const Pod& pod, const PersistentVolumeClaim& claim) {
  std::string scratch;
  return pod.meta.ns == claim.meta.ns &&
         std::any_of(pod.spec.volumes.begin(), pod.spec.volumes.end(), [&](const Volume& v) {
           return has_claim(v) && claim_name(pod, v, &scratch) == claim.meta.name;
         });
}

void add_missing_claim(const View& view, const Pod& pod, Fact* fact) {
  std::string scratch;
  for (const Volume& v : pod.spec.volumes) {
    if (!has_claim(v)) continue;
    const Str name = claim_name(pod, v, &scratch);
    if (view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name) != nullptr) continue;
    fact->text("volume", v.name).key("claim", pod.meta.ns, name).flag("exists", false);
    return;
  }
}

void add_claim(const PersistentVolumeClaim& claim, Fact* fact) {
  fact->key("claim", claim.meta.ns, claim.meta.name);
  if (!claim.phase.empty()) fact->text("phase", claim.phase);
  if (claim.has_storage_class()) fact->text("storageClass", claim.storage_class());
  if (!claim.volume_name.empty()) fact->text("persistentVolume", claim.volume_name);
}

std::string not_found_error(StoredKind kind, Str name) {
  const char* resource = "";
  switch (kind) {
    case StoredKind::kPersistentVolume: resource = "persistentvolume"; break;
    case StoredKind::kPersistentVolumeClaim: resource = "persistentvolumeclaim"; break;
    case StoredKind::kStorageClass: resource = "storageclass.storage.k8s.io"; break;
    default: break;
  }
  return std::string(resource) + " " + go_quote(name) + " not found";
}

}  // namespace libsched
