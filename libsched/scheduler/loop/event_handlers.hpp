// EventHandlers: what the scheduler does when an object of the API server changes. Upstream's
// handlers of its informers.
#pragma once

#include "libsched/framework/log.hpp"
#include "libsched/framework/watch.hpp"
#include "libsched/scheduler/loop/api_dispatcher.hpp"
#include "libsched/scheduler/loop/known_pods.hpp"
#include "libsched/scheduler/metrics/scheduler_metrics.hpp"
#include "libsched/scheduler/profiles.hpp"
#include "libsched/scheduler/queue/queue.hpp"

namespace libsched {

class EventHandlers {
 public:
  EventHandlers(Ref<Cluster> cluster, Ref<Services> services, SchedulingQueueRef queue,
                KnownPods& pods, std::vector<Evaluator*> profiles, SchedulerMetrics& metrics,
                ApiDispatcher* calls, Log log)
      : cluster_(std::move(cluster)),
        services_(std::move(services)),
        queue_(std::move(queue)),
        pods_(pods),
        profiles_(std::move(profiles)),
        metrics_(metrics),
        calls_(calls),
        log_(log) {}

  // Changes the cluster, the known pods and the queue. After an error the event may be handled
  // again. Errors: kNoMemory, kMisuse (plugins are running), and kInvalid or kLimit of an object
  // that the cluster cannot hold, which has no effect.
  Result<void> handle(const WatchEvent& event);

  // Upstream's AssignedPodDelete: a pod no longer takes room on its node. `not_for` stays where it
  // is.
  Result<void> left_node(const PodRef& pod, const Pod* not_for = nullptr);

  // Null: the pod is not assumed.
  const PodRef* assumed(const Pod& pod) const;

 private:
  Result<void> pod(const WatchEvent& event);
  bool queued_for_resize(const Pod& pod) const;
  Result<void> enter_queue(const PodRef& pod);
  Result<void> leave_queue(const PodRef& pod);
  Result<void> update_resized(const PodRef& before, const PodRef& after);
  Result<void> assigned(const PodRef& pod);
  Result<void> update_assigned(const PodRef& before, const PodRef& after);
  Result<void> update_waiting(const PodRef& before, const PodRef& after);
  Result<void> delete_waiting(const PodRef& pod);
  Result<void> assumed_deleted(const Pod& pod);
  Result<void> left_nomination(const PodRef& pod);
  Result<void> node(const WatchEvent& event);
  Result<void> stored(const WatchEvent& event);

  bool responsible(const Pod& pod) const {
    return profile_of(profiles_, pod, kNoProfile) != nullptr;
  }
  Result<void> move(Str resource, ActionType action, const ObjectRef& before,
                    const ObjectRef& after, const SchedulingQueue::PodCheck& check = {}) {
    unmoved_ = {resource, action, before, after};
    LIBSCHED_TRY(queue_->move_all({resource, action, {}, {{}, before, after}}, check));
    unmoved_ = {};
    return {};
  }
  // A change that the cluster has, but whose move ran out of memory: handled again, the event would
  // find nothing to do.
  struct Unmoved {
    Str resource;
    ActionType action = 0;
    ObjectRef before, after;
  };

  // Observes how long a handler takes, under the label of its event.
  class Timed {
   public:
    Timed(const EventHandlers& handlers, EventTimes& times)
        : clock_(handlers.services_->clock()), times_(times), began_(clock_.now_ns()) {}
    ~Timed() { times_.observe_alone(to_seconds(clock_.now_ns() - began_)); }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

   private:
    const Clock& clock_;
    EventTimes& times_;
    int64_t began_;
  };
  EventTimes& times(Str resource, ActionType action) {
    return metrics_.event_times(ClusterEvent{std::string(resource), action, std::string()}.label());
  }

  static constexpr Str kNoProfile{};
  const Behaviours& behaviours() const { return profiles_[0]->framework().behaviours(); }

  Ref<Cluster> cluster_;
  Ref<Services> services_;
  SchedulingQueueRef queue_;
  KnownPods& pods_;
  std::vector<Evaluator*> profiles_;
  SchedulerMetrics& metrics_;
  ApiDispatcher* const calls_;  // null: there is none
  const Log log_;
  Unmoved unmoved_;
  // Those of pods, looked up once.
  const Str waiting_ = waiting_pods(behaviours());
  EventTimes& waiting_added_ = times(waiting_, kAdd);
  EventTimes& waiting_updated_ = times(waiting_, kUpdate);
  EventTimes& waiting_deleted_ = times(waiting_, kDelete);
  EventTimes& assigned_added_ = times(kAssignedPods, kAdd);
  EventTimes& assigned_updated_ = times(kAssignedPods, kUpdate);
  EventTimes& assigned_deleted_ = times(kAssignedPods, kDelete);
};

}  // namespace libsched
