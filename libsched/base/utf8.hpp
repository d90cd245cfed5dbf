// UTF-8 as Go reads it: no surrogates, no overlong forms, and a wrong byte stands for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "libsched/base/arena.hpp"

namespace libsched {

// What Go puts in the place of a byte that starts no sequence.
inline constexpr uint32_t kReplacementRune = 0xfffd;

// The length of the sequence that starts at a place, 0 if none does.
inline size_t utf8_length(Str s, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(s[at + i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2   ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || s.size() - at < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

// The bytes that make one code point: a sequence, or a byte that starts none.
inline size_t utf8_step(Str s, size_t at) {
  const size_t length = utf8_length(s, at);
  return length == 0 ? 1 : length;
}

// Writes a code point, of up to 4 bytes, and returns the place behind it.
char* put_utf8(char* out, uint32_t rune);
void append_utf8(std::string& out, uint32_t rune);

// The character whose number a byte is, for which Go's scanners take it.
inline std::string latin1(char byte) {
  std::string out;
  append_utf8(out, static_cast<unsigned char>(byte));
  return out;
}

bool valid_utf8(Str s);
std::string sanitized(Str s);  // U+FFFD for each byte that starts no sequence
int64_t code_points(Str s);

}  // namespace libsched
