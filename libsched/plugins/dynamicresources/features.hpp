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
  bool fractional_ranges = false;   // steps of capacities in thousandths
  // Whether upstream takes its "experimental" allocator, which differs from the "incubating" one
  // only in the order of devices; see Behaviours::device_status_allocator.
  bool experimental_allocator = false;
  Behaviours behaviours;

  // Whether upstream takes its "stable" allocator, which knows neither of the last two; otherwise
  // its "incubating" one. The order in which the stable one tries pools and slices is left to
  // chance; here it is that of the other.
  bool stable_allocator() const {
    return !binding_conditions && !consumable_capacity && !experimental_allocator;
  }
  // Whether slices with counters belong to nodes like others; else every node sees them.
  bool counters_have_nodes() const { return behaviours.counters_have_nodes && !stable_allocator(); }
  // Whether the devices of one request are tried in every order, not only in that of the pools.
  bool every_order() const { return stable_allocator() || experimental_allocator; }
};

}  // namespace libsched
