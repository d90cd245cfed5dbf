// The allocations that a search has found, as the status of claims holds them.
#pragma once

#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/objects/device_class.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/objects/resource_slice.hpp"
#include "libsched/plugins/dynamicresources/features.hpp"

namespace libsched {

// An allocation that is not part of a claim yet. It has copies of all that it needs.
class NewAllocation final : public RefCounted {
 public:
  Arena arena;
  ClaimAllocation allocation;
};
using NewAllocationRef = Ref<const NewAllocation>;

// One request of a claim, or one alternative of a prioritised list.
struct DeviceAsk {
  const DeviceRequirement* what = nullptr;
  Str request;      // the name of the request
  Str alternative;  // the name of the alternative; "" if the request has none
  bool is_alternative = false;
  const DeviceClass* device_class = nullptr;

  std::string full_name() const {
    return is_alternative ? std::string(request) + "/" + std::string(alternative)
                          : std::string(request);
  }
  // As errors name it.
  Str name() const { return is_alternative ? alternative : request; }
};

struct PickedDevice {
  const DeviceAsk* ask = nullptr;
  const ResourceSlice* slice = nullptr;
  const Device* device = nullptr;
  bool shared = false;
};

// Whether there is a node selector for the devices of a claim; the error is upstream's.
Result<void> check_selectable(const ResourceClaim& claim, const std::vector<PickedDevice>& picked,
                              const DeviceFeatures& features);

// `entry` is the claim's place among those of the pod, `asks` the chosen asks of all requests, in
// order. The devices are selectable.
NewAllocationRef make_allocation(const ResourceClaim& claim, size_t entry,
                                 const std::vector<PickedDevice>& picked,
                                 const std::vector<const DeviceAsk*>& asks, Str node_name,
                                 const DeviceFeatures& features);

}  // namespace libsched
