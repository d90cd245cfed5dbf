// RelatedPods: the pods that another pod on a node may help by being there: upstream's
// getUnschedulablePodsWithCrossTopologyTerm.
#pragma once

#include "libsched/cluster/cluster.hpp"
#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

class RelatedPods {
 public:
  // All are borrowed.
  RelatedPods(const Pod& pod, const View& view, const PluginNames& plugins);
  // Rejected by PodTopologySpread in the pod's namespace, or with a required affinity term that
  // selects the pod.
  bool has(const QueuedPodInfo& other) const;

 private:
  const Pod& pod_;
  Labels namespace_labels_;
  PluginId spread_;
};

}  // namespace libsched
