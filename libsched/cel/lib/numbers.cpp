// Conversions between numbers and texts.
#include "libsched/cel/lib/numbers.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "libsched/base/ascii.hpp"

namespace libsched::cel {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_without_case(Str s, Str small) {
  return std::equal(s.begin(), s.end(), small.begin(), small.end(),
                    [](char a, char b) { return lower(a) == b; });
}

// Underscores stand between digits only; a prefix 0x counts as a digit, and one may follow it.
bool underscores_fit(Str s) {
  char before = '^';  // '0' a digit, '_' an underscore, '!' anything else
  size_t i = 0;
  if (s.size() >= 2 && s[0] == '0' &&
      (lower(s[1]) == 'x' || lower(s[1]) == 'b' || lower(s[1]) == 'o')) {
    i = 2;
    before = '0';
  }
  const bool hex = i == 2 && lower(s[1]) == 'x';
  for (; i < s.size(); ++i) {
    if (is_digit(s[i]) || (hex && hex_digit(s[i]) >= 0)) {
      before = '0';
    } else if (s[i] == '_') {
      if (before != '0') return false;
      before = '_';
    } else {
      if (before == '_') return false;
      before = '!';
    }
  }
  return before != '_';
}

// The parts of a number without sign and underscores, checked against the grammar.
struct FloatText {
  bool hex = false;
  std::string digits;    // with a point
  int64_t exponent = 0;  // as written
};

std::optional<FloatText> read_float(Str s) {
  FloatText text;
  size_t i = 0;
  if (s.size() > 2 && s[0] == '0' && lower(s[1]) == 'x') {
    text.hex = true;
    i = 2;
  }
  bool underscores = false;
  bool point = false;
  bool digits = false;
  for (; i < s.size(); ++i) {
    if (s[i] == '_') {
      underscores = true;
      continue;
    }
    if (s[i] == '.') {
      if (point) return std::nullopt;
      point = true;
    } else if (is_digit(s[i]) || (text.hex && hex_digit(s[i]) >= 0)) {
      digits = true;
    } else {
      break;
    }
    text.digits += s[i];
  }
  if (!digits) return std::nullopt;
  if (i < s.size() && lower(s[i]) == (text.hex ? 'p' : 'e')) {
    ++i;
    bool negative = false;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) negative = s[i++] == '-';
    if (i == s.size() || !is_digit(s[i])) return std::nullopt;
    for (; i < s.size() && (is_digit(s[i]) || s[i] == '_'); ++i) {
      if (s[i] == '_')
        underscores = true;
      else if (text.exponent < 10000)
        text.exponent = text.exponent * 10 + (s[i] - '0');
    }
    if (negative) text.exponent = -text.exponent;
  } else if (text.hex) {
    return std::nullopt;
  }
  if (i != s.size() || (underscores && !underscores_fit(s))) return std::nullopt;
  return text;
}

// Whether a number that no double holds is too large, and not too small.
bool is_large(const FloatText& text) {
  const size_t first = text.digits.find_first_not_of("0.");
  if (first == std::string::npos) return false;
  const size_t point = std::min(text.digits.find('.'), text.digits.size());
  const auto places = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  return places * (text.hex ? 4 : 1) + text.exponent > 0;
}

}  // namespace

std::optional<int64_t> parse_int(Str text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<uint64_t> parse_uint(Str text) {
  uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<double> parse_double(Str text) {
  if (same_without_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  double value = 0;
  if (same_without_case(text, "inf") || same_without_case(text, "infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else {
    auto parts = read_float(text);
    if (!parts) return std::nullopt;
    const std::string number =
        parts->digits + (parts->hex ? "p" : "e") + std::to_string(parts->exponent);
    const auto result =
        std::from_chars(number.data(), number.data() + number.size(), value,
                        parts->hex ? std::chars_format::hex : std::chars_format::general);
    if (result.ec == std::errc::result_out_of_range) {
      if (is_large(*parts)) return std::nullopt;
      value = 0;
    } else if (result.ec != std::errc() || std::isinf(value)) {
      return std::nullopt;
    }
  }
  return negative ? -value : value;
}

std::optional<bool> parse_bool(Str text) {
  for (const Str yes : {"1", "t", "T", "TRUE", "true", "True"})
    if (text == yes) return true;
  for (const Str no : {"0", "f", "F", "FALSE", "false", "False"})
    if (text == no) return false;
  return std::nullopt;
}

std::optional<int64_t> double_to_int(double value) {
  constexpr double kLimit = 9223372036854775808.0;
  if (!(value > -kLimit && value < kLimit)) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<uint64_t> double_to_uint(double value) {
  constexpr double kLimit = 18446744073709551616.0;
  if (!(value >= 0 && value < kLimit)) return std::nullopt;
  return static_cast<uint64_t>(value);
}

std::string format_int(int64_t value, int base) {
  char buffer[66];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, base);
  return {buffer, end.ptr};
}

std::string format_uint(uint64_t value, int base) {
  char buffer[66];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, base);
  return {buffer, end.ptr};
}

}  // namespace libsched::cel
