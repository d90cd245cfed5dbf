// Flight: a pod on its way from the scheduling cycle to its node.
#pragma once

#include <memory>
#include <utility>

#include "libsched/scheduler/loop/scheduler.hpp"

namespace libsched {

struct Scheduler::Flight {
  QueuedPodRef queued;
  Ref<Binding> binding;
  std::shared_ptr<WaitingPod> waiting;  // on Permit; null: it does not wait
  bool permitted = false;               // has waited
  std::optional<int64_t> waits_since_ns;
  Status ready;                        // what PreBindPreFlight has said
  size_t evaluated = 0, feasible = 0;  // nodes, in its scheduling cycle
  std::shared_ptr<Flight> next;        // in a list

  const PodRef& pod() const { return binding->assumed().pod; }
  Str node() const { return binding->assumed().node; }
};

}  // namespace libsched
