// The class of a pod: everything of it that filters and scores read, as bytes.
//
// Pods of one class get the same verdicts and raw scores for the same state of a cluster. Replicas
// of one template are of one class: a name or uid is a part only where volumes or devices are
// claimed by it, and of volumes only those that a plugin looks into, without their spelling.
// Classes are compared by content.
#pragma once

#include <string>

#include "libsched/objects/pod.hpp"

namespace libsched {

// Replaces the text of `room` and uses its memory again. `placed`: without spec.nodeName and
// status.nominatedNodeName.
Str pod_class(const Pod& pod, std::string* room, bool placed = false);
std::string pod_class(const Pod& pod);

// Whether name and uid are a part: of pods with ephemeral volumes or ResourceClaims, also one for
// extended resources.
bool name_is_read(const Pod& pod);

}  // namespace libsched
