// Compares durations with those that Go's time package reads and prints.
#include "libsched/config/duration.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace libsched::duration_test {

std::string error_of(Str text) {
  auto d = parse_duration(text);
  return d ? "" : d.error().message;
}

TEST_CASE("durations are read and printed as Go does it") {
  struct Case {
    const char* text;
    int64_t ns;
    const char* printed;
  };
  constexpr int64_t kSecond = 1000000000;
  const Case cases[] = {
      {"0", 0, "0s"},
      {"5s", 5 * kSecond, "5s"},
      {"+5s", 5 * kSecond, "5s"},
      {"-5s", -5 * kSecond, "-5s"},
      {"1500ms", 1500000000, "1.5s"},
      {"1.5h", 5400 * kSecond, "1h30m0s"},
      {"600s", 600 * kSecond, "10m0s"},
      {"1h15m30.918273645s", 4530918273645, "1h15m30.918273645s"},
      {"10ns", 10, "10ns"},
      {"11us", 11000, "11\xc2\xb5s"},
      {"12\xc2\xb5s", 12000, "12\xc2\xb5s"},
      {"12\xce\xbcs", 12000, "12\xc2\xb5s"},
      {"2200us", 2200000, "2.2ms"},
      {".5s", kSecond / 2, "500ms"},
      {"1.s", kSecond, "1s"},
      {"0.000000001s", 1, "1ns"},
      {"9223372036854775807ns", std::numeric_limits<int64_t>::max(), "2562047h47m16.854775807s"},
      {"-9223372036854775808ns", std::numeric_limits<int64_t>::min(), "-2562047h47m16.854775808s"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.text);
    const auto ns = parse_duration(c.text);
    REQUIRE(ns.ok());
    CHECK_EQ(*ns, c.ns);
    CHECK_EQ(duration_text(*ns), c.printed);
  }
}

TEST_CASE("what is no duration is told in Go's words") {
  CHECK_EQ(error_of(""), "time: invalid duration \"\"");
  CHECK_EQ(error_of("-"), "time: invalid duration \"-\"");
  CHECK_EQ(error_of("soon"), "time: invalid duration \"soon\"");
  CHECK_EQ(error_of("3"), "time: missing unit in duration \"3\"");
  CHECK_EQ(error_of(".s"), "time: invalid duration \".s\"");
  CHECK_EQ(error_of("1d"), "time: unknown unit \"d\" in duration \"1d\"");
  CHECK_EQ(error_of("9223372036854775808ns"), "time: invalid duration \"9223372036854775808ns\"");
  CHECK_EQ(error_of("3000000h"), "time: invalid duration \"3000000h\"");
  CHECK_EQ(error_of("\x01\xc3\xa9"), "time: invalid duration \"\\x01\\xc3\\xa9\"");
}

}  // namespace libsched::duration_test
