// Base64 in the standard alphabet with padding, as Go's encoding/base64.
#pragma once

#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

std::string base64(Str bytes);

// Appends the bytes of a text, whose line ends are skipped. Returns the offset of the first bad
// byte, as Go's error has it, or npos.
size_t decode_base64(Str text, std::string& out);

}  // namespace libsched
