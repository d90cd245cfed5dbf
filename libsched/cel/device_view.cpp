// See device_view.hpp.
#include "libsched/cel/device_view.hpp"

namespace libsched::cel {
namespace {

Attribute attribute(const DeviceAttribute& a, bool lists) {
  using Kind = Attribute::Kind;
  Attribute out;
  out.name = a.name;
  if (lists && a.numbers_present) {
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
  } else if (a.number) {
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
  }
  return out;
}

}  // namespace

const Device& DeviceView::of(const libsched::Device& device, Str driver, bool lists) {
  attributes_.clear();
  capacity_.clear();
  for (const DeviceAttribute& a : device.attributes) attributes_.push_back(attribute(a, lists));
  for (const DeviceCapacity& c : device.capacity) capacity_.push_back({c.name, c.value, c.value.written});
  device_ = {driver, device.allow_multiple_allocations, attributes_, capacity_};
  return device_;
}

}  // namespace libsched::cel
