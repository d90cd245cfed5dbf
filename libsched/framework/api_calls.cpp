// See api_calls.hpp.
#include "libsched/framework/api_calls.hpp"

#include <utility>

namespace libsched {

Result<void> patch_pod_status(Services& services, const Pod& pod, Str nominated,
                              const PodStatusPatch::Condition* condition,
                              const std::optional<Nomination>& nomination) {
  if (services.calls != nullptr) {
    services.calls->patch_pod_status(PodRef::share(&pod), condition, nomination);
    return {};
  }
  PodStatusPatch patch;
  if (condition != nullptr)
    if (std::optional<PodStatusPatch::Condition> change = condition_change(pod, *condition))
      patch.conditions.push_back(std::move(*change));
  patch.set_nominated_node =
      nomination && nomination->override_node && Str(nomination->node) != nominated;
  if (patch.set_nominated_node) patch.nominated_node = nomination->node;
  if (patch.conditions.empty() && !patch.set_nominated_node) return {};
  return services.api().patch_pod_status(pod, patch);
}

}  // namespace libsched
