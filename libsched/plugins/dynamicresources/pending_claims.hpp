// PendingClaims: allocations that are in flight and shared by members of a PodGroup that are
// scheduled in one cycle.
//
// Upstream keeps such an allocation until its last sharer has been bound or taken back. A pod that
// takes part in no such cycle, or in another one, waits for the allocation.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "libsched/framework/group_cycle.hpp"
#include "libsched/plugins/dynamicresources/allocation_result.hpp"

namespace libsched {

struct PendingClaim {
  NewAllocationRef allocation;
  ResourceClaimRef assumed;  // the claim as the cluster assumes it
  uint32_t sharers = 0;      // 0: it is not in flight
};
using PendingClaimRef = std::shared_ptr<PendingClaim>;

// Those of one cycle of a group, by the claims' uids.
class PendingClaims final : public GroupCycle::Part {
 public:
  // Null: the pod of the state is scheduled by itself.
  static PendingClaims* of(const CycleState& state) {
    GroupCycle* const group = GroupCycle::of(state);
    if (group == nullptr) return nullptr;
    std::unique_ptr<GroupCycle::Part>& part = group->parts["DynamicResources"];
    if (!part) part = std::make_unique<PendingClaims>();
    return static_cast<PendingClaims*>(part.get());
  }

  // Null: no pod has come to PreFilter in this cycle.
  static const PendingClaims* found(const GroupCycle* group) {
    if (group == nullptr) return nullptr;
    const auto at = group->parts.find("DynamicResources");
    return at == group->parts.end() ? nullptr : static_cast<PendingClaims*>(at->second.get());
  }

  // Null: there is none in flight.
  PendingClaimRef find(Str uid) const {
    const auto at = claims_.find(uid);
    return at == claims_.end() || at->second->sharers == 0 ? nullptr : at->second;
  }
  void put(Str uid, PendingClaimRef claim) { claims_[std::string(uid)] = std::move(claim); }

  // What PreFilter has found out of a pod with claims, for PodGroupPostFilter. Null: nothing.
  std::shared_ptr<PluginData> of_pod(Str uid) const {
    const auto at = pods_.find(uid);
    return at == pods_.end() ? nullptr : at->second;
  }
  void put_pod(Str uid, std::shared_ptr<PluginData> data) {
    pods_[std::string(uid)] = std::move(data);
  }

 private:
  std::map<std::string, PendingClaimRef, std::less<>> claims_;
  std::map<std::string, std::shared_ptr<PluginData>, std::less<>> pods_;
};

}  // namespace libsched
