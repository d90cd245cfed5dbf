// Binding: the steps of an assumed pod from PreBindPreFlight to PostBind, upstream's bindingCycle.
//
// It holds all that it needs, and sees no cluster. With a WriterQueue it may run on any thread
// while the cluster's writer continues; without one it runs on the writer's thread.
#pragma once

#include <memory>
#include <string>

#include "libsched/framework/cycle_observer.hpp"
#include "libsched/framework/framework.hpp"
#include "libsched/scheduler/baton.hpp"
#include "libsched/scheduler/failure.hpp"
#include "libsched/scheduler/writer_queue.hpp"

namespace libsched {

struct AssumedPod {
  FrameworkRef framework;
  Ref<Services> services;
  Ref<CycleState> state;  // has been through Permit
  PodRef pod;             // as assumed
  std::string node;
  uint32_t row = kNoId;
  uint32_t parallelism = 1;
};

class Binding final : public Unreserving {
 public:
  // `observer` may be null.
  Binding(AssumedPod assumed, Ref<WriterQueue> writer, std::shared_ptr<CycleObserver> observer)
      : assumed_(std::move(assumed)), writer_(std::move(writer)), observer_(std::move(observer)) {}

  // Runs once. Without a value the pod is bound, and the writer has to confirm it. Else the writer
  // has to unreserve and forget it, and the API server has been informed.
  std::optional<Failure> run();

  void unreserve(Cluster& cluster) override;  // also takes the nomination back

  // The steps of run(), in their order, for a caller that does the writer's part itself.
  //
  // PreBindPreFlight: Success (a PreBind plugin has work), Skip, or why the pod cannot be bound.
  // Without the gate NominatedNodeNameForExpectation no plugin is asked, and all have work.
  Status pre_flight();
  // Tells the API server where the pod is about to be bound, because binding may take a while.
  Steps<> expect();
  // Blocks by the services' clock while the pod waits on Permit.
  // `since_ns`: as BindingRun::wait_on_permit().
  std::optional<Failure> wait_on_permit(std::optional<int64_t> since_ns = {});
  // PreBind to PostBind. `ready`, the result of pre_flight(), outlives that. The caller's baton, if
  // it has one, is given up while plugins run; observers are notified with it.
  Steps<std::optional<Failure>> finish(const Status& ready, Baton* baton = nullptr);
  Steps<> run_unreserve(Cluster& cluster);  // the plugins only

  const AssumedPod& assumed() const { return assumed_; }
  bool expected() const { return expected_; }

 private:
  Steps<std::optional<Failure>> bind();
  template <typename F>
  Status at(CyclePoint point, F&& f) const;
  void tell(CyclePoint point, bool ended, const Status* status) const;
  Steps<Status> pre_bind(bool may_be_cancelled, Baton* baton);
  // Whether the API server is told where the pod will be; then PreBind plugins are asked first.
  bool expects() const {
    return assumed_.framework->gates().enabled(Gate::kNominatedNodeNameForExpectation);
  }

  AssumedPod assumed_;
  Ref<WriterQueue> writer_;
  std::shared_ptr<CycleObserver> observer_;
  bool expected_ = false;  // the API server knows where the pod will be
};

}  // namespace libsched
