// When a pod that PodTopologySpread rejected is worth another try.
#pragma once

#include "libsched/plugins/podtopologyspread/constraints.hpp"

namespace libsched {

// One of `before` and `after` may be null. The Error is that of the pod's constraints.
Result<QueueingHint> hint_after_pod(const SpreadSettings& settings, const View& view,
                                    const Pod& pod, const Pod* before, const Pod* after);
Result<QueueingHint> hint_after_node(const SpreadSettings& settings, const View& view,
                                     const Pod& pod, const Node* before, const Node* after);

}  // namespace libsched
