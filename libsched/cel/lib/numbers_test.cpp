// Go's numbers as texts, and durations, which are made of them.
#include "libsched/cel/lib/numbers.hpp"

#include <doctest/doctest.h>

#include "libsched/base/go_float.hpp"

#include <cmath>
#include <limits>

#include "libsched/cel/lib/duration.hpp"

namespace libsched::numbers_test {

using namespace cel;

std::string reprinted(Str text) {
  const auto value = parse_double(text);
  return value ? go_float(*value) : "none";
}

TEST_CASE("integers have base ten and no decoration but a sign") {
  CHECK(parse_int("+007") == 7);
  CHECK(parse_int("-9223372036854775808") == std::numeric_limits<int64_t>::min());
  for (const Str text :
       {"", "+", "-", "+-1", "--1", "1_0", "0x1", " 1", "1 ", "9223372036854775808"})
    CHECK_FALSE(parse_int(text));
  CHECK(parse_uint("18446744073709551615") == std::numeric_limits<uint64_t>::max());
  for (const Str text : {"", "+1", "-1", "18446744073709551616"}) CHECK_FALSE(parse_uint(text));
}

TEST_CASE("doubles are read and written as Go does it") {
  CHECK(reprinted("1_000") == "1000");
  CHECK(reprinted("0x_1p4") == "16");
  CHECK(reprinted("0X.8P1") == "1");
  CHECK(reprinted(".5e1") == "5");
  CHECK(reprinted("-0") == "-0");
  CHECK(reprinted("+inFinity") == "+Inf");
  CHECK(reprinted("nan") == "NaN");
  CHECK(reprinted("1e-400") == "0");
  CHECK(reprinted("0e99999999999999999999") == "0");
  CHECK(reprinted("0x1p-1075") == "0");
  CHECK(reprinted("4.9e-324") == "5e-324");
  for (const Str text : {"", ".", "1e", "0x1", "1__0", "_1", "1_", "1_.5", "+nan", "infi", "1e400",
                         "0x1p1024", "1.7976931348623159e308", " 1", "1f"})
    CHECK(reprinted(text) == "none");
}

TEST_CASE("booleans have six spellings each way") {
  CHECK(parse_bool("True") == true);
  CHECK(parse_bool("f") == false);
  CHECK_FALSE(parse_bool("tRUE"));
  CHECK_FALSE(parse_bool("yes"));
}

TEST_CASE("doubles become integers by truncation within the range") {
  CHECK(double_to_int(-1.9) == -1);
  CHECK(double_to_int(9223372036854774784.0) == 9223372036854774784);
  CHECK_FALSE(double_to_int(9223372036854775808.0));
  CHECK_FALSE(double_to_int(-9223372036854775808.0));
  CHECK_FALSE(double_to_int(std::nan("")));
  CHECK_FALSE(double_to_uint(-0.5));
  CHECK(double_to_uint(18446744073709549568.0) == 18446744073709549568u);
  CHECK_FALSE(double_to_uint(18446744073709551616.0));
  CHECK(format_int(-255, 16) == "-ff");
  CHECK(format_uint(5, 2) == "101");
}

TEST_CASE("durations follow time.ParseDuration") {
  CHECK(parse_duration("1h1m1.5s") == 3661'500'000'000);
  CHECK(parse_duration("-1\u00b5s") == -1000);
  CHECK(parse_duration("1\u03bcs") == 1000);
  CHECK(parse_duration("0") == 0);
  CHECK(parse_duration(".000000001s") == 1);
  CHECK(parse_duration("-9223372036854775808ns") == std::numeric_limits<int64_t>::min());
  for (const Str text : {"", "-", "1", "1d", "s", ".s", "1.s2", "9223372036854775808ns", "2562048h",
                         " 1s", "1s ", "1e3s"})
    CHECK_FALSE(parse_duration(text));
  CHECK(format_duration(3661'500'000'000) == "3661.5s");
  CHECK(format_duration(-1) == "-0.000000001s");
  CHECK(duration_minutes(3661'500'000'000) == 61);
  CHECK(duration_milliseconds(-1'999'999) == -1);
  // The double behind it has no bits for the last nanosecond.
  CHECK(duration_hours(2562046 * 3'600'000'000'000 + 3'599'999'999'999) == 2562047);
  CHECK(duration_seconds(9'223'372'035'999'999'999) == 9'223'372'036);
}

}  // namespace libsched::numbers_test
