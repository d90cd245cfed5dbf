// What decides how devices are allocated: feature gates, and the behaviours of the release.
#pragma once

#include "libsched/config/release.hpp"

namespace libsched {

struct DeviceFeatures {
  bool admin_access = true;
  bool prioritized_list = true;
  bool partitionable = true;  // counters, and node selection by device
  bool taints = true;
  bool taint_rules = false;  // DeviceTaintRules add taints
  bool binding_conditions = true;
  bool consumable_capacity = true;  // shares of devices
  Behaviours behaviours;

  // Whether upstream takes its "stable" allocator, which knows neither of the last two; otherwise
  // its "incubating" one. The order in which the stable one tries pools and slices is left to
  // chance; here it is that of the other.
  bool stable_allocator() const { return !binding_conditions && !consumable_capacity; }
};

}  // namespace libsched
