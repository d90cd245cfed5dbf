// The dependencies between feature gates (feature_gate_table.cpp). Internal to the configuration
// layer.
#pragma once

#include "libsched/config/feature_gates.hpp"

namespace libsched {

struct GateDependency {
  Str gate, needs;
};
// By gate; of one gate in upstream's order.
Span<GateDependency> gate_dependencies();

}  // namespace libsched
