// Finds the place of an offset in a JSON text, and the error in a text that is not JSON.
//
// It is a plain, exact and slow reader, used only after an error.
#pragma once

#include <optional>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

struct JsonPlace {
  std::string path;                  // "items[3].spec.nodeName"; "" at the top
  std::optional<std::string> error;  // set if the text is no JSON up to the offset
  size_t end = 0;                    // where reading stopped
};

// The path of the token at or after `offset`; SIZE_MAX: read one whole value.
JsonPlace place_of(Str text, size_t offset);

// "prefix" and a path below it: joins with a dot unless the path starts with a bracket.
std::string join_path(Str prefix, Str path);
// A key as written in a path: .name, or ["with.dots"].
std::string path_key(Str key);

}  // namespace libsched
