// Numbers for the classes of pods (pod_class.hpp), so that most pods of a class are recognised
// without comparing all that makes the class.
#pragma once

#include "libsched/objects/pod.hpp"

namespace libsched {

// Sets Pod::class_id; call it last, when the pod is complete. Each thread remembers up to 512
// classes that it has met lately, in some 1 MiB at most, and gives their pods the same number.
//
// Pods get no number that have a node or a nominated one, are terminating or have ended, have
// ResourceClaims, ephemeral volumes or claim templates, or have a class of more than 1 KiB: few of
// them share a class.
void number_class(Pod& pod);

}  // namespace libsched
