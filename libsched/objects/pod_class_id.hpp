// Numbers for the classes of pods (pod_class.hpp), by which they are told apart without comparing
// all that makes a class.
#pragma once

#include "libsched/objects/pod.hpp"

namespace libsched {

// Returns the number of the pod's class, which is not 0. No other class ever gets it. A class that
// is met again has its number still, unless some 1,000 others, or some that are very large, have
// come in between: the process remembers classes in 1 MiB, and each thread its latest one.
// Thread-safe.
uint64_t class_number(const Pod& pod);

// Sets Pod::class_id; call it last, when the pod is complete. Pods get no number there that have a
// node or a nominated one, are terminating or have ended, or have ResourceClaims, ephemeral volumes
// or claim templates: what has one waits for a node and needs no claims that are made for it.
void number_class(Pod& pod);

}  // namespace libsched
