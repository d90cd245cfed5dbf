// Queueing hints of PodTopologySpread: whether an event is a reason to try a rejected pod again.
#pragma once

#include "libsched/plugins/podtopologyspread/constraints.hpp"

namespace libsched {

// One of `before` and `after` may be null. Returns an Error if the pod's constraints do not parse.
Result<QueueingHint> hint_after_pod(const SpreadSettings& settings, const View& view,
                                    const Pod& pod, const Pod* before, const Pod* after);
Result<QueueingHint> hint_after_own_update(const SpreadSettings& settings, const View& view,
                                           const Pod& pod, const Pod& before, const Pod& after);
Result<QueueingHint> hint_after_node(const SpreadSettings& settings, const View& view,
                                     const Pod& pod, const Node* before, const Node* after);

}  // namespace libsched
