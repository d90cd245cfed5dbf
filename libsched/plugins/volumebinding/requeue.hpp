// When a pod that VolumeBinding rejected is worth another try.
#pragma once

#include "libsched/framework/plugin.hpp"

namespace libsched {

Result<QueueingHint> hint_of_volumes(const Pod& pod, const ObjectChange& change);

}  // namespace libsched
