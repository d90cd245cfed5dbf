// See claim_data.hpp.
#include "libsched/plugins/dynamicresources/claim_data.hpp"

#include <algorithm>

#include "libsched/plugins/dynamicresources/claim_readiness.hpp"
#include "libsched/plugins/dynamicresources/claim_shape.hpp"

namespace libsched {
namespace {

bool uses(const ClaimAllocation& allocation, Str request) {
  return std::any_of(allocation.results.begin(), allocation.results.end(),
                     [&](const AllocatedDevice& d) { return d.request == request; });
}

}  // namespace

ClaimData::ClaimData(const PodRef& pod, std::vector<Claim> claims,
                     std::vector<ExtendedResource> resources,
                     std::shared_ptr<const DeviceState> state, const DeviceStates& states,
                     const ClaimOptions& options, const View& view)
    : pod_(pod),
      claims_(std::move(claims)),
      resources_(std::move(resources)),
      state_(std::move(state)),
      states_(states),
      options_(options),
      rows_(view.word_count() * 64),
      unavailable_(claims_.size()) {
  const auto note_class = [&](Str name) {
    const auto* const found = view.objects().find<DeviceClass>(name);
    if (found != nullptr && std::none_of(classes_.begin(), classes_.end(),
                                         [&](const DeviceClassRef& c) { return c.get() == found; }))
      classes_.push_back(DeviceClassRef::share(found));
  };
  for (const Claim& c : claims_) {
    for (const DeviceRequest& r : c.object->spec.requests)
      has_alternatives_ |= !r.first_available.empty();
    if (!c.to_allocate()) {
      has_allocated_ = true;
      allocated_score_ += alternatives_score(
          *c.object, [&](Str request) { return uses(*c.object->allocation, request); });
      continue;
    }
    if (c.pending) {
      has_pending_ = true;
      continue;
    }
    to_allocate_.push_back(c.object.get());
    for (const DeviceRequest& r : c.object->spec.requests) {
      note_class(r.exactly.device_class);
      for (const DeviceRequirement& a : r.first_available) note_class(a.device_class);
    }
  }
  note_mapped();
  for (const ExtendedResource& r : resources_) note_class(r.device_class);
  if (to_allocate_.empty() && !has_pending_) return;
  const auto class_of = [this](Str name) -> const DeviceClass* {
    for (const DeviceClassRef& c : classes_)
      if (c->meta.name == name) return c.get();
    return nullptr;
  };
  allocator_ = std::make_unique<DeviceAllocator>(
      AllocatorInput{options_.features, state_->rules(), &state_->in_use, class_of});
}

ClaimData::Row& ClaimData::row(uint32_t index) {
  if (index >= rows_.size()) rows_.resize(index + 1);
  return rows_[index];
}

DeviceMemory* ClaimData::lock_memory(std::unique_lock<Mutex>* lock) {
  if (!allocator_) return nullptr;
  *lock = std::unique_lock(state_->memory->mutex, std::try_to_lock);
  if (lock->owns_lock()) return state_->memory.get();
  if (!own_memory_) own_memory_ = states_.new_memory(*state_->inventory);
  return own_memory_.get();
}

ClaimData::Judge::Judge(ClaimData& data, Clock& clock, const std::function<bool()>& expired)
    : data_(data),
      clock_(clock),
      expired_(expired),
      lock_(data.mutex_),
      memory_(data.lock_memory(&memory_lock_)) {}

ClaimData::Answer ClaimData::Judge::of(const NodeView& node) {
  // What pods take of the node's own resources may have changed.
  const Answer known = data_.row(node.row()).answer;
  return known != Answer::kUnknown && !data_.options_.allocatable.on ? known : answer(node);
}

ClaimData::Answer ClaimData::Judge::answer(const NodeView& view) {
  const Node& node = view.node();
  const uint32_t row = view.row();
  Row& known = data_.row(row);
  const auto in_full = [&] {
    Verdict made = data_.judge(view, memory_, &clock_, expired_);
    if (!made.status.success() && expired_()) return Answer::kUnknown;
    for (const uint32_t claim : made.unavailable) data_.unavailable_[claim] = true;
    const bool fits = made.status.success();
    data_.full_[row] = std::move(made);
    return known.answer = fits ? Answer::kFits : Answer::kOther;
  };
  const auto fail = [&](Verdict verdict) {
    data_.full_[row] = std::move(verdict);
    return known.answer = Answer::kOther;
  };
  if (data_.options_.allocatable.on) return in_full();
  Verdict out;
  Plan* const plan = data_.plan_for(node, &out);
  if (plan == nullptr && !out.status.success()) return fail(std::move(out));
  if (plan != nullptr && data_.has_allocated_ &&
      !data_.unavailable_on(node, clock_.now_ns()).empty())
    return in_full();
  if (plan == nullptr || !data_.allocator_) {
    known.score = plan == nullptr ? 0 : data_.allocated_score_;
    return known.answer = Answer::kFits;
  }
  if (data_.has_pending_ || memory_ != data_.state_->memory.get() ||
      data_.state_->slices().depends_on_order())
    return in_full();
  if (!plan->kept)
    plan->kept = memory_->answers_for(shape_of(plan->claims, data_.allocator_->input().class_of),
                                      data_.classes_);
  const NodePools& pools = memory_->pools.of(row, node);
  if (!pools.error.empty()) return in_full();
  const uint64_t version = data_.state_->version_of(pools);
  ClaimAnswers::Answer& kept = plan->kept->of(pools);
  if (!kept.known || kept.version != version) {
    const Result<AllocationOutcome> found =
        data_.search(node, row, *plan, *memory_, &clock_, expired_, /*only_whether=*/true);
    if (!found.ok() || found->kind == AllocationOutcome::Kind::kTimedOut) {
      if (expired_()) return Answer::kUnknown;
      out.status = found.ok() ? data_.status_of(node, found->kind)
                              : Status::from_error(found.error().message);
      return fail(std::move(out));
    }
    kept = {true, found->kind, found->score, version};
  }
  known.score = kept.score + data_.allocated_score_;
  switch (kept.kind) {
    case AllocationOutcome::Kind::kAllocated: known.answer = Answer::kFits; break;
    case AllocationOutcome::Kind::kInvalidPools: known.answer = Answer::kInvalidPools; break;
    default: known.answer = Answer::kImpossible; break;
  }
  return known.answer;
}

const ClaimData::Verdict& ClaimData::verdict(const NodeView& node, Clock& clock,
                                             const std::function<bool()>& expired) {
  Answer answer;
  {
    Judge judge(*this, clock, expired);
    answer = judge.of(node);
  }
  return answer == Answer::kUnknown ? ended_ : *known(node);
}

const ClaimData::Verdict* ClaimData::known(const NodeView& node) {
  const std::lock_guard lock(mutex_);
  const uint32_t index = node.row();
  const Answer answer = row(index).answer;
  if (answer == Answer::kUnknown) return nullptr;
  const auto found = full_.find(index);
  if (found != full_.end()) return &found->second;
  Verdict made;
  if (answer == Answer::kFits) {
    std::unique_lock<Mutex> memory_lock;
    DeviceMemory* const memory = lock_memory(&memory_lock);
    made = judge(node, memory, nullptr, [] { return false; });
  } else {
    if (const Plan* const plan = plan_for(node.node(), &made)) made.extended = plan->extended;
    made.at_fault = Verdict::AtFault::kDevices;
    made.status = status_of(node.node(), answer == Answer::kInvalidPools
                                             ? AllocationOutcome::Kind::kInvalidPools
                                             : AllocationOutcome::Kind::kImpossible);
  }
  return &(full_[index] = std::move(made));
}

bool ClaimData::judged(uint32_t index) const {
  const std::lock_guard lock(mutex_);
  return index < rows_.size() && rows_[index].answer != Answer::kUnknown;
}

int64_t ClaimData::score(uint32_t index) const {
  const std::lock_guard lock(mutex_);
  return index < rows_.size() ? rows_[index].score : 0;
}

std::vector<uint32_t> ClaimData::unavailable() const {
  const std::lock_guard lock(mutex_);
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < unavailable_.size(); ++i)
    if (unavailable_[i]) out.push_back(i);
  return out;
}

// Finds out which claims the node needs: that for extended resources asks for those that the node
// itself does not have.
ClaimData::Plan* ClaimData::plan_for(const Node& node, Verdict* out) {
  std::vector<const ExtendedResource*> by_devices;
  if (!claims_.empty() && claims_.back().extended) {
    const ResourceClaim& claim = *claims_.back().object;
    if (claim.spec.requests_present) {
      out->status = Status::unresolvable("cannot schedule extended resource claim");
      return nullptr;
    }
    for (const ExtendedResource& r : resources_) {
      const ScalarAmount* there = nullptr;
      for (const ScalarAmount& s : node.allocatable.scalars)
        if (s.name == r.name) there = &s;
      if (!r.device_class.empty() && (there == nullptr || there->value == 0)) {
        by_devices.push_back(&r);
      } else if (there == nullptr) {
        out->status = Status::unresolvable("cannot fit resource");
        out->resource = r.name;
        return nullptr;
      }
    }
    if (claims_.size() == 1 && by_devices.empty()) return nullptr;
  }
  for (Plan& plan : plans_)
    if (plan.by_devices == by_devices) return &plan;
  Plan plan;
  plan.claims = to_allocate_;
  if (!claims_.empty() && claims_.back().extended && claims_.back().to_allocate()) {
    plan.extended = ask_for(*claims_.back().object, *pod_, by_devices);
    plan.claims.back() = plan.extended.claim.get();
  }
  plan.by_devices = std::move(by_devices);
  plans_.push_back(std::move(plan));
  return &plans_.back();
}

ClaimData::Verdict ClaimData::judge(const NodeView& view, DeviceMemory* memory, Clock* clock,
                                    const std::function<bool()>& expired) {
  const Node& node = view.node();
  const uint32_t row = view.row();
  Verdict out;
  const Plan* const plan = plan_for(node, &out);
  if (plan == nullptr) return out;
  out.extended = plan->extended;
  std::vector<uint32_t> unavailable;
  if ((has_allocated_ || has_pending_) && clock != nullptr)
    unavailable = unavailable_on(node, clock->now_ns());
  if (options_.allocatable.on)
    if (out.status = check_shared(view); !out.status.success()) return out;
  // A failed allocation hides that claims are elsewhere, and PostFilter does not hear of them.
  if (allocator_) {
    Result<AllocationOutcome> found = search(node, row, *plan, *memory, clock, expired, false);
    out.status =
        found.ok() ? status_of(node, found->kind) : Status::from_error(found.error().message);
    if (found.ok()) out.at_fault = Verdict::AtFault::kDevices;
    if (!out.status.success()) return out;
    out.allocations = std::move(found->allocations);
    for (const Claim& c : claims_)
      if (c.pending) out.allocations.push_back(c.pending->allocation);
    this->row(row).score =
        (has_pending_ ? score_of(out.allocations) : found->score) + allocated_score_;
  } else {
    this->row(row).score = allocated_score_;
  }
  if (options_.allocatable.on)
    if (out.status = take_of_node(view, &out); !out.status.success()) {
      out.allocations.clear();
      return out;
    }
  if (unavailable.empty()) return out;
  out.allocations.clear();
  out.taken = {};
  out.status = Status::unresolvable("resourceclaim not available on the node");
  out.unavailable = std::move(unavailable);
  return out;
}

Ref<const AllocatableClaimList> ClaimData::taken(uint32_t row) const {
  const std::lock_guard lock(mutex_);
  const auto found = full_.find(row);
  return found == full_.end() ? Ref<const AllocatableClaimList>() : found->second.taken;
}

// Of the claims to allocate and those that are pending.
int32_t ClaimData::score_of(const std::vector<NewAllocationRef>& allocations) const {
  int32_t out = 0;
  size_t next = 0;
  for (const Claim& c : claims_) {
    if (!c.to_allocate() || next == allocations.size()) continue;
    const ClaimAllocation& allocation = allocations[next++]->allocation;
    out += alternatives_score(*c.object, [&](Str request) { return uses(allocation, request); });
  }
  return out;
}

std::vector<uint32_t> ClaimData::unavailable_on(const Node& node, int64_t now_ns) const {
  std::vector<uint32_t> out;
  for (uint32_t i = 0; i < claims_.size(); ++i)
    if (!available(claims_[i], node, now_ns)) out.push_back(i);
  return out;
}

// Whether the devices that a claim has are there for the node. The kubelet leaves out operations
// for some, which it must declare.
bool ClaimData::may_be_on(const Claim& c, const Node& node) const {
  const Behaviours& behaviours = options_.features.behaviours;
  const ClaimAllocation* allocation = nullptr;
  if (!c.to_allocate()) allocation = &*c.object->allocation;
  if (c.pending && behaviours.pending_claims_have_nodes)
    allocation = &c.pending->allocation->allocation;
  if (allocation == nullptr) return true;
  const NodeSelector& selector = allocation->node_selector;
  if (selector.present && !node_selector_matches(selector, node.meta.labels, node.meta.name))
    return false;
  if (!behaviours.optional_node_operations || c.to_allocate()) return true;
  const Span<Str> declared = node.declared_features;
  return std::find(declared.begin(), declared.end(), "DRAOptionalNodeOperations") !=
             declared.end() ||
         std::all_of(allocation->results.begin(), allocation->results.end(),
                     [](const AllocatedDevice& d) { return d.skip_node_operations.empty(); });
}

// Whether the node can have the devices of a claim, if it has some.
bool ClaimData::available(const Claim& c, const Node& node, int64_t now_ns) const {
  if (!may_be_on(c, node)) return false;
  if (!options_.features.binding_conditions || c.to_allocate()) return true;
  const ResourceClaim& claim = *c.object;
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

Result<AllocationOutcome> ClaimData::search(const Node& node, uint32_t row, const Plan& plan,
                                            DeviceMemory& memory, Clock* clock,
                                            const std::function<bool()>& expired,
                                            bool only_whether) {
  const SearchLimit limit(options_, clock, expired);
  const std::function<bool()> timed_out = std::cref(limit);
  return allocator_->allocate({{node.meta.name, node.meta.labels},
                               memory.pools.of(row, node),
                               plan.claims,
                               memory.selectors,
                               timed_out,
                               only_whether});
}

Status ClaimData::status_of(const Node& node, AllocationOutcome::Kind kind) const {
  switch (kind) {
    case AllocationOutcome::Kind::kAllocated: break;
    case AllocationOutcome::Kind::kImpossible:
      return Status::unresolvable("cannot allocate all claims");
    case AllocationOutcome::Kind::kInvalidPools:
      return Status::unresolvable("invalid resource pools were encountered");
    case AllocationOutcome::Kind::kTimedOut:
      if (options_.features.behaviours.timeout_rejects_node)
        return Status::unresolvable("timed out trying to allocate devices");
      return Status::from_error("node " + std::string(node.meta.name) +
                                ": timed out trying to allocate devices");
  }
  return Status();
}

}  // namespace libsched
