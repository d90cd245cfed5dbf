// DevicesInUse: the devices, shares and capacities that claims of the cluster hold.
#pragma once

#include <array>
#include <memory>
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
  // True if the name is new; the text is borrowed then.
  bool add(Str name, const Quantity& amount);
  void subtract(Str name, const Quantity& amount);
  const std::vector<NamedQuantity>& all() const { return amounts_; }

 private:
  std::vector<NamedQuantity> amounts_;
};

// Copies are cheap: they share all shards that neither has changed since.
class DevicesInUse {
 public:
  // Adds the results of an allocation. Those with admin access count nowhere. `shares` tells
  // whether devices may be shared at all. The texts are borrowed, and `owner` is kept for them; if
  // it is null, the allocation outlives this.
  void add(const ClaimAllocation& allocation, bool shares, const ObjectRef& owner = {});
  // Takes back what has been added.
  void remove(const ClaimAllocation& allocation, bool shares);

  // Whether somebody has the whole device.
  bool whole(const DeviceId& id) const {
    const Use* const use = find(id);
    return use != nullptr && use->whole != 0;
  }
  // The sum of the capacities of its shares, or null if there is no share with capacities.
  const CapacityAmounts* capacity(const DeviceId& id) const {
    const Use* const use = find(id);
    return use == nullptr || use->measured == 0 ? nullptr : &use->amounts;
  }
  // Whether there is a share, or, if `measured`, a share with capacities.
  bool shared(const DeviceId& id, bool measured) const {
    const Use* const use = find(id);
    return use != nullptr && (measured ? use->measured : use->shared) != 0;
  }
  // Whether the device takes counters of its pool.
  bool any(const DeviceId& id) const { return find(id) != nullptr; }

 private:
  struct Use {
    uint64_t hash = 0;
    DeviceId id;
    uint32_t whole = 0, shared = 0;  // claims' results of either kind
    uint32_t measured = 0;           // ... with capacities
    CapacityAmounts amounts;
    std::vector<ObjectRef> owners;  // of the texts
  };
  using Shard = std::vector<Use>;
  static constexpr size_t kShards = 256;

  const Use* find(const DeviceId& id) const;
  // A shard that no copy shares.
  Shard& own_shard(uint64_t hash);

  std::array<std::shared_ptr<Shard>, kShards> shards_;  // by hash; null: empty
};

}  // namespace libsched
