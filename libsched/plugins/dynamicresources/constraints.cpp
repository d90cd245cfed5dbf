// See constraints.hpp. Values are compared in the form in which the new device has its own; lists
// are unknown to both constraints.
#include "libsched/plugins/dynamicresources/constraints.hpp"

#include <algorithm>

namespace libsched {
namespace {

enum class Comparison { kEqual, kDifferent, kUnknown };

Comparison compare(const DeviceAttribute& a, const DeviceAttribute& b) {
  const auto equal = [](bool is) { return is ? Comparison::kEqual : Comparison::kDifferent; };
  if (a.text) return equal(a.text == b.text);
  if (a.number) return equal(a.number == b.number);
  if (a.boolean) return equal(a.boolean == b.boolean);
  if (a.version) return equal(a.version == b.version);
  return Comparison::kUnknown;
}

}  // namespace

const DeviceAttribute* find_attribute(const Device& device, Str driver, Str name) {
  const auto find = [&](Str key) -> const DeviceAttribute* {
    const auto at = std::lower_bound(device.attributes.begin(), device.attributes.end(), key,
                                     [](const DeviceAttribute& a, Str k) { return a.name < k; });
    return at != device.attributes.end() && at->name == key ? &*at : nullptr;
  };
  if (const DeviceAttribute* whole = find(name)) return whole;
  const size_t slash = name.find('/');
  if (slash == Str::npos || name.substr(0, slash) != driver) return nullptr;
  return find(name.substr(slash + 1));
}

bool ConstraintState::concerns(Str request, Str alternative) const {
  const Span<Str> names = constraint_->requests;
  return names.empty() || std::any_of(names.begin(), names.end(), [&](Str name) {
           if (name == request) return true;
           return !alternative.empty() && name.size() == request.size() + 1 + alternative.size() &&
                  name.starts_with(request) && name[request.size()] == '/' &&
                  name.ends_with(alternative);
         });
}

bool ConstraintState::add(Str request, Str alternative, const Device& device, Str driver) {
  if (!concerns(request, alternative)) return true;
  const bool match = constraint_->match_attribute.has_value();
  const DeviceAttribute* mine = find_attribute(
      device, driver, match ? *constraint_->match_attribute : *constraint_->distinct_attribute);
  if (mine == nullptr) return false;
  if (match) {
    if (devices_ == 0) {
      first_ = mine;
    } else if (compare(*mine, *first_) != Comparison::kEqual) {
      return false;
    }
    ++devices_;
    return true;
  }
  if (devices_ != 0)
    for (const auto& [name, other] : values_)
      if (compare(*mine, *other) != Comparison::kDifferent) return false;
  const auto at = in_request_
                      ? values_.end()
                      : std::find_if(values_.begin(), values_.end(),
                                     [&](const auto& entry) { return entry.first == request; });
  if (at != values_.end()) {
    at->second = mine;
  } else {
    values_.emplace_back(request, mine);
  }
  ++devices_;
  return true;
}

void ConstraintState::remove(Str request, Str alternative) {
  if (!concerns(request, alternative)) return;
  --devices_;
  if (constraint_->match_attribute) return;
  if (in_request_)
    values_.pop_back();
  else
    std::erase_if(values_, [&](const auto& entry) { return entry.first == request; });
}

}  // namespace libsched
