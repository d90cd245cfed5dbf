// SchedulingQueue: pods are added, changed, deleted, popped and returned.
#include "libsched/scheduler/queue/queue.hpp"

#include "libsched/framework/property_changes.hpp"
#include "libsched/scheduler/profiles.hpp"

namespace libsched {
namespace {

Error misuse(const char* text) { return {Rc::kMisuse, text}; }

// Upstream's klog.KObj.
std::string name_of(const Pod& pod) {
  return (pod.meta.ns.empty() ? "" : std::string(pod.meta.ns) + "/") + std::string(pod.meta.name);
}

}  // namespace

Result<SchedulingQueueRef> SchedulingQueue::create(Span<Evaluator*> profiles,
                                                   const QueueOptions& options) {
  LIBSCHED_TRY(check_profiles(profiles));
  for (const Evaluator* e : profiles)
    if (&e->services() != &profiles[0]->services())
      return misuse("the evaluators have different services");
  if (options.initial_backoff_ns < 0 || options.max_backoff_ns < 0 ||
      options.max_in_unschedulable_ns < 0)
    return Error{Rc::kInvalid, "a time of the queue is negative"};
  const Ref<PluginNames> names = make_ref<PluginNames>();
  QueueMetrics metrics;
  Result<QueueProfiles> made = QueueProfiles::create(profiles, names.get(), &metrics);
  if (!made.ok()) return std::move(made.error());
  return SchedulingQueueRef::adopt(
      new SchedulingQueue(std::move(*made), names, std::move(metrics), *profiles[0], options));
}

SchedulingQueue::SchedulingQueue(QueueProfiles profiles, Ref<PluginNames> plugins,
                                 QueueMetrics metrics, const Evaluator& first,
                                 const QueueOptions& options)
    : options_(options),
      cluster_(Ref<Cluster>::share(first.cluster())),
      services_(Ref<Services>::share(&first.services())),
      gates_(first.framework().gates()),
      behaviours_(first.framework().behaviours()),
      pops_from_backoff_(gates_.enabled(Gate::kSchedulerPopFromBackoffQ)),
      entities_(behaviours_.groups_are_entities && gates_.enabled(Gate::kGenericWorkload)),
      trees_(gates_.enabled(Gate::kCompositePodGroup)),
      plugins_(std::move(plugins)),
      metrics_(std::move(metrics)),
      profiles_(std::move(profiles)),
      backoff_times_(options.initial_backoff_ns, options.max_backoff_ns, pops_from_backoff_),
      active_(QueueHeap::kActive, {&profiles_.first()}),
      backoff_(QueueHeap::kBackoff, {{&profiles_.first()}, pops_from_backoff_}),
      error_backoff_(QueueHeap::kErrorBackoff, {{&profiles_.first()}, false}),
      pod_added_(&plan({waiting_pods(behaviours_), kAdd, {}})),
      pod_updated_(behaviours_.nominates_added ? pod_added_
                                               : &plan({waiting_pods(behaviours_), kUpdate, {}})),
      assigned_pod_added_(&plan({kAssignedPods, kAdd, {}})),
      force_activate_(&plan({"*", kAllActions, "ForceActivate"})),
      timeout_(&plan({"*", kAllActions, "UnschedulableTimeout"})),
      attempt_failed_(metrics_.event("ScheduleAttemptFailure")),
      backoff_complete_(metrics_.event("BackoffComplete")),
      pop_from_backoff_(metrics_.event("PopFromBackoffQ")) {
  services_->nominator().drop_cleared(behaviours_.drops_cleared_nominations);
}

Result<void> SchedulingQueue::may_change() const {
  if (!busy_ && !cluster_->judged()) return {};
  return misuse("plugins are being asked: change the queue later");
}

QueuedPodRef SchedulingQueue::make(const PodRef& pod) {
  QueuedPodRef made = make_ref<QueuedPodInfo>(pod, plugins_);
  made->timestamp_ns = now();
  made->scheduler = metrics_.scheduler(pod->spec.scheduler_name);
  return made;
}

void SchedulingQueue::add_new(const PodRef& pod, const EventPlan& event) {
  const QueuedPodRef made = make(pod);
  if (of_entity(*pod)) {
    services_->nominator().add(pod, std::nullopt);
    return add_member(made);
  }
  Course course(*made);
  move_to_active(course, *pod, made->scheduler, event.label, false);
  table_.reserve();
  reserve(1, 0);
  if ((!course.gated() || behaviours_.nominates_added) && pod->spec.node_name.empty())
    services_->nominator().add(pod, std::nullopt);
  QueuedPodInfo* const old = table_.find(*pod);
  if (old == nullptr) {
    table_.insert(made);
    take(course);
    return;
  }
  if (course.gated() && old->heap != QueueHeap::kNone) {  // the old one stays
    metrics_.blame(course.blamed, made->scheduler, 1);
    return;
  }
  const bool waited = old->waits;
  if (waited) unschedulable_.remove(*old);
  const QueuedPodRef replaced = table_.replace(*old, made);
  if (old->heap == QueueHeap::kActive) {
    active_.replace(*old, *made);
    made->initial_attempt_ns = now();
    metrics_.came(QueuePart::kActive, event.label, *made);
    log_move(*made, QueuePart::kActive, event.label);
    return;
  }
  leave_heap(*old);
  if (course.gated()) unschedulable_.add(*made);  // upstream does not count it
  take(course);
}

Result<void> SchedulingQueue::add(const PodRef& pod) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  PodGroups::Change member = join_group(pod);
  add_new(pod, *pod_added_);
  member.keep();
  return {};
}

PodGroups::Change SchedulingQueue::join_group(const PodRef& pod) {
  return services_->pod_groups().put(gates_.enabled(Gate::kGenericWorkload) ? pod : PodRef());
}

SchedulingQueue::PodEvents SchedulingQueue::pod_events(const Pod& after, const Pod& before) {
  const Str resource = after.spec.node_name.empty() ? updated_pod(behaviours_) : kAssignedPods;
  PodEvents out;
  for (const ActionType action : pod_change_list(after, before, gates_))
    out.plans[out.count++] = &plan({resource, action, {}});
  return out;
}

Result<void> SchedulingQueue::update(const PodRef& old_pod, const PodRef& new_pod) {
  LIBSCHED_TRY(may_change());
  if (old_pod->meta.name != new_pod->meta.name || old_pod->meta.ns != new_pod->meta.ns)
    return misuse("an update changes the name of a pod");
  const Busy busy(*this);
  PodGroups::Change member = join_group(new_pod);
  change(old_pod, new_pod);
  member.keep();
  return {};
}

void SchedulingQueue::change(const PodRef& old_pod, const PodRef& new_pod) {
  const PodEvents events = pod_events(*new_pod, *old_pod);
  const ObjectChange change{"Pod", old_pod, new_pod};
  if (of_entity(*old_pod)) {
    if (!change_member(old_pod, new_pod, events, change)) add_new(new_pod, *pod_updated_);
    return;
  }
  if (in_flight_.has(*new_pod)) {
    in_flight_.reserve(events.count);
    for (size_t i = 0; i < events.count; ++i) record(*events.plans[i], change);
    return;
  }
  QueuedPodInfo* const there = table_.find(*new_pod);
  if (there == nullptr ||
      (behaviours_.adds_other_uid && there->pod->meta.uid != new_pod->meta.uid)) {
    add_new(new_pod, *pod_updated_);
    return;
  }
  const uint32_t scheduler = metrics_.scheduler(new_pod->spec.scheduler_name);
  if (there->heap != QueueHeap::kNone) {
    services_->nominator().update(*old_pod, new_pod);
    there->pod = new_pod;
    there->scheduler = scheduler;
    if (there->heap == QueueHeap::kActive)
      active_.fix(*there);
    else
      (there->heap == QueueHeap::kBackoff ? backoff_ : error_backoff_).fix(*there);
    return;
  }
  Course course(*there);
  bool nominates = false;  // again, by its status
  for (size_t i = 0; i < events.count; ++i) {
    const EventPlan& event = *events.plans[i];
    const Requeueing how = worth_requeueing(course, *new_pod, scheduler, event, change);
    const int64_t expiration =
        how == Requeueing::kAfterBackoff ? backoff_times_.expiration(*there) : kNoTime;
    const Destination to = requeue(course, *new_pod, scheduler, how, expiration, event.label);
    nominates = to == Destination::kActive && event.label == pod_updated_->label;
    if (to == Destination::kActive || (pops_from_backoff_ && to == Destination::kBackoff)) break;
  }
  reserve(1, 0);
  if (nominates)
    services_->nominator().replace(*old_pod, new_pod, std::nullopt);
  else
    services_->nominator().update(*old_pod, new_pod);
  there->pod = new_pod;
  there->scheduler = scheduler;
  take(course);
}

Result<void> SchedulingQueue::remove(const Pod& pod) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  services_->nominator().remove(pod);
  services_->pod_groups().remove(pod);
  if (of_entity(pod)) {
    remove_member(pod);
    return {};
  }
  QueuedPodInfo* const there = table_.find(pod);
  if (there == nullptr) return {};
  if (there->heap != QueueHeap::kNone) {
    if (behaviours_.forgets_rejections) metrics_.blame(there->rejectors(), there->scheduler, -1);
    leave_heap(*there);
  } else {
    metrics_.blame(there->rejectors(), there->scheduler, -1);
    unschedulable_.remove(*there);
  }
  forget_if_gone(*there);
  return {};
}

bool SchedulingQueue::fly(QueuedPodInfo& pod) {
  ++pod.attempts;
  if (in_flight_.has(*pod.pod)) return false;
  in_flight_.push(pod.pod);
  metrics_.pod_flew();
  pod.popped_ns = now();
  ++scheduling_cycle_;
  metrics_.blame(pod.rejectors(), pod.scheduler, -1);
  return true;
}

Result<QueuedPodRef> SchedulingQueue::pop() {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  while (can_pop()) {
    const bool from_backoff = active_.empty();
    const QueuedPodInfo& next = from_backoff ? backoff_.top() : active_.top();
    in_flight_.reserve(next.size());
    const std::vector<PodRef> found =
        next.members ? pending_as(*next.group, false) : std::vector<PodRef>();
    const QueuedPodRef pod = QueuedPodRef::share(&(from_backoff ? backoff_.pop() : active_.pop()));
    if (from_backoff) metrics_.came(QueuePart::kActive, pop_from_backoff_, *pod);
    if (pod->members) {
      const bool flies = fly_group(*pod);
      show_nominated(found);
      if (flies) return pod;
      continue;
    }
    forget_if_gone(*pod);
    groups_.set_popped(nullptr);
    if (fly(*pod)) return pod;
  }
  return QueuedPodRef();
}

Result<QueuedPodRef> SchedulingQueue::pop_specific(const Pod& pod) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  const std::optional<Course> course = activation(pod);
  reserve(1, 1);
  if (course) take(*course);
  QueuedPodInfo* const there = table_.find(pod);
  if (there == nullptr || there->heap != QueueHeap::kActive) return QueuedPodRef();
  const QueuedPodRef popped = QueuedPodRef::share(there);
  active_.remove(*there);
  forget_if_gone(*there);
  return fly(*popped) ? popped : QueuedPodRef();
}

Result<void> SchedulingQueue::done(Str uid) {
  LIBSCHED_TRY(may_change());
  in_flight_.done(uid);
  return {};
}

Result<void> SchedulingQueue::add_unschedulable(QueuedPodInfo& queued, const PodRef& pod,
                                                const Rejection& rejection) {
  LIBSCHED_TRY(may_change());
  if (queued.names.get() != plugins_.get()) return misuse("the pod was popped from another queue");
  if (queued.pod->meta.name != pod->meta.name || queued.pod->meta.ns != pod->meta.ns)
    return misuse("the pod has another name than the popped one");
  const Busy busy(*this);
  if (of_entity(*pod)) return return_member(queued, pod, rejection);
  groups_.set_popped(nullptr);
  if (const QueuedPodInfo* there = table_.find(*pod); there != nullptr) {
    const char* const part = there->waits                        ? " unschedulable"
                             : there->heap == QueueHeap::kActive ? " the active"
                                                                 : " the backoff";
    Error exists{Rc::kExists, "Pod " + name_of(*pod) + " is already present in" + part + " queue"};
    in_flight_.done(*pod);
    return exists;
  }
  Course course(queued);
  course.gating = kNoPlugin;
  const auto fill = [&](Span<Str> names, RejectorSet* set) -> Result<void> {
    *set = {};
    for (const Str name : names) {
      const Result<PluginId> id = plugins_->id(name);
      if (!id.ok()) return id.error();
      set->add(*id);
    }
    return {};
  };
  LIBSCHED_TRY(fill(rejection.unschedulable, &course.unschedulable));
  LIBSCHED_TRY(fill(rejection.pending, &course.pending));
  const RejectorSet rejectors = course.unschedulable | course.pending;
  const uint32_t rejections = queued.unschedulable_count + (rejectors.empty() ? 0 : 1);
  const uint32_t errors = rejectors.empty() ? queued.consecutive_errors_count + 1 : 0;
  const uint32_t scheduler = metrics_.scheduler(pod->spec.scheduler_name);
  const int64_t since = now();
  const Requeueing how = how_after_flight(course, *pod, scheduler);
  const int64_t expiration = how == Requeueing::kAfterBackoff
                                 ? backoff_times_.expiration(since, rejections, errors)
                                 : kNoTime;
  const Destination to = requeue(course, *pod, scheduler, how, expiration, attempt_failed_);
  table_.reserve();
  reserve(1, 0);

  queued.pod = pod;
  queued.scheduler = scheduler;
  queued.unschedulable_count = rejections;
  queued.consecutive_errors_count = errors;
  queued.timestamp_ns = since;
  queued.backoff_expiration_ns = expiration;
  queued.was_flushed = false;
  queued.flushed_ns = kNoTime;
  metrics_.blame(rejectors, scheduler, 1);
  table_.insert(QueuedPodRef::share(&queued));
  take(course);
  log_return(queued, to, how);
  in_flight_.done(*pod);
  return {};
}

}  // namespace libsched
