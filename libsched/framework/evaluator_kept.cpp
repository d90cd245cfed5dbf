// Evaluator: choosing a node by what is kept of the pod's class.
#include "libsched/framework/evaluator.hpp"
#include "libsched/framework/observed_point.hpp"
#include "libsched/framework/plugin_scope.hpp"

namespace libsched {

// Returns the kept answers of the pod's class, if any may be kept. The steps in work_ then refer to
// the kept verdicts. For few nodes, keeping answers costs more than it saves.
Result<KeptClass*> Evaluator::kept_class(CycleState& state, const Pod& pod, const Call& call,
                                         const CycleOptions& options) {
  if (options.node_by_node || !framework_->extenders().empty() || !state.pre_filter().all_nodes ||
      !classes_.serves(view()))
    return nullptr;
  return classes_.follow(*framework_, {call, pod, state, nullptr, false}, &work_);
}

// Whether a cycle may go on from the one before of its class. One that is timed asks every plugin.
bool Evaluator::may_go_on(const CycleState& state, const Pod& pod,
                          const CycleOptions& options) const {
  return framework_->extenders().empty() && !options.sampling && !options.node_by_node &&
         options.ties == TieMode::kUpstream && !framework_->behaviours().uniform_ties &&
         !comparing_ && state.timer() == nullptr && nominations().empty() &&
         (pod.class_id != 0 || pod.status.nominated_node_name.empty());
}

// Chooses a node by going on from what is kept of the pod's class. Returns false if the cycle has
// to be run as a whole.
Result<bool> Evaluator::choose_by_class(CycleState& state, const Pod& pod, const Call& call,
                                        const CycleOptions& options, CycleOutcome* out) {
  if (!may_go_on(state, pod, options) || !state.may_adopt() || !classes_.serves(view()))
    return false;
  const View& v = view();
  KeptClass* const kept = classes_.find_ready(v, pod);
  if (kept == nullptr) return false;
  if (work_.column.size() < v.word_count() * 64) work_.column.resize(v.word_count() * 64);
  // Unless it comes to its end, nothing of it can be trusted.
  struct Guard {
    ~Guard() {
      if (cycle != nullptr) cycle->forget();
    }
    ClassCycle* cycle;
  } guard{&kept->cycle};
  const NodePlaces& places = classes_.places(v);
  const ClassCycle::Asked asked{*framework_, call, pod, state, work_, places};
  const Result<bool> followed = kept->cycle.follow(asked, classes_.changes());
  if (!followed.ok() || !*followed) return followed;
  PlacedTotals& totals = kept->cycle.totals();
  guard.cycle = nullptr;
  if (totals.feasible() == 0) return false;
  out->feasible = totals.feasible();
  out->evaluated = places.count();
  const PlacedTotals::Best best = totals.best(places);
  out->row = places.row(best.place);
  v.row(out->row).fetch();
  v.tables().fetch(pod, out->row);
  if (out->feasible > 1) out->total = best.total + kept->cycle.offset();
  if (state.meter() != nullptr) kept->cycle.count(asked, state.meter());
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

// Runs the cycle as a whole. Errors: kInternal if the outcome differs.
Result<void> Evaluator::compare_outcome(const Pod& pod, const Call& call,
                                        const CycleOptions& options, const CycleOutcome& kept) {
  CycleOptions how = options;
  how.post_filter = how.fit_error = false;
  how.observer = nullptr;
  comparing_ = true;
  struct Compared {
    ~Compared() { evaluator.comparing_ = false; }
    Evaluator& evaluator;
  } compared{*this};
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
  return Error{Rc::kInternal,
               "a cycle that goes on from a kept one ends otherwise: " + text(kept) +
                   ", as a whole " + text(fresh),
               {},
               {}};
}

Result<void> Evaluator::keep_classes(ClassCacheMode mode, size_t max_bytes) {
  LIBSCHED_TRY(check_idle());
  classes_.configure(mode, max_bytes);
  return {};
}

}  // namespace libsched
