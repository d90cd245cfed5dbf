// ApiCalls: calls to the API server that the scheduler makes by itself while it goes on; upstream's
// APICacher.
#pragma once

#include <optional>

#include "libsched/framework/services.hpp"

namespace libsched {

class ApiCalls {
 public:
  // Gives the pod this condition (null: none) and this nomination, unless a call about the pod is
  // waiting already and replaces this one, or there is nothing to change by then.
  virtual void patch_pod_status(const PodRef& pod, const PodStatusPatch::Condition* condition,
                                const std::optional<Nomination>& nomination) = 0;
  // Ends when the pod is bound. Errors: those of ApiClient::bind().
  virtual Steps<Result<void>> bind(PodRef pod, Str node) = 0;

 protected:
  ~ApiCalls() = default;
};

// Gives the pod a condition (null: none) and a nomination, with a call if that changes anything.
// `nominated` is the nomination that the API server knows. Services and pod outlive the steps.
Steps<Result<void>> patch_pod_status(Services& services, const Pod& pod, Str nominated,
                                     const PodStatusPatch::Condition* condition,
                                     const std::optional<Nomination>& nomination);

// Binds a pod by such a call, if the scheduler makes calls by itself.
Steps<Result<void>> bind_pod(Services& services, const Pod& pod, Str node);

}  // namespace libsched
