// Evaluator: PostFilter, with upstream's collection of reasons.
#include "libsched/base/quote.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {

Result<Status> Evaluator::run_post_filter(CycleState& state, const Pod& pod,
                                          const NodeStatuses& statuses,
                                          std::optional<Nomination>* nomination) {
  const Call call = call_inside(state);
  return post_filter({call, pod, state, statuses}, nomination);
}

Result<Status> Evaluator::post_filter(const PostFilterCall& call,
                                      std::optional<Nomination>* nomination) {
  CycleState& state = call.state;
  LIBSCHED_TRY(check_idle());
  LIBSCHED_TRY(tie(state));
  if (cluster_) cluster_->refresh();
  // The state may go through PreFilter again here: its data is not in use.
  const PluginScope scope(state, call, false);
  const Cluster::Judging judging(cluster_.get());
  const Ref<Services> services = services_;  // a plugin may replace the evaluator's
  nomination->reset();
  if (state.skip_all_post_filter())
    return Status(Code::kUnschedulable, "All PostFilter plugins are skipped");
  Status out(Code::kUnschedulable);
  for (const uint32_t i : framework_->at(ExtensionPoint::kPostFilter)) {
    const Framework::Instance& instance = framework_->plugins()[i];
    if (!instance.plugin) continue;
    LIBSCHED_TRY(call.check_limits());
    std::optional<Nomination> nominated;
    const PluginTimer timer(state.timer(), TimedPoint::kPostFilter, i);
    Status s = instance.plugin->post_filter(call, &nominated);
    timer.took(s.code);
    if (call.question && s.code == Code::kSkip) continue;  // the plugin has no answer
    // The plugin found the limits exceeded and has done nothing. They are not checked again here,
    // because a plugin that has made room cannot take that back.
    if (call.limits != nullptr && call.limits->found()) return call.limits->error();
    if (s.success() || s.code == Code::kUnschedulableAndUnresolvable) {
      if (!s.success()) s.plugin = instance.name;
      *nomination = std::move(nominated);
      return s;
    }
    if (!s.rejected()) {
      nomination->reset();
      // Upstream's runtime does not survive the other codes.
      const char* code = code_name(s.code);
      Status error = s.as_error()
                         ? Status::from_error(*s.as_error())
                         : Status::from_error("PostFilter plugin " + go_quote(instance.name) +
                                              " returned " + (code == nullptr ? "?" : code));
      error.plugin = instance.name;
      return error;
    }
    if (nominated && nominated->override_node) *nomination = std::move(nominated);
    out.reasons.insert(out.reasons.end(), s.reasons.begin(), s.reasons.end());
    if (out.plugin.empty()) out.plugin = instance.name;
  }
  return out;
}

}  // namespace libsched
