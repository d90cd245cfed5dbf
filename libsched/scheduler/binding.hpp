// Binding: the way of an assumed pod from PreBindPreFlight to PostBind, upstream's bindingCycle.
//
// It holds all that it needs, and sees no cluster. With a WriterQueue it may run on any thread
// while the cluster's writer goes on; without one it runs on the writer's.
#pragma once

#include <string>

#include "libsched/framework/cycle_observer.hpp"
#include "libsched/framework/framework.hpp"
#include "libsched/scheduler/failure.hpp"
#include "libsched/scheduler/writer_queue.hpp"

namespace libsched {

struct AssumedPod {
  FrameworkRef framework;
  Ref<Services> services;
  Ref<CycleState> state;  // that went through Permit
  PodRef pod;             // as assumed
  std::string node;
  uint32_t row = kNoId;
  uint32_t parallelism = 1;
};

class Binding final : public Unreserving {
 public:
  // `cluster` is that of the pod; it is only used on its writer's thread. `observer` may be null.
  Binding(AssumedPod assumed, Ref<Cluster> cluster, Ref<WriterQueue> writer,
          CycleObserver* observer)
      : assumed_(std::move(assumed)),
        cluster_(std::move(cluster)),
        writer_(std::move(writer)),
        observer_(observer) {}

  // No value: the pod is bound. Else Unreserve was asked and the pod forgotten, or the writer was
  // sent a message to do so. Once.
  std::optional<Failure> run();

  void unreserve(Cluster& cluster) override;

 private:
  std::optional<Failure> bind();
  template <typename F>
  Status at(CyclePoint point, F&& f) const;
  void tell(CyclePoint point, bool ended, const Status* status) const;
  void expect() const;
  Status pre_bind(bool may_be_cancelled);

  AssumedPod assumed_;
  Ref<Cluster> cluster_;
  Ref<WriterQueue> writer_;
  CycleObserver* observer_;
};

}  // namespace libsched
