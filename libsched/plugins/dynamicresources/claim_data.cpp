// See claim_data.hpp.
#include "libsched/plugins/dynamicresources/claim_data.hpp"

#include "libsched/plugins/dynamicresources/claim_readiness.hpp"

namespace libsched {
ClaimData::ClaimData(const PodRef& pod, std::vector<Claim> claims,
                     std::vector<ExtendedResource> resources,
                     std::shared_ptr<const DeviceState> state, const ClaimOptions& options,
                     SelectorCompiler compile, const View& view)
    : pod_(pod),
      claims_(std::move(claims)),
      resources_(std::move(resources)),
      state_(std::move(state)),
      options_(options),
      verdicts_(view.word_count() * 64),
      unavailable_(claims_.size()) {
  const auto note_class = [&](Str name) {
    if (const auto* c = view.objects().find<DeviceClass>(name); c != nullptr)
      classes_.emplace(c->meta.name, DeviceClassRef::share(c));
  };
  for (const Claim& c : claims_) {
    if (!c.to_allocate()) continue;
    to_allocate_.push_back(c.object.get());
    for (const DeviceRequest& r : c.object->spec.requests) {
      note_class(r.exactly.device_class);
      for (const DeviceRequirement& a : r.first_available) note_class(a.device_class);
    }
  }
  for (const ExtendedResource& r : resources_) note_class(r.device_class);
  if (to_allocate_.empty()) return;
  const auto class_of = [this](Str name) -> const DeviceClass* {
    const auto it = classes_.find(name);
    return it == classes_.end() ? nullptr : it->second.get();
  };
  input_ = {options_.features, &state_->slices(), state_->rules(), &state_->in_use, class_of};
  compile_ = std::move(compile);
  allocator_ = std::make_unique<DeviceAllocator>(input_, compile_, options_.list_attributes);
}

const ClaimData::Verdict& ClaimData::verdict(const NodeView& node, Clock& clock,
                                             const std::function<bool()>& expired) {
  const std::lock_guard lock(mutex_);
  const uint32_t row = node.row();
  if (row >= verdicts_.size()) verdicts_.resize(row + 1);
  if (verdicts_[row]) return *verdicts_[row];
  auto made = std::make_unique<Verdict>(judge(node.node(), clock, expired));
  if (!made->status.success() && expired()) return ended_;
  for (const uint32_t claim : made->unavailable) unavailable_[claim] = true;
  verdicts_[row] = std::move(made);
  return *verdicts_[row];
}

const ClaimData::Verdict* ClaimData::known(uint32_t row) const {
  const std::lock_guard lock(mutex_);
  return row < verdicts_.size() ? verdicts_[row].get() : nullptr;
}

std::vector<uint32_t> ClaimData::unavailable() const {
  const std::lock_guard lock(mutex_);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < unavailable_.size(); ++i)
    if (unavailable_[i]) out.push_back(i);
  return out;
}

ClaimData::Verdict ClaimData::judge(const Node& node, Clock& clock,
                                    const std::function<bool()>& expired) {
  Verdict out;
  if (!claims_.empty() && claims_.back().extended && !ask_for_extended(node, &out)) return out;
  std::vector<uint32_t> unavailable;
  for (uint32_t i = 0; i < claims_.size(); ++i)
    if (!claims_[i].to_allocate() && !available(*claims_[i].object, node, clock.now_ns()))
      unavailable.push_back(i);
  // A failed allocation hides that claims are elsewhere, and PostFilter does not hear of them.
  if (allocator_) {
    allocate(node, clock, expired, &out);
    if (!out.status.success()) return out;
  }
  if (unavailable.empty()) return out;
  out.allocations.clear();
  out.status = Status::unresolvable("resourceclaim not available on the node");
  out.unavailable = std::move(unavailable);
  return out;
}

// Makes the claim for the extended resources that the node itself does not have. False: the verdict
// is made.
bool ClaimData::ask_for_extended(const Node& node, Verdict* out) const {
  const ResourceClaim& claim = *claims_.back().object;
  if (claim.spec.requests_present) {
    out->status = Status::unresolvable("cannot schedule extended resource claim");
    return false;
  }
  std::vector<const ExtendedResource*> by_devices;
  for (const ExtendedResource& r : resources_) {
    const ScalarAmount* there = nullptr;
    for (const ScalarAmount& s : node.allocatable.scalars)
      if (s.name == r.name) there = &s;
    if (!r.device_class.empty() && (there == nullptr || there->value == 0)) {
      by_devices.push_back(&r);
    } else if (there == nullptr) {
      out->status = Status::unresolvable("cannot fit resource");
      out->resource = r.name;
      return false;
    }
  }
  if (claims_.size() == 1 && by_devices.empty()) return false;
  if (!claim.allocation) out->extended = ask_for(claim, *pod_, by_devices);
  return true;
}

// Whether the node can have the devices of an allocated claim.
bool ClaimData::available(const ResourceClaim& claim, const Node& node, int64_t now_ns) const {
  const NodeSelector& selector = claim.allocation->node_selector;
  if (selector.present && !node_selector_matches(selector, node.meta.labels, node.meta.name))
    return false;
  if (!options_.features.binding_conditions) return true;
  switch (readiness_of(claim)) {
    case Readiness::kReady: return true;
    case Readiness::kFailed: return false;
    case Readiness::kPending: break;
  }
  return !binding_timed_out(claim, options_.binding_timeout_ns, now_ns);
}

std::vector<const ResourceClaim*> ClaimData::claims_to_allocate(const Verdict& verdict) const {
  std::vector<const ResourceClaim*> out = to_allocate_;
  if (verdict.extended.claim) out.back() = verdict.extended.claim.get();
  return out;
}

void ClaimData::allocate(const Node& node, Clock& clock, const std::function<bool()>& expired,
                         Verdict* out) {
  const int64_t deadline_ns =
      options_.filter_timeout_ns == 0 ? 0 : clock.now_ns() + options_.filter_timeout_ns;
  Result<AllocationOutcome> found = allocator_->allocate(
      {node.meta.name, node.meta.labels}, claims_to_allocate(*out),
      [&] { return (deadline_ns != 0 && clock.now_ns() >= deadline_ns) || expired(); });
  if (!found.ok()) {
    out->status = Status::from_error(found.error().message);
    return;
  }
  out->at_fault = Verdict::AtFault::kDevices;
  switch (found->kind) {
    case AllocationOutcome::Kind::kAllocated:
      out->allocations = std::move(found->allocations);
      return;
    case AllocationOutcome::Kind::kImpossible:
      out->status = Status::unresolvable("cannot allocate all claims");
      return;
    case AllocationOutcome::Kind::kInvalidPools:
      out->status = Status::unresolvable("invalid resource pools were encountered");
      return;
    case AllocationOutcome::Kind::kTimedOut:
      out->status = Status::from_error("node " + std::string(node.meta.name) +
                                       ": timed out trying to allocate devices");
      return;
  }
}

}  // namespace libsched
