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
  // The constraint outlives this, and has one of its forms. `in_request`: see
  // Behaviours::distinct_in_request.
  ConstraintState(const DeviceConstraint& constraint, bool in_request)
      : constraint_(&constraint), in_request_(in_request) {}

  // Whether the device may be added, for a request or for an alternative of it (else "").
  bool add(Str request, Str alternative, const Device& device, Str driver);
  void remove(Str request, Str alternative);

 private:
  bool concerns(Str request, Str alternative) const;

  const DeviceConstraint* constraint_;
  bool in_request_;
  size_t devices_ = 0;
  const DeviceAttribute* first_ = nullptr;  // of matchAttribute
  // Of distinctAttribute: each device's attribute, or only that of the last one of each request.
  std::vector<std::pair<Str, const DeviceAttribute*>> values_;
};

}  // namespace libsched
