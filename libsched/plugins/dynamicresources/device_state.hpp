// DeviceState: the devices of a cluster and which of them are in use, for one state of its slices,
// taint rules and claims. A DeviceStates makes each state once for all cycles.
#pragma once

#include <memory>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cluster/view.hpp"
#include "libsched/plugins/dynamicresources/allocator.hpp"

namespace libsched {

struct DeviceState {
  std::vector<ObjectRef> objects;  // what the others borrow from
  DeviceSlices slices{{}};
  std::vector<const DeviceTaintRule*> rules;
  DevicesInUse in_use;
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

  const DeviceFeatures features_;
  Mutex mutex_;
  std::vector<Known> known_;
};

}  // namespace libsched
