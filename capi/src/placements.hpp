// Placements as the C API tells them.
#pragma once

#include "handles.hpp"
#include "libsched/scheduler/place.hpp"

namespace libsched::capi {

// Everything is borrowed from the placement.
inline libsched_placement placement_of(const Placement& p) {
  return {sizeof(libsched_placement),
          static_cast<uint32_t>(p.outcome),
          wrap(p.pod.get()),
          p.count,
          p.profile == nullptr ? out(Str()) : out(p.profile->profile()),
          out(p.node),
          out(p.text),
          out(p.plugin),
          p.score.value_or(0),
          p.feasible,
          p.score.has_value()};
}

}  // namespace libsched::capi
