// Characters by their ASCII codes, whatever the locale.
#pragma once

namespace libsched {

inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline bool is_lower(char c) { return static_cast<unsigned char>(c - 'a') < 26; }
inline bool is_lower_alnum(char c) { return is_lower(c) || is_digit(c); }
inline bool is_alnum(char c) {
  return static_cast<unsigned char>((c | 0x20) - 'a') < 26 || is_digit(c);
}

// The white space of JSON.
inline bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// The value of a hexadecimal digit, -1 for any other character.
inline int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  const auto letter = static_cast<unsigned char>((c | 0x20) - 'a');
  return letter < 6 ? letter + 10 : -1;
}

}  // namespace libsched
