// See first_fit.hpp.
#include "libsched/scheduler/first_fit.hpp"

namespace libsched {

Result<Fit> first_fit(Evaluator& evaluator, CycleState& state, const Pod& pod,
                      const FilterOptions& options) {
  const LimitScope limits(evaluator, state, options.limits);
  Result<Status> pre = evaluator.run_pre_filter(state, pod);
  if (!pre.ok()) return std::move(pre.error());
  Fit out;
  if (!pre->success()) {
    out.status = std::move(*pre);
    return out;
  }
  FilterOptions one = options;
  one.limit = 1;
  one.nominated = true;
  const Result<FilterOutcome> found = evaluator.filter_nodes(state, pod, one, nullptr, 0);
  if (!found.ok()) return found.error();
  if (found->count == 0) {
    out.status = Status(Code::kUnschedulable);
  } else {
    out.row = found->first;
    out.position = found->position;
  }
  return out;
}

}  // namespace libsched
