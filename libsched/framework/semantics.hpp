// Semantics: which upstream release a framework follows.
//
// "1.31" switches exactly three things to what that release does, and nothing else:
// NodeResourcesBalancedAllocation's formula, TaintToleration's reason text, and ties (uniform).
// Each place that differs is in the plugin's own folder, or in Evaluator::pick.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/result.hpp"

namespace libsched {

enum class Semantics : uint8_t { k1_36, k1_31 };

// "1.36", "1.31", or "" for the default.
inline Result<Semantics> parse_semantics(Str text) {
  if (text.empty() || text == "1.36") return Semantics::k1_36;
  if (text == "1.31") return Semantics::k1_31;
  return Error{Rc::kUnsupported,
               "unknown semantics \"" + std::string(text) + "\": choose \"1.36\" or \"1.31\"",
               {},
               {}};
}

}  // namespace libsched
