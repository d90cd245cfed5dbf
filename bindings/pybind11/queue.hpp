// _core.Queue, for the scheduler that lends its own.
#pragma once

#include <memory>

#include "plugin.hpp"

namespace libsched {

using QueueHandle = SlowlyOwned<libsched_queue_unref>;
using QueuedPodHandle = Owned<libsched_queued_pod_unref>;

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

Queue wrapper_of(Of<libsched_queue>);

// Holds the locks of a queue during a call. Plugins go on being asked after one has raised.
struct Changing {
  explicit Changing(const Queue& queue) : holding(*queue.locks) {}
  HoldingBoth holding;
  AskAfterExceptions asking;
};
inline Changing hold(const Queue& queue) { return Changing(queue); }

}  // namespace libsched
