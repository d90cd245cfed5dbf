// EventHandlers: what the scheduler does when an object of the API server changes. Upstream's
// handlers of its informers.
#pragma once

#include "libsched/framework/watch.hpp"
#include "libsched/scheduler/loop/known_pods.hpp"
#include "libsched/scheduler/profiles.hpp"
#include "libsched/scheduler/queue/queue.hpp"

namespace libsched {

class EventHandlers {
 public:
  EventHandlers(Ref<Cluster> cluster, Ref<Services> services, SchedulingQueueRef queue,
                KnownPods& pods, std::vector<Evaluator*> profiles)
      : cluster_(std::move(cluster)),
        services_(std::move(services)),
        queue_(std::move(queue)),
        pods_(pods),
        profiles_(std::move(profiles)) {}

  // Changes the cluster, the known pods and the queue. After an error the event may be handled
  // again. Errors: kNoMemory, kMisuse (plugins are running), and kInvalid or kLimit of an object
  // that the cluster cannot hold, which has no effect.
  Result<void> handle(const WatchEvent& event);

  // Upstream's AssignedPodDelete: a pod no longer takes room on its node. `not_for` stays where it
  // is.
  Result<void> left_node(const PodRef& pod, const Pod* not_for = nullptr);

 private:
  Result<void> pod(const WatchEvent& event);
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
  const PodRef* assumed(const Pod& pod) const;
  Result<void> move(Str resource, ActionType action, const ObjectRef& before,
                    const ObjectRef& after, const SchedulingQueue::PodCheck& check = {}) {
    return queue_->move_all({resource, action, {}, {{}, before, after}}, check);
  }

  static constexpr Str kNoProfile{};

  Ref<Cluster> cluster_;
  Ref<Services> services_;
  SchedulingQueueRef queue_;
  KnownPods& pods_;
  std::vector<Evaluator*> profiles_;
};

}  // namespace libsched
