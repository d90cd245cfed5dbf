// Parsing and writing of IP addresses: the grammar and the error texts of Go's netip.
#include "libsched/cel/lib/ip.hpp"

#include <algorithm>

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"

namespace libsched::cel {
namespace {

Error ip_error(Str in, const char* message, Str at = {}) {
  std::string text = "ParseAddr(" + go_quote(in) + "): " + message;
  if (!at.empty()) text += " (at " + go_quote(at) + ")";
  return invalid("", std::move(text));
}

// Reads the dotted address `s`, a part of `in`, into four bytes.
Result<void> parse_fields(Str in, Str s, uint8_t* fields) {
  int value = 0;
  int dots = 0;
  int digits = 0;
  for (size_t i = 0; i < s.size(); ++i) {
    const char c = s[i];
    if (is_digit(c)) {
      if (digits == 1 && value == 0) return ip_error(in, "IPv4 field has octet with leading zero");
      value = value * 10 + (c - '0');
      ++digits;
      if (value > 255) return ip_error(in, "IPv4 field has value >255");
    } else if (c == '.') {
      if (digits == 0 || i + 1 == s.size())
        return ip_error(in, "IPv4 field must have at least one digit", s.substr(i));
      if (dots == 3) return ip_error(in, "IPv4 address too long");
      fields[dots++] = static_cast<uint8_t>(value);
      value = 0;
      digits = 0;
    } else {
      return ip_error(in, "unexpected character", s.substr(i));
    }
  }
  if (dots < 3) return ip_error(in, "IPv4 address too short");
  fields[3] = static_cast<uint8_t>(value);
  return {};
}

Result<ZonedIp> parse_v6(Str in) {
  ZonedIp result;
  Str s = in;
  if (const size_t percent = s.find('%'); percent != Str::npos) {
    result.zone = s.substr(percent + 1);
    if (result.zone.empty()) return ip_error(in, "zone must be a non-empty string");
    s = s.substr(0, percent);
  }
  auto& bytes = result.ip.bytes;
  int gap = -1;  // where the zeros of "::" stand
  if (s.starts_with("::")) {
    gap = 0;
    s.remove_prefix(2);
    if (s.empty()) return result;
  }
  int filled = 0;
  while (filled < 16) {
    size_t length = 0;
    uint32_t field = 0;
    for (; length < s.size() && hex_digit(s[length]) >= 0; ++length) {
      if (length > 3) return ip_error(in, "each group must have 4 or less digits", s);
      field = field << 4 | static_cast<uint32_t>(hex_digit(s[length]));
    }
    if (length == 0)
      return ip_error(in, "each colon-separated field must have at least one digit", s);
    if (length < s.size() && s[length] == '.') {
      if (gap < 0 && filled != 12)
        return ip_error(in, "embedded IPv4 address must replace the final 2 fields of the address",
                        s);
      if (filled > 12)
        return ip_error(in, "too many hex fields to fit an embedded IPv4 at the end of the address",
                        s);
      LIBSCHED_TRY(parse_fields(in, s, &bytes[static_cast<size_t>(filled)]));
      s = {};
      filled += 4;
      break;
    }
    bytes[static_cast<size_t>(filled++)] = static_cast<uint8_t>(field >> 8);
    bytes[static_cast<size_t>(filled++)] = static_cast<uint8_t>(field);
    s.remove_prefix(length);
    if (s.empty()) break;
    if (s[0] != ':') return ip_error(in, "unexpected character, want colon", s);
    if (s.size() == 1) return ip_error(in, "colon must be followed by more characters", s);
    s.remove_prefix(1);
    if (s[0] == ':') {
      if (gap >= 0) return ip_error(in, "multiple :: in address", s);
      gap = filled;
      s.remove_prefix(1);
      if (s.empty()) break;
    }
  }
  if (!s.empty()) return ip_error(in, "trailing garbage after address", s);
  if (filled < 16) {
    if (gap < 0) return ip_error(in, "address string too short");
    std::copy_backward(bytes.begin() + gap, bytes.begin() + filled, bytes.end());
    std::fill_n(bytes.begin() + gap, 16 - filled, uint8_t{0});
  } else if (gap >= 0) {
    return ip_error(in, "the :: must expand to at least one field of zeros");
  }
  return result;
}

}  // namespace

bool Ip::is_unspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t b) { return b == 0; });
}

bool Ip::is_mapped() const {
  return size == 16 && bytes[10] == 0xff && bytes[11] == 0xff &&
         std::all_of(bytes.begin(), bytes.begin() + 10, [](uint8_t b) { return b == 0; });
}

bool Ip::is_loopback() const {
  if (size == 4) return bytes[0] == 127;
  Ip one;
  one.bytes[15] = 1;
  return *this == one;
}

bool Ip::is_link_local_multicast() const {
  if (size == 4) return bytes[0] == 224 && bytes[1] == 0 && bytes[2] == 0;
  return bytes[0] == 0xff && (bytes[1] & 0x0f) == 0x02;
}

bool Ip::is_link_local_unicast() const {
  if (size == 4) return bytes[0] == 169 && bytes[1] == 254;
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool Ip::is_global_unicast() const {
  const bool multicast = size == 4 ? (bytes[0] & 0xf0) == 0xe0 : bytes[0] == 0xff;
  const bool broadcast = size == 4 && std::all_of(bytes.begin(), bytes.begin() + 4,
                                                  [](uint8_t b) { return b == 255; });
  return !is_unspecified() && !broadcast && !is_loopback() && !multicast &&
         !is_link_local_unicast();
}

Result<ZonedIp> parse_zoned_ip(Str text) {
  const size_t mark = text.find_first_of(".:%");
  if (mark == Str::npos) return ip_error(text, "unable to parse IP");
  if (text[mark] == ':') return parse_v6(text);
  if (text[mark] == '%') return ip_error(text, "missing IPv6 address");
  ZonedIp result;
  result.ip.size = 4;
  LIBSCHED_TRY(parse_fields(text, text, result.ip.bytes.data()));
  return result;
}

Result<Ip> parse_ip(Str text) {
  auto parsed = parse_zoned_ip(text);
  if (!parsed)
    return invalid("", "IP Address " + go_quote(text) +
                           " parse error during conversion from string: " + parsed.error().message);
  if (!parsed->zone.empty())
    return invalid("", "IP address " + go_quote(text) + " with zone value is not allowed");
  if (parsed->ip.is_mapped())
    return invalid("", "IPv4-mapped IPv6 address " + go_quote(text) + " is not allowed");
  return parsed->ip;
}

Result<bool> is_canonical_ip(Str text) {
  auto ip = parse_ip(text);
  if (!ip) return std::move(ip.error());
  return to_string(*ip) == text;
}

std::string to_string(const Ip& ip) {
  std::string text;
  if (ip.size == 4) {
    for (size_t i = 0; i < 4; ++i) {
      if (i > 0) text += '.';
      text += std::to_string(ip.bytes[i]);
    }
    return text;
  }
  const auto field = [&](int i) {
    const size_t at = static_cast<size_t>(i) * 2;
    return static_cast<unsigned>(ip.bytes[at] << 8 | ip.bytes[at + 1]);
  };
  // The first of the longest runs of at least two zero fields becomes "::".
  int start = 8;
  int end = 8;
  for (int i = 0; i < 8; ++i) {
    int j = i;
    while (j < 8 && field(j) == 0) ++j;
    if (j - i >= 2 && j - i > end - start) {
      start = i;
      end = j;
    }
  }
  constexpr char kDigits[] = "0123456789abcdef";
  for (int i = 0; i < 8; ++i) {
    if (i == start) {
      text += "::";
      i = end;
      if (i == 8) break;
    } else if (i > 0) {
      text += ':';
    }
    const unsigned value = field(i);
    for (int shift = 12; shift >= 0; shift -= 4)
      if (value >> shift != 0 || shift == 0) text += kDigits[value >> shift & 15];
  }
  // Upstream writes the last four bytes of a mapped address with dots; ip() refuses those.
  return text;
}

}  // namespace libsched::cel
