// Which bytes each part of a URL escapes. A host may escape only bytes beyond ASCII, a zone only
// those that it could hold as they are.
#include "libsched/cel/lib/url_escape.hpp"

#include "libsched/base/ascii.hpp"
#include "libsched/base/quote.hpp"

namespace libsched::cel {
namespace {

bool has(Str set, char c) { return set.find(c) != Str::npos; }

// The byte that "%xy" stands for, -1 if it is none.
int escaped_byte(Str s, size_t at) {
  if (at + 2 >= s.size()) return -1;
  const int high = hex_digit(s[at + 1]);
  const int low = hex_digit(s[at + 2]);
  return high < 0 || low < 0 ? -1 : high << 4 | low;
}

Error escape_error(Str escape) {
  return invalid("", "invalid URL escape " + go_quote(escape.substr(0, 3)));
}

bool may_be_escaped(int byte, UrlPart part) {
  if (part == UrlPart::kHost) return byte >= 0x80 || byte == '%';
  if (part == UrlPart::kZone)
    return byte == '%' || byte == ' ' || !needs_escape(static_cast<char>(byte), UrlPart::kHost);
  return true;
}

}  // namespace

bool needs_escape(char c, UrlPart part) {
  if (is_alnum(c)) return false;
  if (has("-_.~", c)) return false;
  switch (part) {
    case UrlPart::kPath: return !has("$&+,/:;=@", c);
    case UrlPart::kUser: return !has("$&+,;=", c);
    case UrlPart::kHost:
    case UrlPart::kZone: return !has("!$&'()*+,;=:[]<>\"", c);
    case UrlPart::kQuery: return true;
    case UrlPart::kFragment: return !has("$&+,/:;=?@!()*", c);
  }
  return true;
}

std::string url_escape(Str s, UrlPart part) {
  std::string result;
  for (const char c : s) {
    if (!needs_escape(c, part)) {
      result += c;
      continue;
    }
    constexpr char kDigits[] = "0123456789ABCDEF";
    const auto byte = static_cast<uint8_t>(c);
    result.append("%").append(1, kDigits[byte >> 4]).append(1, kDigits[byte & 15]);
  }
  return result;
}

Result<std::string> url_unescape(Str s, UrlPart part) {
  const bool host = part == UrlPart::kHost || part == UrlPart::kZone;
  std::string result;
  result.reserve(s.size());
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '%') {
      const int byte = escaped_byte(s, i);
      if (byte < 0 || !may_be_escaped(byte, part)) return escape_error(s.substr(i));
      result += static_cast<char>(byte);
      i += 2;
    } else if (host && static_cast<uint8_t>(s[i]) < 0x80 && needs_escape(s[i], part)) {
      return invalid("", "invalid character " + go_quote(s.substr(i, 1)) + " in host name");
    } else {
      result += s[i] == '+' && part == UrlPart::kQuery ? ' ' : s[i];
    }
  }
  return result;
}

bool is_escaped(Str escaped, UrlPart part) {
  for (const char c : escaped)
    if (!has("!$&'()*+,;=:@[]%", c) && needs_escape(c, part)) return false;
  return true;
}

}  // namespace libsched::cel
