// SchedulingQueue: which pod is tried next, and when a rejected pod is tried again. Upstream's
// PriorityQueue with queueing hints.
//
// It belongs to the thread of its cluster: it has no locks or threads, and nothing blocks. Plugins
// that it calls may read it but not change it. A change happens as a whole or, if memory runs out,
// not at all; plugins run before anything has changed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "libsched/framework/log.hpp"
#include "libsched/scheduler/queue/backoff.hpp"
#include "libsched/scheduler/queue/course.hpp"
#include "libsched/scheduler/queue/in_flight.hpp"
#include "libsched/scheduler/queue/pod_heap.hpp"
#include "libsched/scheduler/queue/pod_table.hpp"
#include "libsched/scheduler/queue/queue_metrics.hpp"
#include "libsched/scheduler/queue/queue_profiles.hpp"
#include "libsched/scheduler/queue/queued_groups.hpp"
#include "libsched/scheduler/queue/unschedulable_pods.hpp"

namespace libsched {

struct QueueOptions {
  int64_t initial_backoff_ns = kSecondNs;
  int64_t max_backoff_ns = 10 * kSecondNs;  // 0: no backoff
  int64_t max_in_unschedulable_ns = 300 * kSecondNs;
};

// An event and the objects that it concerns.
struct QueueEvent {
  Str resource;
  ActionType actions = 0;
  Str label;  // "": resource and actions
  // `change.resource` names the type of the objects; it lives as long as the queue.
  ObjectChange change = {};
};

class SchedulingQueue final : public RefCounted {
 public:
  // `profiles` are evaluators as for schedule_one() that share their services; only their parts are
  // kept. Errors: those of check_profiles() and QueueProfiles::create(), kMisuse (different
  // services), kInvalid (a negative time).
  static Result<Ref<SchedulingQueue>> create(Span<Evaluator*> profiles,
                                             const QueueOptions& options);

  // Upstream's methods of the same names. All changes return kMisuse while plugins are running.
  Result<void> add(const PodRef& pod);
  Result<void> update(const PodRef& old_pod, const PodRef& new_pod);  // same name, else kMisuse
  Result<void> remove(const Pod& pod);
  // Null: no pod is active. With Behaviours::groups_are_entities and the gate GenericWorkload, this
  // may be a whole PodGroup.
  Result<QueuedPodRef> pop();
  Result<QueuedPodRef> pop_specific(const Pod& pod);
  Result<void> done(Str uid);  // "namespace/name" of a pod without a uid
  // The cycle of a PodGroup that pop() returned (QueuedPodInfo::members) has ended with this
  // status, upstream's AddAttemptedPodGroupIfNeeded: pods that came back meanwhile, or are new,
  // form the group of the next cycle. Errors: kExists (the group is in the queue).
  Result<void> end_group(const QueuedPodRef& popped, const Status& status);
  struct Rejection {
    Span<Str> unschedulable, pending;  // names of plugins
  };
  // Upstream's AddUnschedulableIfNotPresent with the results of the failure handler: the pod's
  // present version and its rejectors. The pod is done then, also after kExists (it is in the
  // queue).
  Result<void> add_unschedulable(QueuedPodInfo& queued, const PodRef& pod,
                                 const Rejection& rejection);

  using PodCheck = std::function<bool(const Pod&)>;  // upstream's PreEnqueueCheck; empty: all pods
  Result<void> move_all(const QueueEvent& event, const PodCheck& check);
  // For each event that the update of a node results in.
  Result<void> node_updated(const NodeRef& before, const NodeRef& after, const PodCheck& check);
  Result<void> assigned_pod_added(const PodRef& pod);
  // For each event that the update results in.
  Result<void> assigned_pod_updated(const PodRef& old_pod, const PodRef& new_pod);
  Result<void> activate(Span<PodRef> pods);
  // Whether a plugin has registered for such an event.
  bool concerns_plugins(Str resource, ActionType actions) {
    return plan({resource, actions, {}}).of_interest;
  }

  // Whether groups of this kind are entities of the queue, or parts of one.
  bool has_groups(StoredKind kind) const {
    return (entities_ && kind == StoredKind::kPodGroup) ||
           (trees_ && kind == StoredKind::kCompositePodGroup);
  }

  Result<void> flush_backoff();
  Result<void> flush_unschedulable();
  Result<void> run();                       // kState: it is running or closed
  std::optional<int64_t> next_due() const;  // when a timer is due
  Result<void> run_due();                   // the due timers, each once
  // As next_due(), without flushes that would find no pod if nothing happens before.
  std::optional<int64_t> next_flush() const;
  // The timers pass by the flushes before this time, which find no pod.
  void skip_flushes(int64_t time_ns) noexcept;
  Result<void> close();  // kState: it is closed already

  // Where its moves are logged.
  void log_to(const Log& log) { log_ = log; }

  bool closed() const { return closed_; }
  // In the order of pop(); by expiration and then QueueSort; by expiration; by name.
  std::vector<QueuedPodInfo*> active() const;
  std::vector<QueuedPodInfo*> backing_off() const;
  std::vector<QueuedPodInfo*> backing_off_after_errors() const;
  std::vector<QueuedPodInfo*> unschedulable(bool only_gated) const;
  // Whether pop() takes from those that back off if no pod is active.
  bool pops_from_backoff() const { return pops_from_backoff_; }
  bool can_pop() const { return !active_.empty() || (pops_from_backoff_ && !backoff_.empty()); }
  // Numbers of pods.
  size_t active_count() const { return active_.size() + further_in(QueueHeap::kActive); }
  size_t backoff_count() const { return backoff_.size() + further_in(QueueHeap::kBackoff); }
  size_t error_backoff_count() const {
    return error_backoff_.size() + further_in(QueueHeap::kErrorBackoff);
  }
  const QueuedGroups* groups() const { return entities_ ? &groups_ : nullptr; }
  size_t unschedulable_count(bool gated) const {
    return (gated ? unschedulable_.gated() : unschedulable_.size() - unschedulable_.gated()) +
           groups_.further_pods([=](const QueuedPodInfo& entity) {
             return entity.waits && entity.gated() == gated;
           });
  }
  // Entities of a kind, pods of no group or groups as a whole: how many there are in a part, and
  // whether there has ever been one.
  struct EntityCount {
    size_t now = 0;
    bool ever = false;
  };
  EntityCount active_entities(bool groups) const {
    return {entities_of(groups, active_.size(), groups_in(QueueHeap::kActive)),
            active_.ever_used(groups)};
  }
  EntityCount backoff_entities(bool groups) const {
    return {entities_of(groups, backoff_.size() + error_backoff_.size(),
                        groups_in(QueueHeap::kBackoff) + groups_in(QueueHeap::kErrorBackoff)),
            backoff_.ever_used(groups) || error_backoff_.ever_used(groups)};
  }
  EntityCount unschedulable_entities(bool gated, bool groups) const {
    const size_t all =
        gated ? unschedulable_.gated() : unschedulable_.size() - unschedulable_.gated();
    const size_t of_groups = groups_.count(
        [=](const QueuedPodInfo& entity) { return entity.waits && entity.gated() == gated; });
    return {entities_of(groups, all, of_groups), unschedulable_.ever_waited(gated, groups)};
  }
  const UnschedulablePods& unschedulable_pods() const { return unschedulable_; }
  const InFlight& in_flight() const { return in_flight_; }
  int64_t scheduling_cycle() const { return scheduling_cycle_; }
  int64_t move_request_cycle() const { return move_request_cycle_; }
  const PluginNames& plugins() const { return *plugins_; }
  const QueueMetrics& metrics() const { return metrics_; }
  const QueueTimes& times() const { return profiles_.times(); }

 private:
  struct SortLess {  // upstream's QueueSort
    const Framework* framework;
    bool operator()(const QueuedPodInfo& a, const QueuedPodInfo& b) const {
      return framework->queue_less({*a.pod, a.timestamp_ns}, {*b.pod, b.timestamp_ns});
    }
  };
  struct BackoffLess {
    SortLess sort;
    bool sorts;  // pods of one expiration
    bool operator()(const QueuedPodInfo& a, const QueuedPodInfo& b) const {
      if (a.backoff_expiration_ns != b.backoff_expiration_ns)
        return a.backoff_expiration_ns < b.backoff_expiration_ns;
      return sorts && sort(a, b);
    }
  };
  enum class Destination : uint8_t { kActive, kBackoff, kUnschedulable };

  // Held while plugins may run: neither the cluster nor the queue may change meanwhile.
  class Busy {
   public:
    explicit Busy(const SchedulingQueue& queue)
        : queue_(queue), before_(queue.busy_), judging_(queue.cluster_.get()) {
      queue_.busy_ = true;
    }
    ~Busy() { queue_.busy_ = before_; }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    const SchedulingQueue& queue_;
    bool before_;
    Cluster::Judging judging_;
  };

  SchedulingQueue(QueueProfiles profiles, Ref<PluginNames> plugins, QueueMetrics metrics,
                  const Evaluator& first, const QueueOptions& options);
  Result<void> may_change() const;
  int64_t now() const { return services_->clock().now_ns(); }
  const View& view() const { return cluster_->view(); }
  QueuedPodRef make(const PodRef& pod);
  const EventPlan& plan(const QueueEvent& e) {
    return profiles_.plan(e.resource, e.actions, e.label, &metrics_);
  }
  // The events of a pod's update, in upstream's order.
  struct PodEvents {
    std::array<const EventPlan*, 6> plans;
    size_t count = 0;
  };
  PodEvents pod_events(const Pod& after, const Pod& before);
  Requeueing worth_requeueing(const Course& course, const Pod& as, uint32_t scheduler,
                              const EventPlan& plan, const ObjectChange& change) const {
    if (course.pod->members) return group_worth_requeueing(course, plan, change);
    return profiles_.worth_requeueing(as, scheduler, course.unschedulable, course.pending, plan,
                                      view(), change);
  }

  // Computing courses (requeue.cpp).
  void move_to_active(Course& course, const Pod& as, uint32_t scheduler, uint32_t event,
                      bool from_backoff, std::optional<QueuePart> bound_for = {}) const;
  Destination requeue(Course& course, const Pod& as, uint32_t scheduler, Requeueing how,
                      int64_t backoff_expiration_ns, uint32_t event) const;
  Requeueing how_after_flight(const Course& course, const Pod& as, uint32_t scheduler) const;
  std::optional<Course> activation(const Pod& pod);
  // Applying courses, which cannot fail after reserve().
  void reserve(size_t courses, size_t in_flight);
  void take(const Course& course);
  void leave_heap(QueuedPodInfo& pod);
  void log_move(const QueuedPodInfo& pod, QueuePart to, uint32_t event, bool gated = false) const;
  void log_return(const QueuedPodInfo& pod, Destination to, Requeueing how) const;
  // An event for the pods in flight; cannot fail after reserve().
  void record(const EventPlan& plan, const ObjectChange& change) {
    in_flight_.push(plan, change);
    metrics_.flew(plan.label);
  }
  // Forgets a pod that is in no part of the queue any more.
  void forget_if_gone(QueuedPodInfo& pod) {
    if (pod.heap == QueueHeap::kNone && !pod.waits) table_.remove(pod);
  }

  // Groups (groups.cpp).
  bool of_entity(const Pod& pod) const;  // which is in the queue as a member of its group
  // The root of the tree of a pod's group; null: some group up to there is missing.
  const PodGroup* root_of(const Pod& pod) const;
  QueuedGroup* home_of(const Pod& pod);  // of its root; null: nothing is known of it
  size_t further_in(QueueHeap heap) const {
    return groups_.further_pods([=](const QueuedPodInfo& entity) { return entity.heap == heap; });
  }
  static size_t entities_of(bool groups, size_t all, size_t of_groups) {
    return groups ? of_groups : all - of_groups;
  }
  size_t groups_in(QueueHeap heap) const {
    return groups_.count([=](const QueuedPodInfo& entity) { return entity.heap == heap; });
  }
  Requeueing group_worth_requeueing(const Course& course, const EventPlan& plan,
                                    const ObjectChange& change) const;
  Course course_back(QueuedPodInfo& entity, const EventPlan& event) const;
  void leave(QueuedPodInfo& entity);
  // How nominated pods of a tree count that are pending: upstream looks for them in the tree's
  // entity alone once there is one, and does not find them there.
  std::vector<PodRef> pending_as(const PodGroup& root, bool bare) const;
  void show_nominated(const std::vector<PodRef>& pods);
  void add_member(const QueuedPodRef& made);
  bool change_member(const PodRef& old_pod, const PodRef& new_pod, const PodEvents& events,
                     const ObjectChange& change);
  void remove_member(const Pod& pod);
  Result<void> return_member(QueuedPodInfo& queued, const PodRef& pod, const Rejection& rejection);
  void wait(const QueuedPodRef& made, bool pending);
  void group_added(const PodGroup& group);
  void group_removed(const PodGroup& group);
  bool fly_group(QueuedPodInfo& entity);

  // Changes without may_change() (queue.cpp, moves.cpp).
  void add_new(const PodRef& pod, const EventPlan& event);
  void change(const PodRef& old_pod, const PodRef& new_pod);
  // The pod waits for a node, as upstream's cache is told beside the queue.
  PodGroups::Change join_group(const PodRef& pod);
  bool fly(QueuedPodInfo& pod);  // false: such a pod is in flight
  template <typename Wanted>
  void move(const EventPlan& plan, const ObjectChange& change, bool flushed, Wanted&& wanted);
  void move_all(const EventPlan& plan, const ObjectChange& change, const PodCheck& check);
  void move_related(const EventPlan& plan, const ObjectChange& change, const Pod& pod);
  void flush_backoff_now();
  void flush_unschedulable_now();

  QueueOptions options_;
  Ref<Cluster> cluster_;
  Ref<Services> services_;
  FeatureGates gates_;
  Behaviours behaviours_;  // of the first profile's framework, as the gates
  bool pops_from_backoff_;
  bool entities_;  // groups are entities
  bool trees_;     // and may have parents
  Ref<PluginNames> plugins_;
  QueueMetrics metrics_;
  QueueProfiles profiles_;
  Backoff backoff_times_;

  PodTable table_;
  PodHeap<SortLess> active_;
  PodHeap<BackoffLess> backoff_, error_backoff_;
  UnschedulablePods unschedulable_;
  InFlight in_flight_;
  QueuedGroups groups_;
  int64_t scheduling_cycle_ = 0, move_request_cycle_ = -1;
  std::optional<int64_t> backoff_due_, unschedulable_due_;
  bool closed_ = false;
  mutable bool busy_ = false;
  Log log_;

  // Events and labels of every queue. `pod_updated_` adds a pod that was not there.
  const EventPlan *pod_added_, *pod_updated_, *assigned_pod_added_, *force_activate_, *timeout_;
  uint32_t attempt_failed_, backoff_complete_, pop_from_backoff_;
};
using SchedulingQueueRef = Ref<SchedulingQueue>;

}  // namespace libsched
