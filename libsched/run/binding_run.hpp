// BindingRun: the points from Reserve to PostBind for one pod and node, with upstream's order,
// texts and groups.
//
// Only Reserve, Permit and Unreserve see the cluster, and they run on its writer's thread. The
// other points need a pod, a node's name and services: they may run, one at a time, on another
// thread while the writer continues. What they wait for suspends a task (tasks.hpp).
#pragma once

#include <optional>
#include <vector>

#include "libsched/framework/framework.hpp"

namespace libsched {

class BindingRun {
 public:
  // All arguments must outlive the run, and the state belongs to the framework. `row` is the
  // node's, or kNoId if the node is gone. `parallelism` is the number of threads for PreBind
  // plugins.
  BindingRun(const Framework& framework, Services& services, CycleState& state, const Pod& pod,
             Str node, uint32_t row, uint32_t parallelism = 1)
      : framework_(framework),
        services_(services),
        state_(state),
        pod_(pod),
        node_(node),
        row_(row),
        parallelism_(parallelism) {}

  Status reserve(Cluster& cluster);
  Steps<> unreserve(Cluster& cluster);
  // `waits` gets the plugins that ask to wait. With status Wait the caller adds the pod to
  // Services::waiting_pods().
  Status permit(const View& view, std::vector<PermitWait>* waits);
  // Blocks by the services' clock until the pod is allowed, rejected or timed out.
  // `since_ns`: the wait began at that time, for the metrics; absent: it begins now.
  static Status wait_on_permit(Services& services, const Pod& pod,
                               std::optional<int64_t> since_ns = {});
  Status pre_bind_pre_flights();
  Steps<Status> pre_bind();
  Steps<Status> bind();
  Steps<> post_bind();

 private:
  BindingCall call_of(uint32_t plugin) const {
    return {services_, pod_, state_, state_.entries()[plugin], node_, row_};
  }
  std::optional<Status> bind_by_extender();
  using Groups = std::vector<std::vector<uint32_t>>;  // plugins that may run in parallel
  Steps<Status> pre_bind_groups(Groups groups);
  Steps<Status> pre_bind_group(const std::vector<uint32_t>& group);
  Status pre_bind_at_once(const std::vector<uint32_t>& group, size_t useful);
  Steps<Status> pre_bind_one(uint32_t plugin);
  Steps<> post_bind_all();

  const Framework& framework_;
  Services& services_;
  CycleState& state_;
  const Pod& pod_;
  Str node_;
  uint32_t row_;
  uint32_t parallelism_;
};

}  // namespace libsched
