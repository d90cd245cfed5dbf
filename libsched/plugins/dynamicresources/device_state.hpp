// DeviceState: the devices of a cluster and which of them are in use, for one state of its slices,
// taint rules and claims. A DeviceStates makes each state once for all cycles.
#pragma once

#include <memory>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cluster/view.hpp"
#include "libsched/plugins/dynamicresources/allocator.hpp"

namespace libsched {

// The devices, which change less often than claims do.
struct DeviceInventory {
  std::vector<ObjectRef> objects;  // what the others borrow from
  DeviceSlices slices;
  std::vector<const DeviceTaintRule*> rules;
};

struct DeviceState {
  std::shared_ptr<const DeviceInventory> inventory;
  std::vector<ResourceClaimRef> claims;  // with an allocation; `in_use` borrows from them
  DevicesInUse in_use;

  const DeviceSlices& slices() const { return inventory->slices; }
  const std::vector<const DeviceTaintRule*>& rules() const { return inventory->rules; }
};

// Any thread may use it.
class DeviceStates {
 public:
  explicit DeviceStates(const DeviceFeatures& features) : features_(features) {}

  std::shared_ptr<const DeviceState> of(const View& view);

 private:
  struct Known {
    uint64_t slices = 0, rules = 0, claims = 0;  // stamps of the object store
    std::shared_ptr<const DeviceState> state;
  };
  static constexpr size_t kKept = 8;  // the oldest goes

  std::shared_ptr<const DeviceInventory> inventory_of(const ObjectStore& objects, uint64_t slices,
                                                      uint64_t rules) const;

  const DeviceFeatures features_;
  Mutex mutex_;
  std::vector<Known> known_;
};

}  // namespace libsched
