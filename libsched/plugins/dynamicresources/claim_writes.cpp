// See claim_writes.hpp. Requests are merge patches, in which lists are whole.
#include "libsched/plugins/dynamicresources/claim_writes.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "libsched/ingest/write/write.hpp"

namespace libsched {
namespace {

using Json = nlohmann::ordered_json;

Json as_json(const ResourceClaim& claim) {
  JsonText text;
  write_stored(text, StoredKind::kResourceClaim, claim);
  return Json::parse(text.take());
}

Json member(const Json& object, const char* name) {
  const auto at = object.find(name);
  return at == object.end() ? Json() : *at;
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

void add_consumer(ResourceClaim& copy, const Pod& pod) {
  std::vector<ClaimConsumer> all(copy.reserved_for.begin(), copy.reserved_for.end());
  all.push_back(
      {Str(), Str("pods"), copy.arena.copy(pod.meta.name), copy.arena.copy(pod.meta.uid)});
  copy.reserved_for = copy.arena.copy(all);
}

void stamp(ResourceClaim& copy, int64_t now_ns) {
  if (!copy.allocation->timestamp.present) copy.allocation->timestamp = {now_ns, true};
}

Steps<Result<void>> write_claim(Services& services, ResourceClaimRef claim) {
  const Json written = as_json(*claim);
  const Json status = member(written, "status");
  Json patch;
  if (!claim->meta.resource_version.empty())
    patch["metadata"]["resourceVersion"] = std::string(claim->meta.resource_version);
  patch["metadata"]["finalizers"] = member(written.at("metadata"), "finalizers");
  patch["status"]["allocation"] = member(status, "allocation");
  patch["status"]["reservedFor"] = member(status, "reservedFor");
  const ObjectRef object(claim);
  const std::string text = patch.dump();
  co_return co_await services.api().request(
      ApiRequest::update_object(StoredKind::kResourceClaim, object, text));
}

Steps<> release_consumer(Services& services, const ResourceClaim& claim, const Pod& pod) {
  const Ref<ResourceClaim> copy = copy_resource_claim(claim);
  remove_items(*copy, &ResourceClaim::reserved_for,
               [&](const ClaimConsumer& c) { return c.uid == pod.meta.uid; });
  copy->meta.resource_version = {};  // whatever version the claim has by now
  Json patch;
  patch["metadata"]["uid"] = std::string(claim.meta.uid);
  patch["status"]["reservedFor"] = member(member(as_json(*copy), "status"), "reservedFor");
  const ObjectRef object{ResourceClaimRef(copy)};
  const std::string text = patch.dump();
  static_cast<void>(co_await services.api().request(
      ApiRequest::update_object(StoredKind::kResourceClaim, object, text)));
}

bool is_conflict(const Error& error) {
  return error.message.starts_with("Operation cannot be fulfilled on ");
}

bool same_status(const ResourceClaim& a, const ResourceClaim& b) {
  return member(as_json(a), "status") == member(as_json(b), "status");
}

}  // namespace libsched
