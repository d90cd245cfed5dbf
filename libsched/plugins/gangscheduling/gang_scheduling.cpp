// GangScheduling: the pods of a PodGroup with the policy "gang" enter the queue when there are
// enough of them, and wait on Permit until enough of them have a node. Mirrors upstream's
// plugins/gangscheduling.
#include "libsched/base/quote.hpp"
#include "libsched/framework/facts.hpp"
#include "libsched/objects/pod_group.hpp"
#include "libsched/objects/pod_parts.hpp"
#include "libsched/plugins/hints.hpp"
#include "libsched/plugins/in_tree.hpp"

namespace libsched {
namespace {

constexpr Str kName = "GangScheduling";
constexpr int64_t kPermitTimeoutNs = 5 * 60 * int64_t{1'000'000'000};

const PodGroup* group_of(const View& view, const Pod& pod) {
  return view.objects().find<PodGroup>(pod.meta.ns, pod.spec.scheduling_group);
}

std::string group_key(const Pod& pod) {
  return std::string(pod.meta.ns) + "/" + std::string(pod.spec.scheduling_group);
}

// A negative number is any number of members.
bool enough(size_t members, const PodGroup& group) {
  return static_cast<int64_t>(members) >= group.min_count;
}

Status no_state(const Pod& pod) {
  return Status::from_error("pod group state not found for pod group " + group_key(pod));
}

class GangScheduling final : public Plugin {
 public:
  explicit GangScheduling(bool groups_are_entities) : groups_are_entities_(groups_are_entities) {}

  bool may_hold_back(const Pod& pod) const override {
    return (pod.parts & pod_part::kSchedulingGroup) != 0;
  }
  Status pre_enqueue(const Call& call, const Pod& pod) const override {
    if (pod.spec.scheduling_group.empty()) return {};
    const PodGroup* group = group_of(call.view, pod);
    if (group == nullptr)
      return Status(Code::kUnschedulableAndUnresolvable, "waiting for pods's pod group " +
                                                             go_quote(pod.spec.scheduling_group) +
                                                             " to appear in scheduling queue");
    if (!group->gang) return {};
    const PodGroupState state =
        call.services.pod_groups().state(call.view, pod.meta.ns, pod.spec.scheduling_group);
    if (state.all() == 0) return no_state(pod);
    if (!enough(state.all(), *group))
      return Status(Code::kUnschedulableAndUnresolvable,
                    "waiting for minCount pods from a gang to appear in scheduling queue");
    return {};
  }

  void pod_facts(const Call& call, const Pod& pod, const Status& status,
                 Facts* facts) const override {
    Fact& fact = facts->add(status.reasons[0]);
    fact.text("podGroup", group_key(pod));
    const PodGroup* group = group_of(call.view, pod);
    if (group == nullptr) return;
    const PodGroupState state =
        call.services.pod_groups().state(call.view, pod.meta.ns, pod.spec.scheduling_group);
    fact.number("minCount", group->min_count).number("pods", static_cast<int64_t>(state.all()));
  }

  Status permit(const BindingCall& call, int64_t* timeout_ns) const override {
    const Pod& pod = call.pod;
    if (pod.spec.scheduling_group.empty()) return {};
    const PodGroup* group = group_of(*call.view, pod);
    if (group == nullptr)
      return Status::from_error("failed to get podGroup " + group_key(pod) +
                                ": podgroup.scheduling.k8s.io " +
                                go_quote(pod.spec.scheduling_group) + " not found");
    if (!group->gang) return {};
    const PodGroupState state =
        call.services.pod_groups().state(*call.view, pod.meta.ns, pod.spec.scheduling_group);
    if (state.all() == 0) return no_state(pod);
    if (!enough(state.scheduled, *group)) {
      std::map<std::string, PodRef> others;
      for (const PodRef& other : state.unscheduled)
        others[std::string(other->meta.ns) + "/" + std::string(other->meta.name)] = other;
      call.services.activate(std::move(others));
      *timeout_ns = kPermitTimeoutNs;
      return Status(Code::kWait, "waiting for minCount pods from a gang to be scheduled");
    }
    for (const PodRef& other : state.assumed)
      if (const auto waiting = call.services.waiting_pods().get(other->meta.uid))
        waiting->allow(kName);
    return {};
  }

  Status placement_feasible(const GroupCall& call, const PlacementProgress& p) const override {
    const int64_t wanted = call.group.gang ? call.group.min_count : 1;
    const auto have = static_cast<int64_t>(p.scheduled), more = static_cast<int64_t>(p.remaining);
    if (have >= wanted) return {};
    const bool may = have + more >= wanted;
    return Status(may ? Code::kWait : Code::kUnschedulable,
                  "minCount (" + std::to_string(wanted) + ") " +
                      (may ? "is not yet satisfied" : "cannot be satisfied") + ": " +
                      std::to_string(have) + " scheduled, " + std::to_string(more) + " remaining");
  }

  // A pod's group never changes, and of a PodGroup only the policy where groups are entities.
  bool registers_events() const override { return true; }
  Result<std::vector<ClusterEventWithHint>> events_to_register() const override {
    std::vector<ClusterEventWithHint> events{hinted(kPodEvents, kAdd),
                                             hinted(kPodGroupEvents, kAdd)};
    if (groups_are_entities_) events.push_back(hinted(kPodGroupEvents, kUpdate));
    return events;
  }
  Result<QueueingHint> hint(size_t registration, const View&, const Pod& pod,
                            const ObjectChange& change) const override {
    if (!change.after) return no_object(change);
    const Str group = pod.spec.scheduling_group;
    if (group.empty() || pod.meta.ns != change.after->meta.ns) return QueueingHint::kQueueSkip;
    if (registration == 0)
      return queue_if(object_of<Pod>(change.after)->spec.scheduling_group == group);
    if (registration == 1 || change.after->meta.name != group)
      return queue_if(change.after->meta.name == group);
    if (!change.before) return no_object(change);
    const auto& before = *object_of<PodGroup>(change.before);
    const auto& after = *object_of<PodGroup>(change.after);
    return queue_if(before.gang && after.gang && after.min_count < before.min_count);
  }

 private:
  bool groups_are_entities_;  // see Behaviours
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_gang_scheduling(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(
      std::make_unique<GangScheduling>(call.behaviours.groups_are_entities));
}

}  // namespace libsched
