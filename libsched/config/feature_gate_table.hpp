// The rows of the table of feature gates, and their dependencies. Internal to the configuration
// layer.
#pragma once

#include <vector>

#include "libsched/config/feature_gates.hpp"

namespace libsched {

// The gates of enum Gate in its order, then the others by name. A gate that differs between
// releases has adjacent rows, one for each range.
Span<GateInfo> gate_rows();
// One row for each gate: its row of that release or, without one, a gate that is off and unknown.
std::vector<GateInfo> gates_in(Span<GateInfo> rows, Release release);

struct GateDependency {
  Str gate, needs;
};
// By gate; of one gate in upstream's order.
Span<GateDependency> gate_dependencies();

}  // namespace libsched
