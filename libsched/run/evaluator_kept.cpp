// Evaluator: choosing a node by what is kept of the pod's class.
#include "libsched/config/deferred_resize.hpp"
#include "libsched/framework/plugin_scope.hpp"
#include "libsched/objects/pod_class_id.hpp"
#include "libsched/run/evaluator.hpp"
#include "libsched/run/observed_point.hpp"

namespace libsched {

// Returns what is kept of the pod's class, or null if the cycle uses nothing of it. One that is
// timed asks every plugin. For few nodes, keeping answers costs more than it saves.
KeptClass* Evaluator::find_kept(const CycleState& state, const Pod& pod,
                                const CycleOptions& options) {
  if (options.node_by_node || !framework_->extenders().empty() || comparing_ ||
      state.timer() != nullptr || !placed_within_.empty() ||
      scheduled_for_resize(framework_->gates(), pod) || !classes_.serves(view()))
    return nullptr;
  return &classes_.find(view(), pod.class_id != 0 ? pod.class_id : class_number(pod));
}

// Brings what is kept of filters up to date for the pod, whose state is then as after PreFilter.
// Returns false if PreFilter has to be asked. few_ has the changes since.
Result<bool> Evaluator::follow_filters(CycleState& state, const Pod& pod, const Call& call,
                                       KeptClass* kept) {
  const View& v = view();
  if (!state.may_adopt() || kept->filters.reserves() || !kept->filters.can_follow(v) ||
      !few_.read(v.log(), kept->filters.cursor(), v.row_count()))
    return false;
  if (kept->scores.stands_in(v)) kept->scores.fetch(v, classes_.places(v), few_);
  const Result<bool> followed = kept->filters.follow({*framework_, call, pod, state, work_}, few_);
  if (followed.ok() && *followed && state.meter() != nullptr)
    kept->filters.count_pre_filter(state.meter());
  return followed;
}

// Takes what PreFilter has prepared for a pass over all nodes, unless it was `followed`, and points
// the steps of the workspace to the verdicts that are kept.
Result<void> Evaluator::take_filters(CycleState& state, const Pod& pod, const Call& call,
                                     bool followed, KeptClass* kept) {
  const View& v = view();
  const KeptQuestion asked{*framework_, call, pod, state, work_};
  classes_.note_growth(kept);
  if (!followed) {
    kept->scores.forget();
    const bool few = few_.read(v.log(), kept->filters.cursor(), v.row_count());
    LIBSCHED_TRY(kept->filters.take(asked, few ? &few_ : nullptr, true));
  }
  LIBSCHED_TRY(kept->filters.judge(asked, kept->lately()));
  if (classes_.mode() == ClassMemoryMode::kChecked) LIBSCHED_TRY(kept->filters.compare(asked));
  kept->filters.drop_unused();
  return {};
}

// Whether a cycle scores all nodes, and picks one as upstream does where chance has no say.
bool Evaluator::may_keep_scores(const Pod& pod, const CycleOptions& options) const {
  return !options.sampling && options.ties == TieMode::kUpstream &&
         !framework_->behaviours().uniform_ties && nominations().empty() &&
         (pod.class_id != 0 || pod.status.nominated_node_name.empty());
}

// Whether a pod that finds no node leaves nothing but its status.
bool Evaluator::may_keep_failure(const CycleState& state, const Pod& pod,
                                 const CycleOptions& options) const {
  return options.fit_error && !options.post_filter && options.observer == nullptr &&
         state.meter() == nullptr && classes_.mode() != ClassMemoryMode::kChecked &&
         may_keep_scores(pod, options);
}

// Chooses a node by going on from the scores that are kept, after follow_filters(). Returns false
// if all nodes have to be scored.
Result<bool> Evaluator::choose_by_class(CycleState& state, const Pod& pod, const Call& call,
                                        const CycleOptions& options, KeptClass* kept,
                                        CycleOutcome* out) {
  const View& v = view();
  KeptScores& scores = kept->scores;
  // Unless it comes to its end, nothing of it can be trusted.
  struct Guard {
    ~Guard() {
      if (scores != nullptr) scores->forget();
    }
    KeptScores* scores;
  } guard{&scores};
  if (!scores.stands_in(v) || !may_keep_scores(pod, options)) return false;
  if (work_.column.size() < v.word_count() * 64) work_.column.resize(v.word_count() * 64);
  const NodePlaces& places = classes_.places(v);
  const KeptScores::Asked asked{{*framework_, call, pod, state, work_}, kept->filters, places};
  const Result<bool> followed = scores.follow(asked, few_);
  if (!followed.ok() || !*followed) return followed;
  guard.scores = nullptr;
  PlacedTotals& totals = scores.totals();
  if (totals.feasible() == 0) return false;
  out->feasible = totals.feasible();
  out->evaluated = places.count();
  const PlacedTotals::Best best = totals.best(places);
  out->row = places.row(best.place);
  v.row(out->row).fetch();
  v.tables().fetch(pod, out->row);
  if (out->feasible > 1) out->total = best.total + scores.offset();
  if (state.meter() != nullptr) {
    kept->filters.count_filter(asked, state.meter());
    scores.count(asked, state.meter());
  }
  classes_.note_served();
  return true;
}

// Tells the observer of the points that follow PreFilter in a whole cycle. They take no time: all
// that the cycle has done counts as PreFilter's.
void Evaluator::tell_kept(CycleState& state, const Pod& pod, const Call& call,
                          const CycleOptions& options, bool scored) const {
  const auto tell = [&](CyclePoint point, const Status* status) {
    ObservedPoint(options, point, pod, state).end(status);
  };
  if (options.observer == nullptr) return;
  const PluginScope scope(state, call, true);
  const Status success;
  tell(CyclePoint::kFilter, nullptr);
  if (!scored) return;
  tell(CyclePoint::kPreScore, &success);
  tell(CyclePoint::kScore, &success);
}

// Whether scores are given by a plugin that may answer otherwise when it is asked once more.
bool Evaluator::foreign_scores() const {
  for (const ExtensionPoint point : {ExtensionPoint::kPreScore, ExtensionPoint::kScore})
    for (const uint32_t i : framework_->at(point)) {
      const Plugin* const plugin = framework_->plugins()[i].plugin.get();
      if (plugin != nullptr && plugin->foreign()) return true;
    }
  return false;
}

// Runs the cycle, which began at this node and after so many random ties, as if nothing were kept.
// Errors: kInternal if the outcome differs.
Result<void> Evaluator::compare_outcome(const Pod& pod, const Call& call,
                                        const CycleOptions& options, const CycleOutcome& kept,
                                        size_t start, uint64_t ties) {
  CycleOptions how = options;
  how.post_filter = how.fit_error = false;
  how.observer = nullptr;
  comparing_ = true;
  struct Compared {
    ~Compared() {
      evaluator.comparing_ = false;
      evaluator.next_start_ = start;
      evaluator.ties_broken_ = ties;
    }
    Evaluator& evaluator;
    size_t start;
    uint64_t ties;
  } compared{*this, std::exchange(next_start_, start), std::exchange(ties_broken_, ties)};
  const Ref<CycleState> state = make_ref<CycleState>();
  CycleOutcome fresh;
  LIBSCHED_TRY(cycle(*state, pod, call, how, &fresh));
  if (fresh.row == kept.row && fresh.total == kept.total && fresh.feasible == kept.feasible &&
      fresh.evaluated == kept.evaluated)
    return {};
  const auto text = [&](const CycleOutcome& o) {
    return (o.row == kNoId ? "none" : view().row(o.row).name) + " by " + std::to_string(o.total) +
           " of " + std::to_string(o.feasible);
  };
  return Error{Rc::kInternal, "a cycle that goes on from a kept one ends otherwise: " + text(kept) +
                                  ", as a whole " + text(fresh)};
}

Result<void> Evaluator::keep_classes(ClassMemoryMode mode, size_t max_bytes) {
  LIBSCHED_TRY(check_idle());
  classes_.configure(mode, max_bytes);
  return {};
}

}  // namespace libsched
