// RelatedPods: the pods that another pod on a node may help by its presence: upstream's
// getUnschedulablePodsWithCrossTopologyTerm.
#pragma once

#include "libsched/cluster/cluster.hpp"
#include "libsched/scheduler/queue/queued_pod_info.hpp"

namespace libsched {

class RelatedPods {
 public:
  // All arguments are borrowed.
  RelatedPods(const Pod& pod, const View& view, const PluginNames& plugins);
  // Whether `other` was rejected by PodTopologySpread in the pod's namespace, or has a required
  // affinity term that selects the pod.
  bool has(const QueuedPodInfo& other) const;

 private:
  const Pod& pod_;
  Labels namespace_labels_;
  PluginId spread_;
};

}  // namespace libsched
