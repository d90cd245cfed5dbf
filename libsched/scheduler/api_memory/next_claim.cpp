// See next_claim.hpp.
#include "libsched/scheduler/api_memory/next_claim.hpp"

#include <string>

#include "libsched/base/quote.hpp"
#include "libsched/config/json_document.hpp"

namespace libsched {
namespace {

Error conflict(const ResourceClaim& claim, const std::string& why) {
  return {Rc::kExists, "Operation cannot be fulfilled on resourceclaims.resource.k8s.io " +
                           go_quote(claim.meta.name) + ": " + why};
}

// Whether a patch of a claim is one of the claim itself, of the status, or both: a uid and a
// version are preconditions.
struct Parts {
  explicit Parts(const JsonValue& patch) {
    for (const auto& [name, value] : patch.members) {
      status |= name == "status";
      itself |= name != "status" && (name != "metadata" || changes(value));
    }
  }
  static bool changes(const JsonValue& metadata) {
    if (metadata.members.empty()) return true;  // no object, or an empty one
    for (const auto& [name, value] : metadata.members)
      if (name != "uid" && name != "resourceVersion") return true;
    return false;
  }

  bool status = false, itself = false;
};

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
  const Result<JsonValue> changes = parse_json_document(patch);
  if (!changes.ok() || changes->kind != JsonValue::Kind::kObject)
    return invalid({}, "the patch of a ResourceClaim is no JSON object");
  LIBSCHED_TRY(check_precondition(now, given));
  const auto [status, itself] = Parts(*changes);
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
