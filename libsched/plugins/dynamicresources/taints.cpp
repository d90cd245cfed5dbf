// See taints.hpp. Only NoSchedule and NoExecute keep devices from requests.
#include "libsched/plugins/dynamicresources/taints.hpp"

#include <algorithm>

namespace libsched {

bool tolerates(const DeviceToleration& t, const DeviceTaint& taint) {
  if (!t.effect.empty() && t.effect != taint.effect) return false;
  if (!t.key.empty() && t.key != taint.key) return false;
  if (t.op.empty() || t.op == "Equal") return t.value == taint.value;
  return t.op == "Exists";
}

const DeviceTaint* preventing_taint(const DeviceId& id, const Device& device,
                                    std::span<const DeviceTaintRule* const> rules,
                                    Span<DeviceToleration> tolerations) {
  const auto prevents = [&](const DeviceTaint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return false;
    return std::none_of(tolerations.begin(), tolerations.end(),
                        [&](const DeviceToleration& t) { return tolerates(t, taint); });
  };
  for (const DeviceTaint& taint : device.taints)
    if (prevents(taint)) return &taint;
  const auto concerns = [](const std::optional<Str>& wanted, Str name) {
    return !wanted || *wanted == name;
  };
  for (const DeviceTaintRule* rule : rules)
    if (concerns(rule->driver, id.driver) && concerns(rule->pool, id.pool) &&
        concerns(rule->device, id.device) && prevents(rule->taint))
      return &rule->taint;
  return nullptr;
}

}  // namespace libsched
