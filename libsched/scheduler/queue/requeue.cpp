// SchedulingQueue: the destination of a pod, and its way there.
#include <new>
#include <set>
#include <string>

#include "libsched/base/quote.hpp"
#include "libsched/scheduler/queue/queue.hpp"

namespace libsched {
namespace {

constexpr const char* kPartNames[] = {"Active", "Backoff", "Unschedulable"};

}  // namespace

// Upstream's moveToActiveQ. With SchedulerPopFromBackoffQ the gates have been checked before the
// backoff.
void SchedulingQueue::move_to_active(Course& course, const Pod& as, uint32_t scheduler,
                                     uint32_t event, bool from_backoff,
                                     std::optional<QueuePart> bound_for) const {
  if (!(pops_from_backoff_ && from_backoff))
    course.gate(profiles_, {view(), *services_}, as, scheduler);
  course.take(course.gated() ? Course::Step::kGated : Course::Step::kActivate, event, bound_for);
}

// Upstream's requeuePodWithQueueingStrategy.
SchedulingQueue::Destination SchedulingQueue::requeue(Course& course, const Pod& as,
                                                      uint32_t scheduler, Requeueing how,
                                                      int64_t backoff_expiration_ns,
                                                      uint32_t event) const {
  const QueuePart bound_for = how == Requeueing::kSkip           ? QueuePart::kUnschedulable
                              : how == Requeueing::kAfterBackoff ? QueuePart::kBackoff
                                                                 : QueuePart::kActive;
  if (how == Requeueing::kSkip) {
    course.take(Course::Step::kWait, event, bound_for);
    return Destination::kUnschedulable;
  }
  if (how == Requeueing::kAfterBackoff && !backoff_times_.over(backoff_expiration_ns, now())) {
    if (pops_from_backoff_) {
      course.gate(profiles_, {view(), *services_}, as, scheduler);
      if (course.gated()) {
        course.take(Course::Step::kWait, event, bound_for);
        return Destination::kUnschedulable;
      }
    }
    const bool failed = (course.unschedulable | course.pending).empty();
    course.take(failed ? Course::Step::kBackOffAsError : Course::Step::kBackOff, event, bound_for);
    return Destination::kBackoff;
  }
  move_to_active(course, as, scheduler, event, false, bound_for);
  return course.gated() ? Destination::kUnschedulable : Destination::kActive;
}

// Upstream's determineSchedulingHintForInFlightPod.
Requeueing SchedulingQueue::how_after_flight(const Course& course, const Pod& as,
                                             uint32_t scheduler) const {
  if ((course.unschedulable | course.pending).empty()) return Requeueing::kAfterBackoff;
  if (!as.spec.scheduling_group.empty() && gates_.enabled(Gate::kGenericWorkload))
    return Requeueing::kAfterBackoff;
  Requeueing out = Requeueing::kSkip;
  const bool flying = in_flight_.any_since(as, [&](const InFlight::Entry& e) {
    const Requeueing how = worth_requeueing(course, as, scheduler, *e.event, e.change);
    if (how == Requeueing::kSkip) return false;
    out = how;
    return how == Requeueing::kImmediately || course.pending.empty();
  });
  return flying ? out : Requeueing::kAfterBackoff;
}

// Upstream's activate(); no value: the pod is not waiting.
std::optional<Course> SchedulingQueue::activation(const Pod& pod) {
  const QueuedGroup* const group = of_entity(pod) ? home_of(pod) : nullptr;
  QueuedPodInfo* const there = group != nullptr ? group->entity.get() : table_.find(pod);
  if (there == nullptr || (there->heap == QueueHeap::kActive && !there->waits)) return std::nullopt;
  Course course(*there);
  course.leaves_heap = !there->waits;  // even if a gate is found closed
  move_to_active(course, *there->pod, there->scheduler, force_activate_->label, !there->waits);
  return course;
}

void SchedulingQueue::reserve(size_t courses, size_t in_flight) {
  active_.reserve(courses);
  backoff_.reserve(courses);
  error_backoff_.reserve(courses);
  in_flight_.reserve(in_flight);
}

void SchedulingQueue::leave_heap(QueuedPodInfo& pod) {
  switch (pod.heap) {
    case QueueHeap::kNone: break;
    case QueueHeap::kActive: active_.remove(pod); break;
    case QueueHeap::kBackoff: backoff_.remove(pod); break;
    case QueueHeap::kErrorBackoff: error_backoff_.remove(pod); break;
  }
}

void SchedulingQueue::log_move(const QueuedPodInfo& pod, QueuePart to, uint32_t event,
                               bool gated) const {
  log_.info(5,
            gated ? "Pod moved to an internal scheduling queue, because the pod is gated"
                  : "Pod moved to an internal scheduling queue",
            {{"pod", pod.pod->meta},
             {"event", metrics_.event_label(event)},
             {"queue", kPartNames[static_cast<size_t>(to)]}});
}

// The pod has come back from a cycle.
void SchedulingQueue::log_return(const QueuedPodInfo& pod, Destination to, Requeueing how) const {
  if (!log_.on(3)) return;
  try {
    std::set<Str> names;
    pod.rejectors().for_each([&](PluginId id) { names.insert(plugins_->name(id)); });
    std::string plugins = "[";
    for (const Str name : names) plugins += (plugins.size() > 1 ? "," : "") + json_quote(name);
    log_.info(3, "Pod moved to an internal scheduling queue",
              {{"pod", pod.pod->meta},
               {"event", metrics_.event_label(attempt_failed_)},
               {"queue", kPartNames[static_cast<size_t>(to)]},
               {"schedulingCycle", scheduling_cycle_},
               {"hint", static_cast<int64_t>(how)},
               {"unschedulable plugins", plugins + "]"}});
  } catch (const std::bad_alloc&) {  // the line is left out
  }
}

void SchedulingQueue::take(const Course& course) {
  QueuedPodInfo& pod = *course.pod;
  for (const Course& member : course.members) take(member);
  metrics_.blame(course.blamed, pod.scheduler, 1);
  pod.unschedulable = course.unschedulable;
  pod.pending = course.pending;
  if (course.leaves_waiting && pod.waits) unschedulable_.remove(pod);
  if (course.leaves_heap) leave_heap(pod);
  if (course.held_back && behaviours_.dated_flushes)
    pod.any_pod([&](QueuedPodInfo& p) { return pod.was_flushed = p.was_flushed = false; });
  if (pod.waits)
    unschedulable_.gate(pod, course.gating);
  else
    pod.gating = course.gating;
  // Steps into a backoff heap; a pod that is in it already is added again.
  const auto back_off = [&](PodHeap<BackoffLess>& heap, QueueHeap kind,
                            const Course::Taken& taken) {
    if (pod.waits) unschedulable_.remove(pod);
    if (pod.heap == kind) {
      heap.fix(pod);
    } else if (pod.heap != QueueHeap::kNone) {
      leave_heap(pod);
      heap.push(pod);
      return;  // upstream does not count it
    } else {
      heap.push(pod);
    }
    metrics_.came(QueuePart::kBackoff, taken.event, pod, taken.bound_for);
    log_move(pod, QueuePart::kBackoff, taken.event);
  };
  for (size_t i = 0; i < course.count; ++i) {
    const Course::Taken& taken = course.steps[i];
    const auto [step, event, bound_for] = taken;
    switch (step) {
      case Course::Step::kActivate:
        if (pod.initial_attempt_ns == kNoTime) pod.initial_attempt_ns = now();
        for (const Course& member : course.members)
          if (member.pod->initial_attempt_ns == kNoTime) member.pod->initial_attempt_ns = now();
        if (pod.waits) unschedulable_.remove(pod);
        leave_heap(pod);
        active_.push(pod);
        metrics_.came(QueuePart::kActive, event, pod, bound_for);
        log_move(pod, QueuePart::kActive, event);
        break;
      case Course::Step::kBackOff: back_off(backoff_, QueueHeap::kBackoff, taken); break;
      case Course::Step::kBackOffAsError:
        back_off(error_backoff_, QueueHeap::kErrorBackoff, taken);
        break;
      case Course::Step::kGated:
        if (pod.heap != QueueHeap::kNone && !behaviours_.gates_backing_off) break;
        [[fallthrough]];
      case Course::Step::kWait:
        if (pod.waits) break;
        unschedulable_.add(pod);
        metrics_.came(QueuePart::kUnschedulable, event, pod, bound_for);
        if (course.gated())
          log_move(pod, QueuePart::kUnschedulable, event, step == Course::Step::kGated);
        break;
    }
  }
}

}  // namespace libsched
