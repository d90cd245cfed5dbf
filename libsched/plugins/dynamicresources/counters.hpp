// Counters of partitionable devices: what pools offer, and what allocated devices and those of the
// current attempt take of it.
//
// As upstream keeps them in most releases, counters belong to the name of a pool, without its
// driver (see Behaviours::counters_by_driver). The offers of a name are those of the first pool
// that was asked about in a cycle.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "libsched/plugins/dynamicresources/devices_in_use.hpp"
#include "libsched/plugins/dynamicresources/pools.hpp"

namespace libsched {

// To what counters belong: a driver, which may be "", and the name of a pool.
using CounterPool = std::pair<Str, Str>;

// What pools offer beyond the devices that are in use; kept from node to node.
class CounterOffers {
 public:
  explicit CounterOffers(bool by_driver) : by_driver_(by_driver) {}

  struct Counter {
    Str set, name;
    Quantity offered, taken;  // taken: by devices in use
  };
  using Counters = std::vector<Counter>;

  CounterPool key_of(const DevicePool& pool) const {
    return {by_driver_ ? pool.driver : Str(), pool.name};
  }
  const Counters& of(const DevicePool& pool, const DevicesInUse& in_use);

 private:
  const bool by_driver_;
  std::map<CounterPool, Counters> by_pool_;
};

// What the devices of one attempt take.
class CounterUses {
 public:
  // Takes the counters of a device. False, with nothing taken, if any counter of the pool then
  // falls short, even one that the device does not take.
  bool take(const CounterPool& pool, const Device& device, const CounterOffers::Counters& offers);
  // Gives back what was taken last in the pool.
  void give_back(const CounterPool& pool);

 private:
  std::map<CounterPool, std::vector<const Device*>> by_pool_;
};

}  // namespace libsched
