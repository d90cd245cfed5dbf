// Numbers for the classes of pods (pod_class.hpp), so that most pods of a class are recognised
// without comparing all that makes the class.
#pragma once

#include "libsched/objects/pod.hpp"

namespace libsched {

// Sets Pod::class_id; call it last, when the pod is complete. Each thread remembers the classes
// that it has met lately, and gives their pods the same number. Only pods that wait for a node and
// have neither ended nor ResourceClaims or ephemeral volumes get one: few others are of one class.
void number_class(Pod& pod);

}  // namespace libsched
