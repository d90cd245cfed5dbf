// See claims.hpp.
#include "libsched/scheduler/control_plane/claims.hpp"

#include <algorithm>
#include <string>

#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/cluster/transaction.hpp"
#include "libsched/ingest/ephemeral_claim.hpp"
#include "libsched/objects/claim_templates.hpp"
#include "libsched/objects/ephemeral_claims.hpp"
#include "libsched/objects/pod_claims.hpp"
#include "libsched/scheduler/control_plane/default_class.hpp"

namespace libsched {
namespace {

std::vector<Ref<PersistentVolumeClaim>> missing_volumes(const View& view, const Pod& pod) {
  std::vector<Ref<PersistentVolumeClaim>> made;
  const ClaimTemplates* const templates = claim_templates(pod);
  if (templates == nullptr) return made;
  const ObjectStore& objects = view.objects();
  const DefaultClass classes(objects);
  for (const PersistentVolumeClaimRef& like : templates->claims) {
    const std::string name = claim_name(*templates, *like, pod.meta.name);
    if (objects.find<PersistentVolumeClaim>(pod.meta.ns, name) != nullptr) continue;
    const Ref<PersistentVolumeClaim> claim = new_claim(*like, pod.meta.ns, name);
    classes.complete(*claim);
    made.push_back(claim);
  }
  return made;
}

// The ephemeral volume controller's claims.
Result<void> add_ephemeral(const View& view, const Pod& pod,
                           std::vector<Ref<PersistentVolumeClaim>>* made) {
  if (!has_ephemeral_volumes(pod)) return {};
  const DefaultClass classes(view.objects());
  for (size_t i = 0; i < pod.spec.volumes.size(); ++i) {
    const Volume& v = pod.spec.volumes[i];
    if (v.kind != VolumeKind::kEphemeral) continue;
    const std::string name = ephemeral_claim_name(pod, v);
    if (view.objects().find<PersistentVolumeClaim>(pod.meta.ns, name) != nullptr) continue;
    Result<Ref<PersistentVolumeClaim>> claim = ephemeral_claim(pod, v);
    if (!claim.ok()) {
      Error error = std::move(claim.error());
      error.message =
          "pod " + go_quote(object_key(pod.meta.ns, pod.meta.name)) + ": " + error.message;
      error.path = "spec.volumes[" + std::to_string(i) + "]." + error.path;
      return error;
    }
    classes.complete(**claim);
    made->push_back(std::move(*claim));
  }
  return {};
}

// What the resourceclaim controller does with the entries of a pod.
class PodClaims {
 public:
  PodClaims(const ObjectStore& objects, const Pod& pod) : objects_(objects), pod_(pod) {}

  Result<void> add(size_t index) {
    const PodResourceClaim& entry = pod_.spec.resource_claims[index];
    if (!is_from_template(entry) || is_settled(entry)) return {};
    if (const ResourceClaim* const there = orphan(entry); there != nullptr) {
      statuses_.push_back({entry.name, there->meta.name, true});
      return {};
    }
    const auto* const like =
        objects_.find<ResourceClaimTemplate>(pod_.meta.ns, entry.template_name);
    if (like == nullptr)
      return Error{
          Rc::kNotFound,
          "pod " + go_quote(object_key(pod_.meta.ns, pod_.meta.name)) + ": ResourceClaimTemplate " +
              go_quote(object_key(pod_.meta.ns, entry.template_name)) + " is not in the cluster",
          "spec.resourceClaims[" + std::to_string(index) + "].resourceClaimTemplateName"};
    made_.push_back(claim_from_template(*like, pod_, entry.name, free_name(entry.name)));
    statuses_.push_back({entry.name, made_.back()->meta.name, true});
    return {};
  }

  std::vector<Ref<ResourceClaim>>& made() { return made_; }
  const std::vector<ResourceClaimStatus>& statuses() const { return statuses_; }

 private:
  // Whether the entry has its claim, or needs none.
  bool is_settled(const PodResourceClaim& entry) const {
    if (std::ranges::find(statuses_, entry.name, &ResourceClaimStatus::name) != statuses_.end())
      return true;
    for (const ResourceClaimStatus& s : pod_.status.resource_claims) {
      if (s.name != entry.name) continue;
      if (!s.has_claim_name) return true;
      const auto* const claim = objects_.find<ResourceClaim>(pod_.meta.ns, s.claim_name);
      return claim != nullptr && owns_claim(pod_, *claim);
    }
    return false;
  }

  // Returns a claim that was made for the entry but that the pod's status does not name, or null.
  const ResourceClaim* orphan(const PodResourceClaim& entry) const {
    const ResourceClaim* found = nullptr;
    objects_.for_each_named<ResourceClaim>(
        pod_.meta.ns, claim_name_prefix(pod_.meta.name, entry.name), [&](const ResourceClaim& c) {
          const Str* const made_for = claim_entry(c);
          if (made_for == nullptr || *made_for != entry.name || !owns_claim(pod_, c)) return false;
          found = &c;
          return true;
        });
    if (found != nullptr) return found;
    // Old releases named it so, without an annotation.
    const std::string old_name = std::string(pod_.meta.name) + "-" + std::string(entry.name);
    const auto* const old = objects_.find<ResourceClaim>(pod_.meta.ns, old_name);
    const bool its = old != nullptr && claim_entry(*old) == nullptr && owns_claim(pod_, *old);
    return its ? old : nullptr;
  }

  std::string free_name(Str entry) const {
    const std::string prefix = claim_name_prefix(pod_.meta.name, entry);
    for (uint64_t attempt = 0;; ++attempt) {
      std::string name = prefix + claim_name_suffix(pod_.meta.ns, pod_.meta.name, entry, attempt);
      const bool taken = objects_.find<ResourceClaim>(pod_.meta.ns, name) != nullptr ||
                         std::ranges::any_of(made_, [&](const Ref<ResourceClaim>& c) {
                           return c->meta.name == name;
                         });
      if (!taken) return name;
    }
  }

  const ObjectStore& objects_;
  const Pod& pod_;
  std::vector<Ref<ResourceClaim>> made_;
  std::vector<ResourceClaimStatus> statuses_;  // that change
};

}  // namespace

Result<Ref<PersistentVolumeClaim>> ephemeral_claim(const Pod& pod, const Volume& volume) {
  Result<Ref<PersistentVolumeClaim>> claim = read_ephemeral_claim(volume);
  if (!claim.ok()) return claim;
  ObjectMeta& meta = (*claim)->meta;
  Arena& arena = (*claim)->arena;
  meta.name = arena.copy(ephemeral_claim_name(pod, volume));
  meta.ns = arena.copy(pod.meta.ns);
  meta.uid = meta.resource_version = Str("", 0);
  meta.key_hash = object_key_hash(meta.ns, meta.name);
  const OwnerReference owner{"v1", "Pod", arena.copy(pod.meta.name), arena.copy(pod.meta.uid),
                             true};
  meta.owners = arena.copy(&owner, 1);
  return claim;
}

bool has_made_claims(const Pod& pod) {
  return pod.claim_templates || has_claims_from_templates(pod) || has_ephemeral_volumes(pod);
}

Result<MissingClaims> missing_claims(const View& view, const PodRef& pod, Span<Str> settled) {
  MissingClaims out;
  out.pod = pod;
  out.volumes = missing_volumes(view, *pod);
  LIBSCHED_TRY(add_ephemeral(view, *pod, &out.volumes));
  PodClaims claims(view.objects(), *pod);
  for (size_t i = 0; i < pod->spec.resource_claims.size(); ++i)
    if (std::ranges::find(settled, pod->spec.resource_claims[i].name) == settled.end())
      LIBSCHED_TRY(claims.add(i));
  if (!claims.statuses().empty()) out.pod = PodRef(with_claim_statuses(*pod, claims.statuses()));
  out.devices = std::move(claims.made());
  return out;
}

Result<PodRef> add_missing_claims(Cluster& cluster, const PodRef& pod) {
  if (!has_made_claims(*pod)) return pod;
  Result<MissingClaims> missing = missing_claims(cluster.view(), pod);
  if (!missing.ok()) return std::move(missing.error());
  Cluster::Transaction all(&cluster);
  for (const Ref<PersistentVolumeClaim>& claim : missing->volumes)
    LIBSCHED_TRY(cluster.put_object(StoredKind::kPersistentVolumeClaim, ObjectRef(claim)));
  for (const Ref<ResourceClaim>& claim : missing->devices)
    LIBSCHED_TRY(cluster.put_object(StoredKind::kResourceClaim, ObjectRef(claim)));
  all.commit();
  return std::move(missing->pod);
}

namespace {

// The names of the pod's ResourceClaims that are known.
std::vector<Str> claims_of(const Pod& pod) {
  std::vector<Str> names;
  for (const PodResourceClaim& entry : pod.spec.resource_claims)
    if (!entry.claim_name.empty()) names.push_back(entry.claim_name);
  for (const ResourceClaimStatus& s : pod.status.resource_claims)
    if (s.has_claim_name) names.push_back(s.claim_name);
  if (!pod.status.extended_resource_claim.empty())
    names.push_back(pod.status.extended_resource_claim);
  return names;
}

// What the garbage collector does: claims of ephemeral volumes go with their pod.
Result<void> remove_ephemeral(Cluster& cluster, const Pod& gone) {
  for (const Volume& v : gone.spec.volumes) {
    if (v.kind != VolumeKind::kEphemeral) continue;
    const std::string name = ephemeral_claim_name(gone, v);
    const auto* const claim =
        cluster.view().objects().find<PersistentVolumeClaim>(gone.meta.ns, name);
    if (claim != nullptr && claim_is_of_pod(*claim, gone))
      LIBSCHED_TRY(cluster.remove_object(StoredKind::kPersistentVolumeClaim, gone.meta.ns, name));
  }
  return {};
}

Ref<ResourceClaim> without_pod(const ResourceClaim& claim, const Pod& pod) {
  return released_claim(claim, [&](const ClaimConsumer& c) {
    return c.resource == "pods" && c.uid == pod.meta.uid && c.name == pod.meta.name;
  });
}

// Changes each of the pod's claims: change(claim) gives the new version, or null for none.
template <typename F>
Result<void> change_claims(Cluster& cluster, const Pod& pod, F&& change) {
  const std::vector<Str> names = claims_of(pod);
  if (names.empty()) return {};
  Cluster::Transaction all(&cluster);
  for (const Str name : names) {
    const auto* const claim = cluster.view().objects().find<ResourceClaim>(pod.meta.ns, name);
    if (claim != nullptr) LIBSCHED_TRY(change(*claim));
  }
  all.commit();
  return {};
}

}  // namespace

Result<void> release_claims(Cluster& cluster, const Pod& gone) {
  Cluster::Transaction all(&cluster);
  LIBSCHED_TRY(remove_ephemeral(cluster, gone));
  LIBSCHED_TRY(change_claims(cluster, gone, [&](const ResourceClaim& claim) -> Result<void> {
    if (owns_claim(gone, claim)) {
      const std::string name(claim.meta.name);
      return cluster.remove_object(StoredKind::kResourceClaim, gone.meta.ns, name);
    }
    const Ref<ResourceClaim> released = without_pod(claim, gone);
    return released ? cluster.put_object(StoredKind::kResourceClaim, ObjectRef(released))
                    : Result<void>();
  }));
  all.commit();
  return {};
}

Result<void> unreserve_claims(Cluster& cluster, const Pod& pod) {
  return change_claims(cluster, pod, [&](const ResourceClaim& claim) -> Result<void> {
    if (is_extended_claim_of(claim, pod.meta.name, pod.meta.uid)) {
      const std::string name(claim.meta.name);
      return cluster.remove_object(StoredKind::kResourceClaim, pod.meta.ns, name);
    }
    Ref<ResourceClaim> released = without_pod(claim, pod);
    // Also one that was not reserved for the pod.
    const bool loses_devices = owns_claim(pod, claim) || claim.reserved_for.empty();
    if (loses_devices && claim.allocation) released = unreserved_claim(claim);
    return released ? cluster.put_object(StoredKind::kResourceClaim, ObjectRef(released))
                    : Result<void>();
  });
}

}  // namespace libsched
