// Upstream's SelectVictimsOnNode on a copy of the node.
#include "libsched/plugins/defaultpreemption/victims.hpp"

#include "libsched/plugins/defaultpreemption/go_sort.hpp"
#include "libsched/plugins/defaultpreemption/group_victims.hpp"
#include "libsched/plugins/defaultpreemption/importance.hpp"
#include "libsched/run/evaluator.hpp"
#include "libsched/run/filter_pass.hpp"

namespace libsched {
namespace {

class DryRun {
 public:
  DryRun(const PostFilterCall& call, uint32_t row)
      : state_(call.state.clone()),
        node_(call.view, row),
        pass_(call.asker->framework(), *state_, call.pod, call) {}

  const std::vector<PodRef>& pods() const { return node_.pods(); }

  // An Error that is not Success is upstream's AsStatus of an extension's error.
  Result<Status> take_off(const Pod& other) {
    node_.remove(other);
    return plain(pass_.change(FilterPass::Change::kRemove, other, NodeView(node_)));
  }
  Result<Status> put_back(const PodRef& other) {
    node_.add(other);
    return plain(pass_.change(FilterPass::Change::kAdd, *other, NodeView(node_)));
  }
  Result<Status> fits() {
    Status s;
    LIBSCHED_TRY(pass_.judge_with_nominated(NodeView(node_), &s));
    return s;
  }

 private:
  static Result<Status> plain(Result<Status> ran) {
    if (!ran.ok() || ran->success()) return ran;
    return Status::from_error(ran->error_text());
  }

  Ref<CycleState> state_;
  NodeOverlay node_;
  FilterPass pass_;
};

}  // namespace

Result<Victims> select_victims(const PostFilterCall& call, uint32_t row,
                               const DisruptionBudgets& budgets) {
  const int64_t now = call.services.clock().now_ns();
  const Framework& framework = call.asker->framework();
  const bool groups = framework.behaviours().groups_are_entities &&
                      framework.gates().enabled(Gate::kGenericWorkload);
  const auto before = [&](const PodRef& a, const PodRef& b) {
    return groups ? more_important_victim(call.view, *a, *b, now) : more_important(*a, *b, now);
  };
  DryRun node(call, row);
  Victims out;
  std::vector<PodRef> lower;
  for (const PodRef& p : node.pods())
    if ((groups ? victim_priority(call.view, *p) : p->priority()) < call.pod.priority())
      lower.push_back(p);
  if (lower.empty()) {
    out.status =
        Status(Code::kUnschedulableAndUnresolvable, "No preemption victims found for incoming pod");
    return out;
  }
  // Runs a step; true: it did not succeed, and `out.status` says why.
  Result<void> failed;
  const auto fails = [&](Result<Status> ran) {
    if (!ran.ok()) {
      failed = std::move(ran.error());
      return true;
    }
    failed = call.check_limits();
    if (!failed.ok()) return true;  // then the plugins' statuses are meaningless
    out.status = std::move(*ran);
    return !out.status.success();
  };
  const auto finish = [&]() -> Result<Victims> {
    if (!failed.ok()) return std::move(failed.error());
    out.pods.clear();
    out.budget_violations = 0;
    out.budgets.clear();
    return std::move(out);
  };
  for (const PodRef& p : lower)
    if (fails(node.take_off(*p))) return finish();
  if (fails(node.fits())) return finish();

  go_sort(lower, before);
  const DisruptionBudgets::Split split = budgets.split(lower, call);
  for (const std::vector<PodRef>* group : {&split.violating, &split.others})
    for (const PodRef& p : *group) {
      if (fails(node.put_back(p))) return finish();
      if (!fails(node.fits())) continue;
      if (!failed.ok()) return finish();
      if (fails(node.take_off(*p))) return finish();
      out.pods.push_back(p);
      if (group != &split.violating) continue;
      ++out.budget_violations;
      for (const auto& [pod, budget] : split.broken)
        if (pod == p.get()) out.budgets.push_back(budget);
    }
  LIBSCHED_TRY(call.check_limits());
  if (!split.violating.empty() && !split.others.empty()) go_sort(out.pods, before);
  for (PodRef& p : out.pods) p = PodRef::share(&call.view.as_bound(*p));
  out.status.reset();
  return out;
}

}  // namespace libsched
