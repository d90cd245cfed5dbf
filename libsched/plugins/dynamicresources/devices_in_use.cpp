// See devices_in_use.hpp.
#include "libsched/plugins/dynamicresources/devices_in_use.hpp"

namespace libsched {

Quantity CapacityAmounts::of(Str name) const {
  for (const NamedQuantity& a : amounts_)
    if (a.name == name) return a.quantity;
  return {};
}

void CapacityAmounts::add(Str name, const Quantity& amount) {
  for (NamedQuantity& a : amounts_)
    if (a.name == name) return a.quantity.add(amount);
  amounts_.push_back({name, amount});
}

void DevicesInUse::add(const ClaimAllocation& allocation, bool shares) {
  for (const AllocatedDevice& d : allocation.results) {
    if (d.admin_access.value_or(false)) continue;
    if (!shares || !d.share_id) {
      whole_.insert(d.id());
      continue;
    }
    shared_.insert(d.id());
    if (d.consumed_capacity.empty()) continue;
    CapacityAmounts& amounts = capacity_[d.id()];
    for (const NamedAmount& c : d.consumed_capacity) amounts.add(c.name, c.amount);
  }
}

}  // namespace libsched
