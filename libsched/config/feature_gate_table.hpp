// The rows of the table of feature gates, and their dependencies. Internal to the configuration
// layer.
#pragma once

#include <vector>

#include "libsched/config/feature_gates.hpp"

namespace libsched {

// Those of enum Gate in its order, then the others by name. A gate that differs between releases
// has a row for each range, beside one another.
Span<GateInfo> gate_rows();
// One for each gate: its row of that release; without one, a gate that is off and not there.
std::vector<GateInfo> gates_in(Span<GateInfo> rows, Release release);

struct GateDependency {
  Str gate, needs;
};
// By gate; of one gate in upstream's order.
Span<GateDependency> gate_dependencies();

}  // namespace libsched
