// Scheduler: the binding cycle of an assumed pod.
#include "libsched/scheduler/loop/flight.hpp"

namespace libsched {

// Without memory the binding fails before the next action.
void Scheduler::interrupt(const FlightRef& flight) {
  flight->next = std::exchange(interrupted_, flight);
  check(Error{Rc::kNoMemory, "out of memory"});
}

bool Scheduler::on_thread(const Flight& flight) const {
  return threads_ && !in_line_[flight.queued->scheduler];
}

// A binding in which nothing can wait for time runs in line: its turns then let others be first.
void Scheduler::start_binding(const FlightRef& flight) {
  metrics_->binding_began();
  try {
    activate();
    flight->waiting = services_->waiting_pods().get(flight->pod()->meta.uid);
    flight->ready = flight->binding->pre_flight();
    const bool works = flight->ready.success();  // a PreBind plugin
    const bool waits = services_->api().may_wait() || works || calls_;
    if (on_thread(*flight))
      threads_->start(fly(flight));
    else if (turns_ && (waits || turns_->nested()))
      turns_->start(fly(flight));
    else
      begin_binding(flight).now();
  } catch (const std::bad_alloc&) {
    interrupt(flight);
  }
}

// The task of a binding cycle: it begins the cycle and waits on Permit, or finishes a cycle whose
// pod is permitted already.
Steps<> Scheduler::fly(FlightRef flight) {
  try {
    if (flight->permitted)
      co_await finish_binding(flight);
    else
      co_await begin_binding(flight);
  } catch (const std::bad_alloc&) {
    interrupt(flight);
  }
}

Steps<> Scheduler::begin_binding(const FlightRef& flight) {
  if (flight->ready.code == Code::kError || flight->ready.rejected()) {
    Failure failure;
    failure.status = flight->ready;
    co_await fail_binding(*flight, failure);
    co_return;
  }
  if (flight->ready.success() || flight->waiting) co_await flight->binding->expect();
  if (flight->waiting) {
    flight->waits_since_ns = now();
    log_.info(4, "Pod waiting on permit", {{"pod", flight->pod()->meta}});
    if (!flight->waiting->decided()) {
      permitted_.push_back(flight);
      co_return;
    }
  }
  co_await finish_binding(flight);
}

// Pods on Permit continue when they are allowed, rejected or out of time.
void Scheduler::continue_permitted() {
  for (size_t i = 0; i < permitted_.size();) {
    if (!permitted_[i]->waiting->decided()) {
      ++i;
      continue;
    }
    const FlightRef flight = permitted_[i];
    flight->permitted = true;
    Steps<> task = fly(flight);
    if (turns_)
      turns_->start(std::move(task));
    else if (on_thread(*flight))
      threads_->start(std::move(task));
    else
      std::move(task).now();
    permitted_.erase(permitted_.begin() + static_cast<ptrdiff_t>(i));
  }
}

Steps<> Scheduler::finish_binding(const FlightRef& flight) {
  std::optional<Failure> failed = flight->binding->wait_on_permit(flight->waits_since_ns);
  if (failed) {
    if (failed->status.rejected() && log_.on(4))
      log_.info(4, "Pod rejected while waiting on permit",
                {{"pod", flight->pod()->meta}, {"status", failed->status.message()}});
  } else {
    if (cluster_->judged()) co_await hold();
    finish(*flight->pod());
    failed = co_await run_points(*flight);
  }
  if (failed) {
    co_await fail_binding(*flight, *failed);
    co_return;
  }
  const QueuedPodInfo& queued = *flight->queued;
  log_.info(2, "Successfully bound pod to node",
            {{"pod", flight->pod()->meta},
             {"node", flight->node()},
             {"evaluatedNodes", flight->evaluated},
             {"feasibleNodes", flight->feasible}});
  metrics_->attempted(queued.scheduler, AttemptResult::kScheduled, now() - queued.popped_ns);
  std::optional<int64_t> since;
  if (queued.initial_attempt_ns != kNoTime) since = now() - queued.initial_attempt_ns;
  // Without that behaviour upstream's copy of the pod for binding has lost that it was flushed.
  const bool flushed = queued.was_flushed && profiles_[0]->framework().behaviours().dated_flushes;
  metrics_->bound(queued.attempts, since, flushed);
  metrics_->binding_ended();
  if (options_.observer) options_.observer->bound(*flight->queued, flight->node());
}

// PreBind to PostBind.
Steps<std::optional<Failure>> Scheduler::run_points(Flight& flight) {
  if (!threads_) return flight.binding->finish(flight.ready);
  return run_points_on_thread(flight);
}

Steps<std::optional<Failure>> Scheduler::run_points_on_thread(Flight& flight) {
  if (stopping_) {
    Failure failure;
    failure.status = Status::from_error(kStops);
    co_return failure;
  }
  struct Entry {
    Entry(std::vector<const Flight*>& l, const Flight& f) : list(l), flight(f) {
      list.push_back(&flight);
    }
    ~Entry() { std::erase(list, &flight); }
    std::vector<const Flight*>& list;
    const Flight& flight;
  } const entry(binding_, flight);
  co_return co_await flight.binding->finish(flight.ready, &threads_->baton());
}

// Bindings on threads do not come to Bind any more, if plugins heed that they are cancelled.
void Scheduler::cut_off_bindings() {
  stopping_ = true;
  for (const Flight* f : binding_) services_->pods_in_pre_bind().cancel(f->pod()->meta.uid, kStops);
}

// Waits until no plugin is judging the cluster. While a plugin makes an API call, as preemption
// does, other tasks run, and they must not change the cluster until that plugin has returned.
Steps<> Scheduler::hold() {
  while (turns_ && cluster_->judged()) co_await turns_->hold();
  while (threads_ && cluster_->judged()) threads_->hold();
}

// The pod leaves its node, which may help other pods, and not itself.
Steps<> Scheduler::fail_binding(Flight& flight, const Failure& failure) {
  const PodRef pod = flight.pod();
  if (cluster_->judged()) co_await hold();
  co_await flight.binding->run_unreserve(*cluster_);
  // The name may belong to a new pod by now.
  const uint32_t slot = cluster_->view().find_pod(pod->meta.ns, pod->meta.name);
  const bool there = slot != kNoId && same_pod(*cluster_->view().slot(slot).pod, *pod);
  const bool forgot = !there || cluster_->forget(pod->meta.ns, pod->meta.name).ok();
  const bool rejected = failure.status.rejected();
  if (forgot && !rejected) check(handlers_->left_node(pod));
  co_await handle_failure(flight.queued, pod, flight.node(), failure);
  if (forgot && rejected) check(handlers_->left_node(pod, pod.get()));
  metrics_->binding_ended();
}

}  // namespace libsched
