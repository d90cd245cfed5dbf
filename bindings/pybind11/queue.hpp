// _core.Queue, for the scheduler that lends its own.
#pragma once

#include <memory>

#include "plugin.hpp"

namespace libsched {

using QueueHandle =
    std::unique_ptr<libsched_queue, UnrefWithoutGil<libsched_queue, libsched_queue_unref>>;
using QueuedPodHandle =
    std::unique_ptr<libsched_queued_pod, Unref<libsched_queued_pod, libsched_queued_pod_unref>>;

// The locks of the cluster and the services, in the order that all calls follow.
struct Locks {
  std::shared_ptr<Lock> cluster, services;
};
class HoldingBoth {
 public:
  explicit HoldingBoth(const Locks& locks)
      : cluster_(locks.cluster.get()), services_(locks.services.get()) {}

 private:
  Holding cluster_, services_;
};

struct Queue {
  QueueHandle handle;
  ServicesHandle services;
  std::shared_ptr<Locks> locks = std::make_shared<Locks>();
};
struct QueuedPod {
  QueuedPodHandle handle;
  std::shared_ptr<Locks> locks;
};

}  // namespace libsched
