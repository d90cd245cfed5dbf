// Parses and prints durations exactly as Go's package time does.
//
// Sums are kept in uint64 up to 2^63, so that the most negative duration can be read as well.
#include "libsched/config/duration.hpp"

#include "libsched/base/ascii.hpp"

namespace libsched {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 63;

struct Unit {
  Str name;
  uint64_t ns;
};
constexpr Unit kUnits[] = {
    {"ns", 1},       {"us", 1000},         {"\xc2\xb5s", 1000},       {"\xce\xbcs", 1000},
    {"ms", 1000000}, {"s", 1000000000ULL}, {"m", 60ULL * 1000000000}, {"h", 3600ULL * 1000000000},
};

// Not Go's %q: package time has a simpler quoting of its own.
std::string quote(Str s) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : s) {
    const auto u = static_cast<unsigned char>(c);
    if (u >= 0x80 || u < ' ') {
      out += "\\x";
      out += kHex[u >> 4];
      out += kHex[u & 15];
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out + "\"";
}

Error bad(const std::string& what, Str text) {
  return invalid({}, "time: " + what + " " + quote(text));
}

// Takes the leading digits off `s`. False: more than 2^63.
bool leading_int(Str& s, uint64_t& value) {
  value = 0;
  while (!s.empty() && is_digit(s[0])) {
    if (value > kLimit / 10) return false;
    value = value * 10 + static_cast<uint64_t>(s[0] - '0');
    if (value > kLimit) return false;
    s.remove_prefix(1);
  }
  return true;
}

// Digits that do not fit are dropped.
uint64_t leading_fraction(Str& s, double& scale) {
  uint64_t value = 0;
  scale = 1;
  bool overflow = false;
  for (; !s.empty() && is_digit(s[0]); s.remove_prefix(1)) {
    if (overflow) continue;
    if (value > (kLimit - 1) / 10) {
      overflow = true;
      continue;
    }
    const uint64_t next = value * 10 + static_cast<uint64_t>(s[0] - '0');
    if (next > kLimit) {
      overflow = true;
      continue;
    }
    value = next;
    scale *= 10;
  }
  return value;
}

// Appends `value` / 10^digits without trailing zeros of the fraction.
std::string with_fraction(uint64_t value, int digits) {
  uint64_t power = 1;
  for (int i = 0; i < digits; ++i) power *= 10;
  std::string out = std::to_string(value / power);
  std::string fraction = std::to_string(value % power);
  fraction.insert(
      0, static_cast<size_t>(digits) - std::min(fraction.size(), static_cast<size_t>(digits)), '0');
  if (digits == 0) return out;
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? out : out + "." + fraction;
}

}  // namespace

Result<int64_t> parse_duration(Str text) {
  Str s = text;
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (s == "0") return int64_t{0};
  if (s.empty()) return bad("invalid duration", text);
  uint64_t total = 0;
  while (!s.empty()) {
    if (s[0] != '.' && !is_digit(s[0])) return bad("invalid duration", text);
    const size_t before = s.size();
    uint64_t value = 0;
    if (!leading_int(s, value)) return bad("invalid duration", text);
    bool any = s.size() != before;
    uint64_t fraction = 0;
    double scale = 1;
    if (!s.empty() && s[0] == '.') {
      s.remove_prefix(1);
      const size_t rest = s.size();
      fraction = leading_fraction(s, scale);
      any = any || s.size() != rest;
    }
    if (!any) return bad("invalid duration", text);

    size_t n = 0;
    while (n < s.size() && s[n] != '.' && !is_digit(s[n])) ++n;
    if (n == 0) return bad("missing unit in duration", text);
    const Str name = s.substr(0, n);
    s.remove_prefix(n);
    uint64_t unit = 0;
    for (const Unit& u : kUnits) {
      if (u.name == name) unit = u.ns;
    }
    if (unit == 0) return bad("unknown unit " + quote(name) + " in duration", text);
    if (value > kLimit / unit) return bad("invalid duration", text);
    value *= unit;
    if (fraction > 0) {
      value += static_cast<uint64_t>(static_cast<double>(fraction) *
                                     (static_cast<double>(unit) / scale));
      if (value > kLimit) return bad("invalid duration", text);
    }
    total += value;
    if (total > kLimit) return bad("invalid duration", text);
  }
  if (negative) return static_cast<int64_t>(uint64_t{0} - total);
  if (total > kLimit - 1) return bad("invalid duration", text);
  return static_cast<int64_t>(total);
}

std::string duration_text(int64_t ns) {
  const bool negative = ns < 0;
  uint64_t u = negative ? uint64_t{0} - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  std::string out = negative ? "-" : "";
  constexpr uint64_t kSecond = 1000000000ULL;
  if (u == 0) return "0s";
  if (u < 1000) return out + std::to_string(u) + "ns";
  if (u < 1000000) return out + with_fraction(u, 3) + "\xc2\xb5s";
  if (u < kSecond) return out + with_fraction(u, 6) + "ms";
  const uint64_t seconds = u / kSecond;
  if (seconds >= 3600) out += std::to_string(seconds / 3600) + "h";
  if (seconds >= 60) out += std::to_string(seconds / 60 % 60) + "m";
  return out + with_fraction(u % (60 * kSecond), 9) + "s";
}

}  // namespace libsched
