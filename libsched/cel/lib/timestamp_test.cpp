// Timestamps and their parts in zones.
#include "libsched/cel/lib/timestamp.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "libsched/cel/lib/time_zone.hpp"

namespace libsched::timestamp_test {

using namespace cel;

constexpr int64_t kSecond = 1'000'000'000;

std::string text_of(const Result<Timestamp>& t) {
  return t ? format_timestamp(*t) : t.error().message;
}
std::string reprinted(Str text) { return text_of(parse_timestamp(text)); }

std::string part(TimePart p, Str time, Str zone) {
  auto value = time_part(p, *parse_timestamp(time), zone);
  return value ? std::to_string(*value) : value.error().message;
}

TEST_CASE("timestamps keep their offset") {
  CHECK(reprinted("2024-02-29T23:59:59.120Z") == "2024-02-29T23:59:59.12Z");
  CHECK(reprinted("2024-02-29T00:00:00-05:30") == "2024-02-29T00:00:00-05:30");
  CHECK(reprinted("2024-02-29T00:00:00+00:00") == "2024-02-29T00:00:00Z");
  CHECK(reprinted("0001-01-01T00:00:00Z") == "0001-01-01T00:00:00Z");
  CHECK(reprinted("9999-12-31T23:59:59.999999999Z") == "9999-12-31T23:59:59.999999999Z");
  CHECK(parse_timestamp("2000-01-01T00:00:00Z")->seconds == 946'684'800);
}

TEST_CASE("upstream's parser is lenient in some places") {
  CHECK(reprinted("2024-01-01T1:02:03Z") == "2024-01-01T01:02:03Z");
  CHECK(reprinted("2024-01-01T01:02:03,5Z") == "2024-01-01T01:02:03.5Z");
  CHECK(reprinted("2024-01-01T01:02:03.1234567899Z") == "2024-01-01T01:02:03.123456789Z");
  CHECK(reprinted("2024-01-01T01:02:03+24:60") == "2024-01-01T01:02:03+25:00");
}

TEST_CASE("what is no timestamp or too far away is refused") {
  const std::string wrong = "type conversion error from 'string' to 'google.protobuf.Timestamp'";
  for (const Str text :
       {"", "2024", "2023-02-29T00:00:00Z", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z",
        "2024-01-01T00:60:00Z", "2024-01-01T00:00:60Z", "2024-01-01t00:00:00Z",
        "2024-01-01T00:00:00", "2024-01-01T00:00:00z", "2024-01-01T00:00:00+0100",
        "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00Zx", "2024-01-01T00:00:00+25:00"})
    CHECK(reprinted(text) == wrong);
  CHECK(reprinted("0000-12-31T23:59:59Z") == "timestamp overflow");
  CHECK(reprinted("9999-12-31T23:59:59-00:01") == "timestamp overflow");
  CHECK(text_of(timestamp_of(253'402'300'800)) == "timestamp overflow");
  CHECK(text_of(timestamp_of(-1)) == "1969-12-31T23:59:59Z");
}

TEST_CASE("arithmetic has limits") {
  const Timestamp t = *parse_timestamp("2024-01-01T00:00:00.5+01:00");
  CHECK(text_of(add_duration(t, -kSecond * 3 / 4)) == "2023-12-31T23:59:59.75+01:00");
  CHECK(text_of(subtract_duration(t, -kSecond)) == "2024-01-01T00:00:01.5+01:00");
  CHECK(text_of(subtract_duration(t, std::numeric_limits<int64_t>::min())) == "integer overflow");
  const int64_t most = std::numeric_limits<int64_t>::max();
  CHECK(text_of(subtract_duration(t, most)) == "1731-09-22T00:12:43.645224193+01:00");
  const Timestamp last = *parse_timestamp("9999-12-31T23:59:59Z");
  CHECK(text_of(add_duration(last, kSecond)) == "timestamp overflow");
  CHECK(*subtract(t, *add_duration(t, -1)) == 1);
  CHECK(subtract(last, t).error().message == "integer overflow");
  CHECK(compare(t, *parse_timestamp("2023-12-31T23:00:00.5Z")) == 0);
  CHECK(compare(t, last) == -1);
}

TEST_CASE("parts count as CEL does") {
  const Timestamp t = *parse_timestamp("2024-02-29T23:59:58.987Z");
  std::vector<int64_t> parts;
  for (int i = 0; i < 10; ++i) parts.push_back(time_part(static_cast<TimePart>(i), t));
  CHECK(parts == std::vector<int64_t>{2024, 1, 59, 28, 29, 4, 23, 59, 58, 987});
  CHECK(time_part(TimePart::kDayOfWeek, *parse_timestamp("1969-12-31T00:00:00Z")) == 3);
}

TEST_CASE("zones are offsets or names") {
  const Str time = "2024-12-31T23:30:00Z";
  CHECK(part(TimePart::kFullYear, time, "+00:30") == "2025");
  CHECK(part(TimePart::kHours, time, "-1:30") == "22");
  CHECK(part(TimePart::kMinutes, time, "-00:45") == "45");
  CHECK(part(TimePart::kHours, time, "") == "23");
  CHECK(part(TimePart::kHours, time, "UTC") == "23");
  CHECK(part(TimePart::kHours, time, "x:00") == R"(strconv.Atoi: parsing "x": invalid syntax)");
  CHECK(part(TimePart::kHours, time, ":") == R"(strconv.Atoi: parsing "": invalid syntax)");
  CHECK(part(TimePart::kHours, time, "9223372036854775808:0") ==
        R"(strconv.Atoi: parsing "9223372036854775808": value out of range)");
  CHECK(part(TimePart::kHours, time, "Atlantis/Port") == "unknown time zone Atlantis/Port");
  CHECK(part(TimePart::kHours, time, "europe/berlin") == "unknown time zone europe/berlin");
  CHECK(part(TimePart::kHours, time, "../UTC") == "time: invalid location name");
}

int64_t offset(Str zone, Str time) { return *zone_offset(zone, parse_timestamp(time)->seconds); }

TEST_CASE("named zones follow their history and then their rule") {
  // Before the first change, local mean time.
  CHECK(offset("Europe/Berlin", "1800-01-01T00:00:00Z") == 3208);
  CHECK(offset("Europe/Berlin", "1945-06-01T00:00:00Z") == 3 * 3600);
  CHECK(offset("Europe/Berlin", "2024-03-31T00:59:59Z") == 3600);
  CHECK(offset("Europe/Berlin", "2024-03-31T01:00:00Z") == 7200);
  CHECK(offset("Europe/Berlin", "9998-07-01T00:00:00Z") == 7200);
  CHECK(offset("America/New_York", "2100-11-07T05:59:59Z") == -4 * 3600);
  CHECK(offset("America/New_York", "2100-11-07T06:00:00Z") == -5 * 3600);
  CHECK(offset("Australia/Sydney", "2100-01-01T00:00:00Z") == 11 * 3600);
  CHECK(offset("Australia/Sydney", "2100-07-01T00:00:00Z") == 10 * 3600);
  CHECK(offset("Europe/Dublin", "2024-07-01T00:00:00Z") == 3600);
  CHECK(offset("Asia/Kathmandu", "2024-01-01T00:00:00Z") == 20'700);
  CHECK(offset("Etc/GMT+5", "2024-01-01T00:00:00Z") == -5 * 3600);
  // Latvia kept its standard time in the summer of 2000, and has changed clocks by the rule since.
  CHECK(offset("Europe/Riga", "2000-07-01T00:00:00Z") == 7200);
  CHECK(offset("Europe/Riga", "2001-07-01T00:00:00Z") == 10'800);
  // The 30th of December 2011 is missing here.
  CHECK(part(TimePart::kDate, "2011-12-30T09:59:59Z", "Pacific/Apia") == "29");
  CHECK(part(TimePart::kDate, "2011-12-30T10:00:00Z", "Pacific/Apia") == "31");
}

}  // namespace libsched::timestamp_test
