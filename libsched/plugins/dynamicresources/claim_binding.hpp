// Reserve, PreBind and Unreserve of claims: what the cluster assumes and what the API server is
// asked to write.
//
// Upstream keeps an allocation "in flight" from Reserve until PreBind has written it. Here the
// cluster assumes the claim as allocated and in flight, so that forks and snapshots know it. With
// an API client that nobody attends there may be no PreBind, so the claim is assumed as it will be.
#pragma once

#include "libsched/framework/object_watch.hpp"
#include "libsched/framework/plugin.hpp"
#include "libsched/plugins/dynamicresources/claim_data.hpp"

namespace libsched {

// What Reserve and PreBind have done for a pod. Shared by the copies of a state, and used by one of
// these points at a time.
struct ClaimReservation {
  struct Item {
    ResourceClaimRef claim;       // of extended resources: as the node needs it
    NewAllocationRef allocation;  // what Reserve has chosen; null: the claim has one
    ResourceClaimRef assumed;     // null: nothing is assumed
    PendingClaimRef pending;      // what the pod shares or may share; null: nothing
    bool lost = false;            // PreBind has failed to write the allocation
    ResourceClaimRef written;     // as PreBind has written it, else null
  };
  std::vector<Item> items;  // by claim; empty: Reserve did not run
  // By claim: what members of the group may share. It stays when Reserve is undone and runs again.
  std::vector<PendingClaimRef> own;
  std::vector<PodStatusPatch::ExtendedClaim::Mapping> mappings;
  std::shared_ptr<ObjectWatch> watch;
};

Status reserve_claims(const ReserveCall& call, const ClaimsOfCycle& claims,
                      const ClaimOptions& options);
// Here and below the arguments outlive the steps.
Steps<> unreserve_claims(const ReserveCall& call, const ClaimsOfCycle& claims);
// Writes the claims, and waits until their devices are ready.
Steps<Status> bind_claims(const BindingCall& call, const ClaimsOfCycle& claims,
                          const ClaimOptions& options);

// Takes away a claim of extended resources. The status is upstream's error.
Steps<Status> delete_claim(Services& services, const ResourceClaim& claim);

// Asks for the allocation to be taken away from a claim, for PostFilter. The result is
// PostFilter's.
Status deallocate(Services& services, const ResourceClaim& claim);

}  // namespace libsched
