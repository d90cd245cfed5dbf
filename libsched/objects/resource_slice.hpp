// ResourceSlice: the devices that a driver offers in one pool, or a part of them. DeviceTaintRule:
// a taint of devices that an administrator adds.
#pragma once

#include "libsched/objects/device.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

class ResourceSlice final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kResourceSlice;
  explicit ResourceSlice(size_t first_block = 1024) : Object(first_block) {}

  Str driver, pool;
  int64_t generation = 0, slice_count = 0;  // of the pool
  // Which nodes have the devices.
  Str node_name;
  NodeSelector node_selector;
  bool all_nodes = false;
  bool per_device_node_selection = false;
  Span<Device> devices;
  Span<DeviceCounters> shared_counters;
};
using ResourceSliceRef = Ref<const ResourceSlice>;

class DeviceTaintRule final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kDeviceTaintRule;
  explicit DeviceTaintRule(size_t first_block = 256) : Object(first_block) {}

  bool has_selector = false;
  // What the selector demands.
  std::optional<Str> driver, pool, device;
  DeviceTaint taint;
};

}  // namespace libsched
