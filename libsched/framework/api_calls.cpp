// See api_calls.hpp.
#include "libsched/framework/api_calls.hpp"

#include <utility>

namespace libsched {

namespace {

Steps<Result<void>> send(Services& services, const Pod& pod, PodStatusPatch patch) {
  co_return co_await services.api().request(ApiRequest::patch_pod_status(pod, patch));
}

}  // namespace

Steps<Result<void>> patch_pod_status(Services& services, const Pod& pod, Str nominated,
                                     const PodStatusPatch::Condition* condition,
                                     const std::optional<Nomination>& nomination) {
  if (services.calls != nullptr) {
    services.calls->patch_pod_status(PodRef::share(&pod), condition, nomination);
    return Result<void>();
  }
  PodStatusPatch patch;
  if (condition != nullptr)
    if (std::optional<PodStatusPatch::Condition> change = condition_change(pod, *condition))
      patch.conditions.push_back(std::move(*change));
  patch.set_nominated_node =
      nomination && nomination->override_node && Str(nomination->node) != nominated;
  if (patch.set_nominated_node) patch.nominated_node = nomination->node;
  if (patch.conditions.empty() && !patch.set_nominated_node) return Result<void>();
  return send(services, pod, std::move(patch));
}

Steps<Result<void>> bind_pod(Services& services, const Pod& pod, Str node) {
  if (services.calls != nullptr) return services.calls->bind(PodRef::share(&pod), node);
  return services.api().request(ApiRequest::bind(pod, node));
}

}  // namespace libsched
