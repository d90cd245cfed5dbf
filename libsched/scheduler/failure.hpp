// Failure: why a cycle has not scheduled its pod, as upstream's failure handler gets it.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "libsched/framework/api_client.hpp"
#include "libsched/framework/decision.hpp"

namespace libsched {

struct Failure {
  // Of a FitError with its text, else the plugin's own, or an Error.
  Status status;
  // Of a FitError alone: whose events may help the pod, and of them those that only wait for
  // something outside.
  std::set<std::string> unschedulable_plugins, pending_plugins;
  // What becomes of the pod's nomination; absent: it stays as the pod says.
  std::optional<Nomination> nomination = Nomination{true, {}};

  // A pod that a plugin turned away from the one node that was chosen for it.
  static Failure of_node(const Status& rejected);
};

// Upstream's event and the pod's condition, with the nomination if it is no longer `nominated`,
// which the API server knows. Its refusal changes nothing.
void report_failure(const Pod& pod, Str nominated, const Failure& failure, ApiClient& api);

}  // namespace libsched
