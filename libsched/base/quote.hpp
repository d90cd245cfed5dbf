// Quoting of strings in messages, byte for byte as in upstream's messages.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

// As Go's %q: a double-quoted literal with Go escapes; printable non-ASCII stays as it is.
std::string go_quote(Str s);

// As Go's json.Marshal writes a string: <, > and & escaped, invalid UTF-8 replaced by \ufffd.
std::string json_quote(Str s);

// Appends a text as a JSON string with the fewest escapes. The first `plain` bytes are known to
// need none. UTF-8 is not looked at.
void append_json_text(std::string& out, Str s, size_t plain = 0);

}  // namespace libsched
