// Upstream's selectVictimsOnDomain.
#include "libsched/plugins/defaultpreemption/group_victims.hpp"

#include <algorithm>
#include <map>

#include "libsched/plugins/defaultpreemption/go_sort.hpp"
#include "libsched/plugins/defaultpreemption/importance.hpp"
#include "libsched/run/evaluator.hpp"

namespace libsched {
namespace {

// A pod that may have to go, and its node.
struct Unit {
  PodRef pod;
  std::string node;
};

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
  Result<void> remove(const Unit& unit) {
    return cluster_.remove_pod(unit.pod->meta.ns, unit.pod->meta.name);
  }

  // Upstream's reprieveVictim: the pod comes back, and leaves again if a pod of the group does not
  // fit on its node then. The states of the group's pods follow.
  Result<bool> reprieve(const Unit& unit, const std::vector<GroupAssignment>& assignments) {
    LIBSCHED_TRY(cluster_.update_pod(unit.pod, unit.node));
    LIBSCHED_TRY(follow(unit, assignments, &Evaluator::run_add_pod));
    size_t placed = 0;
    Result<bool> fits = true;
    for (const GroupAssignment& a : assignments) {
      fits = this->fits(a);
      if (!fits.ok()) break;
      if (!*fits) {
        LIBSCHED_TRY(remove(unit));
        LIBSCHED_TRY(follow(unit, assignments, &Evaluator::run_remove_pod));
        break;
      }
      LIBSCHED_TRY(cluster_.assume(*a.pod, a.node));
      ++placed;
      const Result<Status> reserved = evaluator_.run_reserve(*a.state, *a.pod, a.node);
      if (!reserved.ok()) return reserved.error();
    }
    while (placed-- > 0) {
      const GroupAssignment& a = assignments[placed];
      LIBSCHED_TRY(evaluator_.run_unreserve(*a.state, *a.pod, a.node));
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
  Result<void> follow(const Unit& unit, const std::vector<GroupAssignment>& assignments,
                      Extension extension) {
    const uint32_t row = cluster_.view().find_node(unit.node);
    for (const GroupAssignment& a : assignments) {
      const Result<Status> said = (evaluator_.*extension)(present(a), *a.pod, *unit.pod, row);
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

int32_t victim_priority(const View& view, const Pod& pod) {
  if (pod.spec.scheduling_group.empty()) return pod.priority();
  const PodGroup* const group =
      view.objects().find<PodGroup>(pod.meta.ns, pod.spec.scheduling_group);
  return group == nullptr ? pod.priority() : group->priority;
}

bool more_important_victim(const View& view, const Pod& a, const Pod& b, int64_t now_ns) {
  const int32_t priority_a = victim_priority(view, a), priority_b = victim_priority(view, b);
  if (priority_a != priority_b) return priority_a > priority_b;
  const bool in_a = !a.spec.scheduling_group.empty(), in_b = !b.spec.scheduling_group.empty();
  if (in_a != in_b) return in_a;
  return started(a, now_ns) < started(b, now_ns);
}

Result<GroupVictims> select_group_victims(const GroupPostFilterCall& call,
                                          const DisruptionBudgets& budgets) {
  GroupVictims out;
  const View& view = call.view;
  std::vector<Unit> units;
  for (const uint32_t row : view.order())
    for (const uint32_t slot : view.row(row).pods) {
      const PodRef& pod = view.slot(slot).pod;
      if (victim_priority(view, *pod) < call.group.priority)
        units.push_back({PodRef::share(&view.as_bound(*pod)), view.row(row).name});
    }
  if (units.empty()) {
    out.status = Status(Code::kUnschedulableAndUnresolvable,
                        "No preemption victims found for incoming preemptor");
    return out;
  }
  Trial trial(call);
  LIBSCHED_TRY(trial.begin());
  for (const Unit& unit : units) LIBSCHED_TRY(trial.remove(unit));
  std::vector<GroupAssignment> assignments;
  const Result<Status> placed = call.schedule(&assignments);
  if (!placed.ok()) return placed.error();
  if (!placed->success()) {
    out.status = *placed;
    return out;
  }
  const int64_t now = call.services.clock().now_ns();
  const auto before = [&](const Unit& a, const Unit& b) {
    return more_important_victim(view, *a.pod, *b.pod, now);
  };
  go_sort(units, before);
  std::map<const Pod*, const Unit*> unit_of;
  std::vector<PodRef> pods;
  for (const Unit& unit : units) {
    unit_of[unit.pod.get()] = &unit;
    pods.push_back(unit.pod);
  }
  const DisruptionBudgets::Split split = budgets.split(pods, call);
  std::vector<Unit> victims;
  for (const std::vector<PodRef>* part : {&split.violating, &split.others})
    for (const PodRef& pod : *part) {
      const Unit& unit = *unit_of.at(pod.get());
      LIBSCHED_TRY(call.check_limits());
      const Result<bool> fits = trial.reprieve(unit, assignments);
      if (!fits.ok()) return fits.error();
      if (!*fits) victims.push_back(unit);
    }
  go_sort(victims, before);
  for (const Unit& unit : victims) out.pods.push_back(unit.pod);
  for (const GroupAssignment& a : assignments) out.nominations.push_back({a.pod.get(), a.node});
  return out;
}

}  // namespace libsched
