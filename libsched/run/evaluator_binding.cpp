// Evaluator: the points from Reserve to PostBind, on its own thread and view (binding_run.hpp).
#include "libsched/run/binding_run.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {

Result<void> Evaluator::may_reserve() const {
  LIBSCHED_TRY(check_idle());
  if (cluster_) return {};
  return Error{Rc::kState, "a snapshot cannot reserve for a pod: use an evaluator of a cluster"};
}

// Calls f(BindingRun&) in a scope in which plugins may call the evaluator.
template <typename F>
auto Evaluator::in_binding(CycleState& state, const Pod& pod, Str node, uint32_t row, F&& f) {
  const Call call = call_inside(state);
  const PluginScope scope(state, call, false);
  const Ref<Services> services = services_;  // a plugin may replace the evaluator's
  BindingRun run(*framework_, *services, state, pod, node, row, parallelism_);
  return f(run);
}

// The same for points that do not depend on PreFilter's pod.
template <typename F>
Result<Status> Evaluator::at_binding(CycleState& state, const Pod& pod, Str node, F&& f) {
  LIBSCHED_TRY(check_idle());
  LIBSCHED_TRY(tie(state));
  return in_binding(state, pod, node, view().find_node(node), f);
}

// Whether a plugin has to be asked. Most pods have no volumes and claims. Mode kChecked asks all
// the same.
bool Evaluator::has_to_reserve(const CycleState& state) const {
  if (classes_.mode() == ClassMemoryMode::kChecked) return true;
  if (state.timer() != nullptr) return true;  // every call is timed
  return state.may_reserve() && framework_->has_to_reserve(state.entries());
}

Status Evaluator::reserve_all(CycleState& state, const Pod& pod, Str node, uint32_t row) {
  return in_binding(state, pod, node, row, [&](BindingRun& run) { return run.reserve(*cluster_); });
}

void Evaluator::unreserve_all(CycleState& state, const Pod& pod, Str node, uint32_t row) {
  in_binding(state, pod, node, row, [&](BindingRun& run) { run.unreserve(*cluster_).now(); });
}

Result<Status> Evaluator::run_reserve(CycleState& state, const Pod& pod, Str node) {
  LIBSCHED_TRY(may_reserve());
  LIBSCHED_TRY(tie_to_pod(state, pod));
  return reserve_all(state, pod, node, view().find_node(node));
}

Result<void> Evaluator::run_unreserve(CycleState& state, const Pod& pod, Str node) {
  LIBSCHED_TRY(may_reserve());
  LIBSCHED_TRY(tie_to_pod(state, pod));
  unreserve_all(state, pod, node, view().find_node(node));
  return {};
}

Result<Status> Evaluator::run_permit(CycleState& state, const Pod& pod, Str node,
                                     std::vector<PermitWait>* waits) {
  return at_binding(state, pod, node, [&](BindingRun& run) { return run.permit(view(), waits); });
}

Result<Status> Evaluator::wait_on_permit(const Pod& pod) {
  const Ref<Services> services = services_;
  return BindingRun::wait_on_permit(*services, pod);
}

Result<Status> Evaluator::run_pre_bind_pre_flights(CycleState& state, const Pod& pod, Str node) {
  return at_binding(state, pod, node, [](BindingRun& run) { return run.pre_bind_pre_flights(); });
}

Result<Status> Evaluator::run_pre_bind(CycleState& state, const Pod& pod, Str node) {
  return at_binding(state, pod, node, [](BindingRun& run) { return run.pre_bind().now(); });
}

Result<Status> Evaluator::run_bind(CycleState& state, const Pod& pod, Str node) {
  return at_binding(state, pod, node, [](BindingRun& run) { return run.bind().now(); });
}

Result<void> Evaluator::run_post_bind(CycleState& state, const Pod& pod, Str node) {
  const Result<Status> ran = at_binding(state, pod, node, [](BindingRun& run) {
    run.post_bind().now();
    return Status();
  });
  return ran.ok() ? Result<void>() : ran.error();
}

}  // namespace libsched
