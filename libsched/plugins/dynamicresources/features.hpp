// The feature gates that decide how devices are allocated.
#pragma once

namespace libsched {

struct DeviceFeatures {
  bool admin_access = true;
  bool prioritized_list = true;
  bool partitionable = true;  // counters, and node selection by device
  bool taints = true;
  bool taint_rules = false;  // DeviceTaintRules add taints
  bool binding_conditions = true;
  bool consumable_capacity = true;  // shares of devices
};

}  // namespace libsched
