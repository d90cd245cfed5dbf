// Queueing hints of VolumeBinding: whether an event is a reason to try a rejected pod again.
#pragma once

#include "libsched/framework/plugin.hpp"

namespace libsched {

Result<QueueingHint> hint_of_volumes(const Pod& pod, const ObjectChange& change);

}  // namespace libsched
