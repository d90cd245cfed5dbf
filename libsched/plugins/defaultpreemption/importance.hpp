// The order of pods by importance, as preemption sees it, and their start times.
#pragma once

#include <vector>

#include "libsched/objects/pod.hpp"

namespace libsched {

// A pod that has not started yet counts as started now.
inline int64_t started(const Pod& pod, int64_t now_ns) {
  return pod.status.start_time.present ? pod.status.start_time.ns : now_ns;
}

// Higher priority comes first; with equal priority, the pod that has run longer.
inline bool more_important(const Pod& a, const Pod& b, int64_t now_ns) {
  if (a.priority() != b.priority()) return a.priority() > b.priority();
  return started(a, now_ns) < started(b, now_ns);
}

}  // namespace libsched
