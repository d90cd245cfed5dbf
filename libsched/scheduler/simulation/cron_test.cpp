// Schedules of CronJobs: what is read and refused, and next times beside a walk over all minutes.
#include "libsched/scheduler/simulation/cron.hpp"

#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "doctest/doctest.h"
#include "libsched/cel/lib/time_zone.hpp"

namespace libsched::cron_test {

using std::chrono::sys_days;
using std::chrono::year;

int64_t at(int y, unsigned month, unsigned day, int64_t hour = 0, int64_t minute = 0,
           int64_t second = 0) {
  const sys_days date = year(y) / std::chrono::month(month) / std::chrono::day(day);
  return date.time_since_epoch().count() * 86400 + hour * 3600 + minute * 60 + second;
}

CronSchedule parsed(const std::string& text, const std::string& zone = "UTC") {
  Result<CronSchedule> made = CronSchedule::parse(text, zone);
  REQUIRE_MESSAGE(made.ok(), text << ": " << made.error().text());
  return *made;
}

std::string refused(const std::string& text, const std::string& zone = "UTC") {
  const Result<CronSchedule> made = CronSchedule::parse(text, zone);
  return made.ok() ? "" : made.error().text();
}

TEST_CASE("a schedule gives the next time, never the present one") {
  const int64_t noon = at(2026, 1, 1, 12);  // a Thursday
  const auto next = [&](const char* text) { return parsed(text).next(noon); };
  CHECK(next("* * * * *") == noon + 60);
  CHECK(next("0 * * * *") == noon + 3600);
  CHECK(next("@hourly") == noon + 3600);
  CHECK(next("*/20 * * * *") == noon + 1200);
  CHECK(next("5/20 * * * *") == noon + 300);
  CHECK(next("0 12 * * *") == at(2026, 1, 2, 12));
  CHECK(next("30 9-17/4 ? * *") == at(2026, 1, 1, 13, 30));
  CHECK(next("0 0 * * MON,sat") == at(2026, 1, 3));
  CHECK(next("0 0 1 FEB-apr *") == at(2026, 2, 1));
  CHECK(next("@daily") == at(2026, 1, 2));
  CHECK(next("@midnight") == at(2026, 1, 2));
  CHECK(next("@weekly") == at(2026, 1, 4));
  CHECK(next("@monthly") == at(2026, 2, 1));
  CHECK(next("@yearly") == at(2027, 1, 1));
  CHECK(next("@annually") == at(2027, 1, 1));
  CHECK(next("@every 1h30m") == noon + 5400);
  CHECK(next("@every 1ms") == noon + 1);
  CHECK(next("0 0 29 2 *") == at(2028, 2, 29));
  CHECK(!next("0 0 31 2 *"));
  CHECK(parsed("* * * * *").next(noon + 59) == noon + 60);
  CHECK(parsed("* * * * *").next(noon + 60) == noon + 120);
}

TEST_CASE("a day of the month and a day of the week are either, if both are restricted") {
  const int64_t begin = at(2026, 1, 1);
  CHECK(parsed("0 0 20 * fri").next(begin) == at(2026, 1, 2));
  CHECK(parsed("0 0 20 * *").next(begin) == at(2026, 1, 20));
  CHECK(parsed("0 0 ? * fri").next(begin) == at(2026, 1, 2));
  // A step restricts, even from every day on.
  CHECK(parsed("0 0 20 * */6").next(begin) == at(2026, 1, 3));
  CHECK(parsed("0 0 20 * */1").next(begin) == at(2026, 1, 20));
}

TEST_CASE("what is no schedule is refused with the field at fault") {
  CHECK(refused("") ==
        R"(schedule: "" has 0 fields, not 5: minute, hour, day of month, month, day of week)");
  CHECK(refused("0 0 * * * *").starts_with(R"(schedule: "0 0 * * * *" has 6 fields, not 5)"));
  CHECK(refused("@fortnightly") == R"(schedule: "@fortnightly" is no schedule)");
  CHECK(refused("@every soon") == R"(schedule: time: invalid duration "soon")");
  CHECK(refused("60 * * * *") == R"(schedule: minute: "60" is not within 0 to 59)");
  CHECK(refused("* * 0 * *") == R"(schedule: day of month: "0" is not within 1 to 31)");
  CHECK(refused("* * * * 7") == R"(schedule: day of week: "7" is not within 0 to 6)");
  CHECK(refused("* 9-8 * * *") == R"(schedule: hour: "9-8" is empty)");
  CHECK(refused("*/0 * * * *") == R"(schedule: minute: "*/0" has a step of 0)");
  CHECK(refused("* * * noon *") == R"(schedule: month: "noon" is no number)");
  CHECK(refused("1-2-3 * * * *") == R"(schedule: minute: "1-2-3" is no range)");
  CHECK(refused("TZ=UTC 0 * * * *") ==
        "schedule: cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  for (const char* zone : {"", "Local", "Mars/Olympus", "+01:00"})
    CHECK(refused("0 * * * *", zone).starts_with("timeZone: unknown time zone"));
}

TEST_CASE("a change of the clock leaves a time out, or repeats it") {
  // Berlin: 2026-03-29 from 02:00 to 03:00, 2026-10-25 from 03:00 back to 02:00.
  const CronSchedule half_past_two = parsed("30 2 * * *", "Europe/Berlin");
  CHECK(half_past_two.next(at(2026, 3, 28, 12)) == at(2026, 3, 30, 0, 30));
  CHECK(half_past_two.next(at(2026, 10, 24, 12)) == at(2026, 10, 25, 0, 30));
  CHECK(half_past_two.next(at(2026, 10, 25, 0, 30)) == at(2026, 10, 25, 1, 30));
  // Cuba leaves midnight of 2026-03-08 out.
  CHECK(parsed("0 0 * * *", "America/Havana").next(at(2026, 3, 8)) == at(2026, 3, 9, 4));
  CHECK(parsed("0 0 8 3 *", "America/Havana").next(at(2026, 3, 1)) == at(2027, 3, 8, 5));
  CHECK(parsed("0 1 8 3 *", "America/Havana").next(at(2026, 3, 1)) == at(2026, 3, 8, 5));
}

TEST_CASE("next times are those of a walk over all minutes") {
  std::mt19937_64 random(11);
  const auto pick = [&](uint64_t n) { return static_cast<int>(random() % n); };
  struct Part {
    int least, most;
  };
  const Part parts[] = {{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}};
  for (int round = 0; round < 400; ++round) {
    std::string text;
    std::vector<std::vector<bool>> sets;
    bool star[5];
    for (const Part& p : parts) {
      std::vector<bool> set(60, false);
      std::string written;
      const size_t i = sets.size();
      star[i] = pick(3) == 0;
      if (star[i]) {
        written = pick(2) == 0 ? "*" : "?";
        for (int v = p.least; v <= p.most; ++v) set[static_cast<size_t>(v)] = true;
      }
      for (int n = star[i] ? 0 : 1 + pick(3); n > 0; --n) {
        const int low = p.least + pick(static_cast<uint64_t>(p.most - p.least) + 1);
        const int high = low + pick(static_cast<uint64_t>(p.most - low) + 1);
        const int step = 1 + pick(5);
        written += (written.empty() ? "" : ",") + std::to_string(low) + "-" + std::to_string(high) +
                   "/" + std::to_string(step);
        for (int v = low; v <= high; v += step) set[static_cast<size_t>(v)] = true;
      }
      text += (text.empty() ? "" : " ") + written;
      sets.push_back(set);
    }
    const std::string zone = std::vector<std::string>{
        "UTC", "Europe/Berlin", "America/New_York"}[static_cast<size_t>(pick(3))];
    // Half of them begin shortly before the clocks change.
    const int64_t begin = pick(2) == 0 ? at(2026, 1, 1) + pick(366) * 86400 + pick(86400)
                                       : at(2026, pick(2) == 0 ? 3 : 10, 24) + pick(86400);
    const int64_t end = begin + 14 * 86400;
    const auto matches = [&](int64_t moment) {
      const int64_t local = moment + *cel::zone_offset(zone, moment);
      const auto day = std::chrono::floor<std::chrono::days>(
          std::chrono::sys_seconds(std::chrono::seconds(local)));
      const std::chrono::year_month_day date(day);
      const auto has = [&](size_t i, unsigned v) { return static_cast<bool>(sets[i][v]); };
      const auto minute = static_cast<unsigned>((local % 3600) / 60);
      const auto hour = static_cast<unsigned>((local % 86400) / 3600);
      const bool by_day = has(2, static_cast<unsigned>(date.day()));
      const bool by_weekday = has(4, std::chrono::weekday(day).c_encoding());
      return has(0, minute) && has(1, hour) && has(3, static_cast<unsigned>(date.month())) &&
             (star[2] || star[4] ? by_day && by_weekday : by_day || by_weekday);
    };
    const CronSchedule schedule = parsed(text, zone);
    int64_t from = begin;
    for (int64_t moment = begin - begin % 60 + 60; moment < end; moment += 60) {
      if (!matches(moment)) continue;
      CAPTURE(text);
      CAPTURE(zone);
      CAPTURE(begin);
      REQUIRE(schedule.next(from) == moment);
      from = moment;
    }
    const std::optional<int64_t> after = schedule.next(from);
    CHECK((!after || *after >= end));
  }
}

}  // namespace libsched::cron_test
