// ClaimData: the claims of a pod in one cycle, and what each node that was asked about has for
// them.
//
// Copies of a cycle's state share it, as upstream's do. Any thread may ask it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "libsched/base/clock.hpp"
#include "libsched/base/mutex.hpp"
#include "libsched/cluster/node_view.hpp"
#include "libsched/framework/cycle_state.hpp"
#include "libsched/framework/status.hpp"
#include "libsched/plugins/dynamicresources/device_facts.hpp"
#include "libsched/plugins/dynamicresources/device_state.hpp"
#include "libsched/plugins/dynamicresources/extended_claim.hpp"

namespace libsched {

// The settings of the plugin that concern all cycles.
struct ClaimOptions {
  DeviceFeatures features;
  bool list_attributes = false;
  int64_t filter_timeout_ns = 0;  // 0: none
  int64_t binding_timeout_ns = 0;
};

class ClaimData {
 public:
  struct Claim {
    ResourceClaimRef object;
    bool extended = false;  // for the pod's extended resources; the last one
    bool to_allocate() const { return !object->allocation.has_value(); }
  };
  // What a node is for the pod.
  struct Verdict {
    // Of a rejection that is no Error, unless claims are unavailable: the claim of the extended
    // resources as such, or that there are no devices.
    enum class AtFault : uint8_t { kExtendedClaim, kDevices };

    Status status;
    AtFault at_fault = AtFault::kExtendedClaim;
    std::string resource;                       // that neither the node nor a class has, or ""
    std::vector<uint32_t> unavailable;          // claims that are allocated elsewhere, by index
    std::vector<NewAllocationRef> allocations;  // of the claims to allocate, in their order
    ExtendedAsk extended;                       // if the node needs the claim for them
  };

  // `state`: only if some claim has to be allocated. `compile` makes the selectors' programs.
  ClaimData(const PodRef& pod, std::vector<Claim> claims, std::vector<ExtendedResource> resources,
            std::shared_ptr<const DeviceState> state, const ClaimOptions& options,
            SelectorCompiler compile, const View& view);

  const Pod& pod() const { return *pod_; }
  const std::vector<Claim>& claims() const { return claims_; }
  bool allocates() const { return allocator_ != nullptr; }

  // The verdict on a node; the first call for a row works it out. `clock` is the time of
  // allocations' time-outs, `expired` tells whether the caller ends the call.
  const Verdict& verdict(const NodeView& node, Clock& clock, const std::function<bool()>& expired);
  // The same if it is known already, else null.
  const Verdict* known(uint32_t row) const;
  // Adds the facts of a verdict's rejection, and those of the devices that an accepted node gives.
  // The view is the one that was judged.
  void explain(const View& view, const NodeView& node, Clock& clock, const Verdict& verdict,
               const std::function<bool()>& expired, Facts* facts);
  void list_devices(const Verdict& verdict, Facts* facts) const;
  // The claims that some node could not have, by index.
  std::vector<uint32_t> unavailable() const;

 private:
  Verdict judge(const Node& node, Clock& clock, const std::function<bool()>& expired);
  bool available(const ResourceClaim& claim, const Node& node, int64_t now_ns) const;
  bool ask_for_extended(const Node& node, Verdict* out) const;
  std::vector<const ResourceClaim*> claims_to_allocate(const Verdict& verdict) const;
  void explain_elsewhere(const ResourceClaim& claim, const Node& node, int64_t now_ns,
                         Fact* fact) const;
  void allocate(const Node& node, Clock& clock, const std::function<bool()>& expired, Verdict* out);

  const PodRef pod_;
  std::vector<Claim> claims_;
  std::vector<ExtendedResource> resources_;
  std::shared_ptr<const DeviceState> state_;
  ClaimOptions options_;
  std::vector<const ResourceClaim*> to_allocate_;
  std::map<Str, DeviceClassRef> classes_;  // that they name
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<Verdict>> verdicts_;  // by row; null: not asked yet
  Verdict ended_;                                   // of a call that the caller has ended
  std::vector<bool> unavailable_;                   // by claim
  std::unique_ptr<DeviceAllocator> allocator_;
  AllocatorInput input_;
  SelectorCompiler compile_;
  std::unique_ptr<DeviceFacts> facts_;  // made when first asked for
};

struct ClaimReservation;  // claim_binding.hpp

// DynamicResources' part of a cycle's state.
struct ClaimsOfCycle final : PluginData {
  std::shared_ptr<ClaimData> data;
  std::shared_ptr<ClaimReservation> reserved;
  std::shared_ptr<PluginData> clone() const override {
    return std::make_shared<ClaimsOfCycle>(*this);
  }
};

}  // namespace libsched
