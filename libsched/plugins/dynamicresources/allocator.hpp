// DeviceAllocator: finds devices for the claims of a pod on one node after the other.
//
// Upstream's "incubating" allocator: a depth-first search for the first solution, in the order of
// claims, requests, alternatives and devices. One allocator serves a scheduling cycle: what is in
// use, the slices and the answers of selectors are shared by its nodes. For one thread at a time.
#pragma once

#include <functional>
#include <span>

#include "libsched/plugins/dynamicresources/allocation_result.hpp"
#include "libsched/plugins/dynamicresources/counters.hpp"
#include "libsched/plugins/dynamicresources/device_slices.hpp"
#include "libsched/plugins/dynamicresources/selectors.hpp"

namespace libsched {

// The number of devices that one claim may have.
inline constexpr int64_t kMostDevices = 32;

// What all searches of a cycle share, and what outlives it.
struct AllocatorInput {
  DeviceFeatures features;
  const DeviceSlices* slices = nullptr;
  std::span<const DeviceTaintRule* const> rules;  // none without features.taint_rules
  const DevicesInUse* in_use = nullptr;
  std::function<const DeviceClass*(Str)> class_of;  // null: there is none
};

struct AllocationOutcome {
  enum class Kind : uint8_t {
    kAllocated,
    kImpossible,
    kInvalidPools,  // impossible, and there are invalid pools
    kTimedOut,
  };
  Kind kind = Kind::kImpossible;
  std::vector<NewAllocationRef> allocations;  // of kAllocated, one for each claim
};

class DeviceAllocator {
 public:
  // `list_attributes` is the feature gate DRAListTypeAttributes, which expressions alone follow.
  DeviceAllocator(AllocatorInput input, SelectorCompiler compile, bool list_attributes)
      : input_(std::move(input)), selectors_(std::move(compile), list_attributes) {}

  // The claims have no allocation. `timed_out` is asked at each step. Errors are upstream's texts,
  // and LIMIT for a pod with thousands of requests.
  Result<AllocationOutcome> allocate(const TargetNode& node,
                                     std::span<const ResourceClaim* const> claims,
                                     const std::function<bool()>& timed_out);

 private:
  AllocatorInput input_;
  SelectorMemory selectors_;
  CounterOffers offers_;
};

}  // namespace libsched
