// SchedulingQueue: moves of pods by events and by time.
#include <algorithm>
#include <set>

#include "libsched/framework/property_changes.hpp"
#include "libsched/scheduler/queue/queue.hpp"
#include "libsched/scheduler/queue/related_pods.hpp"

namespace libsched {
namespace {

constexpr int64_t kUnschedulablePeriodNs = 30 * kSecondNs;

Error state(const char* text) { return {Rc::kState, text}; }

}  // namespace

// Upstream's movePodsToActiveOrBackoffQueue for the unschedulable pods for which wanted(pod) holds.
template <typename Wanted>
void SchedulingQueue::move(const EventPlan& plan, const ObjectChange& change, bool flushed,
                           Wanted&& wanted) {
  std::vector<Course> courses;
  for (QueuedPodInfo* pod = unschedulable_.first(); pod != nullptr; pod = pod->next) {
    if (!wanted(*pod)) continue;
    if (pod->gated() && !plan.gates.has(pod->gating) &&
        !(plan.wildcard && behaviours_.wildcards_reach_gated))
      continue;
    Course course(*pod);
    const Requeueing how = worth_requeueing(course, *pod->pod, pod->scheduler, plan, change);
    if (how == Requeueing::kSkip) continue;
    course.leaves_waiting = true;
    const int64_t expiration =
        how == Requeueing::kAfterBackoff ? backoff_times_.expiration(*pod) : kNoTime;
    requeue(course, *pod->pod, pod->scheduler, how, expiration, plan.label);
    courses.push_back(course);
  }
  const bool recorded = !in_flight_.empty();
  reserve(courses.size(), recorded ? 1 : 0);
  if (flushed)
    for (QueuedPodInfo* pod = unschedulable_.first(); pod != nullptr; pod = pod->next)
      if (wanted(*pod)) {
        pod->was_flushed = true;
        pod->any_pod([](QueuedPodInfo& p) { return !(p.was_flushed = true); });
        if (behaviours_.dated_flushes) pod->flushed_ns = now();
      }
  for (const Course& course : courses) take(course);
  move_request_cycle_ = scheduling_cycle_;
  if (recorded) record(plan, change);
}

void SchedulingQueue::move_all(const EventPlan& plan, const ObjectChange& change,
                               const PodCheck& check) {
  if (!plan.of_interest) return;
  move(plan, change, false, [&](QueuedPodInfo& pod) {
    return !check || pod.any_pod([&](const QueuedPodInfo& p) { return check(*p.pod); });
  });
}

Result<void> SchedulingQueue::move_all(const QueueEvent& event, const PodCheck& check) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  const EventPlan& kind = plan(event);
  ObjectChange change = event.change;
  if (change.resource.empty()) change.resource = kind.event.resource;
  const bool of_groups = std::ranges::any_of(
      std::array{StoredKind::kPodGroup, StoredKind::kCompositePodGroup},
      [&](StoredKind k) { return has_groups(k) && change.resource == event_resource(k); });
  if (of_groups && change.after && !change.before)
    group_added(static_cast<const PodGroup&>(*change.after));
  if (of_groups && change.before && !change.after)
    group_removed(static_cast<const PodGroup&>(*change.before));
  move_all(kind, change, check);
  return {};
}

Result<void> SchedulingQueue::node_updated(const NodeRef& before, const NodeRef& after,
                                           const PodCheck& check) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  for (const ActionType action : node_change_list(*after, *before, gates_))
    move_all(plan({"Node", action, {}}), {"Node", before, after}, check);
  return {};
}

void SchedulingQueue::move_related(const EventPlan& plan, const ObjectChange& change,
                                   const Pod& pod) {
  if (!plan.of_interest) return;
  const RelatedPods related(pod, view(), *plugins_);
  move(plan, change, false, [&](QueuedPodInfo& other) {
    return other.any_pod([&](const QueuedPodInfo& p) { return related.has(p); });
  });
}

Result<void> SchedulingQueue::assigned_pod_added(const PodRef& pod) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  move_related(*assigned_pod_added_, {"Pod", {}, pod}, *pod);
  return {};
}

Result<void> SchedulingQueue::assigned_pod_updated(const PodRef& old_pod, const PodRef& new_pod) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  const ObjectChange change{"Pod", old_pod, new_pod};
  const PodEvents events = pod_events(*new_pod, *old_pod);
  for (size_t i = 0; i < events.count; ++i) {
    const EventPlan& event = *events.plans[i];
    if (event.event.actions == kUpdatePodScaleDown)  // frees room for any pod
      move_all(event, change, {});
    else
      move_related(event, change, *new_pod);
  }
  return {};
}

Result<void> SchedulingQueue::activate(Span<PodRef> pods) {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  const auto key = [](const PodRef& pod) { return std::pair(pod->meta.ns, pod->meta.name); };
  std::vector<PodRef> once(pods.begin(), pods.end());
  std::stable_sort(once.begin(), once.end(),
                   [&](const PodRef& a, const PodRef& b) { return key(a) < key(b); });
  once.erase(std::unique(once.begin(), once.end(),
                         [&](const PodRef& a, const PodRef& b) { return key(a) == key(b); }),
             once.end());
  std::vector<Course> courses;
  std::vector<PodRef> others;
  std::set<const QueuedPodInfo*> groups;
  for (const PodRef& pod : once) {
    if (of_entity(*pod) && root_of(*pod) == nullptr) continue;
    const QueuedGroup* const group = of_entity(*pod) ? home_of(*pod) : nullptr;
    const bool again = group != nullptr && !groups.insert(group->entity.get()).second;
    const std::optional<Course> course = again ? std::nullopt : activation(*pod);
    if (course) courses.push_back(*course);
    if (!course || course->gated()) others.push_back(pod);
  }
  reserve(courses.size(), others.size());
  for (const Course& course : courses) take(course);
  // Recorded for the pod's return; it concerns this pod alone.
  for (const PodRef& pod : others)
    if (in_flight_.has(*pod)) record(*force_activate_, {"Pod", {}, pod});
  if (!others.empty()) move_request_cycle_ = scheduling_cycle_;
  return {};
}

void SchedulingQueue::flush_backoff_now() {
  const auto over = [this, t = now()](const QueuedPodInfo& pod) {
    return backoff_times_.over(pod.backoff_expiration_ns, t);
  };
  std::vector<Course> courses;
  for (const PodHeap<BackoffLess>* heap : {&backoff_, &error_backoff_})
    for (QueuedPodInfo* pod : heap->upcoming(over)) {
      Course& course = courses.emplace_back(*pod);
      course.leaves_heap = true;
      move_to_active(course, *pod->pod, pod->scheduler, backoff_complete_, true);
    }
  reserve(courses.size(), 0);
  for (const Course& course : courses) take(course);
}

void SchedulingQueue::flush_unschedulable_now() {
  const int64_t t = now();
  const auto left_over = [&](const QueuedPodInfo& pod) {
    const int64_t since = std::max(pod.timestamp_ns, pod.flushed_ns);
    return t - since > options_.max_in_unschedulable_ns;
  };
  for (const QueuedPodInfo* pod = unschedulable_.first(); pod != nullptr; pod = pod->next)
    if (left_over(*pod)) return move(*timeout_, {"*", {}, {}}, true, left_over);
}

Result<void> SchedulingQueue::flush_backoff() {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  flush_backoff_now();
  return {};
}

Result<void> SchedulingQueue::flush_unschedulable() {
  LIBSCHED_TRY(may_change());
  const Busy busy(*this);
  flush_unschedulable_now();
  return {};
}

Result<void> SchedulingQueue::run() {
  LIBSCHED_TRY(may_change());
  if (closed_) return state("the queue is closed");
  if (backoff_due_) return state("the queue runs already");
  const int64_t t = now();
  backoff_due_ = backoff_times_.align(t + kSecondNs);
  unschedulable_due_ = t;
  return {};
}

std::optional<int64_t> SchedulingQueue::next_due() const {
  if (!backoff_due_) return std::nullopt;
  return std::min(*backoff_due_, *unschedulable_due_);
}

std::optional<int64_t> SchedulingQueue::next_flush() const {
  std::optional<int64_t> next;
  if (!backoff_due_) return next;
  if (backoff_.size() != 0 || error_backoff_.size() != 0) next = backoff_due_;
  if (unschedulable_.size() != 0)
    next = next ? std::min(*next, *unschedulable_due_) : *unschedulable_due_;
  return next;
}

void SchedulingQueue::skip_flushes(int64_t time_ns) noexcept {
  if (!backoff_due_) return;
  const auto skip = [&](int64_t* due, int64_t period) {
    if (*due < time_ns) *due += (time_ns - *due + period - 1) / period * period;
  };
  skip(&*backoff_due_, kSecondNs);
  skip(&*unschedulable_due_, kUnschedulablePeriodNs);
}

Result<void> SchedulingQueue::run_due() {
  LIBSCHED_TRY(may_change());
  if (!backoff_due_) return {};
  const Busy busy(*this);
  const int64_t t = now();
  const auto backoff = [&] {
    if (*backoff_due_ > t) return;
    flush_backoff_now();
    // A ticker: missed ticks are dropped.
    *backoff_due_ += ((t - *backoff_due_) / kSecondNs + 1) * kSecondNs;
  };
  const auto unschedulable = [&] {
    if (*unschedulable_due_ > t) return;
    flush_unschedulable_now();
    unschedulable_due_ = t + kUnschedulablePeriodNs;
  };
  if (*backoff_due_ < *unschedulable_due_) {
    backoff();
    unschedulable();
  } else {
    unschedulable();
    backoff();
  }
  return {};
}

Result<void> SchedulingQueue::close() {
  LIBSCHED_TRY(may_change());
  if (closed_) return state("the queue is closed");
  closed_ = true;
  backoff_due_.reset();
  unschedulable_due_.reset();
  in_flight_.clear();
  return {};
}

}  // namespace libsched
