// Scheduler: the cycle of a PodGroup, or of a tree of groups, that is one entity of the queue,
// upstream's schedule_one_podgroup.go since 1.37. The members are tried as long as the group can
// still be placed, and are taken back; plugins then say whether that suffices. If it does not, they
// may make room for the group. The members of a CompositePodGroup are groups.
#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/scheduler/loop/group_attempt.hpp"
#include "libsched/scheduler/loop/group_condition.hpp"

namespace libsched {
namespace {

constexpr const char* kUnschedulable = "pod group is unschedulable";

Status unschedulable(const std::vector<std::string>& reasons = {}) {
  Status out(Code::kUnschedulable);
  out.reasons = reasons;
  out.set_error(kUnschedulable);
  return out;
}

Failure failure_of(Status status) {
  Failure failure;
  failure.status = std::move(status);
  return failure;
}

Str preemption_policy(Str written) {
  return written.empty() ? Str("PreemptLowerPriority") : written;
}

// Upstream's validatePod: what all pods of a group have in common.
class Alike {
 public:
  // With `group_policy` (gate PodGroupPreemptionPolicy) the group has the preemption policy.
  Alike(const Pod& first, const PodGroup& group, bool group_policy)
      : scheduler_(first.spec.scheduler_name),
        priority_(group.priority),
        policy_(preemption_policy(group_policy ? group.preemption_policy
                                               : first.spec.preemption_policy)),
        group_policy_(group_policy) {}

  // Why the pod does not belong to the group; "" if it does.
  std::string refusal(const Pod& pod) const {
    const std::string all = "all pods in a single pod group should have the same ";
    if (pod.spec.scheduler_name != scheduler_)
      return all + ".spec.schedulerName set, got: " + go_quote(pod.spec.scheduler_name) + " and " +
             go_quote(scheduler_);
    if (pod.priority() != priority_)
      return all + "priority as the pod group's priority, got " + std::to_string(pod.priority()) +
             " and " + std::to_string(priority_);
    if (const Str policy = preemption_policy(pod.spec.preemption_policy); policy != policy_)
      return all + "preemption policy" +
             (group_policy_ ? " as the pod group's preemption policy" : "") + ", got " +
             std::string(policy) + " and " + std::string(policy_);
    return {};
  }

 private:
  Str scheduler_;
  int32_t priority_;
  Str policy_;
  bool group_policy_;
};

// Upstream's RunPlacementFeasiblePlugins.
Status placement_feasible(const Framework& framework, const GroupCall& call,
                          const PlacementProgress& progress) {
  Status out;
  for (const Framework::Instance& instance : framework.plugins()) {
    if (!instance.plugin) continue;
    Status said = instance.plugin->placement_feasible(call, progress);
    if (said.success()) continue;
    if (said.code == Code::kUnschedulable) return said;
    if (said.code == Code::kError) return Status::wrap("running PlacementFeasible plugin: ", said);
    out = std::move(said);
  }
  return out;
}

// Upstream's RunPodGroupPostFilterPlugins.
Result<Status> pod_group_post_filter(const Framework& framework, const GroupPostFilterCall& call,
                                     std::vector<GroupNomination>* nominations) {
  std::vector<std::string> reasons;
  for (const uint32_t i : framework.at(ExtensionPoint::kPodGroupPostFilter)) {
    const Framework::Instance& instance = framework.plugins()[i];
    if (!instance.plugin) continue;
    Result<Status> said = instance.plugin->pod_group_post_filter(call, nominations);
    if (!said.ok() || said->success() || said->code == Code::kUnschedulableAndUnresolvable)
      return said;
    if (said->code != Code::kUnschedulable)
      return Status::from_error("error in " + go_quote(instance.name) +
                                " PodGroupPostFilter plugins: " + said->message());
    reasons.insert(reasons.end(), said->reasons.begin(), said->reasons.end());
  }
  Status out(Code::kUnschedulable);
  out.reasons = std::move(reasons);
  return out;
}

}  // namespace

// The PodGroups of a tree. Upstream does what concerns all of them in any order.
std::vector<const Scheduler::Subgroup*> Scheduler::by_name(Subgroup& root) {
  std::vector<const Subgroup*> out;
  root.each([&](const Subgroup& of) {
    if (!of.object->composite) out.push_back(&of);
  });
  std::sort(out.begin(), out.end(), [](const Subgroup* a, const Subgroup* b) {
    return a->object->meta.name < b->object->meta.name;
  });
  return out;
}

void Scheduler::cycle_entity(const QueuedPodRef& entity) {
  const auto group = std::make_shared<Group>();
  group->ns = entity->pod->meta.ns;
  group->name = entity->pod->meta.name;
  group->entity = entity;
  group->members.reserve(entity->members->size());
  for (const QueuedPodRef& member : *entity->members) group->members.push_back({member, {}});
  group_ = group;
  popped_ = nullptr;
  for (const Member& m : group->members) left_queue(*m.queued->pod);
  group->began_ns = now();
  const StoredKind kind =
      entity->group->composite ? StoredKind::kCompositePodGroup : StoredKind::kPodGroup;
  if (const Object* const object = cluster_->view().objects().find(kind, group->ns, group->name))
    group->root = grow_tree(static_cast<const PodGroup&>(*object));
  group->profile = profile_of(profiles_, *group->members[0].queued->pod, {});
  group->number = group->members[0].queued->scheduler;
  Status outcome;  // what decides how the group comes back
  if (const std::string refusal = refuse_entity(*group); !refusal.empty()) {
    outcome = Status::from_error(refusal);
    for (Member& m : group->members) fail_member(m, failure_of(outcome));
    group->root.each([&](Subgroup& of) {
      of.status = outcome;
      patch_condition(*group, of);
    });
  } else {
    skip_members(*group);
    seat_members(*group);
    if (!group->members.empty()) outcome = place_entity(*group);
  }
  const Result<void> ended = queue_->end_group(entity, outcome);
  if (!ended.ok() && ended.error().rc != Rc::kExists) check(ended);
  group_ = nullptr;
}

// The group and all groups below, without pods.
Scheduler::Subgroup Scheduler::grow_tree(const PodGroup& group) const {
  Subgroup out;
  out.object = PodGroupRef::share(&group);
  if (!group.composite) out.leaves.push_back(&group);
  if (group.composite)
    for (const PodGroupRef& child :
         services_->group_forest().children_of(cluster_->view(), group)) {
      Subgroup& grown = out.children.emplace_back(grow_tree(*child));
      out.leaves.insert(out.leaves.end(), grown.leaves.begin(), grown.leaves.end());
    }
  return out;
}

// Why the group cannot be tried; "" if it can.
std::string Scheduler::refuse_entity(const Group& group) const {
  const std::string key = group.ns + "/" + group.name;
  if (!group.root.object) return "pod group object not found for pod group " + key;
  const Alike alike(*group.members[0].queued->pod, *group.root.object,
                    profiles_[0]->framework().gates().enabled(Gate::kPodGroupPreemptionPolicy));
  for (const Member& m : group.members)
    if (std::string refusal = alike.refusal(*m.queued->pod); !refusal.empty()) return refusal;
  const View& view = cluster_->view();
  for (const PodGroup* const leaf : group.root.leaves)
    for (const View::Slot* const slot : PodGroups::placed(view, leaf->meta.ns, leaf->meta.name))
      if (std::string refusal = alike.refusal(*slot->pod); !refusal.empty()) return refusal;
  return {};
}

// Upstream's podGroupCycle. Returns the status of the trials.
Status Scheduler::place_entity(Group& group) {
  if (log_.on(3))
    log_.info(3, "Attempting to schedule pod group", {{"podGroup", group.ns + "/" + group.name}});
  GroupResults results;
  Result<std::shared_ptr<GroupTrial>> begun = GroupTrial::begin(*group.profile, *lost_ports_);
  if (begun.ok()) {
    group.trial = std::move(*begun);
    results = try_entity(group);
  } else {
    results[&group.root].status = Status::from_error(begun.error().message);
  }
  const Status tried = results[&group.root].status;
  take_results(group, group.root, nullptr, &results);
  metrics_->group_algorithm_ended(now() - group.began_ns);
  std::vector<GroupNomination> nominations;
  if (tried.code == Code::kUnschedulable) make_room(group, &nominations);
  for (const GroupNomination& nomination : nominations)
    for (Member& m : group.members)
      if (same_pod(*m.queued->pod, *nomination.pod)) {
        const Nomination to{true, nomination.node};
        if (m.trial->failure)
          m.trial->failure->nomination = to;
        else
          m.nomination = to;
      }
  for (const Subgroup* const leaf : by_name(group.root)) {
    submit_members(group, *leaf);
    patch_condition(group, *leaf);
  }
  count_attempt(group);
  return tried;
}

// Upstream's runRootSchedulingAlgorithm.
Scheduler::GroupResults Scheduler::try_entity(Group& group) {
  group.cycle = std::make_shared<GroupCycle>();
  GroupResults out;
  try_group(group, group.root, &out);
  take_back(group);
  GroupResult& root = out.at(&group.root);
  if (root.status.success() && !root.any) root.status = unschedulable();
  return out;
}

// Upstream's podGroupSchedulingRecursiveAlgorithm.
void Scheduler::try_group(Group& group, const Subgroup& of, GroupResults* results) {
  try_placements(group, of,
                 of.object->composite ? &Scheduler::try_children : &Scheduler::try_feasible,
                 results);
}

// Upstream's compositePodGroupSchedulingDefaultAlgorithm.
void Scheduler::try_children(Group& group, const Subgroup& of, GroupResults* results) {
  GroupResult& out = (*results)[&of];
  const size_t before = group.trial->assumed();
  const std::shared_ptr<GroupCycle> own = group.cycle;
  const GroupCall call = group.call(*services_, of);
  const Framework& framework = group.profile->framework();
  PlacementProgress progress{of.children.size(), 0};
  const auto hopeless = [&] {
    return out.status.code == Code::kUnschedulable || out.status.code == Code::kError;
  };
  const auto feasible = [&] {
    return metrics_->at_group_point(group.number, GroupPoint::kPlacementFeasible,
                                    [&] { return placement_feasible(framework, call, progress); });
  };
  out.status = feasible();
  bool any = false;
  for (size_t i = 0; i < of.children.size() && !hopeless(); ++i) {
    group.cycle = std::make_shared<GroupCycle>();
    try_group(group, of.children[i], results);
    group.cycle = own;
    const GroupResult& child = results->at(&of.children[i]);
    if (child.status.code == Code::kError) {
      out.status =
          Status::wrap("composite pod group evaluation failed due to child error: ", child.status);
      break;
    }
    any = any || child.any;
    --progress.remaining;
    progress.scheduled += child.status.success() ? 1 : 0;
    out.status = feasible();
  }
  if (out.status.code == Code::kWait) out.status = unschedulable(out.status.reasons);
  out.any = any && out.status.success();
  if (!out.status.success()) take_back(group, before);
}

// Upstream's podGroupSchedulingDefaultAlgorithm.
void Scheduler::try_feasible(Group& group, const Subgroup& of, GroupResults* results) {
  GroupResult& out = (*results)[&of];
  const size_t before = group.trial->assumed();
  const GroupCall call = group.call(*services_, of);
  const Framework& framework = group.profile->framework();
  const ObjectMeta& names = of.object->meta;
  PlacementProgress progress{of.pods.size(), call.view.group_size(names.ns, names.name)};
  const std::string kFeasibility = "failed to evaluate placement feasibility: ";
  const auto feasible = [&] {
    return metrics_->at_group_point(group.number, GroupPoint::kPlacementFeasible,
                                    [&] { return placement_feasible(framework, call, progress); });
  };
  out.status = feasible();
  if (out.status.code == Code::kError) {
    out.status = Status::wrap(kFeasibility, out.status);
    return;
  }
  if (out.status.code == Code::kUnschedulable) {
    out.status = unschedulable(out.status.reasons);
    return;
  }
  for (const size_t i : of.members) {
    int64_t took = 0;
    out.trials.push_back(try_member(group, group.members[i], &took));
    out.took_ns.push_back(took);
    const Scheduling& trial = *out.trials.back();
    const bool fits = trial.attempt == Attempt::kAssumed;
    if (!fits && !trial.failure->status.rejected()) {
      out.status =
          Status::wrap("failed to schedule other pod from a pod group: ", trial.failure->status);
      break;
    }
    --progress.remaining;
    progress.scheduled += fits ? 1 : 0;
    out.any = out.any || fits;
    out.status = feasible();
    if (out.status.code == Code::kError) out.status = Status::wrap(kFeasibility, out.status);
    if (out.status.code == Code::kError || out.status.code == Code::kUnschedulable) break;
  }
  if (out.status.code == Code::kWait) out.status = unschedulable(out.status.reasons);
  if (out.status.success()) return;
  out.any = false;
  take_back(group, before);
}

SchedulingOptions Scheduler::trial_options(const Group& group) const {
  SchedulingOptions options = cycle_options_;
  options.trial = true;
  options.keeps_data = group.preempts;
  options.post_filter = !group.preempts;
  options.observer = point_times_[group.number];
  return options;
}

Ref<Scheduling> Scheduler::try_member(Group& group, const Member& m, int64_t* took_ns) {
  SchedulingOptions options = trial_options(group);
  options.state = metrics_->measured_state(group.number);
  if (!options.state) options.state = make_ref<CycleState>();
  GroupCycle::begin(*options.state, group.cycle);
  if (log_.on(4))
    log_.info(4, "Attempting to schedule a pod belonging to a pod group",
              {{"podGroup", group.ns + "/" + group.name}, {"pod", m.queued->pod->meta}});
  const int64_t began = now();
  Result<Ref<Scheduling>> ran = group.trial->run(m.queued->pod, options);
  *took_ns = now() - began;
  metrics_->algorithm_ended(*took_ns);
  catch_up();
  if (ran.ok()) return std::move(*ran);
  const Ref<Scheduling> failed = make_ref<Scheduling>();
  failed->failure = failure_of(Status::from_error(ran.error().message));
  return failed;
}

// Asks the podGroupPostFilter plugins, and adds to the statuses of all groups what they say.
void Scheduler::make_room(Group& group, std::vector<GroupNomination>* nominations) {
  const std::shared_ptr<GroupCycle> cycle = group.cycle;  // the trials have others
  const auto again = [&](std::vector<GroupAssignment>* assignments) -> Result<Status> {
    group.preempts = true;
    const GroupResults tried = try_entity(group);
    // As upstream, also of groups whose parents are not placed.
    for (const Subgroup* const leaf : by_name(group.root))
      if (const auto found = tried.find(leaf); found != tried.end())
        for (const Ref<Scheduling>& trial : found->second.trials)
          if (trial->attempt == Attempt::kAssumed)
            assignments->push_back({trial->pod, trial->node, trial->state});
    return tried.at(&group.root).status;
  };
  const GroupPostFilterCall call{group.call(*services_, group.root), again,
                                 point_times_[group.number].get()};
  const Status said = metrics_->at_group_point(group.number, GroupPoint::kPodGroupPostFilter, [&] {
    Result<Status> asked = pod_group_post_filter(group.profile->framework(), call, nominations);
    return asked.ok() ? std::move(*asked) : Status::from_error(asked.error().message);
  });
  catch_up();  // with what the plugins have caused
  group.root.each([&](Subgroup& of) {
    if (said.code == Code::kError) {
      of.status = said;
      return;
    }
    of.waits_for_preemption = said.success();
    of.told_by->status.reasons.push_back(said.message());
  });
  // Upstream adds a reason for each group to a status that several have.
  if (said.code != Code::kError)
    group.root.each([](Subgroup& of) { of.status = of.told_by->status; });
}

// Upstream's submitPodGroupAlgorithmResult, for one PodGroup.
void Scheduler::submit_members(Group& group, const Subgroup& of) {
  size_t scheduled = 0;
  for (const size_t i : of.members) {
    Member& m = group.members[i];
    const Scheduling& trial = *m.trial;
    const bool fits = trial.attempt == Attempt::kAssumed;
    if (of.status.code == Code::kError) {
      const bool own = !fits && trial.failure->status.code == Code::kError;
      fail_member(m, failure_of(own ? trial.failure->status : of.status));
    } else if (!fits) {
      fail_member(m, *trial.failure);
    } else if (of.status.success()) {
      scheduled += commit_member(group, m) ? 1 : 0;
    } else if (of.waits_for_preemption) {
      Failure failure = failure_of(of.status);
      failure.nomination = m.nomination;
      fail_member(m, failure);
    } else {
      fail_member(m, failure_of(unschedulable({of.status.message()})));
    }
  }
  if (log_.on(0)) log_group(group, of, scheduled);
}

}  // namespace libsched
