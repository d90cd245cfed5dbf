// Groups of three bytes as four digits.
#include "libsched/base/base64.hpp"

#include <cstdint>

namespace libsched {

std::string base64(Str bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

size_t decode_base64(Str s, std::string& out) {
  const auto digit = [](char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  };
  const auto skip = [&](size_t& i) {
    while (i < s.size() && (s[i] == '\n' || s[i] == '\r')) ++i;
  };
  size_t i = 0;
  for (;;) {
    uint32_t bits = 0;
    int n = 0;
    while (n < 4) {
      skip(i);
      if (i == s.size()) {
        if (n == 0) return Str::npos;
        return i - static_cast<size_t>(n);
      }
      const int d = digit(s[i]);
      if (d < 0) break;
      bits = bits << 6 | static_cast<uint32_t>(d);
      ++n;
      ++i;
    }
    if (n == 4) {
      out += static_cast<char>(bits >> 16);
      out += static_cast<char>(bits >> 8);
      out += static_cast<char>(bits);
      continue;
    }
    if (s[i] != '=' || n < 2) return i;
    ++i;
    skip(i);
    if (n == 2) {
      if (i == s.size()) return s.size();
      if (s[i] != '=') return i;
      ++i;
      skip(i);
    }
    if (i < s.size()) return i;
    bits <<= 6 * (4 - n);
    out += static_cast<char>(bits >> 16);
    if (n == 3) out += static_cast<char>(bits >> 8);
    return Str::npos;
  }
}

}  // namespace libsched
