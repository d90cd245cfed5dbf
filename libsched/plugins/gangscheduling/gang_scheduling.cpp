// GangScheduling: the pods of a PodGroup with the policy "gang" enter the queue when there are
// enough of them, and wait on Permit until enough of them have a node. In a tree of groups, all
// that its root needs has to be there. Mirrors upstream's plugins/gangscheduling.
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
  explicit GangScheduling(const FactoryCall& call)
      : groups_are_entities_(call.behaviours.groups_are_entities),
        trees_(call.gates.enabled(Gate::kCompositePodGroup)) {}

  bool may_hold_back(const Pod& pod) const override {
    return (pod.parts & pod_part::kSchedulingGroup) != 0;
  }
  Status pre_enqueue(const Call& call, const Pod& pod) const override {
    if (pod.spec.scheduling_group.empty()) return {};
    const PodGroup* group = group_of(call.view, pod);
    if (trees_) {
      const Tree tree = find_tree(call.view, pod, group);
      if (tree.root == nullptr) return Status(Code::kUnschedulableAndUnresolvable, tree.missing);
      if (ready(call.view, call.services, *tree.root, &PodGroupState::all)) return {};
      return Status(Code::kUnschedulableAndUnresolvable,
                    tree.root->composite
                        ? incomplete(*tree.root)
                        : "waiting for minCount pods from a gang to appear in scheduling queue");
    }
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
    if (trees_) {
      const Tree tree = find_tree(*call.view, pod, group);
      if (tree.root == nullptr) return Status::from_error(tree.missing);
      if (tree.root->composite) return permit_tree(call, *tree.root, timeout_ns);
    }
    if (group == nullptr)
      return Status::from_error("failed to get podGroup " + group_key(pod) +
                                ": podgroup.scheduling.k8s.io " +
                                go_quote(pod.spec.scheduling_group) + " not found");
    if (!group->gang) return {};
    const PodGroupState state =
        call.services.pod_groups().state(*call.view, pod.meta.ns, pod.spec.scheduling_group);
    if (state.all() == 0) return no_state(pod);
    if (!enough(state.scheduled, *group)) {
      activate(call.services, state);
      *timeout_ns = kPermitTimeoutNs;
      return Status(Code::kWait, "waiting for minCount pods from a gang to be scheduled");
    }
    allow(call.services, state);
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
    if (trees_) events.push_back(hinted(kCompositePodGroupEvents, kAdd));
    return events;
  }
  Result<QueueingHint> hint(size_t registration, const View& view, const Pod& pod,
                            const ObjectChange& change) const override {
    if (!change.after) return no_object(change);
    if (pod.spec.scheduling_group.empty() || pod.meta.ns != change.after->meta.ns ||
        !together(registration, view, pod, *change.after))
      return QueueingHint::kQueueSkip;
    if (registration != kGroupUpdated) return QueueingHint::kQueue;
    if (!change.before) return no_object(change);
    const auto& before = *object_of<PodGroup>(change.before);
    const auto& after = *object_of<PodGroup>(change.after);
    return queue_if(before.gang && after.gang && after.min_count < before.min_count);
  }

 private:
  // The numbers of registrations.
  static constexpr size_t kPodAdded = 0, kGroupUpdated = 2, kCompositeAdded = 3;

  // The tree of a pod's group.
  struct Tree {
    const PodGroup* root = nullptr;
    std::string missing;  // null root: what is not there
  };
  // Upstream's BuildHierarchySnapshotFromPod, which knows so many groups above each other.
  static Tree find_tree(const View& view, const Pod& pod, const PodGroup* group) {
    const std::string failed = "failed to build hierarchy snapshot: ";
    const auto missing = [&](Str name) {
      return Tree{nullptr, failed + "composite pod group object not found in state for " +
                               "compositepodgroup/" + std::string(pod.meta.ns) + "/" +
                               std::string(name)};
    };
    if (group == nullptr)
      return {nullptr,
              failed + "pod group object not found in state for podgroup/" + group_key(pod)};
    const PodGroup* root = group;
    for (size_t depth = 1; !root->parent.empty(); ++depth) {
      if (depth > GroupForest::kMaxDepth) return missing(group->parent);
      const PodGroup* const parent = GroupForest::parent_of(view, *root);
      if (parent == nullptr)
        return missing(depth == GroupForest::kMaxDepth ? group->parent : root->parent);
      root = parent;
    }
    return {root, {}};
  }

  static std::string incomplete(const PodGroup& root) {
    return "waiting for composite pod group " + go_quote(root.meta.name) + " tree to meet quorum";
  }

  // Whether enough of the group's children are ready, or enough of its pods count.
  static bool ready(const View& view, Services& services, const PodGroup& group,
                    size_t (PodGroupState::*count)() const) {
    size_t have = 0;
    if (group.composite) {
      for (const PodGroupRef& child : services.group_forest().children_of(view, group))
        have += ready(view, services, *child, count) ? 1 : 0;
    } else {
      have = (services.pod_groups().state(view, group.meta.ns, group.meta.name).*count)();
    }
    return static_cast<int64_t>(have) >= (group.gang ? group.min_count : 1);
  }

  static Status permit_tree(const BindingCall& call, const PodGroup& root, int64_t* timeout_ns) {
    const bool complete = ready(*call.view, call.services, root, &PodGroupState::with_node);
    call.services.group_forest().each_leaf(*call.view, root, [&](const PodGroup& leaf) {
      const PodGroupState state =
          call.services.pod_groups().state(*call.view, leaf.meta.ns, leaf.meta.name);
      if (complete)
        allow(call.services, state);
      else
        activate(call.services, state);
    });
    if (complete) return {};
    *timeout_ns = kPermitTimeoutNs;
    return Status(Code::kWait, incomplete(root));
  }

  // The members without a node are retried at once.
  static void activate(Services& services, const PodGroupState& state) {
    std::map<std::string, PodRef> others;
    for (const PodRef& other : state.unscheduled)
      others[std::string(other->meta.ns) + "/" + std::string(other->meta.name)] = other;
    services.activate(std::move(others));
  }
  static void allow(Services& services, const PodGroupState& state) {
    for (const PodRef& other : state.assumed)
      if (const auto waiting = services.waiting_pods().get(other->meta.uid)) waiting->allow(kName);
  }

  // Whether the pod's group, and the object of an event in its namespace, belong to one tree.
  bool together(size_t registration, const View& view, const Pod& pod, const Object& object) const {
    const Str name = registration == kPodAdded
                         ? static_cast<const Pod&>(object).spec.scheduling_group
                         : object.meta.name;
    if (!trees_) return name == pod.spec.scheduling_group;
    const PodGroup* const own = group_of(view, pod);
    const PodGroup* const other = registration == kCompositeAdded
                                      ? view.objects().find<CompositePodGroup>(pod.meta.ns, name)
                                      : view.objects().find<PodGroup>(pod.meta.ns, name);
    if (own == nullptr || other == nullptr) return false;
    const PodGroup* const root = GroupForest::root_of(view, *own);
    return root != nullptr && root == GroupForest::root_of(view, *other);
  }

  bool groups_are_entities_;  // see Behaviours
  bool trees_;                // groups may have parents
};

}  // namespace

Result<std::unique_ptr<Plugin>> make_gang_scheduling(const FactoryCall& call) {
  return std::unique_ptr<Plugin>(std::make_unique<GangScheduling>(call));
}

}  // namespace libsched
