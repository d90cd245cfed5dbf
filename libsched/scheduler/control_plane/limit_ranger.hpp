// LimitRanger: a LimitRange's defaults for containers, and its bounds.
#pragma once

#include <string>

#include "libsched/objects/admitting.hpp"
#include "libsched/objects/storage.hpp"
#include "libsched/scheduler/control_plane/pod_draft.hpp"

namespace libsched {

// Gives containers and init containers the requests and limits that they lack. Returns what was
// done, for a note: "" if nothing.
std::string add_limit_defaults(const LimitRange& range, PodDraft* pod);

// What is wrong with a pod, or a claim, by upstream's texts; "" if nothing. Of several violations
// upstream's order is up to chance; here it is that of the resources' names.
std::string limit_error(const LimitRange& range, const Pod& pod);
std::string limit_error(const LimitRange& range, const PersistentVolumeClaim& claim);

}  // namespace libsched
