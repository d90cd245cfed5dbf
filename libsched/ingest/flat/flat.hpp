// The flat form of pods and nodes (docs/flat.md) -> objects.
//
// The bytes are translated to JSON and go through its builders, so that an object is equal to the
// one that its JSON document gives. Thread-safe: no shared state.
#pragma once

#include "libsched/base/result.hpp"
#include "libsched/ingest/ingest.hpp"

namespace libsched {

// One object of the kind. `options.format` is not looked at, and `max_bytes` limits the flat form.
// Errors: Rc::kInvalid (another kind or version, truncated, bytes behind the end, fields out of
// order or of a wrong type; the path names the field), kLimit, and those of parse_pod().
Result<PodRef> parse_flat_pod(Str bytes, const ParseOptions& options);
Result<NodeRef> parse_flat_node(Str bytes, const ParseOptions& options);

}  // namespace libsched
