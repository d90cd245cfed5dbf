// Failure: upstream's FitError of one node.
#include "libsched/scheduler/failure.hpp"

namespace libsched {

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

}  // namespace libsched
