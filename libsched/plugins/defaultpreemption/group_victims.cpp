// Upstream's selectVictimsOnDomain.
#include "libsched/plugins/defaultpreemption/group_victims.hpp"

#include "libsched/plugins/defaultpreemption/go_sort.hpp"
#include "libsched/run/evaluator.hpp"
#include "libsched/run/observed_point.hpp"

namespace libsched {
namespace {

// The copy of the cluster, which is as before in the end.
class Trial {
 public:
  explicit Trial(const GroupPostFilterCall& call)
      : call_(call), evaluator_(*call.asker), cluster_(*call.asker->cluster()) {}
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() {
    if (forked_) static_cast<void>(cluster_.revert());
  }

  // States are not to share their data with other pods of their class.
  Result<void> begin() {
    LIBSCHED_TRY(evaluator_.keep_classes(ClassMemoryMode::kOff));
    LIBSCHED_TRY(cluster_.fork());
    forked_ = true;
    return {};
  }
  Result<void> remove(const VictimUnit& unit) { return remove(unit, {}); }

  // The unit comes back, and leaves again if the group cannot be placed then.
  Result<bool> reschedule(const VictimUnit& unit) {
    LIBSCHED_TRY(add(unit, {}));
    std::vector<GroupAssignment> unused;
    const Result<Status> placed = call_.schedule(&unused);
    if (!placed.ok()) return placed.error();
    if (!placed->success()) LIBSCHED_TRY(remove(unit));
    return placed->success();
  }

  // Upstream's reprieveVictim: the unit comes back, and leaves again if a pod of the group does not
  // fit on its node then. The states of the group's pods follow.
  Result<bool> reprieve(const VictimUnit& unit, const std::vector<GroupAssignment>& assignments) {
    LIBSCHED_TRY(add(unit, assignments));
    size_t placed = 0;
    Result<bool> fits = true;
    for (const GroupAssignment& a : assignments) {
      fits = this->fits(a);
      if (!fits.ok()) break;
      if (!*fits) {
        LIBSCHED_TRY(remove(unit, assignments));
        break;
      }
      LIBSCHED_TRY(cluster_.assume(*a.pod, a.node));
      ++placed;
      ObservedPoint point(call_.observer, CyclePoint::kReserve, *a.pod, *a.state, a.node);
      const Result<Status> reserved = evaluator_.run_reserve(*a.state, *a.pod, a.node);
      if (!reserved.ok()) return reserved.error();
      point.end(&*reserved);
    }
    while (placed-- > 0) {
      const GroupAssignment& a = assignments[placed];
      ObservedPoint point(call_.observer, CyclePoint::kUnreserve, *a.pod, *a.state, a.node);
      LIBSCHED_TRY(evaluator_.run_unreserve(*a.state, *a.pod, a.node));
      point.end(nullptr);
      LIBSCHED_TRY(cluster_.forget(a.pod->meta.ns, a.pod->meta.name));
    }
    return fits;
  }

 private:
  using Extension = Result<Status> (Evaluator::*)(CycleState&, const Pod&, const Pod&, uint32_t);

  // Since its PreFilter, the data of a state has followed all changes of the cluster that matter.
  CycleState& present(const GroupAssignment& a) {
    for (CycleState::Entry& entry : a.state->edit_entries())
      if (bound_to_view(entry.data.get()) && entry.data->view_version != PluginData::kReleased)
        entry.data->view_version = cluster_.view().version();
    return *a.state;
  }
  Result<void> add(const VictimUnit& unit, Span<GroupAssignment> assignments) {
    for (size_t i = 0; i < unit.size(); ++i) {
      LIBSCHED_TRY(cluster_.update_pod(unit[i], unit[i]->spec.node_name));
      LIBSCHED_TRY(follow(*unit[i], assignments, &Evaluator::run_add_pod));
    }
    return {};
  }
  Result<void> remove(const VictimUnit& unit, Span<GroupAssignment> assignments) {
    for (size_t i = 0; i < unit.size(); ++i) {
      LIBSCHED_TRY(cluster_.remove_pod(unit[i]->meta.ns, unit[i]->meta.name));
      LIBSCHED_TRY(follow(*unit[i], assignments, &Evaluator::run_remove_pod));
    }
    return {};
  }
  Result<void> follow(const Pod& victim, Span<GroupAssignment> assignments, Extension extension) {
    const uint32_t row = cluster_.view().find_node(victim.spec.node_name);
    for (const GroupAssignment& a : assignments) {
      const Result<Status> said = (evaluator_.*extension)(present(a), *a.pod, victim, row);
      if (!said.ok()) return said.error();
      if (!said->success()) return Error{Rc::kInternal, said->error_text()};
    }
    return {};
  }
  Result<bool> fits(const GroupAssignment& a) {
    Status said;
    LIBSCHED_TRY(evaluator_.run_filter_with_nominated(present(a), *a.pod,
                                                      cluster_.view().find_node(a.node), &said));
    return said.success();
  }

  const GroupPostFilterCall& call_;
  Evaluator& evaluator_;
  Cluster& cluster_;
  bool forked_ = false;
};

}  // namespace

Result<GroupVictims> select_group_victims(const GroupPostFilterCall& call, GroupsAsVictims groups,
                                          const DisruptionBudgets& budgets, Reprieve how) {
  GroupVictims out;
  const View& view = call.view;
  std::vector<PodRef> there;
  for (const uint32_t row : view.order())
    for (const uint32_t slot : view.row(row).pods)
      there.push_back(PodRef::share(&view.as_bound(*view.slot(slot).pod)));
  Result<std::vector<VictimUnit>> found =
      VictimUnits(view, groups).below(call.group.priority, there, call.services.clock().now_ns());
  if (!found.ok()) {
    out.status = Status::from_error("failed to create domain: " + found.error().message);
    out.evaluated = false;
    return out;
  }
  std::vector<VictimUnit>& units = *found;
  if (units.empty()) {
    out.status = Status(Code::kUnschedulableAndUnresolvable,
                        "No preemption victims found for incoming preemptor");
    return out;
  }
  Trial trial(call);
  LIBSCHED_TRY(trial.begin());
  for (const VictimUnit& unit : units) LIBSCHED_TRY(trial.remove(unit));
  std::vector<GroupAssignment> assignments;
  const Result<Status> placed = call.schedule(&assignments);
  if (!placed.ok()) return placed.error();
  if (!placed->success()) {
    out.status = *placed;
    return out;
  }
  go_sort(units, more_important);
  const DisruptionBudgets::Split split = budgets.split(units, call);
  std::vector<VictimUnit> victims;
  const auto reprieve = [&](size_t unit) -> Result<bool> {
    LIBSCHED_TRY(call.check_limits());
    const Result<bool> stays = how == Reprieve::kFilter ? trial.reprieve(units[unit], assignments)
                                                        : trial.reschedule(units[unit]);
    if (stays.ok() && !*stays) victims.push_back(units[unit]);
    return stays;
  };
  for (const DisruptionBudgets::Violating& v : split.violating) {
    const Result<bool> stays = reprieve(v.unit);
    if (!stays.ok()) return stays.error();
    if (!*stays) out.budget_violations += v.pods;
  }
  for (const size_t unit : split.others)
    if (const Result<bool> stays = reprieve(unit); !stays.ok()) return stays.error();
  go_sort(victims, more_important);
  for (const VictimUnit& unit : victims) {
    out.disrupted += unit.of_group ? 1 : 0;
    for (const PodRef& pod : unit.by_name()) out.pods.push_back(pod);
  }
  for (const GroupAssignment& a : assignments) out.nominations.push_back({a.pod.get(), a.node});
  return out;
}

}  // namespace libsched
