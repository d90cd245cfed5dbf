// RFC 3339 as Go reads and writes it, and arithmetic on the proleptic Gregorian calendar.
#include "libsched/cel/lib/timestamp.hpp"

#include <optional>

#include "libsched/base/ascii.hpp"
#include "libsched/cel/lib/calendar.hpp"
#include "libsched/cel/lib/time_zone.hpp"

namespace libsched::cel {
namespace {

constexpr int64_t kFirst = -62'135'596'800;  // 0001-01-01T00:00:00Z
constexpr int64_t kLast = 253'402'300'799;   // 9999-12-31T23:59:59Z
constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kDay = 86'400;

Error overflow() { return invalid("", "timestamp overflow"); }
Error integer_overflow() { return invalid("", "integer overflow"); }
Error not_a_timestamp() {
  return invalid("", "type conversion error from 'string' to 'google.protobuf.Timestamp'");
}

// Reads a text from the front; every step fails once one has failed.
class Reader {
 public:
  explicit Reader(Str s) : rest_(s) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }
  bool starts_with(char c) const { return rest_.starts_with(c); }

  int digits(size_t count) {
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
      if (i >= rest_.size() || !is_digit(rest_[i])) {
        ok_ = false;
        return 0;
      }
      value = value * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return value;
  }
  // Upstream takes hours of one digit.
  int one_or_two_digits() {
    return digits(rest_.size() >= 2 && is_digit(rest_[0]) && is_digit(rest_[1]) ? 2 : 1);
  }
  void expect(char c) {
    if (rest_.starts_with(c))
      rest_.remove_prefix(1);
    else
      ok_ = false;
  }
  char take() {
    if (rest_.empty()) {
      ok_ = false;
      return '\0';
    }
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }
  // Any number of digits behind a point or comma, of which nine count.
  int fraction() {
    if (rest_.size() < 2 || (rest_[0] != '.' && rest_[0] != ',') || !is_digit(rest_[1])) return 0;
    rest_.remove_prefix(1);
    int value = 0;
    int count = 0;
    for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1))
      if (count < 9) {
        value = value * 10 + (rest_[0] - '0');
        ++count;
      }
    for (; count < 9; ++count) value *= 10;
    return value;
  }

 private:
  Str rest_;
  bool ok_ = true;
};

std::optional<Timestamp> read_rfc3339(Str text) {
  Reader reader(text);
  const int year = reader.digits(4);
  reader.expect('-');
  const int month = reader.digits(2);
  reader.expect('-');
  const int day = reader.digits(2);
  reader.expect('T');
  const int hour = reader.one_or_two_digits();
  reader.expect(':');
  const int minute = reader.digits(2);
  reader.expect(':');
  const int second = reader.digits(2);
  Timestamp t;
  t.nanoseconds = reader.fraction();
  if (reader.starts_with('Z')) {
    reader.take();
  } else {
    const char sign = reader.take();
    const int hours = reader.digits(2);
    reader.expect(':');
    const int minutes = reader.digits(2);
    // Upstream lets 24 and 60 pass.
    if ((sign != '+' && sign != '-') || hours > 24 || minutes > 60) return std::nullopt;
    t.offset = (hours * 60 + minutes) * (sign == '-' ? -60 : 60);
  }
  if (!reader.ok() || !reader.at_end() || month < 1 || month > 12 || day < 1 ||
      day > days_in_month(month, year) || hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  t.seconds =
      days_from_date(year, month, day) * kDay + hour * 3600 + minute * 60 + second - t.offset;
  return t;
}

void append_number(std::string& text, int64_t value, size_t width) {
  const std::string digits = std::to_string(value);
  if (digits.size() < width) text.append(width - digits.size(), '0');
  text += digits;
}

int64_t part_at(TimePart part, const Timestamp& t, int64_t offset) {
  const int64_t local = t.seconds + offset;
  const int64_t days = floor_div(local, kDay);
  const int64_t second_of_day = local - days * kDay;
  switch (part) {
    case TimePart::kFullYear: return date_from_days(days).year;
    case TimePart::kMonth: return date_from_days(days).month - 1;
    case TimePart::kDayOfYear: return days - days_from_date(date_from_days(days).year, 1, 1);
    case TimePart::kDayOfMonth: return date_from_days(days).day - 1;
    case TimePart::kDate: return date_from_days(days).day;
    case TimePart::kDayOfWeek: return day_of_week(days);
    case TimePart::kHours: return second_of_day / 3600;
    case TimePart::kMinutes: return second_of_day / 60 % 60;
    case TimePart::kSeconds: return second_of_day % 60;
    case TimePart::kMilliseconds: return t.nanoseconds / 1'000'000;
  }
  return 0;
}

}  // namespace

bool is_rfc3339(Str text) { return read_rfc3339(text).has_value(); }

Result<Timestamp> parse_timestamp(Str text) {
  const auto t = read_rfc3339(text);
  if (!t) return not_a_timestamp();
  if (t->seconds < kFirst || t->seconds > kLast) return overflow();
  return *t;
}

Result<Timestamp> timestamp_of(int64_t seconds) {
  if (seconds < kFirst || seconds > kLast) return overflow();
  return Timestamp{seconds, 0, 0};
}

std::string format_timestamp(const Timestamp& t) {
  const int64_t local = t.seconds + t.offset;
  const int64_t days = floor_div(local, kDay);
  const int64_t second_of_day = local - days * kDay;
  const Date date = date_from_days(days);
  std::string text;
  append_number(text, date.year, 4);
  append_number(text += '-', date.month, 2);
  append_number(text += '-', date.day, 2);
  append_number(text += 'T', second_of_day / 3600, 2);
  append_number(text += ':', second_of_day / 60 % 60, 2);
  append_number(text += ':', second_of_day % 60, 2);
  if (t.nanoseconds != 0) {
    append_number(text += '.', t.nanoseconds, 9);
    text.erase(text.find_last_not_of('0') + 1);
  }
  if (t.offset == 0) return text += 'Z';
  const int minutes = (t.offset < 0 ? -t.offset : t.offset) / 60;
  text += t.offset < 0 ? '-' : '+';
  append_number(text, minutes / 60, 2);
  append_number(text += ':', minutes % 60, 2);
  return text;
}

int compare(const Timestamp& a, const Timestamp& b) {
  if (a.seconds != b.seconds) return a.seconds < b.seconds ? -1 : 1;
  if (a.nanoseconds != b.nanoseconds) return a.nanoseconds < b.nanoseconds ? -1 : 1;
  return 0;
}

Result<Timestamp> add_duration(const Timestamp& t, int64_t nanoseconds) {
  const int64_t whole = floor_div(nanoseconds, kSecond);
  Timestamp sum = t;
  sum.seconds += whole;
  // Not by a product, which may not fit.
  int64_t rest = t.nanoseconds + (nanoseconds % kSecond + kSecond) % kSecond;
  if (rest >= kSecond) {
    rest -= kSecond;
    ++sum.seconds;
  }
  sum.nanoseconds = static_cast<int32_t>(rest);
  if (sum.seconds < kFirst || sum.seconds > kLast) return overflow();
  return sum;
}

Result<Timestamp> subtract_duration(const Timestamp& t, int64_t nanoseconds) {
  if (nanoseconds == INT64_MIN) return integer_overflow();
  return add_duration(t, -nanoseconds);
}

Result<int64_t> subtract(const Timestamp& a, const Timestamp& b) {
  // The product is checked by itself, as upstream does, although the sum may fit again.
  int64_t result = 0;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kSecond, &result) ||
      __builtin_add_overflow(result, int64_t{a.nanoseconds} - b.nanoseconds, &result))
    return integer_overflow();
  return result;
}

int64_t time_part(TimePart part, const Timestamp& t) { return part_at(part, t, 0); }

Result<int64_t> time_part(TimePart part, const Timestamp& t, Str zone) {
  auto offset = zone_offset(zone, t.seconds);
  if (!offset) return std::move(offset.error());
  return part_at(part, t, *offset);
}

}  // namespace libsched::cel
