// DeviceClass: a named kind of devices, which requests name and an extended resource may stand for.
#pragma once

#include "libsched/objects/device.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

class DeviceClass final : public Object {
 public:
  static constexpr StoredKind kStoredKind = StoredKind::kDeviceClass;
  explicit DeviceClass(size_t first_block = 256) : Object(first_block) {}
  Span<DeviceSelector> selectors;
  Span<DeviceConfiguration> config;
  std::optional<Str> extended_resource_name;
};
using DeviceClassRef = Ref<const DeviceClass>;

}  // namespace libsched
