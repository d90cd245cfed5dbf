// Consumable capacity: how much of a device's capacities a request takes, by the policies of the
// device.
#pragma once

#include "libsched/plugins/dynamicresources/devices_in_use.hpp"

namespace libsched {

// What a request takes of one capacity. `requested` is null if it does not name the capacity.
Amount consumed_of(const DeviceCapacity& capacity, const Amount* requested);

// The amount of this name, or null.
const Amount* find_amount(AmountList list, Str name);

// Whether the device has every capacity that the request names, its policies allow the amounts,
// and they fit beside what shares hold already. It holds for whole devices as well. `allocated` and
// `allocating` may be null.
bool capacity_suffices(const Device& device, AmountList requested, const CapacityAmounts* allocated,
                       const CapacityAmounts* allocating);

}  // namespace libsched
