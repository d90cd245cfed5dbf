// CronSchedule: reading a schedule, and the search for the next moment field by field.
#include "libsched/scheduler/simulation/cron.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "libsched/base/quote.hpp"
#include "libsched/cel/lib/calendar.hpp"
#include "libsched/cel/lib/time_zone.hpp"
#include "libsched/config/duration.hpp"

namespace libsched {
namespace {

constexpr int64_t kMinute = 60, kHour = 3600, kDay = 86400;

// --- reading ---

struct Bounds {
  Str field;
  int least, most;
  std::array<Str, 12> names;  // of `least` and those that follow
};
constexpr Bounds kFields[] = {
    {"minute", 0, 59, {}},
    {"hour", 0, 23, {}},
    {"day of month", 1, 31, {}},
    {"month",
     1,
     12,
     {"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
    {"day of week", 0, 6, {"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
};

struct Alias {
  Str name, fields;
};
constexpr Alias kAliases[] = {
    {"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"}, {"@daily", "0 0 * * *"},    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};

Error bad(const std::string& message) { return invalid("schedule", message); }

std::vector<Str> split(Str text, Str separators, bool keep_empty) {
  std::vector<Str> out;
  while (true) {
    const size_t end = text.find_first_of(separators);
    const Str part = text.substr(0, end);
    if (keep_empty || !part.empty()) out.push_back(part);
    if (end == Str::npos) return out;
    text.remove_prefix(end + 1);
  }
}

Result<int> number(const Bounds& bounds, Str text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  for (size_t i = 0; i < bounds.names.size(); ++i)
    if (!lower.empty() && bounds.names[i] == lower) return bounds.least + static_cast<int>(i);
  const Str digits = text.starts_with('+') ? text.substr(1) : text;
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
    return bad(std::string(bounds.field) + ": " + go_quote(text) + " is no number");
  return value;
}

// "*", "5", "1-5" or "mon", each perhaps with "/2". `any`: all values, without a step.
Result<uint64_t> range(const Bounds& bounds, Str text, bool* any) {
  const std::vector<Str> parts = split(text, "/", true);
  const std::vector<Str> ends = split(parts[0], "-", true);
  if (parts.size() > 2 || ends.size() > 2)
    return bad(std::string(bounds.field) + ": " + go_quote(text) + " is no range");
  int first = bounds.least, last = bounds.most, step = 1;
  const bool star = ends[0] == "*" || ends[0] == "?";
  if (!star) {
    const Result<int> low = number(bounds, ends[0]);
    if (!low.ok()) return low.error();
    first = last = *low;
    if (ends.size() == 2) {
      const Result<int> high = number(bounds, ends[1]);
      if (!high.ok()) return high.error();
      last = *high;
    }
  }
  if (parts.size() == 2) {
    const Result<int> given = number({bounds.field, 0, 0, {}}, parts[1]);
    if (!given.ok()) return given.error();
    step = *given;
    if (ends.size() == 1) last = bounds.most;
  }
  if (first < bounds.least || last > bounds.most)
    return bad(std::string(bounds.field) + ": " + go_quote(text) + " is not within " +
               std::to_string(bounds.least) + " to " + std::to_string(bounds.most));
  if (first > last) return bad(std::string(bounds.field) + ": " + go_quote(text) + " is empty");
  if (step == 0) return bad(std::string(bounds.field) + ": " + go_quote(text) + " has a step of 0");
  *any |= star && step == 1;
  uint64_t bits = 0;
  for (int i = first; i <= last; i += step) bits |= uint64_t{1} << i;
  return bits;
}

Result<uint64_t> field(const Bounds& bounds, Str text, bool* any) {
  uint64_t bits = 0;
  for (const Str part : split(text, ",", false)) {
    const Result<uint64_t> some = range(bounds, part, any);
    if (!some.ok()) return some.error();
    bits |= *some;
  }
  return bits;
}

// --- the clock on the wall ---

// A moment in a zone. Fields that are out of range are carried over, as by Go's time.Date.
class Wall {
 public:
  Wall(Str zone, int64_t unix_s) : zone_(zone) { at(unix_s); }

  void add(int64_t seconds) { at(unix_ + seconds); }
  // This date at this time; a time that the zone does not have is moved by the change of its
  // offset.
  void date(int64_t year, int month, int day, int64_t seconds_of_day) {
    const int64_t days =
        cel::days_from_date(year + (month - 1) / 12, (month - 1) % 12 + 1, 1) + day - 1;
    const int64_t as_utc = days * kDay + seconds_of_day;
    const int64_t guess = offset(as_utc);
    at(as_utc - (guess == 0 ? 0 : offset(as_utc - guess)));
  }

  int64_t unix_s() const { return unix_; }
  int64_t year() const { return date_.year; }
  int month() const { return date_.month; }
  int day() const { return date_.day; }
  int weekday() const { return cel::day_of_week(days_); }
  int64_t seconds() const { return seconds_; }  // of the day
  int hour() const { return static_cast<int>(seconds_ / kHour); }
  int minute() const { return static_cast<int>(seconds_ / kMinute % 60); }

 private:
  int64_t offset(int64_t unix_s) const {
    const Result<int64_t> found = cel::zone_offset(zone_, unix_s);
    return found.ok() ? *found : 0;
  }
  void at(int64_t unix_s) {
    unix_ = unix_s;
    const int64_t local = unix_s + offset(unix_s);
    days_ = cel::floor_div(local, kDay);
    date_ = cel::date_from_days(days_);
    seconds_ = local - days_ * kDay;
  }

  Str zone_;
  int64_t unix_ = 0, days_ = 0, seconds_ = 0;
  cel::Date date_{};
};

bool has(uint64_t bits, int value) { return (bits >> value & 1) != 0; }

}  // namespace

Result<CronSchedule> CronSchedule::parse(Str text, Str zone) {
  CronSchedule out;
  if (zone.empty() || zone == "Local" || !cel::zone_offset(zone, 0).ok() ||
      zone.find(':') != Str::npos)
    return invalid("timeZone", "unknown time zone " + go_quote(zone));
  out.zone_ = zone;
  if (text.find("TZ") != Str::npos)
    return bad("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  constexpr Str kEvery = "@every ";
  if (text.starts_with(kEvery)) {
    const Result<int64_t> ns = parse_duration(text.substr(kEvery.size()));
    if (!ns.ok()) return bad(ns.error().message);
    out.every_ = std::max<int64_t>(1, *ns / 1'000'000'000);
    return out;
  }
  Str fields = text;
  for (const Alias& alias : kAliases)
    if (alias.name == text) fields = alias.fields;
  if (fields.starts_with('@')) return bad(go_quote(text) + " is no schedule");
  const std::vector<Str> parts = split(fields, " \t\r\n\v\f", false);
  if (parts.size() != std::size(kFields))
    return bad(go_quote(text) + " has " + std::to_string(parts.size()) +
               " fields, not 5: minute, hour, day of month, month, day of week");
  uint64_t* const bits[] = {&out.minute_, &out.hour_, &out.day_, &out.month_, &out.weekday_};
  for (size_t i = 0; i < parts.size(); ++i) {
    bool any = false;
    const Result<uint64_t> set = field(kFields[i], parts[i], &any);
    if (!set.ok()) return set.error();
    *bits[i] = *set;
    if (bits[i] == &out.day_) out.any_day_ = any;
    if (bits[i] == &out.weekday_) out.any_weekday_ = any;
  }
  return out;
}

// Upstream's search: it goes to the next month, day, hour and minute in turn, and begins again
// where one of them starts anew. Going on by whole hours makes it run twice in the hour that a
// change of the clock repeats, and never in one that it leaves out.
std::optional<int64_t> CronSchedule::next(int64_t after) const {
  if (every_ != 0) return after + every_;
  Wall t(zone_, after + 1);
  const int64_t last_year = t.year() + 5;
  const auto day_matches = [&] {
    const bool day = has(day_, t.day()), weekday = has(weekday_, t.weekday());
    return any_day_ || any_weekday_ ? day && weekday : day || weekday;
  };
  bool cut = false;  // to the beginning of what was looked for
  const auto cut_to = [&](int day, int64_t seconds) {
    if (!cut) t.date(t.year(), t.month(), day, seconds);
    cut = true;
  };
  while (t.year() <= last_year) {
    bool again = false;
    while (!again && !has(month_, t.month())) {
      cut_to(1, 0);
      t.date(t.year(), t.month() + 1, t.day(), t.seconds());
      again = t.month() == 1;
    }
    while (!again && !day_matches()) {
      cut_to(t.day(), 0);
      t.date(t.year(), t.month(), t.day() + 1, t.seconds());
      // Where a change of the clock leaves midnight out, the day begins at another hour.
      if (t.hour() != 0) t.add((t.hour() > 12 ? 24 - t.hour() : -t.hour()) * kHour);
      again = t.day() == 1;
    }
    while (!again && !has(hour_, t.hour())) {
      cut_to(t.day(), t.hour() * kHour);
      t.add(kHour);
      again = t.hour() == 0;
    }
    while (!again && !has(minute_, t.minute())) {
      t.add(kMinute - t.seconds() % kMinute);
      again = t.minute() == 0;
    }
    if (again) continue;
    if (t.seconds() % kMinute == 0) return t.unix_s();
    t.add(kMinute - t.seconds() % kMinute);
  }
  return {};
}

}  // namespace libsched
