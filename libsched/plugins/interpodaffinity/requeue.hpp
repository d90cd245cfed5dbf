// Queueing hints of InterPodAffinity: whether an event is a reason to try a rejected pod again.
#pragma once

#include "libsched/framework/plugin.hpp"

namespace libsched {

// One of `before` and `after` may be null. Returns an Error for terms that do not parse.
// `any_anti_term`: see Behaviours::any_anti_affinity_term.
Result<QueueingHint> hint_after_pod(const Pod& pod, const Pod* before, const Pod* after,
                                    bool any_anti_term);
Result<QueueingHint> hint_after_node(const Pod& pod, const Node* before, const Node& after);

}  // namespace libsched
