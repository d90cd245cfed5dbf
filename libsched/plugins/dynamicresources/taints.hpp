// Taints of devices, and tolerations of requests.
#pragma once

#include "libsched/objects/resource_slice.hpp"

namespace libsched {

bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint);

// Whether a taint keeps the device from a request with these tolerations. The rules that concern
// the device add their taints to its own.
bool taints_prevent(const DeviceId& id, const Device& device,
                    std::span<const DeviceTaintRule* const> rules,
                    Span<DeviceToleration> tolerations);

}  // namespace libsched
