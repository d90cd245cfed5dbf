// GroupTrial: the trial of a PodGroup's members on a copy of the cluster, upstream's snapshot. What
// happens meanwhile does not reach it.
#pragma once

#include <string>
#include <vector>

#include "libsched/scheduler/cycle.hpp"

namespace libsched {

class GroupTrial {
 public:
  // The evaluator's cluster is copied.
  static Result<std::shared_ptr<GroupTrial>> begin(Evaluator& profile);

  // Upstream's podGroupPodSchedulingAlgorithm. An assumed pod stays until take_back().
  Result<Ref<Scheduling>> run(const PodRef& pod, const SchedulingOptions& options);
  // Undoes the latest run() that has assumed a pod; false: there is none.
  Result<bool> take_back();

  const View& view() const { return cluster_->view(); }

 private:
  // Upstream's lists of the nodes that have pods with inter-pod (anti-)affinity, and with required
  // anti-affinity, are of the beginning: a node that a member takes is not added to them.
  struct Listed {
    bool affinity = false, anti_affinity = false;
  };
  struct Assumed {
    Ref<Scheduling> trial;
    Listed node;
  };

  explicit GroupTrial(Evaluator& profile) : profile_(profile) {}
  Listed listed(const Scheduling& trial) const;  // without the trial's pod
  Result<void> show_terms(const Pod& incoming);

  Evaluator& profile_;
  Ref<Cluster> cluster_;
  Ref<Evaluator> evaluator_;
  std::vector<Assumed> assumed_;
};

}  // namespace libsched
