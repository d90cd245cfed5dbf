// See claim_writes.hpp. Requests are merge patches, in which lists are whole.
#include "libsched/plugins/dynamicresources/claim_writes.hpp"

#include <algorithm>

#include "libsched/ingest/write/write.hpp"

namespace libsched {
namespace {

std::string status_json(const ResourceClaim& claim) {
  JsonText json;
  write_claim_status(json, claim);
  return json.take();
}

}  // namespace

void set_allocation(ResourceClaim& copy, const NewAllocationRef& allocation) {
  copy.allocation = copy_allocation(allocation->allocation, copy.arena);
  if (std::find(copy.finalizers.begin(), copy.finalizers.end(), kClaimFinalizer) !=
      copy.finalizers.end())
    return;
  std::vector<Str> all(copy.finalizers.begin(), copy.finalizers.end());
  all.push_back(kClaimFinalizer);
  copy.finalizers = copy.arena.copy(all);
}

void add_consumer(ResourceClaim& copy, const Pod& pod, const PodGroup* group) {
  std::vector<ClaimConsumer> all(copy.reserved_for.begin(), copy.reserved_for.end());
  const ObjectMeta& of = group == nullptr ? pod.meta : group->meta;
  const Str name = copy.arena.copy(of.name), uid = copy.arena.copy(of.uid);
  if (group == nullptr)
    all.push_back({Str(), Str("pods"), name, uid});
  else
    all.push_back({Str("scheduling.k8s.io"), Str("podgroups"), name, uid});
  copy.reserved_for = copy.arena.copy(all);
}

void stamp(ResourceClaim& copy, int64_t now_ns) {
  if (!copy.allocation->timestamp.present) copy.allocation->timestamp = {now_ns, true};
}

Steps<Result<void>> write_claim(Services& services, ResourceClaimRef claim) {
  JsonText patch;
  patch.object([&] {
    patch.object("metadata", [&] {
      patch.field_if("resourceVersion", claim->meta.resource_version);
      patch.strings_if("finalizers", claim->finalizers);
      if (!claim->finalizers.empty()) return;
      patch.key("finalizers");
      patch.null();
    });
    patch.object("status", [&] {
      write_allocation_or_null(patch, *claim);
      write_reserved_for_or_null(patch, *claim);
    });
  });
  const ObjectRef object(claim);
  const std::string text = patch.take();
  co_return co_await services.api().request(
      ApiRequest::update_object(StoredKind::kResourceClaim, object, text));
}

Steps<Result<void>> release_consumer(Services& services, const ResourceClaim& claim, Str uid) {
  const Ref<ResourceClaim> copy = copy_resource_claim(claim);
  remove_items(*copy, &ResourceClaim::reserved_for,
               [&](const ClaimConsumer& c) { return c.uid == uid; });
  copy->meta.resource_version = {};  // whatever version the claim has by now
  JsonText patch;
  patch.object([&] {
    patch.object("metadata", [&] { patch.field("uid", claim.meta.uid); });
    patch.object("status", [&] { write_reserved_for_or_null(patch, *copy); });
  });
  const ObjectRef object{ResourceClaimRef(copy)};
  const std::string text = patch.take();
  co_return co_await services.api().request(
      ApiRequest::update_object(StoredKind::kResourceClaim, object, text));
}

bool is_conflict(const Error& error) {
  return error.message.starts_with("Operation cannot be fulfilled on ");
}

bool same_status(const ResourceClaim& a, const ResourceClaim& b) {
  return status_json(a) == status_json(b);
}

}  // namespace libsched
