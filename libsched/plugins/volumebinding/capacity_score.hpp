// The score of VolumeBinding with the feature gates StorageCapacityScoring and, before it,
// VolumeCapacityPriority: how much of its storage a node would use for the pod's new volumes.
#pragma once

#include "libsched/plugins/score_shape.hpp"
#include "libsched/plugins/volumebinding/pod_volumes.hpp"

namespace libsched {

// By the volumes that the claims would be bound to, or, on nodes without any, by the storage
// capacity that is known for the volumes to provision: the mean of the shape's scores of the
// storage classes. 0 where there is neither. With `static_only` only the former count.
Scored score_capacity(const ScoreCall& call, const PodVolumes& volumes, const ScoreShape& shape,
                      bool static_only, const ScoreSet& set, int64_t* scores);

}  // namespace libsched
