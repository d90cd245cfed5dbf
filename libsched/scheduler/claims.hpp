// The claims of a StatefulSet's pods, as its controller makes them.
#pragma once

#include <cstddef>
#include <vector>

#include "libsched/cluster/cluster.hpp"
#include "libsched/objects/storage.hpp"

namespace libsched {

// The claims of the pod's volumeClaimTemplates that the cluster lacks: not bound, and of the
// default StorageClass if the template names none, as the API server has it. Empty for a pod that
// has no templates: only a StatefulSet's pod template has, and its copies.
std::vector<Ref<PersistentVolumeClaim>> missing_claims(const View& view, const Pod& pod);

// Adds them to the cluster, all or none.
Result<void> add_missing_claims(Cluster& cluster, const Pod& pod);

}  // namespace libsched
