// See capacity.hpp. Steps are counted in whole units, as upstream does; the arithmetic wraps.
#include "libsched/plugins/dynamicresources/capacity.hpp"

#include <algorithm>

#include "libsched/base/wrapping.hpp"

namespace libsched {
namespace {

// The remainder of (amount - min) / step; 1 for a step of 0, which API validation refuses and which
// no amount is a multiple of.
int64_t beyond_step(int64_t amount, int64_t min, int64_t step) {
  if (step == 0) return 1;
  if (step == -1) return 0;
  return wrapping_sub(amount, min) % step;
}

// A text that makes an amount be printed as upstream's BinarySI.
constexpr Str kBinary = "0Ki";

Amount rounded_up(const Amount& requested, const CapacityPolicy& policy) {
  if (requested.compare(*policy.min) < 0) return *policy.min;
  if (!policy.step) return requested;
  const int64_t amount = requested.value(), step = policy.step->value(), min = policy.min->value();
  if (step == 0) return requested;
  int64_t steps = wrapping_div(wrapping_sub(amount, min), step);
  if (beyond_step(amount, min, step) != 0) steps = wrapping_add(steps, 1);
  return {Quantity::from_int(wrapping_add(min, wrapping_mul(step, steps))), kBinary};
}

// Whether upstream's structs of both are equal, which keep the text of most.
bool identical(const Amount& a, const Amount& b) {
  return a.compare(b) == 0 && a.written == b.written;
}

bool violates(const Amount& amount, const DeviceCapacity& capacity) {
  if (!capacity.has_policy) return false;
  const CapacityPolicy& policy = capacity.policy;
  if (policy.default_value && identical(amount, *policy.default_value)) return false;
  if (policy.has_range) {
    if (policy.max && amount.compare(*policy.max) > 0) return true;
    if (!policy.step) return false;
    const int64_t min = policy.min ? policy.min->value() : 0;
    return beyond_step(amount.value(), min, policy.step->value()) != 0;
  }
  return !policy.valid_values.empty() &&
         std::none_of(policy.valid_values.begin(), policy.valid_values.end(),
                      [&](const Amount& valid) { return amount.compare(valid) == 0; });
}

const DeviceCapacity* find_capacity(const Device& device, Str name) {
  const auto at = std::lower_bound(device.capacity.begin(), device.capacity.end(), name,
                                   [](const DeviceCapacity& c, Str n) { return c.name < n; });
  return at != device.capacity.end() && at->name == name ? &*at : nullptr;
}

}  // namespace

const Amount* find_amount(AmountList list, Str name) {
  const auto at = std::lower_bound(list.begin(), list.end(), name,
                                   [](const NamedAmount& a, Str n) { return a.name < n; });
  return at != list.end() && at->name == name ? &at->amount : nullptr;
}

Amount consumed_of(const DeviceCapacity& capacity, const Amount* requested) {
  const CapacityPolicy& policy = capacity.policy;
  if (requested == nullptr)
    return capacity.has_policy && policy.default_value ? *policy.default_value : capacity.value;
  if (!capacity.has_policy) return *requested;
  if (policy.has_range && policy.min) return rounded_up(*requested, policy);
  for (const Amount& valid : policy.valid_values)
    if (requested->compare(valid) <= 0) return valid;
  return *requested;
}

std::optional<Str> short_capacity(const Device& device, AmountList requested,
                                  const CapacityAmounts* allocated,
                                  const CapacityAmounts* allocating) {
  for (const NamedAmount& r : requested)
    if (find_capacity(device, r.name) == nullptr) return r.name;
  for (const DeviceCapacity& c : device.capacity) {
    const Amount own = consumed_of(c, find_amount(requested, c.name));
    if (violates(own, c)) return c.name;
    Quantity sum = own;
    if (allocated != nullptr) sum.add(allocated->of(c.name));
    if (allocating != nullptr) sum.add(allocating->of(c.name));
    if (sum.compare(c.value) > 0) return c.name;
  }
  return std::nullopt;
}

}  // namespace libsched
