// ClaimData: the facts behind its verdicts.
#include "libsched/plugins/dynamicresources/claim_data.hpp"
#include "libsched/plugins/dynamicresources/claim_readiness.hpp"

namespace libsched {
namespace {

std::vector<std::string> devices_of(const ClaimAllocation& allocation) {
  std::vector<std::string> out;
  for (const AllocatedDevice& d : allocation.results) out.push_back(device_text(d.id()));
  return out;
}

}  // namespace

void ClaimData::explain(const View& view, const NodeView& node, Clock& clock,
                        const Verdict& verdict, const std::function<bool()>& expired,
                        Facts* facts) {
  const std::lock_guard lock(mutex_);
  const Str reason = verdict.status.reasons[0];
  const Node& object = node.node();
  for (const uint32_t i : verdict.unavailable) {
    const ResourceClaim& claim = *claims_[i].object;
    Fact& fact = facts->add(reason)
                     .key("resourceClaim", claim.meta.ns, claim.meta.name)
                     .flag("allocated", true);
    explain_elsewhere(claims_[i], object, clock.now_ns(), &fact);
  }
  if (!verdict.unavailable.empty()) return;
  if (verdict.at_fault == Verdict::AtFault::kDevices) {
    if (!facts_) facts_ = std::make_unique<DeviceFacts>(allocator_->input(), view);
    std::unique_lock<Mutex> memory_lock;
    DeviceMemory& memory = *lock_memory(&memory_lock);
    const TargetNode target{object.meta.name, object.meta.labels};
    const NodePools& pools = memory.pools.of(node.row(), object);
    const SearchLimit limit(options_, &clock, expired);
    const std::function<bool()> timed_out = std::cref(limit);
    const auto finds = [&](std::span<const ResourceClaim* const> claims) {
      const Result<AllocationOutcome> found = allocator_->allocate(
          {target, pools, claims, memory.selectors, timed_out, /*only_whether=*/true});
      return found.ok() && (found->kind == AllocationOutcome::Kind::kAllocated ||
                            found->kind == AllocationOutcome::Kind::kTimedOut);
    };
    facts_->add(target, pools, memory.selectors, claims_to_allocate(verdict), finds, reason, facts);
    return;
  }
  if (verdict.at_fault == Verdict::AtFault::kAllocatable) {
    for (const std::string& why : verdict.status.reasons)
      for (const Claim& c : claims_) {
        Fact& fact = facts->add(why)
                         .key("resourceClaim", c.object->meta.ns, c.object->meta.name)
                         .flag("allocated", !c.to_allocate());
        constexpr Str kInsufficient = "Insufficient ";
        if (why.starts_with(kInsufficient))
          fact.text("resource", Str(why).substr(kInsufficient.size()));
      }
    return;
  }
  const ResourceClaim& claim = *claims_.back().object;
  Fact& fact = facts->add(reason)
                   .key("resourceClaim", claim.meta.ns, claim.meta.name)
                   .flag("allocated", claim.allocation.has_value());
  if (!verdict.resource.empty()) fact.text("resource", verdict.resource);
}

void ClaimData::explain_error(const View& view, const NodeView& node, const Verdict& verdict,
                              Str reason, Facts* facts) {
  const std::lock_guard lock(mutex_);
  if (!allocator_) return;
  if (!facts_) facts_ = std::make_unique<DeviceFacts>(allocator_->input(), view);
  std::unique_lock<Mutex> memory_lock;
  DeviceMemory& memory = *lock_memory(&memory_lock);
  facts_->add_failures(memory.pools.of(node.row(), node.node()), memory.selectors,
                       claims_to_allocate(verdict), reason, facts);
}

// Why the node cannot use the devices that a claim has.
void ClaimData::explain_elsewhere(const Claim& c, const Node& node, int64_t now_ns,
                                  Fact* fact) const {
  const ClaimAllocation& allocation =
      c.pending ? c.pending->allocation->allocation : *c.object->allocation;
  const char* problem = "node";
  if (may_be_on(c, node))
    problem = binding_timed_out(*c.object, options_.binding_timeout_ns, now_ns) &&
                      readiness_of(*c.object) == Readiness::kPending
                  ? "binding timed out"
                  : "binding failed";
  const std::vector<std::string> devices = devices_of(allocation);
  fact->text("problem", problem).texts("devices", std::vector<Str>(devices.begin(), devices.end()));
}

void ClaimData::list_devices(const Verdict& verdict, Facts* facts) const {
  size_t next = 0;
  for (const Claim& c : claims_) {
    const bool made = c.to_allocate();
    // The node may have the extended resources itself.
    if (made && next >= verdict.allocations.size()) continue;
    const ClaimAllocation& allocation =
        made ? verdict.allocations[next++]->allocation : *c.object->allocation;
    for (const AllocatedDevice& d : allocation.results) {
      Fact& fact = facts->add("")
                       .key("resourceClaim", c.object->meta.ns, c.object->meta.name)
                       .flag("allocated", !made)
                       .text("request", d.request)
                       .text("device", device_text(d.id()));
      if (d.admin_access.value_or(false)) fact.flag("adminAccess", true);
      if (d.consumed_capacity.empty()) continue;
      std::vector<std::string> amounts;
      for (const NamedAmount& a : d.consumed_capacity)
        amounts.push_back(std::string(a.name) + "=" + a.amount.text());
      fact.texts("consumes", std::vector<Str>(amounts.begin(), amounts.end()));
    }
  }
}

}  // namespace libsched
