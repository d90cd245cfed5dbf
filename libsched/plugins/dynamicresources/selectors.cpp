// See selectors.hpp.
#include "libsched/plugins/dynamicresources/selectors.hpp"

namespace libsched {
namespace {

// An attribute that is set in several forms counts as the first of them.
cel::Attribute cel_attribute(const DeviceAttribute& a, bool lists) {
  using Kind = cel::Attribute::Kind;
  cel::Attribute out;
  out.name = a.name;
  if (a.number) {
    out.kind = Kind::kInt;
    out.number = *a.number;
  } else if (a.boolean) {
    out.kind = Kind::kBool;
    out.number = *a.boolean ? 1 : 0;
  } else if (a.text) {
    out.kind = Kind::kString;
    out.text = *a.text;
  } else if (a.version) {
    out.kind = Kind::kVersion;
    out.text = *a.version;
  } else if (lists && a.numbers_present) {
    out.kind = Kind::kInts;
    out.numbers = a.numbers;
  } else if (lists && a.booleans_present) {
    out.kind = Kind::kBools;
    out.numbers = a.booleans;
  } else if (lists && a.texts_present) {
    out.kind = Kind::kStrings;
    out.texts = a.texts;
  } else if (lists && a.versions_present) {
    out.kind = Kind::kVersions;
    out.texts = a.versions;
  }
  return out;
}

}  // namespace

cel::Device cel_device(const Device& device, Str driver, bool lists,
                       std::vector<cel::Attribute>& attributes,
                       std::vector<cel::Capacity>& capacity) {
  attributes.clear();
  capacity.clear();
  for (const DeviceAttribute& a : device.attributes) attributes.push_back(cel_attribute(a, lists));
  for (const DeviceCapacity& c : device.capacity)
    capacity.push_back({c.name, c.value, c.value.written});
  return {driver, device.allow_multiple_allocations, attributes, capacity};
}

const SelectorMemory::Answer& SelectorMemory::match(Str expression, const Device& device,
                                                    Str driver) {
  const auto [entry, fresh] = expressions_.try_emplace(std::string(expression));
  Expression& e = entry->second;
  if (fresh) {
    Result<DeviceMatcher> compiled = compile_(expression);
    if (compiled.ok()) {
      e.matcher = std::move(*compiled);
    } else {
      e.failed = {cel::Match::kError, "CEL compile error: " + compiled.error().message};
    }
  }
  if (!e.matcher) return e.failed;
  const auto [answer, unknown] = e.answers.try_emplace(&device);
  if (!unknown) return answer->second;
  std::vector<cel::Attribute> attributes;
  std::vector<cel::Capacity> capacity;
  const cel::MatchResult result =
      e.matcher(cel_device(device, driver, lists_, attributes, capacity));
  answer->second.match = result.match;
  if (result.match == cel::Match::kError)
    answer->second.error = "CEL runtime error: " + result.error;
  return answer->second;
}

}  // namespace libsched
