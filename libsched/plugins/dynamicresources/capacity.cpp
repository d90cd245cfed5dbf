// See capacity.hpp. Steps are counted in whole units, as upstream does, or in thousandths; the
// arithmetic wraps.
#include "libsched/plugins/dynamicresources/capacity.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"
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

// Texts that make an amount be printed in one of upstream's formats.
constexpr Str kBinary = "0Ki", kDecimal = "0", kExponent = "0e0";

Str format_of(Str written) {
  if (written.ends_with('i')) return kBinary;
  const size_t e = written.find_first_of("eE");  // at the end it is a suffix
  return e != Str::npos && e + 1 < written.size() ? kExponent : kDecimal;
}

bool is_milli(const Quantity& q) { return q.compare(Quantity::from_milli(q.milli_value())) == 0; }

// Whether steps are counted in thousandths, which all amounts of the range must be.
bool counts_milli(const CapacityPolicy& policy, const DeviceFeatures& features) {
  if (!features.fractional_ranges) return false;
  for (const auto* const amount : {&policy.min, &policy.max, &policy.step})
    if (*amount && !is_milli(**amount)) return false;
  return !policy.step || policy.step->milli_value() >= 1;
}

// `policy` has a minimum. `error`: as of consumed_of.
Amount rounded_up(const Amount& requested, const CapacityPolicy& policy,
                  const DeviceFeatures& features, std::string* error) {
  if (requested.compare(*policy.min) < 0) return *policy.min;
  if (!policy.step) return requested;
  const bool exact = features.behaviours.exact_capacity;
  const bool milli = counts_milli(policy, features);
  const auto in_units = [&](const Quantity& q) { return milli ? q.milli_value() : q.value(); };
  const auto fail = [&](const std::string& why) {
    if (error != nullptr)
      *error = "capacity request cannot be represented in the device's range arithmetic: " + why;
    return requested;
  };
  const auto request = [&] { return "request " + requested.text(); };
  if (milli && !is_milli(requested)) return fail(request() + " is not a representable milli value");
  if (exact && !milli && requested.compare(Quantity::from_int(INT64_MAX)) > 0)
    return fail(request() + " exceeds MaxInt64");
  const int64_t amount = in_units(requested), step = in_units(*policy.step),
                min = in_units(*policy.min);
  if (step == 0) return requested;
  int64_t steps = wrapping_div(wrapping_sub(amount, min), step);
  if (beyond_step(amount, min, step) != 0) steps = wrapping_add(steps, 1);
  if (exact && (milli || min >= 0) && steps > wrapping_div(wrapping_sub(INT64_MAX, min), step))
    return fail("rounding " + request() + " up to the next step passes " +
                (milli ? "the milli-value range" : "MaxInt64"));
  const int64_t sum = wrapping_add(min, wrapping_mul(step, steps));
  return {milli ? Quantity::from_milli(sum) : Quantity::from_int(sum),
          exact ? format_of(policy.step->written) : kBinary};
}

// Whether upstream's structs of both are equal, which keep the text of most.
bool identical(const Amount& a, const Amount& b) {
  return a.compare(b) == 0 && a.written == b.written;
}

bool violates(const Amount& amount, const DeviceCapacity& capacity,
              const DeviceFeatures& features) {
  if (!capacity.has_policy) return false;
  const CapacityPolicy& policy = capacity.policy;
  if (policy.default_value && identical(amount, *policy.default_value)) return false;
  if (policy.has_range) {
    if (policy.max && amount.compare(*policy.max) > 0) return true;
    if (!policy.step) return false;
    const Quantity min = policy.min ? Quantity(*policy.min) : Quantity();
    if (!counts_milli(policy, features))
      return beyond_step(amount.value(), min.value(), policy.step->value()) != 0;
    return !is_milli(amount) ||
           beyond_step(amount.milli_value(), min.milli_value(), policy.step->milli_value()) != 0;
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

Amount consumed_of(const DeviceCapacity& capacity, const Amount* requested,
                   const DeviceFeatures& features, std::string* error) {
  const CapacityPolicy& policy = capacity.policy;
  if (requested == nullptr)
    return capacity.has_policy && policy.default_value ? *policy.default_value : capacity.value;
  if (!capacity.has_policy) return *requested;
  if (policy.has_range && policy.min) return rounded_up(*requested, policy, features, error);
  for (const Amount& valid : policy.valid_values)
    if (requested->compare(valid) <= 0) return valid;
  return *requested;
}

std::string capacity_error(const Device& device, AmountList requested,
                           const DeviceFeatures& features) {
  for (const NamedAmount& r : requested)
    if (find_capacity(device, r.name) == nullptr) return {};
  for (const DeviceCapacity& c : device.capacity) {
    std::string why;
    const Amount own = consumed_of(c, find_amount(requested, c.name), features, &why);
    if (why.empty() && own.sign() < 0) why = "capacity value is negative";
    if (!why.empty()) return "capacity " + go_quote(c.name) + ": " + why;
  }
  return {};
}

std::optional<Str> short_capacity(const Device& device, AmountList requested,
                                  const CapacityAmounts* allocated,
                                  const CapacityAmounts* allocating,
                                  const DeviceFeatures& features) {
  for (const NamedAmount& r : requested)
    if (find_capacity(device, r.name) == nullptr) return r.name;
  for (const DeviceCapacity& c : device.capacity) {
    const Amount own = consumed_of(c, find_amount(requested, c.name), features);
    if (violates(own, c, features)) return c.name;
    Quantity sum = own;
    if (allocated != nullptr) sum.add(allocated->of(c.name));
    if (allocating != nullptr) sum.add(allocating->of(c.name));
    if (sum.compare(c.value) > 0) return c.name;
  }
  return std::nullopt;
}

}  // namespace libsched
