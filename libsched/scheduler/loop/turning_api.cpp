// TurningApi: what surrounds each call.
#include "libsched/scheduler/loop/turning_api.hpp"

#include <mutex>

namespace libsched {

template <typename F>
Result<void> TurningApi::make(const Call& call, F&& f) {
  const Baton::Away away(baton_);
  const ObjectMeta& about = call.request.about;
  tasks_->turn(call.rank, call.begins, about);
  if (const int64_t takes = api_->begin(call.request); takes > 0) {
    const int64_t end = clock_->now_ns() + takes;
    Mutex mutex;
    Signal never;
    for (std::unique_lock lock(mutex); clock_->now_ns() < end;) clock_->wait(never, lock, end);
    tasks_->turn(call.rank, call.begins, about);
  }
  Result<void> made = f();
  tasks_->turn(call.rank, call.returns, about);
  return made;
}

Result<void> TurningApi::bind(const Pod& pod, Str node) {
  return make({{ApiVerb::kBind, pod.meta, {}, node}, Tasks::Rank::kBind, "bind", "bind returns"},
              [&] { return api_->bind(pod, node); });
}

Result<void> TurningApi::delete_pod(const Pod& pod) {
  return make({{ApiVerb::kDeletePod, pod.meta}, Tasks::Rank::kDelete, "delete", "delete returns"},
              [&] { return api_->delete_pod(pod); });
}

Result<void> TurningApi::patch_pod_status(const Pod& pod, const PodStatusPatch& patch) {
  return make({{ApiVerb::kPatchPodStatus, pod.meta, {}, {}, &patch},
               Tasks::Rank::kPatchStatus,
               "patchStatus",
               "patchStatus returns"},
              [&] { return api_->patch_pod_status(pod, patch); });
}

Result<Ref<const ResourceClaim>> TurningApi::create_claim(const ResourceClaim& claim,
                                                          Str generate_name) {
  std::optional<Result<Ref<const ResourceClaim>>> out;
  LIBSCHED_TRY(make({{ApiVerb::kUpdateObject, claim.meta, StoredKind::kResourceClaim},
                     Tasks::Rank::kPlugin,
                     "createClaim",
                     "createClaim returns"},
                    [&]() -> Result<void> {
                      out = api_->create_claim(claim, generate_name);
                      return {};
                    }));
  return std::move(*out);
}

Result<void> TurningApi::delete_object(StoredKind kind, Str ns, Str name) {
  ObjectMeta about;
  about.ns = ns;
  about.name = name;
  return make({{ApiVerb::kUpdateObject, about, kind},
               Tasks::Rank::kPlugin,
               "deleteObject",
               "deleteObject returns"},
              [&] { return api_->delete_object(kind, ns, name); });
}

Result<void> TurningApi::update_object(StoredKind kind, const ObjectRef& object, Str patch) {
  if (kind == StoredKind::kPodGroup)
    return make({{ApiVerb::kUpdateObject, object->meta, kind},
                 Tasks::Rank::kPatchGroup,
                 "patchGroup",
                 "patchGroup returns"},
                [&] { return api_->update_object(kind, object, patch); });
  if (kind == StoredKind::kResourceClaim)
    return make({{ApiVerb::kUpdateObject, object->meta, kind},
                 Tasks::Rank::kPlugin,
                 "updateClaim",
                 "updateClaim returns"},
                [&] { return api_->update_object(kind, object, patch); });
  const bool volume = kind == StoredKind::kPersistentVolume;
  return make({{ApiVerb::kUpdateObject, object->meta, kind},
               Tasks::Rank::kPlugin,
               volume ? "updatePV" : "updatePVC",
               volume ? "updatePV returns" : "updatePVC returns"},
              [&] { return api_->update_object(kind, object, patch); });
}

}  // namespace libsched
