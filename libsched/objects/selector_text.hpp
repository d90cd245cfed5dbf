// Label selectors as users type them: the texts of `kubectl get -l`.
//
// A text is requirements separated by commas, all of which must hold: "pool=gpu", "pool==gpu",
// "pool!=gpu", "pool in (gpu, tpu)", "pool notin (gpu)", "pool", "!pool", "cores>8", "cores<8".
#pragma once

#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/objects/selector.hpp"

namespace libsched {

// Returns the requirements of a text, at least one. Their strings are copied into `arena`.
// Errors: kInvalid, with the part that is wrong and why.
Result<std::vector<Requirement>> parse_selector(Str text, Arena& arena);

}  // namespace libsched
