// The shape of claims: all that decides which devices they can have, as bytes.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "libsched/objects/device_class.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// Claims of equal shapes can have the same devices of the same pools, as long as the classes live:
// shapes have their addresses.
std::string shape_of(std::span<const ResourceClaim* const> claims,
                     const std::function<const DeviceClass*(Str)>& class_of);

}  // namespace libsched
