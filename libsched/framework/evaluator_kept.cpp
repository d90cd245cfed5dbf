// Evaluator: choosing a node by what is kept of the pod's class.
#include <algorithm>

#include "libsched/framework/evaluator.hpp"
#include "libsched/framework/score_pass.hpp"

namespace libsched {

// Returns the kept answers of the pod's class, if any may be kept. The steps in work_ then refer to
// the kept verdicts. For few nodes, keeping answers costs more than it saves.
Result<KeptClass*> Evaluator::kept_class(CycleState& state, const Pod& pod, const Call& call,
                                         const CycleOptions& options) {
  if (options.node_by_node || !state.pre_filter().all_nodes || !classes_.serves(view()))
    return nullptr;
  return classes_.follow(*framework_, {call, pod, state, nullptr, false}, &work_,
                         options.class_name);
}

// Chooses by kept scores. Returns false if they do not suffice.
Result<bool> Evaluator::pick_kept(ScorePass& scores, const ScoreSet& set, KeptClass* kept,
                                  TieMode ties, const CycleOptions& options, CycleOutcome* out) {
  const View& v = view();
  int64_t offset = 0;
  ClassScores& of = kept->scores;
  const Result<bool> scored = scores.score_kept(set, &of, &offset);
  if (!scored.ok() || !*scored) return scored;
  const int32_t* const totals = of.totals();
  ClassScores::Best best;
  if (options.sampling) {  // few nodes, and other ones each time
    const Span<uint32_t> rows = set.rows();
    best.total = totals[rows[0]];
    for (const uint32_t r : rows) {
      best.ties = totals[r] > best.total ? 1 : best.ties + (totals[r] == best.total ? 1 : 0);
      best.total = std::max(best.total, totals[r]);
    }
  } else {
    best = of.best(set, classes_.places(v));
  }
  uint64_t broken = ties_broken_;
  const bool only = best.ties == 1;
  if (!options.sampling && (only || ties == TieMode::kUpstream)) {
    out->row = of.first_in_heap(set, best, classes_.places(v));
  } else {  // of one no choice by chance is made
    out->row = pick_tie(v, set, totals, best.total, best.ties, only ? TieMode::kName : ties,
                        options.seed, &ties_broken_);
  }
  out->total = best.total + offset;
  classes_.note_served();
  if (classes_.mode() != ClassCacheMode::kChecked) return true;
  LIBSCHED_TRY(compare_scores(scores, set, of, offset));
  int64_t top = 0;
  const uint32_t row = pick_row(v, set, work_.totals.data(), ties, options.seed, &broken, &top);
  if (row != out->row || top != out->total || broken != ties_broken_)
    return Error{Rc::kInternal, "another node is picked of kept totals", v.row(row).name, {}};
  return true;
}

// Afterwards work_.totals holds fresh totals.
Result<void> Evaluator::compare_scores(ScorePass& scores, const ScoreSet& set,
                                       const ClassScores& kept, int64_t offset) {
  const Result<Status> scored = scores.score(set, work_.totals.data(), nullptr);
  if (!scored.ok()) return scored.error();
  for (const uint32_t r : set.rows()) {
    const int64_t total = kept.totals()[r] + offset;
    if (scored->success() && work_.totals[r] == total) continue;
    return Error{Rc::kInternal,
                 "a Score plugin scores by more than it declares to read: the total kept is " +
                     std::to_string(total) +
                     (scored->success() ? ", a fresh one " + std::to_string(work_.totals[r])
                                        : ", and now a plugin fails: " + scored->message()),
                 "node " + view().row(r).name,
                 {}};
  }
  return {};
}

Result<void> Evaluator::keep_classes(ClassCacheMode mode, size_t max_bytes) {
  LIBSCHED_TRY(check_idle());
  classes_.configure(mode, max_bytes);
  return {};
}

}  // namespace libsched
