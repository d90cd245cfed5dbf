// When a pod that InterPodAffinity rejected is worth another try.
#pragma once

#include "libsched/framework/plugin.hpp"

namespace libsched {

// One of `before` and `after` may be null. The Error is that of terms that do not parse.
Result<QueueingHint> hint_after_pod(const Pod& pod, const Pod* before, const Pod* after);
Result<QueueingHint> hint_after_node(const Pod& pod, const Node* before, const Node& after);

}  // namespace libsched
