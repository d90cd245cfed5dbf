// Percent-encoding of the parts of a URL, as Go's url package has it.
#pragma once

#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"
#include "libsched/base/result.hpp"

namespace libsched::cel {

enum class UrlPart : uint8_t { kPath, kUser, kHost, kZone, kQuery, kFragment };

bool needs_escape(char c, UrlPart part);
std::string url_escape(Str s, UrlPart part);
Result<std::string> url_unescape(Str s, UrlPart part);
// Whether `escaped` is a way to write a path or fragment.
bool is_escaped(Str escaped, UrlPart part);

}  // namespace libsched::cel
