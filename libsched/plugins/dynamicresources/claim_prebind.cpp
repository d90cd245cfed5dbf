// PreBind: writes the claims, and waits for the binding conditions of their devices. It has no
// view: the claims of the API server come from the reservation's watch.
#include <algorithm>

#include "libsched/base/later.hpp"
#include "libsched/base/quote.hpp"
#include "libsched/cluster/change_errors.hpp"
#include "libsched/plugins/dynamicresources/claim_binding.hpp"
#include "libsched/plugins/dynamicresources/claim_readiness.hpp"
#include "libsched/plugins/dynamicresources/claim_writes.hpp"

namespace libsched {
namespace {

constexpr int64_t kMillisecond = 1'000'000, kPoll = 5'000 * kMillisecond;
// Upstream's retry.DefaultRetry.
constexpr int kTries = 5;
constexpr int64_t kRetryAfter = 10 * kMillisecond;

class ClaimBinder {
 public:
  ClaimBinder(const BindingCall& call, const ClaimsOfCycle& claims, const ClaimOptions& options)
      : call_(call),
        options_(options),
        data_(*claims.data),
        reservation_(*claims.reserved),
        seen_(reservation_.items.size()) {}

  Steps<Status> write_all() {
    for (size_t i = 0; i < reservation_.items.size(); ++i) {
      if (is_reserved(*data_.claims()[i].object, call_.pod, options_.groups)) continue;
      Status s = co_await write(i);
      if (s.success()) continue;
      reservation_.items[i].lost = reservation_.items[i].allocation != nullptr;
      co_return s;
    }
    co_return Status();
  }

  // What the devices take of the node's own resources.
  Steps<Status> write_taken() {
    PodStatusPatch patch;
    patch.allocatable_claims = data_.taken(call_.row);
    if (!patch.allocatable_claims) co_return Status();
    const Result<void> done =
        co_await call_.services.api().request(ApiRequest::patch_pod_status(call_.pod, patch));
    if (done.ok()) co_return Status();
    co_return Status::from_error("updating pod " +
                                 object_key(call_.pod.meta.ns, call_.pod.meta.name) +
                                 " NodeAllocatableResourceClaimStatuses: " + done.error().message);
  }

  Steps<Status> wait() {
    if (!options_.features.binding_conditions || call_.services.api().unattended())
      co_return Status();
    const auto waits = [&](size_t i) { return has_binding_conditions(*latest(i)); };
    bool any = false;
    for (size_t i = 0; i < reservation_.items.size(); ++i) any |= waits(i);
    if (!any) co_return Status();
    call_.services.api().event(
        call_.pod, "Normal", "BindingConditionsPending", "Scheduling",
        "waiting for binding conditions for device on node " + std::string(call_.node));
    const int64_t deadline = later_ns(now(), options_.binding_timeout_ns);
    for (int64_t next = now();;) {
      bool ready = false;
      Status s = look(&ready);
      if (!s.success() || ready) co_return s;
      next = later_ns(next, kPoll);
      if (!co_await sleep_until(std::min(next, deadline)))
        co_return Status::from_error("context canceled");
      if (now() >= deadline)
        co_return Status::from_error("device binding timeout: context deadline exceeded");
    }
  }

 private:
  int64_t now() const { return call_.services.clock().now_ns(); }

  // False if the pod is cancelled meanwhile.
  Steps<bool> sleep_until(int64_t until) {
    const auto cancelled = [&] {
      return !call_.services.pods_in_pre_bind().cancelled(call_.pod.meta.uid).empty();
    };
    while (now() < until && !cancelled())
      co_await call_.services.tasks().until(call_.services.clock(), until);
    co_return !cancelled();
  }

  std::string key(size_t i) const {
    const ObjectMeta& meta = data_.claims()[i].object->meta;
    return object_key(meta.ns, meta.name);
  }

  // As the API server was last seen to have it; null if it has no such claim.
  ResourceClaimRef watched(size_t i) const {
    const ObjectMeta& meta = data_.claims()[i].object->meta;
    if (!reservation_.watch) return data_.claims()[i].object;
    return reservation_.watch->find<ResourceClaim>(meta.ns, meta.name);
  }

  // The newest version that is known. What was written here stands until the watch shows another
  // one. Null: the claim is gone.
  ResourceClaimRef latest(size_t i) const {
    const ResourceClaimRef& written = reservation_.items[i].written;
    if (!written) return data_.claims()[i].object;
    if (!reservation_.watch) return written;
    const ResourceClaimRef now = watched(i);
    return now == seen_[i] ? written : now;
  }

  // An earlier entry of the pod may name the same claim.
  size_t entry_before(size_t i) const {
    for (size_t k = i; k-- > 0;)
      if (reservation_.items[k].written &&
          data_.claims()[k].object->meta.name == data_.claims()[i].object->meta.name)
        return k;
    return i;
  }

  Steps<Status> write(size_t i) {
    ClaimReservation::Item& item = reservation_.items[i];
    if (!data_.claims()[i].extended) co_return co_await write_existing(i);
    const ResourceClaim& claim = *data_.claims()[i].object;
    if (!item.allocation && !claim.spec.requests_present) co_return Status();
    Status s;
    if (claim.meta.name == kExtendedClaimName) s = co_await create(item);
    if (s.success()) s = co_await write_existing(i);
    if (!s.success()) co_return s;
    PodStatusPatch patch;
    patch.extended_claim = {std::string(item.written->meta.name), reservation_.mappings};
    const std::string pod = object_key(call_.pod.meta.ns, call_.pod.meta.name);
    if (reservation_.mappings.empty())
      co_return Status::from_error("nil or empty request mappings, no update of pod " + pod +
                                   " ExtendedResourceClaimStatus");
    const Result<void> done =
        co_await call_.services.api().request(ApiRequest::patch_pod_status(call_.pod, patch));
    if (done.ok()) co_return Status();
    co_return Status::from_error("update pod " + pod +
                                 " ExtendedResourceClaimStatus: " + done.error().message);
  }

  Steps<Status> create(ClaimReservation::Item& item) {
    const std::string name = std::string(call_.pod.meta.name) + "-extended-resources-";
    ResourceClaimRef created;
    const Result<void> made = co_await call_.services.api().request(
        ApiRequest::create_claim(*item.claim, name, &created));
    if (!made.ok())
      co_return Status::from_error("create claim for extended resources " +
                                   std::string(item.claim->meta.ns) + "/: " + made.error().message);
    item.written = std::move(created);
    co_return Status();
  }

  Steps<Status> write_existing(size_t i) {
    ClaimReservation::Item& item = reservation_.items[i];
    const auto error = [](std::string text) { return Status::from_error(std::move(text)); };
    const size_t before = entry_before(i);
    ResourceClaimRef claim = before != i    ? latest(before)
                             : item.written ? item.written
                                            : data_.claims()[i].object;
    const std::string key = object_key(claim->meta.ns, claim->meta.name);
    const ObjectMeta meta = claim->meta;
    const ResourceClaimRef first = claim;  // keeps `meta`
    Result<void> done = {};
    for (int tries = 0; tries < kTries; ++tries) {
      if (tries > 0) {
        if (!co_await sleep_until(later_ns(now(), kRetryAfter)))
          co_return error("context canceled");
        claim = watched(i);
      }
      if (!claim)
        co_return error("get updated claim " + key +
                        " after conflict: resourceclaims.resource.k8s.io " + go_quote(meta.name) +
                        " not found");
      if (claim->meta.terminating())
        co_return error("claim " + key + " got deleted in the meantime");
      if (item.allocation && claim->allocation)
        co_return error("claim " + key + " got allocated elsewhere in the meantime");
      if (!item.allocation && !claim->allocation && options_.features.binding_conditions)
        co_return error("claim " + key + " got deallocated elsewhere in the meantime");
      const Ref<ResourceClaim> copy = copy_resource_claim(*claim);
      if (item.allocation) set_allocation(*copy, item.allocation);
      add_consumer(*copy, call_.pod, data_.claims()[i].group.get());
      if (options_.features.binding_conditions) stamp(*copy, now());
      seen_[i] = watched(i);
      done = co_await write_claim(call_.services, copy);
      if (done.ok()) {
        item.written = copy;
        co_return Status();
      }
      if (!is_conflict(done.error())) break;
    }
    co_return error(
        std::string(item.allocation ? "add allocation and reservation" : "add reservation") +
        " to claim " + key + ": " + done.error().message);
  }

  Status look(bool* ready) {
    for (size_t i = 0; i < reservation_.items.size(); ++i) {
      const ResourceClaimRef claim = latest(i);
      if (!claim) return Status::from_error("could not find ResourceClaim " + go_quote(key(i)));
      std::string why;
      switch (readiness_of(*claim, &why)) {
        case Readiness::kReady: continue;
        case Readiness::kFailed: return Status::from_error(std::move(why));
        case Readiness::kPending: break;
      }
      if (binding_timed_out(*claim, options_.binding_timeout_ns, now()))
        return Status::from_error("device binding timeout: claim=" + std::string(claim->meta.name));
      return Status();
    }
    *ready = true;
    return Status();
  }

  const BindingCall& call_;
  const ClaimOptions& options_;
  const ClaimData& data_;
  ClaimReservation& reservation_;
  std::vector<ResourceClaimRef> seen_;  // by the watch when a claim was written
};

}  // namespace

Steps<Status> bind_claims(const BindingCall& call, const ClaimsOfCycle& claims,
                          const ClaimOptions& options) {
  ClaimBinder binder(call, claims, options);
  Status s = co_await binder.write_all();
  if (s.success() && call.row != kNoId) s = co_await binder.write_taken();
  if (s.success()) s = co_await binder.wait();
  co_return s;
}

Steps<Status> delete_claim(Services& services, const ResourceClaim& claim) {
  const Ref<ResourceClaim> copy = copy_resource_claim(claim);
  remove_items(*copy, &ResourceClaim::finalizers, [](Str f) { return f == kClaimFinalizer; });
  const Span<Str> others = copy->finalizers;
  copy->meta.resource_version = {};  // whatever version the claim has by now
  std::string patch = "{\"metadata\":{\"finalizers\":[";
  for (size_t i = 0; i < others.size(); ++i) patch += (i == 0 ? "" : ",") + json_quote(others[i]);
  patch += "]}}";
  const ObjectRef object{ResourceClaimRef(copy)};
  const std::string key = object_key(claim.meta.ns, claim.meta.name);
  Result<void> done = co_await services.api().request(
      ApiRequest::update_object(StoredKind::kResourceClaim, object, patch));
  if (!done.ok())
    co_return Status::from_error("update resourceclaim " + key + ": " + done.error().message);
  done = co_await services.api().request(
      ApiRequest::delete_object(StoredKind::kResourceClaim, copy->meta));
  co_return done.ok() ? Status() : Status::from_error(done.error().message);
}

Status deallocate(Services& services, const ResourceClaim& claim) {
  const Ref<ResourceClaim> copy = copy_resource_claim(claim);
  copy->reserved_for = {};
  copy->allocation.reset();
  copy->devices = {};
  std::string patch = "{";
  if (!claim.meta.resource_version.empty())
    patch += "\"metadata\":{\"resourceVersion\":" + json_quote(claim.meta.resource_version) + "},";
  patch += R"("status":{"allocation":null,"devices":null,"reservedFor":null}})";
  Result<void> done = {};
  services.tasks().outside_cycle([&] {
    done = services.api().update_object(StoredKind::kResourceClaim,
                                        ObjectRef(ResourceClaimRef(copy)), patch);
  });
  if (!done.ok()) return Status::from_error(done.error().message);
  return Status(Code::kUnschedulable, "deallocation of ResourceClaim completed");
}

}  // namespace libsched
