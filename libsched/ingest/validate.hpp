// Checks for objects that the API server would refuse after decoding. The scheduler never sees such
// objects, so these are warnings: a path below the object and the API server's text.
#pragma once

#include <functional>
#include <string>

#include "libsched/objects/node.hpp"
#include "libsched/objects/pod.hpp"
#include "libsched/objects/stored_kind.hpp"

namespace libsched {

using WarningSink = std::function<void(const std::string& path, std::string message)>;

void validate(const Pod& pod, const WarningSink& warn);
void validate(const Node& node, const WarningSink& warn);
void validate(const Namespace& ns, const WarningSink& warn);
void validate(const PriorityClass& pc, const WarningSink& warn);
void validate(const Workload& workload, const WarningSink& warn);
void validate(const StoredObject& stored, const WarningSink& warn);  // validate_stored.cpp

}  // namespace libsched
