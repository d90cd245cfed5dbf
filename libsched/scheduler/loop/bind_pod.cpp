// Scheduler: the binding cycle of an assumed pod.
#include "libsched/scheduler/loop/flight.hpp"

namespace libsched {

// Without memory the binding fails before the next action.
template <typename F>
void Scheduler::guarded(const FlightRef& flight, F&& f) {
  try {
    f();
  } catch (const std::bad_alloc&) {
    flight->next = std::exchange(interrupted_, flight);
    check(Error{Rc::kNoMemory, "out of memory", {}, {}});
  }
}

bool Scheduler::on_thread(const Flight& flight) const {
  return threads_ && !in_line_[flight.queued->scheduler];
}

void Scheduler::start_binding(const FlightRef& flight) {
  metrics_->binding_began();
  guarded(flight, [&] {
    activate();
    flight->waiting = services_->waiting_pods().get(flight->pod()->meta.uid);
    flight->ready = flight->binding->pre_flight();
    const bool works = flight->ready.success();  // a PreBind plugin
    auto task = [this, flight] { guarded(flight, [&] { begin_binding(flight); }); };
    if (on_thread(*flight)) return threads_->start(std::move(task));
    run_task(services_->api().may_wait() || works || calls_, std::move(task));
  });
}

void Scheduler::begin_binding(const FlightRef& flight) {
  if (flight->ready.code == Code::kError || flight->ready.rejected()) {
    Failure failure;
    failure.status = flight->ready;
    return fail_binding(*flight, failure);
  }
  if (flight->ready.success() || flight->waiting) flight->binding->expect();
  if (flight->waiting) {
    flight->waits_since_ns = now();
    log_.info(4, "Pod waiting on permit", {{"pod", flight->pod()->meta}});
    if (!flight->waiting->decided()) return permitted_.push_back(flight);
  }
  finish_binding(flight);
}

// Pods on Permit continue when they are allowed, rejected or out of time.
void Scheduler::continue_permitted() {
  for (size_t i = 0; i < permitted_.size();) {
    if (!permitted_[i]->waiting->decided()) {
      ++i;
      continue;
    }
    const FlightRef flight = permitted_[i];
    std::function<void()> task = [this, flight] {
      guarded(flight, [&] { finish_binding(flight); });
    };
    if (turns_)
      turns_->start(std::move(task));
    else if (on_thread(*flight))
      threads_->start(std::move(task));
    else
      task();
    permitted_.erase(permitted_.begin() + static_cast<ptrdiff_t>(i));
  }
}

void Scheduler::finish_binding(const FlightRef& flight) {
  if (const std::optional<Failure> failed =
          flight->binding->wait_on_permit(flight->waits_since_ns)) {
    if (failed->status.rejected() && log_.on(4))
      log_.info(4, "Pod rejected while waiting on permit",
                {{"pod", flight->pod()->meta}, {"status", failed->status.message()}});
    return fail_binding(*flight, *failed);
  }
  hold();
  finish(*flight->pod());
  if (const std::optional<Failure> failed = run_points(*flight))
    return fail_binding(*flight, *failed);
  const QueuedPodInfo& queued = *flight->queued;
  log_.info(2, "Successfully bound pod to node",
            {{"pod", flight->pod()->meta},
             {"node", flight->node()},
             {"evaluatedNodes", flight->evaluated},
             {"feasibleNodes", flight->feasible}});
  metrics_->attempted(queued.scheduler, AttemptResult::kScheduled, now() - queued.popped_ns);
  std::optional<int64_t> since;
  if (queued.initial_attempt_ns != kNoTime) since = now() - queued.initial_attempt_ns;
  // Upstream's copy of the pod for binding has lost that it was flushed.
  metrics_->bound(queued.attempts, since, false);
  metrics_->binding_ended();
  if (options_.observer) options_.observer->bound(*flight->queued, flight->node());
}

// PreBind to PostBind.
std::optional<Failure> Scheduler::run_points(Flight& flight) {
  if (!threads_) return flight.binding->finish(flight.ready);
  if (stopping_) {
    Failure failure;
    failure.status = Status::from_error(kStops);
    return failure;
  }
  struct Entry {
    Entry(std::vector<const Flight*>& l, const Flight& f) : list(l), flight(f) {
      list.push_back(&flight);
    }
    ~Entry() { std::erase(list, &flight); }
    std::vector<const Flight*>& list;
    const Flight& flight;
  } const entry(binding_, flight);
  return flight.binding->finish(flight.ready, &threads_->baton());
}

// Bindings on threads do not come to Bind any more, if plugins heed that they are cancelled.
void Scheduler::cut_off_bindings() {
  stopping_ = true;
  for (const Flight* f : binding_) services_->pods_in_pre_bind().cancel(f->pod()->meta.uid, kStops);
}

// Plugins that make API calls, as preemption does in line, let other tasks run meanwhile: those
// change nothing before the plugins have been asked.
void Scheduler::hold() {
  while (turns_ && cluster_->judged()) turns_->hold();
  while (threads_ && cluster_->judged()) threads_->hold();
}

// The pod leaves its node, which may help other pods, and not itself.
void Scheduler::fail_binding(Flight& flight, const Failure& failure) {
  const PodRef pod = flight.pod();
  hold();
  flight.binding->run_unreserve(*cluster_);
  // A new pod of the same name may be there.
  const uint32_t slot = cluster_->view().find_pod(pod->meta.ns, pod->meta.name);
  const bool there = slot != kNoId && same_pod(*cluster_->view().slot(slot).pod, *pod);
  const bool forgot = !there || cluster_->forget(pod->meta.ns, pod->meta.name).ok();
  const bool rejected = failure.status.rejected();
  if (forgot && !rejected) check(handlers_->left_node(pod));
  handle_failure(flight.queued, pod, flight.node(), failure);
  if (forgot && rejected) check(handlers_->left_node(pod, pod.get()));
  metrics_->binding_ended();
}

}  // namespace libsched
