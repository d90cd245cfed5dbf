// DevicesInUse: the devices, shares and capacities that claims of the cluster hold.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libsched/base/hash.hpp"
#include "libsched/objects/resource_claim.hpp"

namespace libsched {

struct DeviceIdHash {
  size_t operator()(const DeviceId& id) const {
    return hash_str(id.device, hash_str(id.pool, hash_str(id.driver)));
  }
};

// Amounts by the name of a capacity. Devices have few.
class CapacityAmounts {
 public:
  // Zero if there is none.
  Quantity of(Str name) const;
  void add(Str name, const Quantity& amount);
  const std::vector<NamedQuantity>& all() const { return amounts_; }

 private:
  std::vector<NamedQuantity> amounts_;
};

class DevicesInUse {
 public:
  // Adds the results of an allocation, which stays alive as long as this. Those with admin access
  // count nowhere. `shares` tells whether devices may be shared at all.
  void add(const ClaimAllocation& allocation, bool shares);

  // Whether somebody has the whole device.
  bool whole(const DeviceId& id) const { return whole_.contains(id); }
  // The sum of the capacities of its shares, or null if there is no share with capacities.
  const CapacityAmounts* capacity(const DeviceId& id) const {
    const auto it = capacity_.find(id);
    return it == capacity_.end() ? nullptr : &it->second;
  }
  // Whether the device takes counters of its pool.
  bool any(const DeviceId& id) const {
    return whole(id) || shared_.contains(id) || capacity_.contains(id);
  }

 private:
  std::unordered_set<DeviceId, DeviceIdHash> whole_, shared_;
  std::unordered_map<DeviceId, CapacityAmounts, DeviceIdHash> capacity_;
};

}  // namespace libsched
