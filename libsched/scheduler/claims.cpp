// See claims.hpp.
#include "libsched/scheduler/claims.hpp"

#include "libsched/cluster/transaction.hpp"
#include "libsched/objects/claim_templates.hpp"

namespace libsched {
namespace {

bool is_default(const StorageClass& c) {
  for (const Str key : {Str("storageclass.kubernetes.io/is-default-class"),
                        Str("storageclass.beta.kubernetes.io/is-default-class")}) {
    const Str* const value = find_annotation(c.meta, key);
    if (value != nullptr && *value == "true") return true;
  }
  return false;
}

// The class that the API server gives a claim without one: of several default classes the newest,
// then the first by name. Null: none is the default.
const StorageClass* default_class(const ObjectStore& objects) {
  const StorageClass* found = nullptr;
  objects.for_each<StorageClass>([&](const StorageClass& c) {
    if (!is_default(c)) return;
    if (found == nullptr || c.meta.created.ns > found->meta.created.ns ||
        (c.meta.created.ns == found->meta.created.ns && c.meta.name < found->meta.name))
      found = &c;
  });
  return found;
}

}  // namespace

std::vector<Ref<PersistentVolumeClaim>> missing_claims(const View& view, const Pod& pod) {
  std::vector<Ref<PersistentVolumeClaim>> made;
  const ClaimTemplates* const templates = claim_templates(pod);
  if (templates == nullptr) return made;
  const ObjectStore& objects = view.objects();
  for (const PersistentVolumeClaimRef& like : templates->claims) {
    const std::string name = claim_name(*templates, *like, pod.meta.name);
    if (objects.find<PersistentVolumeClaim>(pod.meta.ns, name) != nullptr) continue;
    const Ref<PersistentVolumeClaim> claim = new_claim(*like, pod.meta.ns, name);
    if (!claim->has_storage_class())
      if (const StorageClass* const c = default_class(objects))
        claim->storage_class_name = claim->arena.copy(c->meta.name);
    made.push_back(claim);
  }
  return made;
}

Result<void> add_missing_claims(Cluster& cluster, const Pod& pod) {
  if (!pod.claim_templates) return {};
  Cluster::Transaction all(&cluster);
  for (const Ref<PersistentVolumeClaim>& claim : missing_claims(cluster.view(), pod))
    LIBSCHED_TRY(cluster.put_object(StoredKind::kPersistentVolumeClaim, ObjectRef(claim)));
  all.commit();
  return {};
}

}  // namespace libsched
