// YAML text -> JSON text, one per document, so that one builder reads both formats.
//
// Documents are split at `---` lines and scalars are typed as in Kubernetes. It is stricter on
// purpose: a duplicate key in a mapping, content after a `...` line, UTF-16 and
// values that JSON does not have (an infinite number, a null key) are errors.
#pragma once

#include <string>
#include <vector>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"
#include "libsched/ingest/interrupt.hpp"

namespace libsched {

// A place in a text, from 0.
struct YamlPlace {
  size_t line = 0, column = 0;
};

// The place in a text where its first `size` bytes end.
YamlPlace place_after(Str text, size_t size);

struct YamlLimits {
  size_t max_bytes = size_t{4} << 30;            // of the text
  size_t max_expanded_bytes = size_t{64} << 20;  // of JSON that aliases and merge keys may add
  int max_depth = 200;                           // of nested mappings and lists; at most 1000
  bool last_key_wins = false;                    // no error for duplicate keys
  YamlPlace start;                               // of the text in the user's, for errors
  Interrupt interrupt;
};

// Empty documents are left out. Errors have the path ("documents[2].spec", without the first part
// if the text is one document), and line and column in the message. Thread-safe; never throws.
Result<std::vector<std::string>> yaml_to_json(Str text, const YamlLimits& limits);

}  // namespace libsched
