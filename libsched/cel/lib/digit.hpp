// Characters as CEL's grammar and functions count them, whatever the locale.
#pragma once

namespace libsched::cel {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace libsched::cel
