// See claim_api.hpp.
#include "claim_api.hpp"

#include "libsched/base/quote.hpp"
#include "libsched/ingest/ingest.hpp"
#include "libsched/ingest/write/write.hpp"

namespace libsched::cycles {
namespace {

bool is_uuid(const std::string& text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : std::string("0123456789abcdef").find(text[i]) == std::string::npos)
      return false;
  }
  return true;
}

// The claim as it is after a patch, which is applied to JSON: amounts are what their texts say.
ResourceClaimRef reread(const ResourceClaim& claim) {
  const std::string text = ClaimApi::document(claim).dump();
  const Result<ObjectSet> set = parse_objects(text, {});
  if (!set.ok() || set->stored.size() != 1) return ResourceClaimRef::share(&claim);
  return ResourceClaimRef::share(static_cast<const ResourceClaim*>(set->stored[0].object.get()));
}

}  // namespace

Json ClaimApi::document(const ResourceClaim& claim) {
  JsonText text;
  write_stored(text, StoredKind::kResourceClaim, claim);
  return Json::parse(text.take());
}

Json ClaimApi::allocation(const Json& given, Shares& shares) {
  Json out = given;
  out.erase("allocationTimestamp");
  const auto devices = out.find("devices");
  if (devices == out.end() || !devices->contains("results")) return out;
  for (Json& result : (*devices)["results"]) {
    const auto id = member<std::string>(result, "shareID", "");
    if (!is_uuid(id)) continue;
    result["shareID"] =
        shares.emplace(id, "share-" + std::to_string(shares.size() + 1)).first->second;
  }
  return out;
}

void ClaimApi::start() {
  std::vector<ResourceClaimRef> all;
  cluster_->view().objects().for_each<ResourceClaim>(
      [&](const ResourceClaim& c) { all.push_back(ResourceClaimRef::share(&c)); });
  for (const ResourceClaimRef& c : all) put(*c);
  static_cast<void>(changes());
}

void ClaimApi::put(const ResourceClaim& claim) {
  const Ref<ResourceClaim> copy = copy_resource_claim(claim);
  copy->meta.resource_version = copy->arena.copy(std::to_string(++version_));
  const std::string key = key_of(claim.meta);
  claims_[key] = copy;
  waiting_.push_back(copy);
  deliver();
}

void ClaimApi::deliver() {
  while (!waiting_.empty() &&
         cluster_->put_object(StoredKind::kResourceClaim, ObjectRef(waiting_.front())).ok())
    waiting_.erase(waiting_.begin());
  while (waiting_.empty() && !gone_.empty() &&
         cluster_->remove_object(StoredKind::kResourceClaim, gone_[0].first, gone_[0].second).ok())
    gone_.erase(gone_.begin());
}

Result<void> ClaimApi::patch_pod_status(const Pod&, const PodStatusPatch& patch) {
  if (patch.allocatable_claims) allocatable_ = Json::parse(patch.allocatable_claims->json);
  if (!patch.extended_claim) return {};
  extended_ = {{"resourceClaimName", patch.extended_claim->claim}};
  for (const PodStatusPatch::ExtendedClaim::Mapping& m : patch.extended_claim->mappings)
    extended_["requestMappings"].push_back(
        {{"containerName", m.container}, {"resourceName", m.resource}, {"requestName", m.request}});
  return {};
}

Result<ResourceClaimRef> ClaimApi::create_claim(const ResourceClaim& claim, Str generate_name) {
  const Ref<ResourceClaim> made = copy_resource_claim(claim);
  name_claim(*made, std::string(generate_name) + "new");
  put(*made);
  return claims_.at(key_of(made->meta));
}

Result<void> ClaimApi::delete_object(StoredKind, Str ns, Str name) {
  claims_.erase(std::string(ns) + "/" + std::string(name));
  gone_.emplace_back(ns, name);
  deliver();
  return {};
}

Result<void> ClaimApi::update_object(StoredKind, const ObjectRef& object, Str) {
  const auto& claim = static_cast<const ResourceClaim&>(*object);
  const auto known = claims_.find(key_of(claim.meta));
  const std::string quoted = go_quote(claim.meta.name);
  if (known == claims_.end())
    return Error{Rc::kNotFound, "resourceclaims.resource.k8s.io " + quoted + " not found"};
  if (!claim.meta.resource_version.empty() &&
      claim.meta.resource_version != known->second->meta.resource_version)
    return Error{Rc::kExists, "Operation cannot be fulfilled on resourceclaims.resource.k8s.io " +
                                  quoted + ": the object has been modified"};
  put(claim.meta.resource_version.empty() ? *reread(claim) : claim);
  return {};
}

Json ClaimApi::changes() {
  deliver();
  Json out = Json::object();
  std::map<std::string, std::string> now;
  for (const auto& [key, claim] : claims_) {
    now[key] = claim->meta.resource_version;
    const auto old = seen_.find(key);
    if (old != seen_.end() && old->second == now[key]) continue;
    const Json written = document(*claim);
    const Json status = member(written, "status", Json::object());
    Json& c = out[key] = Json::object();
    const Json finalizers = member(written.at("metadata"), "finalizers", Json::array());
    if (!finalizers.empty()) c["finalizers"] = finalizers;
    if (old == seen_.end()) c["spec"] = written.at("spec");
    if (status.contains("allocation")) c["allocation"] = allocation(status["allocation"], shares_);
    const Json consumers = member(status, "reservedFor", Json::array());
    if (!consumers.empty()) c["reservedFor"] = consumers;
  }
  for (const auto& [key, version] : seen_)
    if (!now.contains(key)) out[key] = nullptr;
  seen_ = now;
  return out;
}

}  // namespace libsched::cycles
