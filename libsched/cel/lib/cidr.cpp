// Parsing and containment of networks.
#include "libsched/cel/lib/cidr.hpp"

#include <algorithm>

#include "libsched/base/quote.hpp"

namespace libsched::cel {
namespace {

Error cidr_error(Str in, const std::string& why) {
  constexpr const char* kPrefix = "network address parse error during conversion from string: ";
  return invalid(
      "", std::string(kPrefix) + kPrefix + "netip.ParsePrefix(" + go_quote(in) + "): " + why);
}

bool same_bits(const Ip& a, const Ip& b, int bits) {
  const auto whole = static_cast<size_t>(bits / 8);
  if (!std::equal(a.bytes.begin(), a.bytes.begin() + whole, b.bytes.begin())) return false;
  const int rest = bits % 8;
  return rest == 0 || (a.bytes[whole] ^ b.bytes[whole]) >> (8 - rest) == 0;
}

}  // namespace

bool Cidr::contains(const Ip& other) const {
  return ip.size == other.size && same_bits(ip, other, bits);
}

bool Cidr::contains(const Cidr& other) const { return bits <= other.bits && contains(other.ip); }

Cidr Cidr::masked() const {
  Cidr result = *this;
  for (size_t i = 0; i < ip.size; ++i) {
    const int kept = std::clamp(bits - static_cast<int>(i) * 8, 0, 8);
    result.ip.bytes[i] &= static_cast<uint8_t>(0xff00 >> kept);
  }
  return result;
}

Result<Cidr> parse_cidr(Str text) {
  const size_t slash = text.rfind('/');
  if (slash == Str::npos) return cidr_error(text, "no '/'");
  auto address = parse_zoned_ip(text.substr(0, slash));
  if (!address) return cidr_error(text, address.error().message);
  if (!address->zone.empty()) return cidr_error(text, "IPv6 zones cannot be present in a prefix");
  const Str digits = text.substr(slash + 1);
  const bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
  // Upstream takes the number for an int64 before it looks at its range.
  const bool huge = digits.size() > 19 || (digits.size() == 19 && digits > "9223372036854775807");
  if (!number || (digits.size() > 1 && digits[0] == '0') || huge)
    return cidr_error(text, "bad bits after slash: " + go_quote(digits));
  int bits = 0;
  for (const char c : digits.substr(0, 4)) bits = bits * 10 + (c - '0');
  if (bits > address->ip.size * 8) return cidr_error(text, "prefix length out of range");
  if (address->ip.is_mapped())
    return invalid("",
                   "network address parse error during conversion from string: "
                   "IPv4-mapped IPv6 address " +
                       go_quote(text) + " is not allowed");
  return Cidr{address->ip, static_cast<uint8_t>(bits)};
}

std::string to_string(const Cidr& cidr) {
  return to_string(cidr.ip) + "/" + std::to_string(cidr.bits);
}

}  // namespace libsched::cel
