// Consumable capacity: how much of a device's capacities a request takes, by the policies of the
// device.
#pragma once

#include "libsched/plugins/dynamicresources/devices_in_use.hpp"
#include "libsched/plugins/dynamicresources/features.hpp"

namespace libsched {

// What a request takes of one capacity. `requested` is null if it does not name the capacity. With
// Behaviours::exact_capacity, `error` (if not null) gets upstream's text about an amount that
// cannot be represented.
Amount consumed_of(const DeviceCapacity& capacity, const Amount* requested,
                   const DeviceFeatures& features, std::string* error = nullptr);

// Upstream's text about the first capacity of which a request takes a negative amount or one that
// cannot be represented, or "". For Behaviours::exact_capacity.
std::string capacity_error(const Device& device, AmountList requested,
                           const DeviceFeatures& features);

// The amount of this name, or null.
const Amount* find_amount(AmountList list, Str name);

// The first capacity of which the device has too little for the request, beside what shares hold
// already, or which the request names and the device lacks, or whose policies forbid the amount.
// It holds for whole devices as well. `allocated` and `allocating` may be null.
std::optional<Str> short_capacity(const Device& device, AmountList requested,
                                  const CapacityAmounts* allocated,
                                  const CapacityAmounts* allocating,
                                  const DeviceFeatures& features);

inline bool capacity_suffices(const Device& device, AmountList requested,
                              const CapacityAmounts* allocated, const CapacityAmounts* allocating,
                              const DeviceFeatures& features) {
  return !short_capacity(device, requested, allocated, allocating, features);
}

}  // namespace libsched
