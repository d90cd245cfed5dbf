// Walks over texts in UTF-8, and the bytes of code points.
#include "libsched/base/utf8.hpp"

namespace libsched {

char* put_utf8(char* out, uint32_t rune) {
  const auto byte = [&](uint32_t b) { *out++ = static_cast<char>(b); };
  if (rune < 0x80) {
    byte(rune);
  } else if (rune < 0x800) {
    byte(0xc0 | rune >> 6);
    byte(0x80 | (rune & 0x3f));
  } else if (rune < 0x10000) {
    byte(0xe0 | rune >> 12);
    byte(0x80 | (rune >> 6 & 0x3f));
    byte(0x80 | (rune & 0x3f));
  } else {
    byte(0xf0 | rune >> 18);
    byte(0x80 | (rune >> 12 & 0x3f));
    byte(0x80 | (rune >> 6 & 0x3f));
    byte(0x80 | (rune & 0x3f));
  }
  return out;
}

void append_utf8(std::string& out, uint32_t rune) {
  char bytes[4];
  out.append(bytes, put_utf8(bytes, rune));
}

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
      append_utf8(result, kReplacementRune);
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

}  // namespace libsched
