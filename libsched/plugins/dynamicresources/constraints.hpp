// Constraints of a claim: devices whose values of an attribute must all be equal, or distinct.
//
// A constraint follows the search: add() on the way forward, remove() on the way back, in reverse
// order. What it remembers after a way back is upstream's, with its gaps.
#pragma once

#include <vector>

#include "libsched/objects/resource_claim.hpp"

namespace libsched {

// The attribute of this qualified name, which may stand without the driver's domain; or null.
const DeviceAttribute* find_attribute(const Device& device, Str driver, Str name);

class ConstraintState {
 public:
  // The constraint outlives this, and has one of its forms.
  explicit ConstraintState(const DeviceConstraint& constraint) : constraint_(&constraint) {}

  // Whether the device may be added, for a request or for an alternative of it (else "").
  bool add(Str request, Str alternative, const Device& device, Str driver);
  void remove(Str request, Str alternative);

 private:
  bool concerns(Str request, Str alternative) const;

  const DeviceConstraint* constraint_;
  size_t devices_ = 0;
  const DeviceAttribute* first_ = nullptr;  // of matchAttribute
  // Of distinctAttribute: the last device's attribute for each request.
  std::vector<std::pair<Str, const DeviceAttribute*>> last_;
};

}  // namespace libsched
