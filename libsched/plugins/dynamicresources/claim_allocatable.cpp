// ClaimData: what the devices of the claims take of the node's own resources.
#include "libsched/plugins/dynamicresources/claim_data.hpp"

namespace libsched {

// Before any node is asked: which claims have a device that stands for a resource of its node.
void ClaimData::note_mapped() {
  if (!options_.allocatable.on || !options_.allocatable.overheads) return;
  const AllocatedDevices devices(state_->slices(), true, nullptr);
  for (const Claim& c : claims_) {
    const ClaimAllocation* const allocation = c.object->allocation ? &*c.object->allocation
                                              : c.pending ? &c.pending->allocation->allocation
                                                          : nullptr;
    mapped_.push_back(allocation != nullptr && has_mapped_device(*allocation, devices));
  }
}

// Whether other pods have claims that must not be shared.
Status ClaimData::check_shared(const NodeView& node) const {
  for (size_t i = 0; i < claims_.size(); ++i) {
    const Claim& c = claims_[i];
    const bool allocated = c.object->allocation.has_value();
    if (!may_be_on(c, node.node())) continue;
    if (!options_.allocatable.overheads) {
      if (!allocated) continue;
      if (Status s = check_sharing(*pod_, *c.object, node); !s.success()) return s;
      continue;
    }
    const bool of_others = c.pending || (!c.object->reserved_for.empty() &&
                                         !is_reserved(*c.object, *pod_, options_.groups));
    if (mapped_[i] && of_others)
      return Status::unresolvable("node allocatable resource claim " +
                                  std::string(c.object->meta.name) +
                                  " has a mapped device and cannot be shared across pods");
  }
  return Status();
}

// Of claims that are allocated already, only overheads and mappings of 1.37 count.
Status ClaimData::take_of_node(const NodeView& node, Verdict* out) const {
  const bool overheads = options_.allocatable.overheads;
  if (!allocator_ && !overheads) return Status();
  std::vector<AllocatedClaim> claims;
  size_t next = 0;
  for (const Claim& c : claims_) {
    if (c.object->allocation) {
      if (overheads) claims.push_back({c.object.get(), &*c.object->allocation, false});
    } else if (c.pending) {
      claims.push_back({c.object.get(), &c.pending->allocation->allocation, true});
    } else if (next < out->allocations.size()) {
      claims.push_back({c.object.get(), &out->allocations[next++]->allocation, true});
    }
  }
  const AllocatedDevices devices(state_->slices(), overheads, &node.node());
  const Result<ClaimTakes> takes = takes_of(*pod_, claims, devices);
  if (!takes.ok()) return Status::from_error(takes.error().message);
  if (!*takes) return Status();
  const Ref<const AllocatableClaimList> taken = status_of_takes(**takes, overheads);
  Status status = check_takes(*pod_, **takes, taken->claims, node, options_.allocatable);
  if (!status.success())
    out->at_fault = Verdict::AtFault::kAllocatable;
  else if (!taken->claims.empty())
    out->taken = taken;
  return status;
}

}  // namespace libsched
