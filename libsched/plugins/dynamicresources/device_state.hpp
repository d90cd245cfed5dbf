// DeviceState: the devices of a cluster and which of them are in use, for one state of its slices,
// taint rules and claims. A DeviceStates makes each state once for all cycles.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cluster/view.hpp"
#include "libsched/plugins/dynamicresources/device_memory.hpp"

namespace libsched {

// The devices, which change less often than claims do.
struct DeviceInventory {
  std::vector<ObjectRef> objects;  // what the others borrow from
  DeviceSlices slices;
  std::vector<const DeviceTaintRule*> rules;
};

struct DeviceState {
  std::shared_ptr<const DeviceInventory> inventory;
  std::shared_ptr<DeviceMemory> memory;  // of this inventory, for all states
  DevicesInUse in_use;
  std::vector<uint64_t> versions;  // by pool: grows whenever the use of its devices changes

  const DeviceSlices& slices() const { return inventory->slices; }
  const std::vector<const DeviceTaintRule*>& rules() const { return inventory->rules; }
  // States that differ in the use of devices in these pools have different versions of them.
  uint64_t version_of(const NodePools& pools) const {
    uint64_t latest = 0;
    for (const DevicePool* pool : pools.pools) latest = std::max(latest, versions[pool->index]);
    return latest;
  }
};

// Follows the claims of one cluster after the other, and adds only what has changed in between.
class ClaimTracker {
 public:
  ClaimTracker(std::shared_ptr<const DeviceInventory> inventory,
               std::shared_ptr<DeviceMemory> memory, const DeviceFeatures& features);

  const std::shared_ptr<const DeviceInventory>& inventory() const { return state_.inventory; }
  // The state with the claims of a store; slices and rules are those of the inventory.
  std::shared_ptr<const DeviceState> follow(const ObjectStore& objects);

 private:
  void forget_all();
  void replace(const ResourceClaim* before, const ResourceClaim* after);
  void touch(const ClaimAllocation& allocation);

  const DeviceFeatures features_;
  DeviceState state_;
  uint64_t latest_ = 0;  // version
  bool whole_ = true;    // false: memory ran out in the middle of a change
  std::vector<ResourceClaimRef> claims_;
  std::vector<const ResourceClaim*> now_;
};

// Any thread may use it.
class DeviceStates {
 public:
  DeviceStates(const DeviceFeatures& features, bool list_attributes,
               std::function<SelectorCompiler()> compilers)
      : features_(features), list_attributes_(list_attributes), compilers_(std::move(compilers)) {}

  std::shared_ptr<const DeviceState> of(const View& view);
  // A memory that no other thread has.
  std::unique_ptr<DeviceMemory> new_memory(const DeviceInventory& inventory) const;

 private:
  struct Known {
    uint64_t slices = 0, rules = 0, claims = 0;  // stamps of the object store
    std::shared_ptr<const DeviceState> state;
  };
  struct Followed {
    uint64_t slices = 0, rules = 0;
    std::unique_ptr<ClaimTracker> tracker;
  };
  static constexpr size_t kKept = 8;  // the oldest goes

  ClaimTracker& tracker_of(const ObjectStore& objects, uint64_t slices, uint64_t rules);

  const DeviceFeatures features_;
  const bool list_attributes_;
  const std::function<SelectorCompiler()> compilers_;
  Mutex mutex_;
  std::vector<Known> known_;
  std::vector<Followed> followed_;
};

}  // namespace libsched
