// Queueing hints of InterPodAffinity: whether an event is a reason to try a rejected pod again.
#pragma once

#include "libsched/framework/plugin.hpp"

namespace libsched {

// One of `before` and `after` may be null. Returns an Error for terms that do not parse.
Result<QueueingHint> hint_after_pod(const Pod& pod, const Pod* before, const Pod* after);
Result<QueueingHint> hint_after_node(const Pod& pod, const Node* before, const Node& after);

}  // namespace libsched
