// PreBind: writes the claims, and waits for the binding conditions of their devices. It has no
// view: the claims of the API server come from the reservation's watch.
#include <algorithm>
#include <limits>

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

int64_t later(int64_t now_ns, int64_t ns) {
  return now_ns + std::min(ns, std::numeric_limits<int64_t>::max() - now_ns);
}

class ClaimBinder {
 public:
  ClaimBinder(const BindingCall& call, const ClaimsOfCycle& claims, const ClaimOptions& options)
      : call_(call),
        options_(options),
        data_(*claims.data),
        reservation_(*claims.reserved),
        seen_(reservation_.items.size()) {}

  Status write_all() {
    for (size_t i = 0; i < reservation_.items.size(); ++i) {
      if (data_.claims()[i].object->reserved_for_uid(call_.pod.meta.uid)) continue;
      if (Status s = write(i); !s.success()) {
        reservation_.items[i].lost = reservation_.items[i].allocation != nullptr;
        return s;
      }
    }
    return Status();
  }

  Status wait() {
    if (!options_.features.binding_conditions || call_.services.api().unattended()) return {};
    const auto waits = [&](size_t i) { return has_binding_conditions(*latest(i)); };
    bool any = false;
    for (size_t i = 0; i < reservation_.items.size(); ++i) any |= waits(i);
    if (!any) return {};
    call_.services.api().event(
        call_.pod, "Normal", "BindingConditionsPending", "Scheduling",
        "waiting for binding conditions for device on node " + std::string(call_.node));
    const int64_t deadline = later(now(), options_.binding_timeout_ns);
    for (int64_t next = now();;) {
      bool ready = false;
      if (Status s = look(&ready); !s.success() || ready) return s;
      next = later(next, kPoll);
      if (!sleep_until(std::min(next, deadline))) return Status::from_error("context canceled");
      if (now() >= deadline)
        return Status::from_error("device binding timeout: context deadline exceeded");
    }
  }

 private:
  int64_t now() const { return call_.services.clock().now_ns(); }

  // False if the pod is cancelled meanwhile.
  bool sleep_until(int64_t until) {
    const auto cancelled = [&] {
      return !call_.services.pods_in_pre_bind().cancelled(call_.pod.meta.uid).empty();
    };
    Mutex mutex;
    Signal never;
    for (std::unique_lock lock(mutex); now() < until && !cancelled();)
      call_.services.clock().wait(never, lock, until);
    return !cancelled();
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

  Status write(size_t i) {
    ClaimReservation::Item& item = reservation_.items[i];
    if (!data_.claims()[i].extended) return write_existing(i);
    const ResourceClaim& claim = *data_.claims()[i].object;
    if (!item.allocation && !claim.spec.requests_present) return Status();
    if (claim.meta.name == kExtendedClaimName)
      if (Status s = create(item); !s.success()) return s;
    if (Status s = write_existing(i); !s.success()) return s;
    PodStatusPatch patch;
    patch.extended_claim = {std::string(item.written->meta.name), reservation_.mappings};
    const std::string pod = object_key(call_.pod.meta.ns, call_.pod.meta.name);
    if (reservation_.mappings.empty())
      return Status::from_error("nil or empty request mappings, no update of pod " + pod +
                                " ExtendedResourceClaimStatus");
    const Result<void> done = call_.services.api().patch_pod_status(call_.pod, patch);
    if (done.ok()) return Status();
    return Status::from_error("update pod " + pod +
                              " ExtendedResourceClaimStatus: " + done.error().message);
  }

  Status create(ClaimReservation::Item& item) {
    Result<ResourceClaimRef> made = call_.services.api().create_claim(
        *item.claim, std::string(call_.pod.meta.name) + "-extended-resources-");
    if (!made.ok())
      return Status::from_error("create claim for extended resources " +
                                std::string(item.claim->meta.ns) + "/: " + made.error().message);
    item.written = std::move(*made);
    return Status();
  }

  Status write_existing(size_t i) {
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
        if (!sleep_until(later(now(), kRetryAfter))) return error("context canceled");
        claim = watched(i);
      }
      if (!claim)
        return error("get updated claim " + key +
                     " after conflict: resourceclaims.resource.k8s.io " + go_quote(meta.name) +
                     " not found");
      if (claim->meta.terminating()) return error("claim " + key + " got deleted in the meantime");
      if (item.allocation && claim->allocation)
        return error("claim " + key + " got allocated elsewhere in the meantime");
      if (!item.allocation && !claim->allocation && options_.features.binding_conditions)
        return error("claim " + key + " got deallocated elsewhere in the meantime");
      const Ref<ResourceClaim> copy = copy_resource_claim(*claim);
      if (item.allocation) set_allocation(*copy, item.allocation);
      add_consumer(*copy, call_.pod);
      if (options_.features.binding_conditions) stamp(*copy, now());
      seen_[i] = watched(i);
      done = write_claim(call_.services, copy);
      if (done.ok()) {
        item.written = copy;
        return Status();
      }
      if (!is_conflict(done.error())) break;
    }
    return error(
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

Status bind_claims(const BindingCall& call, const ClaimsOfCycle& claims,
                   const ClaimOptions& options) {
  ClaimBinder binder(call, claims, options);
  if (Status s = binder.write_all(); !s.success()) return s;
  return binder.wait();
}

Status delete_claim(Services& services, const ResourceClaim& claim) {
  const Ref<ResourceClaim> copy = copy_resource_claim(claim);
  remove_items(*copy, &ResourceClaim::finalizers, [](Str f) { return f == kClaimFinalizer; });
  const Span<Str> others = copy->finalizers;
  copy->meta.resource_version = {};  // whatever version the claim has by now
  std::string patch = "{\"metadata\":{\"finalizers\":[";
  for (size_t i = 0; i < others.size(); ++i) patch += (i == 0 ? "" : ",") + json_quote(others[i]);
  const std::string key = object_key(claim.meta.ns, claim.meta.name);
  Result<void> done = services.api().update_object(
      StoredKind::kResourceClaim, ObjectRef(ResourceClaimRef(copy)), patch + "]}}");
  if (!done.ok())
    return Status::from_error("update resourceclaim " + key + ": " + done.error().message);
  done = services.api().delete_object(StoredKind::kResourceClaim, claim.meta.ns, claim.meta.name);
  return done.ok() ? Status() : Status::from_error(done.error().message);
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
