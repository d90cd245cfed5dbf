// The nodes that a text of an edit or of a drain means.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/result.hpp"
#include "libsched/cluster/view.hpp"

namespace libsched {

// Returns the names of the nodes that `text` means, in the order of their bytes; at least one. It
// is the name of a node, or a selector of labels (objects/selector_text.hpp) that has an operator
// ("pool=gpu", "!spot") or follows "-l" ("-l spot"), as for kubectl.
// Errors: kInvalid (no selector), kNotFound (no such node, with the nearest name; no node matches).
Result<std::vector<std::string>> chosen_nodes(const View& view, Str text);

}  // namespace libsched
