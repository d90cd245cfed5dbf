// Go's grammar of durations: a sign and numbers with units, the fractions by way of a double.
#include "libsched/cel/lib/duration.hpp"

#include <array>
#include <utility>

#include "libsched/base/ascii.hpp"
#include "libsched/base/go_float.hpp"
#include "libsched/cel/lib/numbers.hpp"

namespace libsched::cel {
namespace {

constexpr uint64_t kMost = uint64_t{1} << 63;
constexpr int64_t kSecond = 1'000'000'000;

constexpr std::array<std::pair<Str, uint64_t>, 8> kUnits{{
    {"ns", 1},
    {"us", 1'000},
    {"\u00b5s", 1'000},  // the micro sign
    {"\u03bcs", 1'000},  // the Greek letter
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60'000'000'000},
    {"h", 3'600'000'000'000},
}};

std::optional<uint64_t> unit_of(Str name) {
  for (const auto& [unit, size] : kUnits)
    if (unit == name) return size;
  return std::nullopt;
}

// Takes the digits from the front of s; none beyond 2^63.
std::optional<uint64_t> take_whole(Str& s) {
  uint64_t value = 0;
  while (!s.empty() && is_digit(s[0])) {
    if (value > kMost / 10) return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(s[0] - '0');
    if (value > kMost) return std::nullopt;
    s.remove_prefix(1);
  }
  return value;
}

struct Fraction {
  uint64_t value = 0;
  double scale = 1;
};

// Takes the digits from the front of s; those that 63 bits do not hold count as none.
Fraction take_fraction(Str& s) {
  Fraction fraction;
  bool full = false;
  while (!s.empty() && is_digit(s[0])) {
    const auto digit = static_cast<uint64_t>(s[0] - '0');
    s.remove_prefix(1);
    if (full) continue;
    if (fraction.value > (kMost - 1) / 10 || fraction.value * 10 + digit > kMost) {
      full = true;
      continue;
    }
    fraction.value = fraction.value * 10 + digit;
    fraction.scale *= 10;
  }
  return fraction;
}

int64_t through_double(int64_t nanoseconds, int64_t unit) {
  return static_cast<int64_t>(static_cast<double>(nanoseconds / unit) +
                              static_cast<double>(nanoseconds % unit) / static_cast<double>(unit));
}

}  // namespace

std::optional<int64_t> parse_duration(Str s) {
  bool negative = false;
  if (!s.empty() && (s[0] == '-' || s[0] == '+')) {
    negative = s[0] == '-';
    s.remove_prefix(1);
  }
  if (s == "0") return 0;
  if (s.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!s.empty()) {
    const size_t before = s.size();
    const auto whole = take_whole(s);
    if (!whole) return std::nullopt;
    size_t digits = before - s.size();
    Fraction fraction;
    if (!s.empty() && s[0] == '.') {
      s.remove_prefix(1);
      const size_t behind_point = s.size();
      fraction = take_fraction(s);
      digits += behind_point - s.size();
    }
    if (digits == 0) return std::nullopt;
    const size_t end = s.find_first_of(".0123456789");
    const auto unit = unit_of(s.substr(0, end));
    if (!unit || *whole > kMost / *unit) return std::nullopt;
    s.remove_prefix(end == Str::npos ? s.size() : end);
    uint64_t value = *whole * *unit;
    if (fraction.value > 0) {
      value += static_cast<uint64_t>(static_cast<double>(fraction.value) *
                                     (static_cast<double>(*unit) / fraction.scale));
      if (value > kMost) return std::nullopt;
    }
    total += value;
    if (total > kMost) return std::nullopt;
  }
  if (negative) return static_cast<int64_t>(-total);
  if (total == kMost) return std::nullopt;
  return static_cast<int64_t>(total);
}

std::string format_duration(int64_t nanoseconds) {
  const double seconds =
      static_cast<double>(nanoseconds / kSecond) + static_cast<double>(nanoseconds % kSecond) / 1e9;
  return go_float_plain(seconds) + "s";
}

int64_t duration_hours(int64_t nanoseconds) { return through_double(nanoseconds, 3600 * kSecond); }
int64_t duration_minutes(int64_t nanoseconds) { return through_double(nanoseconds, 60 * kSecond); }
int64_t duration_seconds(int64_t nanoseconds) { return through_double(nanoseconds, kSecond); }
int64_t duration_milliseconds(int64_t nanoseconds) { return nanoseconds / 1'000'000; }

}  // namespace libsched::cel
