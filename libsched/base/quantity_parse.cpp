// Reading a quantity's text: number, then a suffix of powers of 1000 or 1024, or an exponent.
//
// The scanner accepts what upstream's does, oddities included: "+", "." and "Ki" are zero, and an
// exponent keeps only its low 32 bits. Which texts become an int64 amount follows upstream too.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include "libsched/base/ascii.hpp"
#include "libsched/base/big_decimal.hpp"
#include "libsched/base/quantity.hpp"

namespace libsched {
namespace {

constexpr size_t kMaxTextDigits = 100000;
constexpr int32_t kMaxShift = 100000000;
constexpr int32_t kNano = -9;
constexpr int kAmountDigits = 18;  // any number of so many digits is an int64
constexpr int64_t kMaxInt64 = std::numeric_limits<int64_t>::max();

enum class Base : uint8_t { kTen, kTwo };

struct Suffix {
  Base base = Base::kTen;
  int32_t exponent = 0;
};

Error wrong_format() {
  return invalid("",
                 "quantities must match the regular expression "
                 "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}
Error wrong_number() { return invalid("", "unable to parse numeric part of quantity"); }
Error wrong_suffix() { return invalid("", "unable to parse quantity's suffix"); }
Error over_limit(std::string message) { return {Rc::kLimit, std::move(message)}; }

bool is_suffix_letter(char c) {
  switch (c) {
    case 'e':
    case 'E':
    case 'i':
    case 'n':
    case 'u':
    case 'm':
    case 'k':
    case 'K':
    case 'M':
    case 'G':
    case 'T':
    case 'P': return true;
    default: return false;
  }
}

// A signed decimal int64, then truncated to 32 bits as upstream does.
bool read_exponent(const char* p, const char* end, int32_t* out) {
  const bool negative = p < end && *p == '-';
  if (p < end && (*p == '-' || *p == '+')) ++p;
  if (p == end) return false;
  uint64_t v = 0;
  for (; p < end; ++p) {
    if (!is_digit(*p)) return false;
    if (__builtin_mul_overflow(v, uint64_t{10}, &v)) return false;
    if (__builtin_add_overflow(v, static_cast<uint64_t>(*p - '0'), &v)) return false;
  }
  if (v > static_cast<uint64_t>(kMaxInt64) + negative) return false;
  *out = static_cast<int32_t>(static_cast<uint32_t>(negative ? -v : v));
  return true;
}

bool read_suffix(const char* p, const char* end, Suffix* out) {
  const auto size = end - p;
  if (size == 0) return true;
  if (size == 1) {
    switch (*p) {
      case 'n': out->exponent = -9; return true;
      case 'u': out->exponent = -6; return true;
      case 'm': out->exponent = -3; return true;
      case 'k': out->exponent = 3; return true;
      case 'M': out->exponent = 6; return true;
      case 'G': out->exponent = 9; return true;
      case 'T': out->exponent = 12; return true;
      case 'P': out->exponent = 15; return true;
      case 'E': out->exponent = 18; return true;
      default: return false;
    }
  }
  if (size == 2 && p[1] == 'i') {
    out->base = Base::kTwo;
    switch (*p) {
      case 'K': out->exponent = 10; return true;
      case 'M': out->exponent = 20; return true;
      case 'G': out->exponent = 30; return true;
      case 'T': out->exponent = 40; return true;
      case 'P': out->exponent = 50; return true;
      case 'E': out->exponent = 60; return true;
      default: return false;
    }
  }
  return (*p == 'e' || *p == 'E') && read_exponent(p + 1, end, &out->exponent);
}

// The parts of a text; `whole` has no leading zeros.
struct Number {
  bool negative = false;
  bool has_digit = false;
  Str whole, fraction;
};

uint64_t read_digits(uint64_t value, Str digits) {
  for (const char c : digits) value = value * 10 + static_cast<uint64_t>(c - '0');
  return value;
}

}  // namespace

// Builds the representations; a friend, so that the parser can stay out of the header.
struct QuantityParts {
  static Quantity amount(int64_t value, int32_t scale) { return Quantity(value, scale); }
  static Quantity decimal(int128 unscaled, int32_t scale) {
    Quantity q;
    q.low_ = static_cast<uint64_t>(unscaled);
    q.high_ = static_cast<int64_t>(unscaled >> 64);
    q.scale_ = scale;
    q.kind_ = Quantity::Kind::kDecimal;
    return q;
  }
  static Result<Quantity> decimal(const Number& number, Suffix suffix);
};

// The exact decimal, rounded up to whole nanos; binary ones are capped at the largest int64.
Result<Quantity> QuantityParts::decimal(const Number& number, Suffix suffix) {
  if (!number.has_digit) return wrong_number();
  std::string digits;
  digits.reserve(number.whole.size() + number.fraction.size());
  digits.append(number.whole).append(number.fraction);
  if (digits.size() > kMaxTextDigits) {
    return over_limit("quantity has over " + std::to_string(kMaxTextDigits) + " digits");
  }
  BigNatural m = BigNatural::from_digits(digits.data(), digits.size());
  auto scale = static_cast<uint32_t>(number.fraction.size());
  if (suffix.base == Base::kTen) {
    scale -= static_cast<uint32_t>(suffix.exponent);
  } else {
    for (int32_t left = suffix.exponent; left > 0; left -= 10) m.multiply(1024);
  }
  if (m.is_zero()) return decimal(int128{0}, static_cast<int32_t>(scale));

  const auto shift = static_cast<int32_t>(9u - scale);
  if (shift > kMaxShift || shift < -kMaxShift) {
    return over_limit("quantity's exponent is too large");
  }
  BigDecimal value{number.negative, std::move(m), -int64_t{static_cast<int32_t>(scale)}};
  if (shift < 0) {
    if (value.magnitude.shift_right(static_cast<uint64_t>(-shift))) value.magnitude.increment();
    value.exponent = kNano;
  }
  if (suffix.base == Base::kTwo) {
    const BigDecimal cap{number.negative, BigNatural::from_uint128(kMaxInt64), 0};
    if (number.negative ? value.compare(cap) < 0 : value.compare(cap) > 0) {
      return decimal(int128{number.negative ? -kMaxInt64 : kMaxInt64}, 0);
    }
  }
  Quantity q;
  if (!q.set_big(std::move(value), -kNano)) {
    return over_limit("too many different quantities of this size");
  }
  return q;
}

Result<Quantity> Quantity::parse(Str text) {
  const char* p = text.data();
  const char* const end = p + text.size();
  if (p == end) return wrong_format();
  Number number;
  if (*p == '-' || *p == '+') number.negative = *p++ == '-';
  const char* const first = p;
  while (p < end && *p == '0') ++p;
  if (p == end) return from_int(0);
  const char* const whole = p;
  while (p < end && is_digit(*p)) ++p;
  number.whole = Str(whole, static_cast<size_t>(p - whole));
  number.has_digit = p != first;
  if (p < end && *p == '.') {
    const char* const fraction = ++p;
    while (p < end && is_digit(*p)) ++p;
    number.fraction = Str(fraction, static_cast<size_t>(p - fraction));
    number.has_digit |= p != fraction;
  }
  const char* const suffix_text = p;
  while (p < end && is_suffix_letter(*p)) ++p;
  if (p < end && (*p == '-' || *p == '+')) ++p;
  while (p < end && is_digit(*p)) ++p;
  if (p != end) return wrong_format();
  Suffix suffix;
  if (!read_suffix(suffix_text, end, &suffix)) return wrong_suffix();

  // An absent whole part counts as one digit, as "0" does.
  const size_t whole_digits = std::max<size_t>(number.whole.size(), 1);
  const size_t digits = whole_digits + number.fraction.size();
  if (suffix.base == Base::kTen) {
    const auto scale = static_cast<int32_t>(static_cast<uint32_t>(suffix.exponent) -
                                            static_cast<uint32_t>(number.fraction.size()));
    if (digits <= kAmountDigits && scale >= kNano) {
      const auto v =
          static_cast<int64_t>(read_digits(read_digits(0, number.whole), number.fraction));
      return QuantityParts::amount(number.negative ? -v : v, scale);
    }
  } else if (number.fraction.empty() &&
             whole_digits + static_cast<size_t>(suffix.exponent * 3 / 10) <= 14) {
    const auto v = static_cast<int64_t>(read_digits(0, number.whole) << suffix.exponent);
    return QuantityParts::amount(number.negative ? -v : v, 0);
  }

  // Short numbers with a common suffix ("1.5Gi", "100Pi") without the long arithmetic.
  const int32_t fraction = static_cast<int32_t>(std::min<size_t>(number.fraction.size(), 100));
  if (suffix.base == Base::kTwo && number.has_digit && digits <= 18 && fraction <= 9) {
    int128 unscaled = read_digits(read_digits(0, number.whole), number.fraction);
    if (unscaled < (int128{1} << (96 - suffix.exponent))) {
      static constexpr int64_t kPow10[] = {1,      10,      100,      1000,      10000,
                                           100000, 1000000, 10000000, 100000000, 1000000000};
      unscaled <<= suffix.exponent;
      if (unscaled == 0) return QuantityParts::decimal(int128{0}, fraction);
      unscaled *= kPow10[9 - fraction];  // < 2^96 * 10^9 < 2^127
      const int128 cap = int128{kMaxInt64} * 1000000000;
      const int32_t scale = unscaled > cap ? 0 : -kNano;
      if (unscaled > cap) unscaled = kMaxInt64;
      return QuantityParts::decimal(number.negative ? -unscaled : unscaled, scale);
    }
  }
  return QuantityParts::decimal(number, suffix);
}

Result<Quantity> Quantity::parse_trimmed(Str text) {
  // The code points of Unicode's White_Space, in UTF-8.
  static constexpr std::array<Str, 25> kSpaces = {
      " ",      "\t",     "\n",     "\v",     "\f",     "\r",     "\u0085", "\u00a0", "\u1680",
      "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008",
      "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
  const auto is_edge = [](char c) {
    return !is_digit(c) && !is_suffix_letter(c) && c != '+' && c != '-' && c != '.';
  };
  for (bool again = true; again && !text.empty() && is_edge(text.front());) {
    again = false;
    for (const Str s : kSpaces) {
      if (!text.starts_with(s)) continue;
      text.remove_prefix(s.size());
      again = true;
      break;
    }
  }
  for (bool again = true; again && !text.empty() && is_edge(text.back());) {
    again = false;
    for (const Str s : kSpaces) {
      if (!text.ends_with(s)) continue;
      text.remove_suffix(s.size());
      again = true;
      break;
    }
  }
  return parse(text);
}

}  // namespace libsched
