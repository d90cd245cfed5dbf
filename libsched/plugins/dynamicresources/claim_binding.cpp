// See claim_binding.hpp.
#include "libsched/plugins/dynamicresources/claim_binding.hpp"

#include <algorithm>

#include "libsched/cluster/change_errors.hpp"
#include "libsched/plugins/dynamicresources/claim_writes.hpp"

namespace libsched {

Status reserve_claims(const ReserveCall& call, const ClaimsOfCycle& claims,
                      const ClaimOptions& options) {
  ClaimData& data = *claims.data;
  ClaimReservation& out = *claims.reserved;
  const bool unattended = call.services.api().unattended();
  const ClaimData::Verdict* const verdict =
      call.row == kNoId ? nullptr : data.known(NodeView(call.cluster.view(), call.row));
  PendingClaims* const group = PendingClaims::of(call.state);
  out.items.assign(data.claims().size(), {});
  out.own.resize(out.items.size());
  if (!unattended) out.watch = ObjectWatch::on(call.cluster);
  size_t next = 0;
  for (size_t i = 0; i < out.items.size(); ++i) {
    const ResourceClaim& claim = *data.claims()[i].object;
    ClaimReservation::Item& item = out.items[i];
    if (out.watch) out.watch->add(StoredKind::kResourceClaim, claim.meta.ns, claim.meta.name);
    const bool allocates = data.claims()[i].to_allocate();
    if (allocates) {
      const bool missing = verdict == nullptr || next >= verdict->allocations.size();
      // The node has the extended resources itself.
      if (missing && next == 0 && data.claims()[i].extended) continue;
      if (missing) return Status::from_error("claim allocation not found for node");
      item.allocation = verdict->allocations[next++];
    }
    if (data.claims()[i].extended && verdict != nullptr) {
      item.claim = verdict->extended.claim;
      out.mappings = verdict->extended.mappings;
    }
    if (unattended ? is_reserved(claim, call.pod, options.groups) : !allocates) continue;
    // A pod may name a claim twice: then the first allocation stands.
    const bool again = std::any_of(
        out.items.begin(), out.items.begin() + static_cast<ptrdiff_t>(i), [&](const auto& other) {
          return other.assumed && other.assumed->meta.name == claim.meta.name;
        });
    if (again) continue;
    const PendingClaimRef& shared = data.claims()[i].pending;
    if (shared && shared->sharers != 0) {
      ++shared->sharers;
      item.pending = shared;
      continue;
    }
    Ref<ResourceClaim> copy = copy_resource_claim(item.claim ? *item.claim : claim);
    if (item.claim && claim.meta.name == kExtendedClaimName) {
      const Str uid = copy->meta.uid;
      name_claim(*copy, assumed_extended_name(call.pod.meta.name));
      copy->meta.uid = uid;
    }
    if (allocates) set_allocation(*copy, item.allocation);
    copy->in_flight = !unattended;
    // The time of the allocation is that of PreBind, also where nobody is at the API.
    if (unattended) add_consumer(*copy, call.pod, data.claims()[i].group.get());
    const Result<void> done =
        call.cluster.assume_object(StoredKind::kResourceClaim, ObjectRef(copy));
    if (!done.ok())
      return Status::from_error("internal error, couldn't signal allocation for claim " +
                                std::string(claim.meta.name));
    item.assumed = copy;
    if (!allocates || unattended || data.claims()[i].extended) continue;
    if (!out.own[i]) out.own[i] = shared ? shared : std::make_shared<PendingClaim>();
    item.pending = out.own[i];
    *item.pending = {item.allocation, copy, 1};
    if (group != nullptr) group->put(claim.meta.uid, item.pending);
  }
  return Status();
}

namespace {

// Whether others still need the allocation. Upstream lets go of it once in PreBind, if that fails,
// and once in Unreserve.
bool let_go(const ClaimReservation::Item& item) {
  if (!item.pending) return false;
  uint32_t& sharers = item.pending->sharers;
  sharers -= std::min(sharers, item.lost ? 2U : 1U);
  return sharers != 0;
}

}  // namespace

Steps<> unreserve_claims(const ReserveCall& call, const ClaimsOfCycle& claims) {
  ClaimReservation& reservation = *claims.reserved;
  const std::vector<ClaimData::Claim>& all = claims.data->claims();
  for (size_t i = 0; i < all.size(); ++i) {
    ClaimReservation::Item item;
    if (i < reservation.items.size()) item = reservation.items[i];
    const bool needed = let_go(item);
    const ResourceClaimRef& assumed = item.pending ? item.pending->assumed : item.assumed;
    const ObjectMeta& meta = assumed ? assumed->meta : all[i].object->meta;
    const ObjectStore::Entry* const there =
        call.cluster.view().objects().entry(StoredKind::kResourceClaim, meta.ns, meta.name);
    // A newer object from the API server may have replaced the assumed one.
    if (assumed && !needed && there != nullptr && there->latest.get() == assumed.get())
      static_cast<void>(
          call.cluster.restore_object(StoredKind::kResourceClaim, meta.ns, meta.name));
    if (all[i].extended) {
      const ResourceClaim& made = item.written ? *item.written : *all[i].object;
      if (made.meta.name != kExtendedClaimName)
        static_cast<void>(co_await delete_claim(call.services, made));
      continue;
    }
    const ResourceClaim* known = item.written ? item.written.get() : all[i].object.get();
    if (!known->allocation || !known->reserved_for_uid(call.pod.meta.uid)) continue;
    // The claim that the API server was last seen to have may have other consumers by now.
    if (there != nullptr && there->api) {
      const auto& seen = static_cast<const ResourceClaim&>(*there->api);
      if (seen.allocation && seen.reserved_for_uid(call.pod.meta.uid)) known = &seen;
    }
    static_cast<void>(co_await release_consumer(call.services, *known, call.pod.meta.uid));
  }
  reservation.items.clear();
  if (call.row == kNoId || !claims.data->taken(call.row)) co_return;
  PodStatusPatch patch;
  patch.allocatable_claims = no_takes(claims.data->options().allocatable.overheads);
  static_cast<void>(
      co_await call.services.api().request(ApiRequest::patch_pod_status(call.pod, patch)));
}

}  // namespace libsched
