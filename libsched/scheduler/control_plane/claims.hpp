// The claims that controllers make for pods: PersistentVolumeClaims of a StatefulSet's pods and of
// generic ephemeral volumes, and ResourceClaims from ResourceClaimTemplates.
#pragma once

#include <cstddef>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

struct MissingClaims {
  // The pod as the controllers leave it: with the names of its ResourceClaims in
  // status.resourceClaimStatuses. The pod that was given if nothing changes.
  PodRef pod;
  // Not bound, and of the default StorageClass if the template names none, as the API server has
  // it.
  std::vector<Ref<PersistentVolumeClaim>> volumes;
  // Not allocated, with a name that no other claim has. The same cluster and pod give the same
  // names.
  std::vector<Ref<ResourceClaim>> devices;
};

// The claim of a generic ephemeral volume as its controller makes it, but for the default class.
// Errors: kInvalid with the path in the volume.
Result<Ref<PersistentVolumeClaim>> ephemeral_claim(const Pod& pod, const Volume& volume);

// Whether the pod has claims that a controller makes.
bool has_made_claims(const Pod& pod);

// The claims that the cluster lacks of a pod's volumeClaimTemplates, which only a StatefulSet's pod
// template and its copies have, of its generic ephemeral volumes, and of its
// ResourceClaimTemplates. A claim of another pod that has the name of one stays as it is. Errors,
// with the path in the pod: kNotFound (a ResourceClaimTemplate), kInvalid (the claim template of a
// volume). Entries of spec.resourceClaims that are `settled` have
// their claims, whatever the cluster says.
Result<MissingClaims> missing_claims(const View& view, const PodRef& pod, Span<Str> settled = {});

// Adds them to the cluster, all or none, and returns the pod as the controllers leave it.
Result<PodRef> add_missing_claims(Cluster& cluster, const PodRef& pod);

// What the controllers do to claims once the pod is not there any more: those made for it go, of
// its generic ephemeral volumes, too; other ResourceClaims are not reserved for it, and lose their
// devices if no other pod has reserved them.
Result<void> release_claims(Cluster& cluster, const Pod& gone);

// Takes back what placing a pod has taken, as the Cluster Autoscaler does: no ResourceClaim is
// reserved for it, and those made for it, or not reserved any more, lose their devices. That of its
// extended resources goes: placing it again makes a new one.
Result<void> unreserve_claims(Cluster& cluster, const Pod& pod);

}  // namespace libsched
