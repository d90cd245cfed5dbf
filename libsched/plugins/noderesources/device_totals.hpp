// DeviceTotals: how many devices of a DeviceClass each node has, and how many of them are
// allocated, for the scores of extended resources that the class provides. Mirrors upstream's
// calculateDRAResourceTotals: slices of any generation and of incomplete pools count.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "libsched/base/mutex.hpp"
#include "libsched/cel/cel.hpp"
#include "libsched/cluster/view.hpp"
#include "libsched/config/feature_gates.hpp"
#include "libsched/config/release.hpp"
#include "libsched/objects/device_class.hpp"
#include "libsched/plugins/dynamicresources/device_state.hpp"

namespace libsched {

// Any thread may use it.
class DeviceTotals {
 public:
  struct Settings {
    bool consumable_capacity = false;  // gate DRAConsumableCapacity
    cel::Options selectors;
  };
  // Nothing if the gate DRAExtendedResource is off.
  static std::optional<Settings> settings_of(const FeatureGates& gates,
                                             const Behaviours& behaviours);
  explicit DeviceTotals(const Settings& settings);

  // By row. A node where a selector fails has 0 of 0.
  struct Counts {
    std::vector<int64_t> all, allocated;
  };
  Counts count(const View& view, const DeviceClass& device_class) const;

 private:
  // A slice with the devices that belong to the class.
  struct Chosen {
    ObjectRef slice;
    std::vector<const Device*> devices;
    std::vector<const Device*> failed;  // a selector is an error for them
  };
  using Choice = std::vector<Chosen>;
  struct Known {
    uint64_t slices = 0;  // stamp of the object store
    DeviceClassRef device_class;
    std::shared_ptr<const Choice> choice;
  };
  static constexpr size_t kKept = 8;  // the oldest goes

  std::shared_ptr<const Choice> choice_of(const View& view, const DeviceClass& device_class) const;
  Choice choose(const View& view, const DeviceClass& device_class) const;

  const Settings settings_;
  mutable DeviceStates states_;
  mutable cel::Programs programs_;
  mutable Mutex mutex_;
  mutable std::vector<Known> known_;
};

}  // namespace libsched
