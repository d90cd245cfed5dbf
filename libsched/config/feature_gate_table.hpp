// The tables of feature gates: what each release of upstream says of a gate, on which gates it
// depends, and what libsched implements. Internal to the configuration layer.
#pragma once

#include <vector>

#include "libsched/config/feature_gates.hpp"

namespace libsched {

// Whether a letter of a table, of which each release has one, is not '-'.
constexpr bool has_letter(Str letters, Release release) {
  return letters[static_cast<size_t>(release)] != '-';
}

// A gate in all releases, from the oldest on. A letter is the stage, and a capital that of a gate
// that is on: a, alpha; b, beta; g, GA; l, GA and locked; d, deprecated; x, deprecated and locked;
// '-', the release does not know the gate.
struct GateHistory {
  Str name, letters;
};
Span<GateHistory> gate_histories();  // by name

struct GateDependency {
  Str gate, needs, letters;  // '+' in the releases that have the dependency
};
// By gate; of one gate in upstream's order.
Span<GateDependency> gate_dependencies();

// What libsched does in each release: y, both settings; n, no decision depends on it; u, it has
// the default alone.
struct GateSupports {
  Str name, letters;
};
// The gates of enum Gate in its order, then the others that are not all n.
Span<GateSupports> gate_supports();

// The gates of a release: those of enum Gate in its order, then the others by name. A gate that the
// release does not know is off, unless an older one has locked it on.
std::vector<GateInfo> gates_in(Span<GateHistory> histories, Span<GateSupports> supports,
                               size_t enumerated, Release release);

}  // namespace libsched
