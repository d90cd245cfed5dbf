// Changes of a node's labels and taints.
#pragma once

#include <optional>

#include "libsched/base/result.hpp"
#include "libsched/objects/node.hpp"

namespace libsched {

// A taint of an edit: KEY=VALUE:EFFECT or KEY:EFFECT, as for `kubectl taint`. To take taints away
// the effect may be absent, for all effects, and the value does not count. The strings are those of
// the text. Errors: kInvalid, also for the taint that cordon and uncordon manage.
Result<Taint> parse_taint(Str text, bool remove);

// The node with the taint as its first one, as kubectl puts it; a taint of the same key and effect
// goes.
NodeRef with_taint(const Node& node, const Taint& taint);
// The node without the taints of this key and effect, or null if it has none.
NodeRef without_taint(const Node& node, const Taint& taint);

// Errors: kInvalid (the API server refuses such a label; a value of nullopt is checked as none).
Result<void> check_label(Str key, std::optional<Str> value);
// The node with another value of the label; nullopt: without it, or null if it has no such label.
NodeRef with_label(const Node& node, Str key, std::optional<Str> value);

}  // namespace libsched
