// Failure: why a cycle has not scheduled its pod, in the form of upstream's failure handler.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "libsched/framework/api_client.hpp"
#include "libsched/run/decision.hpp"

namespace libsched {

struct Failure {
  // A FitError's with its text, a plugin's own, or an Error.
  Status status;
  // Of a FitError only: the plugins whose events may help the pod, and those of them that only wait
  // for something outside.
  std::set<std::string> unschedulable_plugins, pending_plugins;
  // The new nomination of the pod; absent: unchanged.
  std::optional<Nomination> nomination = Nomination{true, {}};

  // The failure of a pod that a plugin rejected on the node chosen for it.
  static Failure of_node(const Status& rejected);
};

// Sends upstream's event, and a patch if the pod's condition or nomination changes; `nominated` is
// the nomination that the API server knows. A refusal by the API server changes nothing. The
// arguments outlive the steps.
Steps<> report_failure(const Pod& pod, Str nominated, const Failure& failure, Services& services);

}  // namespace libsched
