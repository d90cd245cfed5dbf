// See next_claim.hpp.
#include "libsched/scheduler/api_memory/next_claim.hpp"

#include <nlohmann/json.hpp>
#include <string>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

Error conflict(const ResourceClaim& claim, const std::string& why) {
  return {Rc::kExists,
          "Operation cannot be fulfilled on resourceclaims.resource.k8s.io " +
              go_quote(claim.meta.name) + ": " + why,
          {},
          {}};
}

// Whether the patch is one of the claim itself: a uid and a version are preconditions.
bool changes_claim(const nlohmann::json& patch) {
  if (patch.size() > patch.count("status") + patch.count("metadata")) return true;
  const auto metadata = patch.find("metadata");
  if (metadata == patch.end()) return false;
  return !metadata->is_object() || metadata->empty() ||
         metadata->size() > metadata->count("uid") + metadata->count("resourceVersion");
}

}  // namespace

Result<void> check_precondition(const ResourceClaim& now, const ResourceClaim& given) {
  if (!given.meta.uid.empty() && given.meta.uid != now.meta.uid)
    return conflict(now,
                    "Precondition failed: UID in precondition: " + std::string(given.meta.uid) +
                        ", UID in object meta: " + std::string(now.meta.uid));
  if (!given.meta.resource_version.empty() &&
      given.meta.resource_version != now.meta.resource_version)
    return conflict(now,
                    "the object has been modified; please apply your changes to the latest version "
                    "and try again");
  return {};
}

Result<Ref<ResourceClaim>> patched_claim(const ResourceClaim& now, const ResourceClaim& given,
                                         Str patch) {
  const nlohmann::json changes = nlohmann::json::parse(patch, nullptr, false);
  if (!changes.is_object()) return invalid({}, "the patch of a ResourceClaim is no JSON object");
  LIBSCHED_TRY(check_precondition(now, given));
  const bool status = changes.contains("status");
  const bool itself = changes_claim(changes);
  // Borrows from both until it is copied.
  const Ref<ResourceClaim> mixed = make_ref<ResourceClaim>(64);
  mixed->meta = (itself ? given : now).meta;
  mixed->finalizers = (itself ? given : now).finalizers;
  mixed->spec = now.spec;
  const ResourceClaim& with_status = status ? given : now;
  mixed->allocation = with_status.allocation;
  mixed->reserved_for = with_status.reserved_for;
  mixed->devices = with_status.devices;
  return copy_resource_claim(*mixed);
}

Ref<ResourceClaim> stored_claim(const ResourceClaim& given, const ResourceClaim* now, Str uid,
                                uint64_t version) {
  Ref<ResourceClaim> out = copy_resource_claim(given);
  Arena& arena = out->arena;
  out->meta.uid = arena.copy(uid);
  out->meta.resource_version = arena.copy(std::to_string(version));
  if (now == nullptr) return out;
  out->meta.created = now->meta.created;
  out->meta.deleted = now->meta.deleted;
  return out;
}

Ref<ResourceClaim> terminating_claim(const ResourceClaim& claim, int64_t now_ns) {
  Ref<ResourceClaim> out = copy_resource_claim(claim);
  out->meta.deleted = {now_ns, true};
  return out;
}

}  // namespace libsched
