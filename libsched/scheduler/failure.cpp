// Failure: upstream's FitError of one node, and the report to the API server.
#include "libsched/scheduler/failure.hpp"

namespace libsched {
namespace {

constexpr size_t kMaxNote = 1024;  // of an event

}  // namespace

Failure Failure::of_node(const Status& rejected) {
  Diagnosis diagnosis;
  diagnosis.add(rejected, 1);
  Failure out;
  out.status.code = rejected.code;
  out.status.set_error(fit_error_text(1, diagnosis.reasons));
  out.unschedulable_plugins = std::move(diagnosis.unschedulable_plugins);
  out.pending_plugins = std::move(diagnosis.pending_plugins);
  return out;
}

void report_failure(const Pod& pod, Str nominated, const Failure& failure, ApiClient& api) {
  const std::string message = failure.status.message();
  std::string note = message;
  if (note.size() > kMaxNote) note = note.substr(0, kMaxNote - 4) + " ...";
  api.event(pod, "Warning", "FailedScheduling", "Scheduling", note);
  PodStatusPatch patch;
  if (std::optional<PodStatusPatch::Condition> change = condition_change(
          pod, {"PodScheduled", "False",
                failure.status.rejected() ? "Unschedulable" : "SchedulerError", message}))
    patch.conditions.push_back(std::move(*change));
  const std::optional<Nomination>& nomination = failure.nomination;
  patch.set_nominated_node =
      nomination && nomination->override_node && Str(nomination->node) != nominated;
  if (patch.set_nominated_node) patch.nominated_node = nomination->node;
  if (!patch.conditions.empty() || patch.set_nominated_node)
    static_cast<void>(api.patch_pod_status(pod, patch));
}

}  // namespace libsched
