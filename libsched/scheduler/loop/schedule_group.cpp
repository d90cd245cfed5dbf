// Scheduler: the cycle of a PodGroup, upstream's schedule_one_podgroup.go. All members in the queue
// are first tried together: each is assumed, reserved and permitted, and all are taken back. If
// Permit let one of them pass, the members that fit are then scheduled for real.
#include <algorithm>

#include "libsched/base/quote.hpp"
#include "libsched/config/deferred_resize.hpp"
#include "libsched/framework/group_cycle.hpp"
#include "libsched/scheduler/loop/flight.hpp"
#include "libsched/scheduler/loop/group_attempt.hpp"
#include "libsched/scheduler/loop/group_condition.hpp"

namespace libsched {
namespace {

constexpr const char* kUnschedulable = "pod group is unschedulable";

// Returns the failure of a member whose group is unschedulable, for the reason `why`.
Failure group_failure(const std::string& why) {
  Failure failure;
  failure.status = why.empty() ? Status(Code::kUnschedulable) : Status(Code::kUnschedulable, why);
  failure.status.set_error(kUnschedulable);
  return failure;
}

Failure error_failure(const std::string& text) {
  Failure failure;
  failure.status = Status::from_error(text);
  return failure;
}

bool sorts_before(const QueuedPodRef& a, const QueuedPodRef& b) {
  if (a->pod->priority() != b->pod->priority()) return a->pod->priority() > b->pod->priority();
  return a->initial_attempt_ns < b->initial_attempt_ns;
}

}  // namespace

bool Scheduler::in_group(const Pod& pod) const {
  const FeatureGates& gates = profiles_[0]->framework().gates();
  return !pod.spec.scheduling_group.empty() && gates.enabled(Gate::kGenericWorkload) &&
         !scheduled_for_resize(gates, pod);
}

void Scheduler::cycle_group(const QueuedPodRef& first) {
  const Pod& pod = *first->pod;
  const auto group = std::make_shared<Group>();
  group->ns = pod.meta.ns;
  group->name = pod.spec.scheduling_group;
  group->members.push_back({first, {}});
  group_ = group;
  popped_ = nullptr;
  if (pull_members(*group) && choose_profile(*group)) {
    skip_members(*group);
    if (!group->members.empty()) {
      if (log_.on(3))
        log_.info(3, "Attempting to schedule pod group",
                  {{"podGroup", group->ns + "/" + group->name}});
      group->began_ns = now();
      try_members(*group);
      metrics_->group_algorithm_ended(now() - group->began_ns);
      if (group->root.status.code == Code::kUnschedulable &&
          group->profile->framework().gates().enabled(Gate::kWorkloadAwarePreemption))
        evict_for(*group);
      submit(*group);
      patch_condition(*group, group->root);
    }
  }
  group_ = nullptr;
}

// Takes the other members out of the queue. Returns false if the group is not known.
bool Scheduler::pull_members(Group& group) {
  const QueuedPodRef first = group.members[0].queued;
  const PodGroupState state = services_->pod_groups().state(cluster_->view(), group.ns, group.name);
  if (state.all() == 0) {
    Failure failure = error_failure(
        "error while retrieving pod group state: pod group state not found for pod group " +
        group.ns + "/" + group.name);
    failure.nomination.reset();
    fail_member(group.members[0], failure);
    return false;
  }
  group.members.reserve(state.unscheduled.size() + 1);
  for (const PodRef& other : state.unscheduled) {
    if (other->meta.name == first->pod->meta.name) continue;
    Result<QueuedPodRef> popped = queue_->pop_specific(*other);
    if (!popped.ok())
      check(popped.error());
    else if (*popped)
      group.members.push_back({std::move(*popped), {}});
  }
  for (const Member& m : group.members) left_queue(*m.queued->pod);
  std::stable_sort(group.members.begin(), group.members.end(),
                   [](const auto& a, const auto& b) { return sorts_before(a.queued, b.queued); });
  return true;
}

bool Scheduler::choose_profile(Group& group) {
  const Str name = group.members[0].queued->pod->spec.scheduler_name;
  for (const Member& m : group.members) {
    const Str other = m.queued->pod->spec.scheduler_name;
    if (other == name) continue;
    const Failure failure = error_failure(
        "all pods in a single pod group should have the same .spec.schedulerName set, got: " +
        go_quote(other) + " and " + go_quote(name));
    for (Member& failed : group.members) fail_member(failed, failure);
    return false;
  }
  group.profile = profile_of(profiles_, *group.members[0].queued->pod, {});
  group.number = group.members[0].queued->scheduler;
  if (group.profile != nullptr) return true;
  for (Member& m : group.members) finish_member(m);
  return false;
}

void Scheduler::skip_members(Group& group) {
  std::vector<Member> left;
  left.reserve(group.members.size());
  for (Member& m : group.members)
    if (skipped_attempt(*group.profile, m.queued->pod))
      finish_member(m);
    else
      left.push_back(m);
  group.members = std::move(left);
}

// Gives each PodGroup of the tree its members.
// Upstream finds the group of a pod by its name, from the root down. So a PodGroup below a
// CompositePodGroup of its name has no pod that it could count on.
void Scheduler::seat_members(Group& group) {
  const auto is_hidden = [&](const PodGroup& leaf) {
    const View& view = cluster_->view();
    const PodGroup* at =
        group.root.object->composite ? GroupForest::parent_of(view, leaf) : nullptr;
    while (at != nullptr && at->meta.name != leaf.meta.name) at = GroupForest::parent_of(view, *at);
    return at != nullptr;
  };
  group.root.each([&](Subgroup& of) {
    for (const PodGroup* const leaf : of.leaves)
      for (size_t i = 0; i < group.members.size(); ++i) {
        const PodRef& pod = group.members[i].queued->pod;
        if (pod->spec.scheduling_group != leaf->meta.name) continue;
        if (!is_hidden(*leaf)) of.pods.push_back(pod);
        if (of.children.empty()) of.members.push_back(i);
      }
  });
}

void Scheduler::try_members(Group& group) {
  Result<std::shared_ptr<GroupTrial>> begun = GroupTrial::begin(*group.profile, *lost_ports_);
  if (!begun.ok()) {
    group.root.status = Status::from_error(begun.error().message);
    return;
  }
  group.trial = std::move(*begun);
  Subgroup& root = group.root;
  root.object = PodGroupRef::share(cluster_->view().objects().find<PodGroup>(group.ns, group.name));
  if (root.object) root.leaves.push_back(root.object.get());
  for (size_t i = 0; i < group.members.size(); ++i) {
    root.members.push_back(i);
    root.pods.push_back(group.members[i].queued->pod);
  }
  group.cycle = std::make_shared<GroupCycle>();
  GroupResults results;
  try_placements(group, root, &Scheduler::try_together, &results);
  take_results(group, root, nullptr, &results);
}

// Upstream's podGroupSchedulingDefaultAlgorithm.
void Scheduler::try_together(Group& group, const Subgroup& of, GroupResults* results) {
  GroupResult& out = (*results)[&of];
  out.status = Status(Code::kUnschedulable);
  out.status.set_error(kUnschedulable);
  bool preempts = false;
  for (const Member& m : group.members) {
    int64_t took = 0;
    out.trials.push_back(try_member(group, m, &took));
    out.took_ns.push_back(took);
    const Scheduling& trial = *out.trials.back();
    if (trial.attempt != Attempt::kAssumed) {
      const Status& status = trial.failure->status;
      if (status.rejected()) continue;
      out.status = Status::wrap("failed to schedule other pod from a pod group: ", status);
      out.waits_for_preemption = false;
      break;
    }
    preempts = preempts || trial.failure.has_value();
    if (!trial.permit.success()) continue;
    out.waits_for_preemption = preempts;
    out.status = Status();
    if (!preempts) continue;
    out.status = Status(Code::kUnschedulable, "pod group is waiting for preemption to complete");
    out.status.set_error(kUnschedulable);
  }
  take_back(group);
}

// Upstream's runWorkloadAwarePreemption: asks the plugin that makes room for groups, and adds to
// the group's status what it says.
void Scheduler::evict_for(Group& group) {
  const Framework& framework = group.profile->framework();
  const auto asked = [&]() -> Result<Status> {
    const Plugin* plugin = nullptr;
    for (const Framework::Instance& instance : framework.plugins())
      if (instance.plugin && instance.plugin->preempts_for_groups()) plugin = instance.plugin.get();
    if (plugin == nullptr)
      return Status(Code::kUnschedulable,
                    "default preemption plugin is not registered, workload aware preemption is "
                    "disabled");
    if (!group.root.object)
      return Status::from_error("failed to get pod group object: podgroup.scheduling.k8s.io " +
                                go_quote(group.name) + " not found");
    if (!group.root.object->topology_key.empty())
      return Status(Code::kUnschedulable,
                    "workload aware preemption is not supported for pod groups with scheduling "
                    "constraints");
    group.preempts = true;
    group.trial->fix_lists();
    const auto again = [&](std::vector<GroupAssignment>*) -> Result<Status> {
      GroupResults tried;
      try_placements(group, group.root, &Scheduler::try_together, &tried);
      return tried.at(&group.root).status;
    };
    const GroupPostFilterCall call{group.call(*services_, group.root), again,
                                   point_times_[group.number].get()};
    std::vector<GroupNomination> none;
    return plugin->pod_group_post_filter(call, &none);
  }();
  const Status said = asked.ok() ? *asked : Status::from_error(asked.error().message);
  catch_up();  // with what the plugin has caused
  if (said.success())
    group.root.waits_for_preemption = true;
  else if (said.code == Code::kError)
    group.root.status = said;
  else
    group.root.status.reasons.push_back(said.message());
}

// Undoes the trials, the last one first, until so many are left.
void Scheduler::take_back(Group& group, size_t left) {
  if (!group.trial) return;
  const Result<void> undone = group.trial->take_back(left);
  if (!undone.ok()) check(undone);
}

// Upstream's submitPodGroupAlgorithmResult.
void Scheduler::submit(Group& group) {
  size_t scheduled = 0;
  for (Member& m : group.members) {
    const Scheduling* trial = m.trial.get();
    const bool fits = trial != nullptr && trial->attempt == Attempt::kAssumed;
    if (group.root.status.code == Code::kError) {
      const bool own =
          trial != nullptr && trial->failure && trial->failure->status.code == Code::kError;
      Failure failure;
      failure.status = own ? trial->failure->status : group.root.status;
      fail_member(m, failure);
    } else if (fits && !trial->failure && group.root.status.success()) {
      scheduled += commit_member(group, m) ? 1 : 0;
    } else if (fits && !trial->failure && group.root.waits_for_preemption) {
      Failure failure;
      failure.status = group.root.status;
      failure.nomination = Nomination{true, trial->node};
      fail_member(m, failure);
    } else if (trial == nullptr) {
      Failure failure;
      failure.status = group.root.status;
      failure.nomination.reset();
      fail_member(m, failure);
    } else if (fits && !group.root.waits_for_preemption) {
      fail_member(m, group_failure(trial->permit.message()));
    } else {
      fail_member(m, *trial->failure);
    }
  }
  count_attempt(group);
  if (log_.on(0)) log_group(group, group.root, scheduled);
}

void Scheduler::count_attempt(const Group& group) {
  const AttemptResult result = group.root.status.success()              ? AttemptResult::kScheduled
                               : group.root.status.code == Code::kError ? AttemptResult::kError
                               : group.root.waits_for_preemption
                                   ? AttemptResult::kWaitingOnPreemption
                                   : AttemptResult::kUnschedulable;
  metrics_->group_attempted(group.number, result, now() - group.began_ns);
}

void Scheduler::log_group(const Group& group, const Subgroup& of, size_t scheduled) const {
  const std::string name =
      group.ns + "/" + (of.object ? std::string(of.object->meta.name) : group.name);
  const LogField about{"podGroup", name};
  const LogField failed{"unschedulablePods", of.members.size() - scheduled};
  if (of.status.success())
    log_.info(2, "Successfully scheduled a pod group",
              {about, {"scheduledPods", scheduled}, failed});
  else if (of.status.code == Code::kError)
    log_.error(
        "Error scheduling pod group",
        {{"err", of.status.as_error().value_or("")}, about, {"errorPods", of.members.size()}});
  else if (of.waits_for_preemption)
    log_.info(2, "Pod group is waiting for preemption", {about, failed});
  else
    log_.info(2, "Unable to schedule a pod group", {about, failed});
}

// The member is assumed, reserved and permitted again, and bound.
// False: it has failed.
bool Scheduler::commit_member(const Group& group, Member& m) {
  m.queued->popped_ns = now() - m.took_ns;
  SchedulingOptions options = cycle_options_;
  options.observer = point_times_[group.number];
  options.state = m.trial->state;
  GroupCycle::end(*options.state);
  options.node = m.trial->node;
  const FlightRef flight = new_flight(m.queued);
  Result<Ref<Scheduling>> ran = schedule_with(*group.profile, m.queued->pod, options);
  const bool assumed = ran.ok() && (*ran)->attempt == Attempt::kAssumed;
  if (!ran.ok())
    fail_member(m, error_failure(ran.error().message));
  else if (!assumed)
    fail_member(m, *(*ran)->failure);
  if (!assumed) return false;
  m.open = false;
  start_flight(flight, **ran);
  return true;
}

void Scheduler::fail_member(Member& m, const Failure& failure) {
  m.open = false;
  m.queued->popped_ns = now() - m.took_ns;
  handle_failure(m.queued, m.queued->pod, {}, failure).now();
}

void Scheduler::finish_member(Member& m) {
  m.open = false;
  finish(*m.queued->pod);
}

void Scheduler::patch_condition(const Group& group, const Subgroup& of) {
  const PodGroup* const known =
      group.entity ? of.object.get()
                   : cluster_->view().objects().find<PodGroup>(group.ns, group.name);
  if (known == nullptr || known->composite) return;
  const bool error = of.status.code == Code::kError;
  const std::string message = error ? of.status.as_error().value_or("") : of.status.message();
  const PodGroup::Condition wanted = {
      group.entity ? "PodGroupInitiallyScheduled" : "PodGroupScheduled",
      of.status.success() ? "True" : "False",
      of.status.success() ? "Scheduled"
      : error             ? "SchedulerError"
                          : "Unschedulable",
      message,
      {}};
  set_condition(*known, wanted, now(), services_->api());
}

// After a lack of memory: the group's members that are still in flight fail.
void Scheduler::fail_group(const Failure& failure) {
  const std::shared_ptr<Group> group = group_;
  take_back(*group);
  for (Member& m : group->members)
    if (m.open) fail_member(m, failure);
  if (group->entity) check(queue_->end_group(group->entity, failure.status));
  group_ = nullptr;
}

}  // namespace libsched
