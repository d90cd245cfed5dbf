// Evaluator: PreScore and Score over nodes that the caller names.
#include <bit>

#include "libsched/run/evaluator.hpp"
#include "libsched/run/score_pass.hpp"

namespace libsched {

Result<void> Evaluator::ready_to_score(CycleState& state, const Pod& pod, size_t words) const {
  LIBSCHED_TRY(check_idle());
  LIBSCHED_TRY(tie_to_pod(state, pod));
  if (words < view().word_count())
    return Error{Rc::kInvalid, "the bitmap of nodes has " + std::to_string(words) +
                                   " words, the view has " + std::to_string(view().word_count())};
  return {};
}

// The caller's rows that have a node.
ScoreSet Evaluator::scored_rows(const uint64_t* feasible) {
  const View& v = view();
  const size_t used = v.word_count();
  work_.feasible.assign(feasible, feasible + used);
  size_t count = 0;
  for (size_t w = 0; w < used; ++w) {
    work_.feasible[w] &= w < v.live().word_count() ? v.live().word(w) : 0;
    count += static_cast<size_t>(count_bits(work_.feasible[w]));
  }
  return {used, count, work_.feasible.data(), nullptr, nullptr};
}

Result<Status> Evaluator::run_pre_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                                        size_t words) {
  LIBSCHED_TRY(ready_to_score(state, pod, words));
  LIBSCHED_TRY(may_replace(state));
  if (cluster_) cluster_->refresh();
  const Call call = call_inside(state);
  const ExclusiveUse use(*this);
  ScoreSet set = scored_rows(feasible);
  FeasibleOrder order(view().order(), 0, set.bits, set.count, &work_.feasible_rows);
  set.order = &order;
  return ScorePass(*framework_, state, pod, call, &work_).pre_score(set);
}

Result<Status> Evaluator::run_score(CycleState& state, const Pod& pod, const uint64_t* feasible,
                                    size_t words, int64_t* totals, ScoreTable* table) {
  LIBSCHED_TRY(ready_to_score(state, pod, words));
  if (cluster_) cluster_->refresh();
  const Call call = call_inside(state);
  const ExclusiveUse use(*this);
  ScoreSet set = scored_rows(feasible);
  FeasibleOrder order(view().order(), 0, set.bits, set.count, &work_.feasible_rows);
  set.order = &order;
  ScorePass pass(*framework_, state, pod, call, &work_);
  if (totals == nullptr || table != nullptr || !framework_->narrow_scores())
    return pass.score(set, totals, table);
  const size_t n = set.words * 64;
  if (work_.narrow_totals.size() < n) work_.narrow_totals.resize(n);
  int64_t offset = 0;
  Result<Status> scored = pass.score(set, work_.narrow_totals.data(), nullptr, &offset);
  for (size_t r = 0; r < n; ++r) totals[r] = work_.narrow_totals[r] + offset;
  return scored;
}

}  // namespace libsched
