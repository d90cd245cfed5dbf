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
#include "libsched/plugins/dynamicresources/node_pools.hpp"
#include "libsched/plugins/dynamicresources/selectors.hpp"

namespace libsched {

// The number of devices that one claim may have.
inline constexpr int64_t kMostDevices = 32;

// What all searches of a cycle share, and what outlives it.
struct AllocatorInput {
  DeviceFeatures features;
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
  int32_t score = 0;                          // of kAllocated: for alternatives that are preferred
  std::vector<NewAllocationRef> allocations;  // of kAllocated, one for each claim
};

// The points of an allocation: requests with alternatives give more the earlier the one that was
// taken stands.
int32_t alternatives_score(const ResourceClaim& claim, const std::function<bool(Str)>& uses);

// Which devices can a node's claims have?
struct AllocationQuestion {
  const TargetNode& node;
  const NodePools& pools;                        // that the node sees
  std::span<const ResourceClaim* const> claims;  // without allocations
  SelectorMemory& selectors;
  const std::function<bool()>& timed_out;  // asked at each step
  bool only_whether = false;               // no allocations are made
};

class DeviceAllocator {
 public:
  explicit DeviceAllocator(AllocatorInput input)
      : input_(std::move(input)), offers_(input_.features.behaviours.counters_by_driver) {}

  const AllocatorInput& input() const { return input_; }

  // Errors are upstream's texts, and LIMIT for a pod with thousands of requests.
  Result<AllocationOutcome> allocate(const AllocationQuestion& question);

 private:
  AllocatorInput input_;
  CounterOffers offers_;
};

}  // namespace libsched
