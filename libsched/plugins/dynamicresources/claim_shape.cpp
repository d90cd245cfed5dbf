// See claim_shape.hpp. Each list has its length in front, so that no two shapes have the same
// bytes.
#include "libsched/plugins/dynamicresources/claim_shape.hpp"

namespace libsched {
namespace {

class Shape {
 public:
  explicit Shape(const std::function<const DeviceClass*(Str)>& class_of) : class_of_(class_of) {}

  void claim(const ResourceClaimSpec& spec) {
    number(spec.requests.size());
    for (const DeviceRequest& r : spec.requests) {
      text(r.name);
      number(r.exact);
      if (r.exact) requirement(r.exactly);
      number(r.first_available.size());
      for (const DeviceRequirement& alternative : r.first_available) requirement(alternative);
    }
    number(spec.constraints.size());
    for (const DeviceConstraint& c : spec.constraints) {
      number(c.requests.size());
      for (const Str name : c.requests) text(name);
      maybe(c.match_attribute);
      maybe(c.distinct_attribute);
    }
  }

  std::string take() { return std::move(out_); }

 private:
  void number(uint64_t value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void text(Str s) {
    number(s.size());
    out_.append(s);
  }
  void maybe(const std::optional<Str>& s) {
    number(s.has_value());
    if (s) text(*s);
  }
  void requirement(const DeviceRequirement& r) {
    text(r.name);
    text(r.device_class);
    number(reinterpret_cast<uintptr_t>(class_of_(r.device_class)));
    number(r.selectors.size());
    for (const DeviceSelector& s : r.selectors) {
      number(s.cel);
      text(s.expression);
    }
    text(r.allocation_mode);
    number(static_cast<uint64_t>(r.count));
    number(r.admin_access);
    number(r.tolerations.size());
    for (const DeviceToleration& t : r.tolerations) {
      text(t.key);
      text(t.op);
      text(t.value);
      text(t.effect);
    }
    number(r.has_capacity);
    number(r.capacity.size());
    for (const NamedAmount& c : r.capacity) {
      text(c.name);
      text(c.amount.to_string());
      text(c.amount.written);
    }
  }

  const std::function<const DeviceClass*(Str)>& class_of_;
  std::string out_;
};

}  // namespace

std::string shape_of(std::span<const ResourceClaim* const> claims,
                     const std::function<const DeviceClass*(Str)>& class_of) {
  Shape shape(class_of);
  for (const ResourceClaim* claim : claims) shape.claim(claim->spec);
  return shape.take();
}

}  // namespace libsched
