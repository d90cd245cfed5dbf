// Upstream's SelectVictimsOnNode on a copy of the node.
#include "libsched/plugins/defaultpreemption/victims.hpp"

#include "libsched/plugins/defaultpreemption/go_sort.hpp"
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
  Result<Status> take_off(const VictimUnit& unit) {
    return change(unit, FilterPass::Change::kRemove);
  }
  Result<Status> put_back(const VictimUnit& unit) { return change(unit, FilterPass::Change::kAdd); }
  Result<Status> fits() {
    Status s;
    LIBSCHED_TRY(pass_.judge_with_nominated(NodeView(node_), &s));
    return s;
  }

 private:
  // The first pod of a unit is on the node, as are some of the others.
  Result<Status> change(const VictimUnit& unit, FilterPass::Change how) {
    const bool add = how == FilterPass::Change::kAdd;
    for (size_t i = 0; i < unit.size(); ++i) {
      const View& view = node_.view();
      const uint32_t row = i == 0 ? node_.row() : view.find_node(unit[i]->spec.node_name);
      if (row == node_.row() && add) node_.add(unit[i]);
      if (row == node_.row() && !add) node_.remove(*unit[i]);
      const NodeView node = row == node_.row() ? NodeView(node_) : NodeView(view, row);
      Result<Status> said = plain(pass_.change(how, *unit[i], node));
      if (!said.ok() || !said->success()) return said;
    }
    return Status();
  }
  static Result<Status> plain(Result<Status> ran) {
    if (!ran.ok() || ran->success()) return ran;
    return Status::from_error(ran->error_text());
  }

  Ref<CycleState> state_;
  NodeOverlay node_;
  FilterPass pass_;
};

}  // namespace

Result<Victims> select_victims(const PostFilterCall& call, uint32_t row, const VictimUnits& units,
                               const DisruptionBudgets& budgets) {
  const int64_t now = call.services.clock().now_ns();
  DryRun node(call, row);
  Victims out;
  Result<std::vector<VictimUnit>> found = units.below(call.pod.priority(), node.pods(), now);
  if (!found.ok()) {
    out.status = Status::from_error(found.error().message);
    return out;
  }
  std::vector<VictimUnit>& lower = *found;
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
  for (const VictimUnit& unit : lower)
    if (fails(node.take_off(unit))) return finish();
  if (fails(node.fits())) return finish();

  go_sort(lower, more_important);
  const DisruptionBudgets::Split split = budgets.split(lower, call);
  std::vector<size_t> leaving;
  // Whether the unit can stay; no value: a step has failed.
  const auto reprieve = [&](size_t unit) -> std::optional<bool> {
    if (fails(node.put_back(lower[unit]))) return std::nullopt;
    if (!fails(node.fits())) return true;
    if (!failed.ok() || fails(node.take_off(lower[unit]))) return std::nullopt;
    leaving.push_back(unit);
    return false;
  };
  for (const DisruptionBudgets::Violating& v : split.violating) {
    const std::optional<bool> stays = reprieve(v.unit);
    if (!stays) return finish();
    if (*stays) continue;
    out.budget_violations += v.pods;
    for (const auto& [unit, budget] : split.broken)
      if (unit == v.unit) out.budgets.push_back(budget);
  }
  for (const size_t unit : split.others)
    if (!reprieve(unit)) return finish();
  LIBSCHED_TRY(call.check_limits());
  if (!split.violating.empty() && !split.others.empty())
    go_sort(leaving, [&](size_t a, size_t b) { return more_important(lower[a], lower[b]); });
  for (const size_t unit : leaving)
    for (const PodRef& pod : lower[unit].by_name())
      out.pods.push_back(PodRef::share(&call.view.as_bound(*pod)));
  out.status.reset();
  return out;
}

}  // namespace libsched
