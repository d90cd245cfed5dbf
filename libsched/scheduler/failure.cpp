// Failure: upstream's FitError of one node, and the report to the API server.
#include "libsched/scheduler/failure.hpp"

#include "libsched/framework/api_calls.hpp"

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

Steps<> report_failure(const Pod& pod, Str nominated, const Failure& failure, Services& services) {
  const std::string message = failure.status.message();
  std::string note = message;
  if (note.size() > kMaxNote) note = note.substr(0, kMaxNote - 4) + " ...";
  services.api().event(pod, "Warning", "FailedScheduling", "Scheduling", note);
  const PodStatusPatch::Condition condition{
      "PodScheduled", "False", failure.status.rejected() ? "Unschedulable" : "SchedulerError",
      message};
  static_cast<void>(
      co_await patch_pod_status(services, pod, nominated, &condition, failure.nomination));
}

}  // namespace libsched
