// See devices_in_use.hpp. Amounts are exact, so a difference of sums is the sum of the rest.
#include "libsched/plugins/dynamicresources/devices_in_use.hpp"

#include <algorithm>

namespace libsched {

Quantity CapacityAmounts::of(Str name) const {
  for (const NamedQuantity& a : amounts_)
    if (a.name == name) return a.quantity;
  return {};
}

bool CapacityAmounts::add(Str name, const Quantity& amount) {
  for (NamedQuantity& a : amounts_) {
    if (a.name != name) continue;
    a.quantity.add(amount);
    return false;
  }
  amounts_.push_back({name, amount});
  return true;
}

void CapacityAmounts::subtract(Str name, const Quantity& amount) {
  for (NamedQuantity& a : amounts_)
    if (a.name == name) return a.quantity.subtract(amount);
}

const DevicesInUse::Use* DevicesInUse::find(const DeviceId& id) const {
  const uint64_t hash = DeviceIdHash()(id);
  const Shard* const shard = shards_[hash % kShards].get();
  if (shard == nullptr) return nullptr;
  for (const Use& use : *shard)
    if (use.hash == hash && use.id == id) return &use;
  return nullptr;
}

DevicesInUse::Shard& DevicesInUse::own_shard(uint64_t hash) {
  std::shared_ptr<Shard>& shard = shards_[hash % kShards];
  if (!shard) {
    shard = std::make_shared<Shard>();
  } else if (shard.use_count() != 1) {
    shard = std::make_shared<Shard>(*shard);
  }
  return *shard;
}

void DevicesInUse::add(const ClaimAllocation& allocation, bool shares, const ObjectRef& owner) {
  for (const AllocatedDevice& d : allocation.results) {
    if (d.admin_access.value_or(false)) continue;
    const uint64_t hash = DeviceIdHash()(d.id());
    Shard& shard = own_shard(hash);
    auto use = std::find_if(shard.begin(), shard.end(), [&](const Use& other) {
      return other.hash == hash && other.id == d.id();
    });
    bool borrows = use == shard.end();
    if (borrows) {
      Use fresh;
      fresh.hash = hash;
      fresh.id = d.id();
      use = shard.insert(use, std::move(fresh));
    }
    if (!shares || !d.share_id) {
      ++use->whole;
    } else {
      ++use->shared;
      if (!d.consumed_capacity.empty()) ++use->measured;
      for (const NamedAmount& c : d.consumed_capacity)
        borrows = use->amounts.add(c.name, c.amount) || borrows;
    }
    if (borrows && owner) use->owners.push_back(owner);
  }
}

void DevicesInUse::remove(const ClaimAllocation& allocation, bool shares) {
  for (const AllocatedDevice& d : allocation.results) {
    if (d.admin_access.value_or(false)) continue;
    const uint64_t hash = DeviceIdHash()(d.id());
    Shard& shard = own_shard(hash);
    const auto use = std::find_if(shard.begin(), shard.end(), [&](const Use& other) {
      return other.hash == hash && other.id == d.id();
    });
    if (use == shard.end()) continue;
    if (!shares || !d.share_id) {
      --use->whole;
    } else {
      --use->shared;
      if (!d.consumed_capacity.empty()) --use->measured;
      for (const NamedAmount& c : d.consumed_capacity) use->amounts.subtract(c.name, c.amount);
    }
    if (use->whole == 0 && use->shared == 0) shard.erase(use);
  }
}

}  // namespace libsched
