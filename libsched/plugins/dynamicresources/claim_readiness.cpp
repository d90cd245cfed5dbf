// See claim_readiness.hpp.
#include "libsched/plugins/dynamicresources/claim_readiness.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"

namespace libsched {
namespace {

const AllocatedDeviceStatus* status_of(const ResourceClaim& claim, const AllocatedDevice& device) {
  for (const AllocatedDeviceStatus& s : claim.devices)
    if (s.device == device.device && s.driver == device.driver && s.pool == device.pool) return &s;
  return nullptr;
}

const AllocatedDeviceStatus::Condition* holding(const AllocatedDeviceStatus& status, Str type) {
  const AllocatedDeviceStatus::Condition* const c = status.find_condition(type);
  return c != nullptr && c->status == "True" ? c : nullptr;
}

}  // namespace

Readiness readiness_of(const ResourceClaim& claim, std::string* why) {
  if (!claim.allocation) return Readiness::kPending;
  for (const AllocatedDevice& d : claim.allocation->results) {
    if (d.binding_conditions.empty()) continue;
    const AllocatedDeviceStatus* const status = status_of(claim, d);
    if (status == nullptr) return Readiness::kPending;
    for (const Str type : d.binding_failure_conditions) {
      const AllocatedDeviceStatus::Condition* const failed = holding(*status, type);
      if (failed == nullptr) continue;
      if (why != nullptr)
        *why = "device binding failed: claim=" + std::string(claim.meta.name) +
               ", reason=" + std::string(failed->reason) + ", message=" + go_quote(failed->message);
      return Readiness::kFailed;
    }
    for (const Str type : d.binding_conditions)
      if (holding(*status, type) == nullptr) return Readiness::kPending;
  }
  return Readiness::kReady;
}

bool has_binding_conditions(const ResourceClaim& claim) {
  if (!claim.allocation) return false;
  const Span<AllocatedDevice> results = claim.allocation->results;
  return std::any_of(results.begin(), results.end(),
                     [](const AllocatedDevice& d) { return !d.binding_conditions.empty(); });
}

bool binding_timed_out(const ResourceClaim& claim, int64_t timeout_ns, int64_t now_ns) {
  return has_binding_conditions(claim) && claim.allocation->timestamp.present &&
         now_ns - timeout_ns > claim.allocation->timestamp.ns;
}

}  // namespace libsched
