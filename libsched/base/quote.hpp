// Quoting of strings in messages, byte for byte as in upstream's messages.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

// As Go's %q: a double-quoted literal with Go escapes; printable non-ASCII stays as it is.
std::string go_quote(Str s);

// As Go's json.Marshal writes a string: <, > and & escaped, invalid UTF-8 replaced by \ufffd.
std::string json_quote(Str s);

}  // namespace libsched
