// Taints of devices, and tolerations of requests.
#pragma once

#include "libsched/objects/resource_slice.hpp"

namespace libsched {

bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint);

// The first taint that keeps the device from a request with these tolerations, or null. The rules
// that concern the device add their taints to its own.
const DeviceTaint* preventing_taint(const DeviceId& id, const Device& device,
                                    std::span<const DeviceTaintRule* const> rules,
                                    Span<DeviceToleration> tolerations);

inline bool taints_prevent(const DeviceId& id, const Device& device,
                           std::span<const DeviceTaintRule* const> rules,
                           Span<DeviceToleration> tolerations) {
  return preventing_taint(id, device, rules, tolerations) != nullptr;
}

}  // namespace libsched
