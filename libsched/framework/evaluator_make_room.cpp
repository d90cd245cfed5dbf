// Evaluator: PostFilter after a cycle or a check that found no node.
#include "libsched/framework/evaluator.hpp"

namespace libsched {

Result<void> Evaluator::make_room(CycleState& state, const Pod& pod, const NodeStatuses& statuses,
                                  CycleOutcome* out) {
  if (framework_->at(ExtensionPoint::kPostFilter).empty()) return {};
  Result<Status> ran = run_post_filter(state, pod, statuses, &out->nomination);
  if (!ran.ok()) return std::move(ran.error());
  out->post_filter = std::move(*ran);
  return {};
}

Result<void> Evaluator::make_room(CycleState& state, const Pod& pod, Decision* d) {
  if (framework_->at(ExtensionPoint::kPostFilter).empty()) return {};
  const Decision::Details& details = d->details();
  NodeStatuses statuses;
  if (!d->pre_filter->success()) {
    statuses.absent = *d->pre_filter;
  } else {
    if (!d->narrowed.all_nodes) statuses.absent = absent_status(d->narrowed);
    for (size_t i = 0; i < d->node_count; ++i)
      if (!d->excluded(i)) statuses.set(details.names->rows[i], d->status(i));
  }
  PreemptionReport* const before = std::exchange(state.report, &d->preemption);
  Result<Status> ran = run_post_filter(state, pod, statuses, &d->nomination);
  state.report = before;
  if (!ran.ok()) return std::move(ran.error());
  d->fit_error_with_post_filter = details.fit_error;
  if (const std::string message = ran->message(); !message.empty())
    d->fit_error_with_post_filter += " " + message;
  d->post_filter = std::move(*ran);
  return {};
}

}  // namespace libsched
