// Copies with parts of their own that may be copied again.
#pragma once

#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"

namespace libsched {

// Returns an object like `changed`, a copy with parts in its own arena. A copy of a copy keeps the
// first original alone alive (copy_pod, copy_node), hence not those parts; copies of the returned
// object keep them.
Ref<Pod> with_own_parts(const Ref<Pod>& changed);
Ref<Node> with_own_parts(const Ref<Node>& changed);

}  // namespace libsched
