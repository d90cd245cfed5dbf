// Scheduler: one scheduling cycle, and what follows from its failure.
#include <algorithm>

#include "libsched/config/deferred_resize.hpp"
#include "libsched/scheduler/loop/flight.hpp"

namespace libsched {
namespace {

// As SchedulingQueue::done() wants it.
std::string uid_of(const Pod& pod) {
  return pod.meta.uid.empty() ? std::string(pod.meta.ns) + "/" + std::string(pod.meta.name)
                              : std::string(pod.meta.uid);
}

std::vector<Str> names(const std::set<std::string>& set) { return {set.begin(), set.end()}; }

}  // namespace

bool Scheduler::can_pop() const { return !queue_->closed() && queue_->can_pop(); }

void Scheduler::left_queue(const Pod& pod) {
  Nominator& nominator = services_->nominator();
  if (!nominator.node_of(pod).empty()) nominator.show(bare_pod(pod));
}

// A cycle that may wait has a thread, so that others may go on meanwhile; the cycle of a group goes
// on while its first members are being bound.
void Scheduler::start_cycle() {
  const bool slow = turns_ && services_->api().may_wait();
  const bool groups = turns_ && profiles_[0]->framework().gates().enabled(Gate::kGenericWorkload);
  if ((slow || groups) && !turns_->reserve_thread())
    return check(Error{Rc::kLimit, "the system provides no thread for a scheduling cycle"});
  Result<QueuedPodRef> popped = queue_->pop();
  if (!popped.ok()) return check(popped.error());
  if (!*popped) return;
  popped_ = std::move(*popped);
  if (!popped_->members) left_queue(*popped_->pod);
  if (options_.observer)
    options_.observer->popped(popped_->members ? *popped_->members->front() : *popped_);
  in_cycle_ = true;
  if (turns_ && (slow || in_group(*popped_->pod) || turns_->nested()))
    turns_->start(run_cycle_apart(popped_));
  else
    run_cycle(popped_);
}

Steps<> Scheduler::run_cycle_apart(QueuedPodRef queued) {
  auto run = [&] { run_cycle(queued); };
  co_await turns_->first_apart(run);
}

void Scheduler::run_cycle(QueuedPodRef queued) {
  struct Leave {
    Scheduler& s;
    ~Leave() { s.in_cycle_ = false; }
  } const leave{*this};
  if (queued->members)
    cycle_entity(queued);
  else if (in_group(*queued->pod) && !profiles_[0]->framework().behaviours().groups_are_entities)
    cycle_group(queued);
  else
    cycle(queued);
}

void Scheduler::cycle(const QueuedPodRef& queued) {
  const PodRef pod = queued->pod;
  log_.info(4, "About to try and schedule pod", {{"pod", pod->meta}});
  Evaluator* const profile = profile_of(profiles_, *pod, {});
  if (profile == nullptr) {
    finish(*pod);
    popped_ = nullptr;
    return;
  }
  if (pod->meta.terminating())
    log_.info(3, "Skip schedule deleting pod", {{"pod", pod->meta}});
  else if (log_.on(3) && handlers_->assumed(*pod) == nullptr)
    log_.info(3, "Attempting to schedule pod", {{"pod", pod->meta}});
  const FlightRef flight = new_flight(queued);
  cycle_options_.observer = point_times_[queued->scheduler];
  cycle_options_.state = metrics_->measured_state(queued->scheduler);
  Result<Ref<Scheduling>> ran = schedule_with(*profile, pod, cycle_options_);
  cycle_options_.state = nullptr;
  if (!ran.ok() || (*ran)->attempt == Attempt::kFailed || (*ran)->attempt == Attempt::kAssumed)
    metrics_->algorithm_ended(now() - queued->popped_ns);
  catch_up();  // with what PostFilter has caused
  if (!ran.ok()) {
    Failure failure;
    failure.status = Status::from_error(ran.error().message);
    handle_failure(queued, pod, {}, failure).now();
    popped_ = nullptr;
    return;
  }
  Scheduling& outcome = **ran;
  if (outcome.attempt == Attempt::kFailed) {
    handle_failure(queued, pod, {}, *outcome.failure).now();
  } else if (outcome.attempt == Attempt::kAssumed) {
    in_cycle_ = false;
    popped_ = nullptr;
    start_flight(flight, outcome);
  } else {  // skipped
    finish(*pod);
  }
  popped_ = nullptr;
}

// Made before the pod is assumed, so that a lack of memory cannot lose an assumed pod.
Scheduler::FlightRef Scheduler::new_flight(const QueuedPodRef& queued) const {
  FlightRef flight = std::make_shared<Flight>();
  flight->queued = queued;
  return flight;
}

// The pod is assumed on its node, and its binding cycle begins.
void Scheduler::start_flight(const FlightRef& flight, Scheduling& outcome) {
  flight->binding = std::move(outcome.binding);
  flight->evaluated = outcome.evaluated;
  flight->feasible = outcome.feasible;
  if (options_.observer) options_.observer->assumed(*flight->queued, flight->node());
  start_binding(flight);
}

// The pod's cycle has ended without a result.
void Scheduler::finish(const Pod& pod) { check(queue_->done(uid_of(pod))); }

// A pod comes back to the queue in its present version, unless the API server has bound or lost it.
Steps<> Scheduler::handle_failure(const QueuedPodRef& queued, const PodRef& pod, Str node,
                                  const Failure& failure) {
  if (queued->scheduler < profiles_.size())
    metrics_->attempted(
        queued->scheduler,
        failure.status.rejected() ? AttemptResult::kUnschedulable : AttemptResult::kError,
        now() - queued->popped_ns);
  const PodRef known = PodRef::share(pods_.find_pod(pod->meta.ns, pod->meta.name));
  const bool resized = scheduled_for_resize(profiles_[0]->framework().gates(), *pod);
  const bool waits = known && (resized || known->spec.node_name.empty());
  if (log_.on(0)) log_failure(*pod, known.get(), failure);
  if (waits && !same_pod(*known, *pod)) {
    check(queue_->done(uid_of(*pod)));
    co_return;
  }
  if (waits) {
    const std::vector<Str> unschedulable = names(failure.unschedulable_plugins);
    const std::vector<Str> pending = names(failure.pending_plugins);
    const Result<void> added = queue_->add_unschedulable(*queued, known, {unschedulable, pending});
    if (!added.ok() && added.error().rc != Rc::kExists) check(added);
    if (!resized) services_->nominator().add(known, failure.nomination);
  } else {
    services_->nominator().remove(*pod);
  }
  if (options_.observer) options_.observer->failed(*queued, node, failure);
  if (resized) {  // it keeps its node and its status, which is the kubelet's
    if (!waits) check(queue_->done(uid_of(*pod)));
    co_return;
  }
  const Pod& reported = waits ? *known : *pod;
  if (!calls_) log_patch(reported, failure);
  co_await report_failure(reported, reported.status.nominated_node_name, failure, *services_);
  if (cluster_->judged()) co_await hold();
  if (!waits) check(queue_->done(uid_of(*pod)));
}

void Scheduler::log_failure(const Pod& pod, const Pod* known, const Failure& failure) const {
  const LogField about{"pod", pod.meta};
  const bool rejected = failure.status.rejected();
  if (!rejected || log_.on(2)) {
    const std::string message = failure.status.message();
    if (!rejected)
      log_.error("Error scheduling pod; retrying", {{"err", message}, about});
    else if (message == "no nodes available to schedule pods")
      log_.info(2, "Unable to schedule pod; no nodes are registered to the cluster; waiting",
                {about});
    else if (in_group(pod) && failure.unschedulable_plugins.empty() &&
             failure.pending_plugins.empty())
      log_.info(2, "Unable to schedule pod belonging to a pod group; waiting",
                {about, {"err", message}});
    else
      log_.info(2, "Unable to schedule pod; no fit; waiting", {about, {"err", message}});
  }
  if (known == nullptr)
    log_.info(0, "Pod doesn't exist in informer cache",
              {about, {"err", "pod \"" + std::string(pod.meta.name) + "\" not found"}});
  else if (!known->spec.node_name.empty() &&
           !scheduled_for_resize(profiles_[0]->framework().gates(), pod))
    log_.info(0, "Pod has been assigned to node. Abort adding it back to queue.",
              {about, {"node", known->spec.node_name}});
  else if (!same_pod(*known, pod))
    log_.info(2,
              "Pod was recreated while handling scheduling failure. Skip requeueing and status "
              "updates.",
              {about, {"oldUID", pod.meta.uid}, {"newUID", known->meta.uid}});
}

void Scheduler::log_patch(const Pod& pod, const Failure& failure) const {
  const Str message = "Updating pod condition and nominated node name";
  const LogField about{"pod", pod.meta}, type{"conditionType", "PodScheduled"},
      status{"conditionStatus", "False"},
      reason{"conditionReason", failure.status.rejected() ? "Unschedulable" : "SchedulerError"};
  if (!failure.nomination) return log_.info(3, message, {about, type, status, reason});
  const Nomination& nomination = *failure.nomination;
  log_.info(3, message,
            {about,
             type,
             status,
             reason,
             {"nominatedNodeName", nomination.node},
             {"nominatingMode", int64_t{nomination.override_node ? 1 : 0}}});
}

// Pods whose cycle or binding ran out of memory fail with an error.
void Scheduler::return_interrupted() {
  const auto out_of_memory = [] {
    Failure failure;
    failure.status = Status::from_error("out of memory");
    return failure;
  };
  if (group_ && !in_cycle_) {
    fail_group(out_of_memory());
  } else if (popped_ && !in_cycle_ && popped_->members) {
    for (const QueuedPodRef& member : *popped_->members)
      handle_failure(member, member->pod, {}, out_of_memory()).now();
    check(queue_->end_group(popped_, out_of_memory().status));
    popped_ = nullptr;
  } else if (popped_ && !in_cycle_) {
    Failure failure = out_of_memory();
    // A preemption that the cycle has begun may gate the pod, and nothing but the plugins that
    // rejected it would tell when it may be tried again: these are not known any more.
    const Evaluator& profile =
        *profiles_[std::min<size_t>(popped_->scheduler, profiles_.size() - 1)];
    if (!profile.run_pre_enqueue(*popped_->pod).success())
      for (const Framework::Instance& plugin : profile.framework().plugins())
        failure.unschedulable_plugins.insert(plugin.name);
    handle_failure(popped_, popped_->pod, {}, failure).now();
    popped_ = nullptr;
  }
  while (interrupted_) {
    const FlightRef flight = interrupted_;
    const Failure failure = out_of_memory();
    fail_binding(*flight, failure).now();
    interrupted_ = std::exchange(flight->next, {});
  }
}

}  // namespace libsched
