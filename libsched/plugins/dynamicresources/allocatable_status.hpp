// What the devices of claims take of their node's own resources (gate DRANodeAllocatableResources),
// as the status of the pod tells it: nodeAllocatableResourceClaimStatuses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/objects/allocatable_claims.hpp"
#include "libsched/objects/node.hpp"
#include "libsched/objects/resource_claim.hpp"
#include "libsched/plugins/dynamicresources/device_slices.hpp"

namespace libsched {

// An amount, printed as upstream would: a sum loses the text that its parts were parsed from.
struct TakenAmount {
  Quantity quantity;
  Str like;  // decides on the suffix
  bool summed = false;

  void add(const Amount& more);
  std::string text() const;
};

// What one claim takes. Resources are unique, and sorted by name.
struct ClaimTake {
  struct Mapped {
    Str resource;
    TakenAmount amount;
  };
  struct Overhead {
    Str resource;
    std::optional<TakenAmount> per_pod, per_container;
  };
  const ResourceClaim* claim = nullptr;
  std::vector<Str> containers;  // that use it; one may be there more than once
  std::vector<Mapped> mapped;
  std::vector<Overhead> overheads;

  // Of one resource for one container, without what other containers add.
  Quantity of_container(Str resource) const;
};

// A claim of the pod with the allocation that it has or would have.
struct AllocatedClaim {
  const ResourceClaim* claim = nullptr;
  const ClaimAllocation* allocation = nullptr;
  bool fresh = false;  // the allocation is not written yet
};

// Upstream finds an allocated device in the slices by its names.
class AllocatedDevices {
 public:
  // With Behaviours::allocatable_overheads, slices and devices must be there for the node (null:
  // any node), and the driver counts.
  AllocatedDevices(const DeviceSlices& slices, bool overheads, const Node* node)
      : slices_(slices), overheads_(overheads), node_(node) {}
  // Null if it is not there, or there for other nodes, as the slice says device by device.
  const Device* find(const AllocatedDevice& device) const;
  bool hidden(const AllocatedDevice& device) const;
  // What it takes, in the form of the release.
  Span<AllocatableUse> uses(const Device& device) const {
    return overheads_ ? device.allocatable : device.mappings;
  }
  bool overheads() const { return overheads_; }

 private:
  bool sees(const ResourceSlice& slice) const;
  bool there(Str node_name, bool all_nodes, const NodeSelector& selector) const;
  std::pair<const ResourceSlice*, const Device*> place_of(const AllocatedDevice& device) const;

  const DeviceSlices& slices_;
  const bool overheads_;
  const Node* const node_;
};

// Those of the claims that take something, by name; nothing if no claim has a device that may. The
// error is upstream's.
using ClaimTakes = std::optional<std::vector<ClaimTake>>;
Result<ClaimTakes> takes_of(const Pod& pod, const std::vector<AllocatedClaim>& claims,
                            const AllocatedDevices& devices);

Ref<const AllocatableClaimList> status_of_takes(const std::vector<ClaimTake>& takes,
                                                bool overheads);

// The status of a pod whose devices take nothing any more.
Ref<const AllocatableClaimList> no_takes(bool overheads);

}  // namespace libsched
