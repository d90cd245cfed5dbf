// Scheduler: the cycle of a PodGroup that is one entity of the queue, upstream's
// schedule_one_podgroup.go since 1.37. The members are tried as long as the group can still be
// placed, and are taken back; plugins then say whether that suffices. If it does not, they may make
// room for the group.
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
  group->object =
      PodGroupRef::share(cluster_->view().objects().find<PodGroup>(group->ns, group->name));
  group->profile = profile_of(profiles_, *group->members[0].queued->pod, {});
  group->number = group->members[0].queued->scheduler;
  Status outcome;  // what decides how the group comes back
  if (const std::string refusal = refuse_entity(*group); !refusal.empty()) {
    outcome = group->status = Status::from_error(refusal);
    for (Member& m : group->members) fail_member(m, failure_of(group->status));
    patch_condition(*group);
  } else {
    skip_members(*group);
    if (!group->members.empty()) outcome = place_entity(*group);
  }
  const Result<void> ended = queue_->end_group(entity, outcome);
  if (!ended.ok() && ended.error().rc != Rc::kExists) check(ended);
  group_ = nullptr;
}

// Why the group cannot be tried; "" if it can.
std::string Scheduler::refuse_entity(const Group& group) const {
  const std::string key = group.ns + "/" + group.name;
  if (!group.object) return "pod group object not found for pod group " + key;
  const Alike alike(*group.members[0].queued->pod, *group.object,
                    profiles_[0]->framework().gates().enabled(Gate::kPodGroupPreemptionPolicy));
  for (const Member& m : group.members)
    if (std::string refusal = alike.refusal(*m.queued->pod); !refusal.empty()) return refusal;
  const View& view = cluster_->view();
  if (view.group_size(group.ns, group.name) == 0) return {};
  for (uint32_t s = 0; s < view.slot_count(); ++s) {
    const PodRef& pod = view.slot(s).pod;
    if (!pod || pod->spec.scheduling_group != group.name || pod->meta.ns != group.ns) continue;
    if (std::string refusal = alike.refusal(*pod); !refusal.empty()) return refusal;
  }
  return {};
}

// Upstream's podGroupCycle. Returns the status of the trials.
Status Scheduler::place_entity(Group& group) {
  if (log_.on(3))
    log_.info(3, "Attempting to schedule pod group", {{"podGroup", group.ns + "/" + group.name}});
  GroupResult result;
  Result<std::shared_ptr<GroupTrial>> begun = GroupTrial::begin(*group.profile, *lost_ports_);
  if (begun.ok()) {
    group.trial = std::move(*begun);
    result = try_entity(group);
  } else {
    result.status = Status::from_error(begun.error().message);
  }
  const Status tried = result.status;
  const size_t count = result.trials.size();
  take_result(group, std::move(result));
  metrics_->group_algorithm_ended(now() - group.began_ns);
  std::vector<GroupNomination> nominations;
  if (tried.code == Code::kUnschedulable) make_room(group, &nominations);
  for (size_t i = count; i < group.members.size(); ++i) {
    Member& m = group.members[i];
    m.trial = make_ref<Scheduling>();
    m.trial->failure = failure_of(tried);
    m.trial->failure->nomination.reset();
  }
  for (const GroupNomination& nomination : nominations)
    for (Member& m : group.members)
      if (same_pod(*m.queued->pod, *nomination.pod)) {
        const Nomination to{true, nomination.node};
        if (m.trial->failure)
          m.trial->failure->nomination = to;
        else
          m.nomination = to;
      }
  submit_entity(group);
  patch_condition(group);
  count_attempt(group);
  return tried;
}

// Upstream's runRootSchedulingAlgorithm.
Scheduler::GroupResult Scheduler::try_entity(Group& group) {
  group.cycle = std::make_shared<GroupCycle>();
  GroupResult out = try_placements(group, &Scheduler::try_feasible);
  const bool any = std::any_of(out.trials.begin(), out.trials.end(), [](const auto& trial) {
    return trial->attempt == Attempt::kAssumed;
  });
  if (out.status.success() && !any) out.status = unschedulable();
  return out;
}

// Upstream's podGroupSchedulingDefaultAlgorithm, with the members taken back.
Scheduler::GroupResult Scheduler::try_feasible(Group& group) {
  GroupResult out;
  const std::vector<PodRef> pods = group.pods();
  const GroupCall call = group.call(*services_, pods);
  const Framework& framework = group.profile->framework();
  PlacementProgress progress{pods.size(), group.trial->view().group_size(group.ns, group.name)};
  const std::string kFeasibility = "failed to evaluate placement feasibility: ";
  const auto feasible = [&] {
    return metrics_->at_group_point(group.number, GroupPoint::kPlacementFeasible,
                                    [&] { return placement_feasible(framework, call, progress); });
  };
  out.status = feasible();
  if (out.status.code == Code::kError) {
    out.status = Status::wrap(kFeasibility, out.status);
    return out;
  }
  if (out.status.code == Code::kUnschedulable) {
    out.status = unschedulable(out.status.reasons);
    return out;
  }
  for (const Member& m : group.members) {
    int64_t took = 0;
    out.trials.push_back(try_member(group, m, &took));
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
    out.status = feasible();
    if (out.status.code == Code::kError) out.status = Status::wrap(kFeasibility, out.status);
    if (out.status.code == Code::kError || out.status.code == Code::kUnschedulable) break;
  }
  if (out.status.code == Code::kWait) out.status = unschedulable(out.status.reasons);
  take_back(group);
  return out;
}

Ref<Scheduling> Scheduler::try_member(Group& group, const Member& m, int64_t* took_ns) {
  SchedulingOptions options = cycle_options_;
  options.trial = true;
  options.keeps_data = group.preempts;
  options.post_filter = !group.preempts;
  options.observer = point_times_[group.number];
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

// Asks the podGroupPostFilter plugins, and adds to the group's status what they say.
void Scheduler::make_room(Group& group, std::vector<GroupNomination>* nominations) {
  const std::vector<PodRef> pods = group.pods();
  const std::shared_ptr<GroupCycle> cycle = group.cycle;  // the trials have others
  const auto again = [&](std::vector<GroupAssignment>* assignments) -> Result<Status> {
    group.preempts = true;
    const GroupResult tried = try_entity(group);
    for (const Ref<Scheduling>& trial : tried.trials)
      if (trial->attempt == Attempt::kAssumed)
        assignments->push_back({trial->pod, trial->node, trial->state});
    return tried.status;
  };
  const GroupPostFilterCall call{group.call(*services_, pods), again,
                                 point_times_[group.number].get()};
  const Status said = metrics_->at_group_point(group.number, GroupPoint::kPodGroupPostFilter, [&] {
    Result<Status> asked = pod_group_post_filter(group.profile->framework(), call, nominations);
    return asked.ok() ? std::move(*asked) : Status::from_error(asked.error().message);
  });
  catch_up();  // with what the plugins have caused
  if (said.code == Code::kError) {
    group.status = said;
    return;
  }
  group.waits_for_preemption = said.success();
  group.status.reasons.push_back(said.message());
}

// Upstream's submitPodGroupAlgorithmResult.
void Scheduler::submit_entity(Group& group) {
  size_t scheduled = 0;
  for (Member& m : group.members) {
    const Scheduling& trial = *m.trial;
    const bool fits = trial.attempt == Attempt::kAssumed;
    if (group.status.code == Code::kError) {
      const bool own = !fits && trial.failure->status.code == Code::kError;
      fail_member(m, failure_of(own ? trial.failure->status : group.status));
    } else if (!fits) {
      fail_member(m, *trial.failure);
    } else if (group.status.success()) {
      scheduled += commit_member(group, m) ? 1 : 0;
    } else if (group.waits_for_preemption) {
      Failure failure = failure_of(group.status);
      failure.nomination = m.nomination;
      fail_member(m, failure);
    } else {
      fail_member(m, failure_of(unschedulable({group.status.message()})));
    }
  }
  if (log_.on(0)) log_group(group, scheduled);
}

}  // namespace libsched
