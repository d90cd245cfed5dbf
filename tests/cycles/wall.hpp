// A recorded script on a clock that is not virtual, with threads for bindings.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "world.hpp"

namespace libsched::cycles {

struct WallResult {
  std::vector<std::string> problems;
  bool compared = false;  // which pods have nodes
};

// Plays the script of a case, and checks that
// - at the end the same pods are bound as in the recording. Left out of this are recordings in
// which a pod
//   was preempted, a binding failed after Permit, or a cycle waited for a slow call, and those in
//   which there were not enough threads here;
// - no pod is bound twice, and no node takes more than it has, unless the script itself makes it
// so;
// - a scheduler that has stopped has no pod in flight and none that is only assumed.
WallResult play(const Json& c, const Json& golden, uint32_t threads);

}  // namespace libsched::cycles
