// Like Go's parser, this one is more liberal than the RFC: an hour may have one digit,
// the fraction may follow a comma, an offset may reach 24:60.
#include "libsched/ingest/rfc3339.hpp"

#include <limits>

namespace libsched {
namespace {

struct Cursor {
  Str s;
  bool digit(size_t i = 0) const { return i < s.size() && s[i] >= '0' && s[i] <= '9'; }
  bool take(char c) {
    if (s.empty() || s[0] != c) return false;
    s.remove_prefix(1);
    return true;
  }
  // Exactly n digits.
  bool number(size_t n, int64_t& out) {
    out = 0;
    for (size_t i = 0; i < n; ++i) {
      if (!digit(i)) return false;
      out = out * 10 + (s[i] - '0');
    }
    s.remove_prefix(n);
    return true;
  }
};

bool is_leap(int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

int64_t days_of_month(int64_t year, int64_t month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

// Days from 1970-01-01 in the proleptic Gregorian calendar (Hinnant's algorithm).
int64_t days_from_epoch(int64_t year, int64_t month, int64_t day) {
  year -= month <= 2;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

bool read_offset(Cursor& c, int64_t& seconds) {
  seconds = 0;
  if (c.take('Z')) return true;
  const bool west = c.take('-');
  if (!west && !c.take('+')) return false;
  int64_t hours = 0, minutes = 0;
  if (!c.number(2, hours) || !c.take(':') || !c.number(2, minutes)) return false;
  if (hours > 24 || minutes > 60) return false;
  seconds = (hours * 60 + minutes) * (west ? -60 : 60);
  return true;
}

int64_t read_fraction(Cursor& c) {
  if (c.s.size() < 2 || (c.s[0] != '.' && c.s[0] != ',') || !c.digit(1)) return 0;
  c.s.remove_prefix(1);
  int64_t ns = 0;
  int64_t unit = 100'000'000;
  for (; c.digit(); c.s.remove_prefix(1), unit /= 10) ns += (c.s[0] - '0') * unit;
  return ns;
}

}  // namespace

std::optional<int64_t> parse_rfc3339(Str s) {
  Cursor c{s};
  int64_t year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset = 0;
  if (!c.number(4, year) || !c.take('-') || !c.number(2, month) || !c.take('-') ||
      !c.number(2, day) || !c.take('T')) {
    return std::nullopt;
  }
  if (!c.number(c.digit(1) ? 2 : 1, hour) || !c.take(':') || !c.number(2, minute) || !c.take(':') ||
      !c.number(2, second)) {
    return std::nullopt;
  }
  const int64_t ns = read_fraction(c);
  if (!read_offset(c, offset) || !c.s.empty()) return std::nullopt;
  if (month < 1 || month > 12 || day < 1 || day > days_of_month(year, month) || hour > 23 ||
      minute > 59 || second > 59) {
    return std::nullopt;
  }
  const int64_t seconds =
      days_from_epoch(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset;
  int64_t total = 0;
  if (__builtin_mul_overflow(seconds, int64_t{1'000'000'000}, &total) ||
      __builtin_add_overflow(total, ns, &total)) {
    return seconds < 0 ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
  }
  return total;
}

}  // namespace libsched
