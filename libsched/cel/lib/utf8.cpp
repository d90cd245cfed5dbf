// Walks over texts in UTF-8.
#include "libsched/cel/lib/utf8.hpp"

namespace libsched::cel {

bool valid_utf8(Str s) {
  for (size_t i = 0; i < s.size();) {
    const size_t length = utf8_length(s, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string sanitized(Str s) {
  std::string result;
  result.reserve(s.size());
  for (size_t i = 0; i < s.size();) {
    const size_t length = utf8_length(s, i);
    if (length == 0)
      result += "\xef\xbf\xbd";
    else
      result.append(s, i, length);
    i += length == 0 ? 1 : length;
  }
  return result;
}

int64_t code_points(Str s) {
  int64_t count = 0;
  for (size_t i = 0; i < s.size(); i += utf8_step(s, i)) ++count;
  return count;
}

}  // namespace libsched::cel
