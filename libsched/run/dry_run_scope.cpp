// Evaluator: dry runs on copies of nodes, on several threads where plugins cannot tell.
#include <algorithm>

#include "libsched/framework/foreign_call.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {

Result<void> Evaluator::set_parallelism(uint32_t threads) {
  LIBSCHED_TRY(check_idle());
  if (threads == 0 || threads > kMaxParallelism)
    return Error{Rc::kInvalid, "parallelism is a number from 1 to " +
                                   std::to_string(kMaxParallelism) + ", not " +
                                   std::to_string(threads)};
  parallelism_ = threads;
  return {};
}

// Returns whether dry runs of preemption may run on several threads. Each has a copy of `state`,
// and runs Filter and the PreFilterExtensions. A plugin that needs the caller's thread must not run
// on another one, nor may its values be copied there. A caller that is itself inside of a plugin
// may hold that plugin's lock, so it gets no further threads either.
bool Evaluator::may_use_threads(const CycleState& state) const {
  if (parallelism_ < 2 || ForeignCall::inside()) return false;
  const auto here = [&](uint32_t i) {
    const Plugin* p = framework_->plugins()[i].plugin.get();
    return p != nullptr && p->threading() == Plugin::Threading::kCallerThread;
  };
  const std::vector<uint32_t>& filters = framework_->at(ExtensionPoint::kFilter);
  const std::vector<uint32_t>& pre_filters = framework_->at(ExtensionPoint::kPreFilter);
  return std::none_of(filters.begin(), filters.end(), here) &&
         std::none_of(pre_filters.begin(), pre_filters.end(), here) && state.clones_anywhere();
}

DryRunScope::DryRunScope(Evaluator& evaluator, const CycleState& state)
    : evaluator_(evaluator),
      before_(std::exchange(evaluator.busy_, true)),
      crew_(*evaluator.framework_, evaluator.may_use_threads(state) ? evaluator.parallelism_ : 1) {}

}  // namespace libsched
