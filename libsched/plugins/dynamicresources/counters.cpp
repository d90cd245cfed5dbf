// See counters.hpp. Sums are exact, so nothing is ever subtracted.
#include "libsched/plugins/dynamicresources/counters.hpp"

#include <algorithm>

namespace libsched {

const CounterOffers::Counters& CounterOffers::of(const DevicePool& pool,
                                                 const DevicesInUse& in_use) {
  const auto known = by_pool_.find(key_of(pool));
  if (known != by_pool_.end()) return known->second;
  Counters counters;
  for (const DeviceCounters* set : pool.counter_sets)
    for (const NamedQuantity& c : set->counters)
      counters.push_back({set->set, c.name, c.quantity, Quantity()});
  const auto take = [&](const Device& device) {
    for (const DeviceCounters& taken : device.consumes)
      for (const NamedQuantity& c : taken.counters) {
        const auto at = std::find_if(counters.begin(), counters.end(), [&](const Counter& counter) {
          return counter.set == taken.set && counter.name == c.name;
        });
        if (at != counters.end()) at->taken.add(c.quantity);
      }
  };
  for (const auto* slices : {&pool.slices, &pool.other_slices})
    for (const ResourceSlice* slice : *slices)
      for (const Device& device : slice->devices)
        if (!device.consumes.empty() && in_use.any(pool.id_of(device))) take(device);
  return by_pool_.emplace(key_of(pool), std::move(counters)).first->second;
}

bool CounterUses::take(const CounterPool& pool, const Device& device,
                       const CounterOffers::Counters& offers) {
  std::vector<const Device*>& devices = by_pool_[pool];
  devices.push_back(&device);
  for (const CounterOffers::Counter& offer : offers) {
    Quantity sum = offer.taken;
    for (const Device* d : devices)
      for (const DeviceCounters& taken : d->consumes)
        if (taken.set == offer.set)
          if (const Quantity* amount = find_quantity(taken.counters, offer.name)) sum.add(*amount);
    if (sum.compare(offer.offered) <= 0) continue;
    devices.pop_back();
    return false;
  }
  return true;
}

void CounterUses::give_back(const CounterPool& pool) { by_pool_[pool].pop_back(); }

}  // namespace libsched
