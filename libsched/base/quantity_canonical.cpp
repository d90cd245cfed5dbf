// The canonical text of a quantity: the shortest whole number with a suffix of the same family.
#include <algorithm>
#include <string>

#include "libsched/base/big_decimal.hpp"
#include "libsched/base/quantity.hpp"

namespace libsched {
namespace {

enum class Family : uint8_t { kDecimal, kBinary, kExponent };

Family family_of(Str text) {
  const size_t suffix = text.find_last_of("0123456789.");
  const Str after = suffix == Str::npos ? Str() : text.substr(suffix + 1);
  if (after.ends_with('i')) return Family::kBinary;
  // A digit stands behind the e of an exponent; a lone E is a suffix.
  return text.find_first_of("eE") != Str::npos && after.empty() ? Family::kExponent
                                                                : Family::kDecimal;
}

// Upstream keeps a text that looks canonical at first glance: 1.001 and 5.Gi, but not 1.0000.
bool is_kept(Str text, Family family) {
  text.remove_prefix(std::min(text.find_first_not_of("+-"), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  const size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  const Str value = text.substr(0, end), suffix = text.substr(end);
  const size_t point = std::min(value.find('.'), value.size());
  const Str whole = value.substr(0, point);
  const Str fraction = point < value.size() ? value.substr(point + 1) : Str();
  if (whole.empty()) return false;
  if (family == Family::kBinary) {
    const size_t thousands = Str("KMGTPE").find(suffix.substr(0, 1)) + 1;
    const size_t taken = whole.size() + thousands * 3 + 1;
    return fraction.empty() && taken <= 15 && std::stoll(std::string(whole)) % 8 != 0;
  }
  int64_t exponent = 0;
  if (family == Family::kExponent) {
    exponent = static_cast<int32_t>(std::stoll(std::string(suffix.substr(1))));
  } else if (!suffix.empty()) {
    exponent = static_cast<int64_t>(Str("num kMGTPE").find(suffix[0])) * 3 - 9;
  }
  exponent -= static_cast<int64_t>(fraction.size());
  const std::string digits = std::string(whole).append(fraction);
  return digits.size() <= 18 && exponent >= -9 && exponent % 3 == 0 && !digits.ends_with("000");
}

std::string binary(Str digits) {
  uint128 value = 0;
  for (const char c : digits) value = value * 10 + static_cast<uint128>(c - '0');
  constexpr Str kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  size_t i = 0;
  for (; i < 6 && value % 1024 == 0; ++i) value /= 1024;
  return BigNatural::from_uint128(value).to_string().append(kSuffixes[i]);
}

std::string decimal(std::string digits, int64_t exponent, Family family) {
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  for (; exponent % 3 != 0; --exponent) digits += '0';
  if (exponent == 0) return digits;
  if (family == Family::kExponent) return digits + "e" + std::to_string(exponent);
  constexpr Str kSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  const int64_t i = exponent / 3 + 3;
  if (i >= 0 && i < 10) digits.append(kSuffixes[i]);
  return digits;
}

}  // namespace

std::string canonical_quantity(const Quantity& q, Str written) {
  if (q.is_zero()) return "0";
  if (is_kept(written, family_of(written))) return std::string(written);
  return computed_quantity(q, written);
}

std::string computed_quantity(const Quantity& q, Str like) {
  if (q.is_zero()) return "0";
  const Family family = family_of(like);
  const std::string text = q.to_string();  // digits, perhaps with a sign and a point
  std::string digits;
  int64_t exponent = 0;
  bool point = false;
  for (const char& c : text) {
    if (c == 'e') {
      exponent += std::stoll(&c + 1);
      break;
    }
    if (c == '.') point = true;
    if (c < '0' || c > '9') continue;
    if (!digits.empty() || c != '0') digits += c;
    if (point) --exponent;
  }
  while (exponent < 0 && digits.back() == '0') {
    digits.pop_back();
    ++exponent;
  }
  const bool in_units = exponent == 0;
  const bool small =
      q.compare(Quantity::from_int(-1024)) > 0 && q.compare(Quantity::from_int(1024)) < 0;
  const std::string sign = q.sign() < 0 ? "-" : "";
  if (family == Family::kBinary && in_units && !small) return sign + binary(digits);
  return sign + decimal(std::move(digits), exponent, family);
}

}  // namespace libsched
