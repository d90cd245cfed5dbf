// Evaluator: Filter of many nodes.
#include <algorithm>

#include "libsched/run/evaluator.hpp"

namespace libsched {

// Sets work_.alive to the rows to judge.
void Evaluator::mask(const CycleState& state, const FilterOptions& options, size_t words) {
  const View& v = view();
  if (state.pre_filter().all_nodes) {
    const size_t live = std::min(words, v.live().word_count());
    work_.alive.assign(v.live().data(), v.live().data() + live);
    work_.alive.resize(words);
  } else {
    work_.alive.assign(words, 0);
    for (const std::string& name : state.pre_filter().nodes) {
      const uint32_t r = v.find_node(name);
      if (r != kNoId) work_.alive[r / 64] |= uint64_t{1} << (r % 64);
    }
  }
  if (!options.accept_given) return;
  for (size_t w = 0; w < words; ++w)
    work_.alive[w] &= w < options.accept.size() ? options.accept[w] : 0;
}

Error Evaluator::node_error(FilterPass& pass, uint32_t row) const {
  Status s;
  pass.stop_metering();  // it is asked again
  const NodeView node(view(), row);
  const Result<void> ran =
      pass.judges_apart() ? pass.judge_with_nominated(node, &s) : pass.judge(node, &s);
  if (!ran.ok()) return ran.error();
  if (s.code != Code::kError)
    s = Status(Code::kError, "a plugin gave an Error, but not when it was asked again");
  return {Rc::kPlugin, s.message(), "node " + view().row(row).name, s.plugin};
}

Result<FilterOutcome> Evaluator::filter_nodes(CycleState& state, const Pod& pod,
                                              const FilterOptions& options, uint64_t* feasible,
                                              size_t words) {
  LIBSCHED_TRY(may_search(state, pod));
  const CallLimits limits(options.limits, *services_);
  const Call call = call_with(limits.watch());
  const ExclusiveUse use(*this);
  const size_t used = view().word_count();
  mask(state, options, used);
  FilterPass pass(*framework_, state, pod, call);
  LIBSCHED_TRY(pass.prepare(&work_, options.nominated));
  FilterPolicy policy;
  policy.rows = work_.alive.data();
  policy.refresh = cluster_.get();
  if (options.limit != 0) {
    if (cluster_) cluster_->refresh();
    policy.limit = options.limit;
    const size_t nodes = view().order().size();
    policy.start = nodes == 0 ? 0 : options.start % nodes;
  }
  const Result<FilterWalk> found = pass.walk(policy);
  if (!found.ok()) return found.error();
  if (found->failed != kNoId) return node_error(pass, found->failed);
  if (words != 0) {
    std::copy(work_.feasible.begin(), work_.feasible.end(), feasible);
    std::fill(feasible + used, feasible + words, 0);
  }
  return FilterOutcome{found->count, found->first, found->position};
}

Result<StatusTable> Evaluator::statuses_of(FilterPass& pass, const Call& call, const Pod& pod,
                                           Span<uint32_t> rows) {
  Verdicts verdicts;
  verdicts.begin(0, view().word_count());
  work_.alive.assign(verdicts.words(), 0);
  work_.errors.assign(verdicts.words(), 0);
  for (const uint32_t r : rows) work_.alive[r / 64] |= uint64_t{1} << (r % 64);
  LIBSCHED_TRY(pass.prepare(&work_, true));
  LIBSCHED_TRY(
      pass.judge({0, verdicts.words(), work_.alive.data(), work_.errors.data()}, &verdicts));
  return verdicts.statuses(*framework_, call, pod);
}

}  // namespace libsched
