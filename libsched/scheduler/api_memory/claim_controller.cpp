// See claim_controller.hpp.
#include "libsched/scheduler/api_memory/claim_controller.hpp"

#include <algorithm>

#include "libsched/objects/pod_claims.hpp"

namespace libsched {
namespace {

// Whether the pod is gone, or will not run any more.
bool is_done(const Pod* pod, Str uid) {
  return pod == nullptr || pod->meta.uid != uid || pod->terminated() ||
         (pod->meta.terminating() && pod->spec.node_name.empty());
}

bool is_held(const ResourceClaim& claim) {
  return std::ranges::find(claim.finalizers, kClaimFinalizer) != claim.finalizers.end();
}

}  // namespace

void ClaimController::note(const WatchEvent& event) {
  if (event.kind == WatchEvent::Kind::kStored && event.stored == StoredKind::kResourceClaim) {
    if (event.after) changes_.push_back({Key(event.after->meta.ns, event.after->meta.name), false});
    return;
  }
  if (event.kind != WatchEvent::Kind::kPod || event.after) return;
  const Pod& pod = static_cast<const Pod&>(*event.before);
  const auto add = [&](Str name) {
    if (!name.empty()) changes_.push_back({Key(pod.meta.ns, name), true});
  };
  for (const PodResourceClaim& entry : pod.spec.resource_claims) add(entry.claim_name);
  for (const ResourceClaimStatus& s : pod.status.resource_claims) add(s.claim_name);
  add(pod.status.extended_resource_claim);
}

bool ClaimController::run_due() {
  for (bool any = false;; any = true) {
    if (changes_.empty()) return any;
    const bool changed = look_at(changes_.front());
    changes_.pop_front();
    if (changed) return true;
  }
}

bool ClaimController::look_at(const Change& change) {
  const Key& key = change.claim;
  // It lives on while it is replaced.
  const ResourceClaimRef claim = ResourceClaimRef::share(objects_.claim(key.first, key.second));
  if (!claim) return false;
  const auto gone = [&](const ClaimConsumer& c) {
    return c.resource == "pods" && c.api_group.empty() &&
           is_done(objects_.pod(claim->meta.ns, c.name), c.uid);
  };
  bool changed = false;
  bool unused = claim->reserved_for.empty();
  if (const Ref<ResourceClaim> released = released_claim(*claim, gone); released) {
    unused = released->reserved_for.empty();
    objects_.put(released);
    changed = true;
  } else if (unused && claim->meta.terminating() && is_held(*claim)) {
    objects_.put(unreserved_claim(*claim));
    changed = true;
  }
  const OwnerReference* const owner = owning_pod(*claim);
  if (!unused || owner == nullptr || claim->meta.terminating()) return changed;
  const Pod* const pod = objects_.pod(claim->meta.ns, owner->name);
  if (pod == nullptr ? !change.pod_gone : !is_done(pod, owner->uid)) return changed;
  if (const ResourceClaim* const left = objects_.claim(key.first, key.second); left != nullptr)
    objects_.remove(*left);
  return true;
}

}  // namespace libsched
