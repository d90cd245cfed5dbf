// A device of a ResourceSlice as expressions see it.
#pragma once

#include <vector>

#include "libsched/cel/cel.hpp"
#include "libsched/objects/device.hpp"

namespace libsched::cel {

// Borrows from the device and the driver's name. It is reused for one device after the other.
class DeviceView {
 public:
  // `lists`: attributes that are lists are known (gate DRAListTypeAttributes). An attribute that
  // is set in several forms counts as the first of them, lists before single values.
  const Device& of(const libsched::Device& device, Str driver, bool lists);

 private:
  std::vector<Attribute> attributes_;
  std::vector<Capacity> capacity_;
  Device device_;
};

}  // namespace libsched::cel
