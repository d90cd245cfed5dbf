// Copies with parts of their own that may be copied again.
#pragma once

#include "libsched/objects/pod.hpp"

namespace libsched {

// Returns a pod like `changed`, a copy with parts in its own arena. A copy of a copy keeps the
// first original alone alive (copy_pod), hence not those parts; copies of the returned pod keep
// them.
Ref<Pod> with_own_parts(const Ref<Pod>& changed);

}  // namespace libsched
