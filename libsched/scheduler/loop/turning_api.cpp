// TurningApi: what surrounds each call.
#include "libsched/scheduler/loop/turning_api.hpp"

#include "libsched/base/later.hpp"

namespace libsched {
namespace {

// How a request takes part in the order of turns.
struct Place {
  Tasks::Rank rank;
  const char *begins, *returns;
};

Place place_of(const ApiRequest& request) {
  using Rank = Tasks::Rank;
  switch (request.verb) {
    case ApiVerb::kBind: return {Rank::kBind, "bind", "bind returns"};
    case ApiVerb::kDeletePod: return {Rank::kDelete, "delete", "delete returns"};
    case ApiVerb::kPatchPodStatus:
      return {Rank::kPatchStatus, "patchStatus", "patchStatus returns"};
    case ApiVerb::kUpdateObject: break;
  }
  if (request.claim != nullptr) return {Rank::kPlugin, "createClaim", "createClaim returns"};
  if (request.object == nullptr) return {Rank::kPlugin, "deleteObject", "deleteObject returns"};
  switch (request.kind) {
    case StoredKind::kPodGroup: return {Rank::kPatchGroup, "patchGroup", "patchGroup returns"};
    case StoredKind::kResourceClaim: return {Rank::kPlugin, "updateClaim", "updateClaim returns"};
    case StoredKind::kPersistentVolume: return {Rank::kPlugin, "updatePV", "updatePV returns"};
    default: return {Rank::kPlugin, "updatePVC", "updatePVC returns"};
  }
}

}  // namespace

Steps<Result<void>> TurningApi::request(ApiRequest request) {
  const Baton::Away away(baton_);
  const Place place = place_of(request);
  co_await tasks_->turn(place.rank, place.begins, request.about);
  if (const int64_t takes = api_->begin(request); takes > 0) {
    const int64_t end = later_ns(clock_->now_ns(), takes);
    while (clock_->now_ns() < end) co_await tasks_->until(*clock_, end);
    co_await tasks_->turn(place.rank, place.begins, request.about);
  }
  Result<void> made = request.make(*api_);
  co_await tasks_->turn(place.rank, place.returns, request.about);
  co_return made;
}

Result<Ref<const ResourceClaim>> TurningApi::create_claim(const ResourceClaim& claim,
                                                          Str generate_name) {
  Ref<const ResourceClaim> created;
  LIBSCHED_TRY(request(ApiRequest::create_claim(claim, generate_name, &created)).now());
  return created;
}

Result<void> TurningApi::delete_object(StoredKind kind, Str ns, Str name) {
  ObjectMeta about;
  about.ns = ns;
  about.name = name;
  return request(ApiRequest::delete_object(kind, about)).now();
}

}  // namespace libsched
