// Upstream's SelectVictimsOnNode on an overlay.
#include "libsched/plugins/defaultpreemption/victims.hpp"

#include "libsched/plugins/defaultpreemption/go_sort.hpp"
#include "libsched/plugins/defaultpreemption/importance.hpp"

namespace libsched {
namespace {

class DryRun {
 public:
  DryRun(const Evaluator& evaluator, const CycleState& state, const Pod& pod, uint32_t row)
      : evaluator_(evaluator), state_(state.clone()), pod_(pod), node_(evaluator.view(), row) {
    state_->limits = state.limits;  // which outlive this
  }

  const std::vector<PodRef>& pods() const { return node_.pods(); }

  // An Error that is no success is upstream's AsStatus of an extension's error.
  Result<Status> take_off(const Pod& other) {
    node_.remove(other);
    return plain(evaluator_.run_remove_pod(*state_, pod_, other, node_));
  }
  Result<Status> put_back(const PodRef& other) {
    node_.add(other);
    return plain(evaluator_.run_add_pod(*state_, pod_, *other, node_));
  }
  Result<Status> fits() {
    Status s;
    LIBSCHED_TRY(evaluator_.run_filter_with_nominated(*state_, pod_, node_, &s));
    return s;
  }

 private:
  static Result<Status> plain(Result<Status> ran) {
    if (!ran.ok() || ran->success()) return ran;
    return Status::from_error(ran->error_text());
  }

  const Evaluator& evaluator_;
  Ref<CycleState> state_;
  const Pod& pod_;
  NodeOverlay node_;
};

}  // namespace

Result<Victims> select_victims(const Evaluator& evaluator, const CycleState& state, const Pod& pod,
                               uint32_t row, const DisruptionBudgets& budgets) {
  const int64_t now = evaluator.services().clock().now_ns();
  const auto before = [now](const PodRef& a, const PodRef& b) {
    return more_important(*a, *b, now);
  };
  DryRun node(evaluator, state, pod, row);
  Victims out;
  std::vector<PodRef> lower;
  for (const PodRef& p : node.pods())
    if (p->priority() < pod.priority()) lower.push_back(p);
  if (lower.empty()) {
    out.status =
        Status(Code::kUnschedulableAndUnresolvable, "No preemption victims found for incoming pod");
    return out;
  }
  // Runs a step; true: it was no success, and `out.status` says so.
  Result<void> failed;
  const auto fails = [&](Result<Status> ran) {
    if (!ran.ok()) {
      failed = std::move(ran.error());
      return true;
    }
    if (state.exceeded()) {  // then what plugins said means nothing
      failed = state.limits->error();
      return true;
    }
    out.status = std::move(*ran);
    return !out.status.success();
  };
  const auto finish = [&]() -> Result<Victims> {
    if (!failed.ok()) return std::move(failed.error());
    out.pods.clear();
    out.budget_violations = 0;
    return std::move(out);
  };
  for (const PodRef& p : lower)
    if (fails(node.take_off(*p))) return finish();
  if (fails(node.fits())) return finish();

  go_sort(lower, before);
  const DisruptionBudgets::Split split = budgets.split(lower, state);
  for (const std::vector<PodRef>* group : {&split.violating, &split.others})
    for (const PodRef& p : *group) {
      if (fails(node.put_back(p))) return finish();
      if (!fails(node.fits())) continue;
      if (!failed.ok()) return finish();
      if (fails(node.take_off(*p))) return finish();
      out.pods.push_back(p);
      if (group == &split.violating) ++out.budget_violations;
    }
  if (state.exceeded()) return state.limits->error();
  if (!split.violating.empty() && !split.others.empty()) go_sort(out.pods, before);
  out.status.reset();
  return out;
}

}  // namespace libsched
