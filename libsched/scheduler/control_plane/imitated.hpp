// What of a control plane is imitated, by whom and when, and what is not. The page
// docs/control-plane.md shows both tables; a test compares them.
#pragma once

#include <span>

#include "libsched/base/arena.hpp"

namespace libsched {

struct Imitated {
  Str who;   // the controller or admission plugin
  Str what;  // it does
  Str when;  // here
};
std::span<const Imitated> imitated();

// A kind whose objects change or refuse what is created, and which has no imitation.
struct NotImitated {
  Str group, kind;
  Str effect;       // continues "it ..."
  bool namespaced;  // it concerns its own namespace alone
};
std::span<const NotImitated> not_imitated();

// The entry of a kind as SkippedKind has it ("v1 ResourceQuota"); null: it has no effect on pods.
const NotImitated* find_not_imitated(Str type);

}  // namespace libsched
