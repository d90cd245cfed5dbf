// Quantities against upstream's answers, oddities of overflow and of negative fractions included.
#include "libsched/base/quantity.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <type_traits>

namespace libsched::quantity_test {

static_assert(std::is_trivially_copyable_v<Quantity> && std::is_trivially_destructible_v<Quantity>);
static_assert(sizeof(Quantity) <= 24);

constexpr const char* kFormat =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr const char* kNumber = "unable to parse numeric part of quantity";
constexpr const char* kSuffix = "unable to parse quantity's suffix";
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

struct Parsed {
  const char* text;
  const char* error;
  int64_t value, milli_value;
  int sign;
};

// Recorded from k8s.io/apimachinery v0.36.3.
constexpr Parsed kParsed[] = {
    {"0", nullptr, 0, 0, 0},
    {"1", nullptr, 1, 1000, 1},
    {"-1", nullptr, -1, -1000, -1},
    {"+", nullptr, 0, 0, 0},
    {"-", nullptr, 0, 0, 0},
    {".", nullptr, 0, 0, 0},
    {"Ki", nullptr, 0, 0, 0},
    {"-Mi", nullptr, 0, 0, 0},
    {"Pi", kNumber, 0, 0, 0},
    {"e", kSuffix, 0, 0, 0},
    {"1.", nullptr, 1, 1000, 1},
    {".5", nullptr, 1, 500, 1},
    {"1e", kSuffix, 0, 0, 0},
    {"1ee5", kSuffix, 0, 0, 0},
    {"5Ki5", kSuffix, 0, 0, 0},
    {"1 ", kFormat, 0, 0, 0},
    {" 1", kFormat, 0, 0, 0},
    {"1_0", kFormat, 0, 0, 0},
    {"0x10", kFormat, 0, 0, 0},
    {"1.5.5", kFormat, 0, 0, 0},
    {"--1", kSuffix, 0, 0, 0},
    {"100m", nullptr, 1, 100, 1},
    {"-100m", nullptr, -1, -100, -1},
    {"1.5", nullptr, 2, 1500, 1},
    {"-1.5", nullptr, -2, -1500, -1},
    {"1n", nullptr, 1, 1, 1},
    {"1.5n", nullptr, 1, 1, 1},
    {"-1.5n", nullptr, 1, 1, -1},
    {"0.1n", nullptr, 1, 1, 1},
    {"0.0000000001", nullptr, 1, 1, 1},
    {"1.5Gi", nullptr, 1610612736, 1610612736000, 1},
    {"0.1Ki", nullptr, 103, 102400, 1},
    {"-0.1Ki", nullptr, -101, -102400, -1},
    {"1e3", nullptr, 1000, 1000000, 1},
    {"1E3", nullptr, 1000, 1000000, 1},
    {"1E", nullptr, 1000000000000000000, 0, 1},
    {"1E+3", nullptr, 1000, 1000000, 1},
    {"1e-3", nullptr, 1, 1, 1},
    {"1e1000", nullptr, 0, 0, 1},
    {"1e-1000", nullptr, 1, 1, 1},
    {"10E", nullptr, 0, 0, 1},
    {"9223372036854775807", nullptr, 9223372036854775807, -1000, 1},
    {"9223372036854775808", nullptr, kMin, 0, 1},
    {"9223372036854775807.5", nullptr, kMin, -500, 1},
    {"9223372036854775807m", nullptr, 9223372036854776, 9223372036854775807, 1},
    {"8191Pi", nullptr, 9222246136947933184, -1125899906842624000, 1},
    {"8192Pi", nullptr, 9223372036854775807, -1000, 1},
    {"7Ei", nullptr, 8070450532247928832, kMin, 1},
    {"8Ei", nullptr, 9223372036854775807, -1000, 1},
    {"-8Ei", nullptr, -9223372036854775807, 1000, -1},
    {"100Ei", nullptr, 9223372036854775807, -1000, 1},
    {"1628217398250362k", nullptr, 1628217398250362000, 4903919763921457792, 1},
    {"7165687555993412G", nullptr, -5519671284453890048, 0, 1},
    {"519374407533.483T", nullptr, 6328138190574251520, 0, 1},
    {"1e4294967296", nullptr, 1, 1000, 1},
    {"15e4294967299", nullptr, 15000, 15000000, 1},
    {"1e9223372036854775807", nullptr, 1, 100, 1},
    {"1e9223372036854775808", kSuffix, 0, 0, 0},
    {"1e2147483647", nullptr, 0, 1, 1},
    {"-1.5000000000000000000", nullptr, 0, -1500, -1},
    {"12345678901234567890e100", nullptr, 0, 0, 1},
    {"170141183460469231731687303715884105727n", nullptr, -2678913503135258076,
     -4135612447373091795, 1},
    {"170141183460469231731687303715884105728n", nullptr, -2678913503135258076,
     -4135612447373091795, 1},
    {"-99999999999999999999999999999999999999999999", nullptr, 8169529726, 8169529725051, -1},
    {"0.0000000000000000000e5", nullptr, 0, 0, 0},
};

struct Pair {
  const char *a, *b;
  int order;
  int64_t sum_value, sum_milli_value;
  int sum_sign;
};

constexpr Pair kPairs[] = {
    {"1", "1000m", 0, 2, 2000, 1},
    {"1", "999999999n", 1, 2, 2000, 1},
    {"-1", "-1.0000000000000000000", 0, -2, -2000, -1},
    {"1e1000", "12345678901234567890e100", 1, 0, 0, 1},
    {"0", "-0.0000000000000000000", 0, 0, 0, 0},
    {"9223372036854775807", "1", 1, kMin, 0, 1},
    {"9223372036854775807", "9223372036854775807", 0, -2, -2000, 1},
    {"9223372036854775807", "0.5", 1, kMin, -500, 1},
    {"100m", "200m", -1, 1, 300, 1},
    {"1", "1n", 1, 2, 1001, 1},
    {"9E", "9E", 0, 0, 0, 1},
    {"10E", "1n", 1, -8446744073709551615, 1864712049423024129, 1},
    {"1e30", "1", 1, 5076944270305263617, 4089650035136922600, 1},
    {"7Ei", "7Ei", 0, -2305843009213693952, 0, 1},
    {"8Ei", "1", 1, kMin, 0, 1},
    {"1.5Gi", "500m", 1, 1610612737, 1610612736500, 1},
    {"-1.5Gi", "0.1Ki", -1, -1610612632, -1610612633600, -1},
    {"1e1000", "1n", 1, 1, 1, 1},
    {"99999999999999999999999999999999999999999", "1n", 1, 4870020673419870208, 80237960548580377,
     1},
    {"99999999999999999999999999999999999999999", "-99999999999999999999999999999999999999999", 1,
     0, 0, 0},
    {"-1e300", "1e299", -1, 0, 0, -1},
    {"170141183460469231731687303715884105727n", "1n", 1, -2678913503135258076,
     -4135612447373091795, 1},
    {"-170141183460469231731687303715884105727n", "-2n", -1, 1, 1, -1},
    {"0", "0.0000000000000000000e5", 0, 0, 0, 0},
    {"1", "0.0000000000000000000e5", 1, 1, 1000, 1},
};

Quantity quantity(Str text) {
  auto q = Quantity::parse(text);
  REQUIRE_MESSAGE(q.ok(), std::string(text));
  return *q;
}

TEST_CASE("texts give upstream's values and errors") {
  for (const Parsed& want : kParsed) {
    CAPTURE(want.text);
    const auto got = Quantity::parse(want.text);
    REQUIRE(got.ok() == (want.error == nullptr));
    if (!got.ok()) {
      CHECK(got.error().message == want.error);
      CHECK(got.error().rc == Rc::kInvalid);
      continue;
    }
    CHECK(got->value() == want.value);
    CHECK(got->milli_value() == want.milli_value);
    CHECK(got->sign() == want.sign);
    CHECK(got->is_zero() == (want.sign == 0));
  }
  CHECK(Quantity::parse("").error().message == kFormat);
  CHECK(Quantity::parse(Str("1\0", 2)).error().message == kFormat);
}

TEST_CASE("pairs compare and add as upstream") {
  for (const Pair& want : kPairs) {
    CAPTURE(want.a);
    CAPTURE(want.b);
    const Quantity a = quantity(want.a), b = quantity(want.b);
    CHECK(a.compare(b) == want.order);
    CHECK(b.compare(a) == -want.order);
    Quantity sum = a;
    sum.add(b);
    CHECK(sum.value() == want.sum_value);
    CHECK(sum.milli_value() == want.sum_milli_value);
    CHECK(sum.sign() == want.sum_sign);
  }
}

TEST_CASE("addition and order are exact, whatever the representation") {
  const Quantity huge = quantity("1e300");
  Quantity sum = huge;
  sum.add(quantity("1n"));
  CHECK(sum.compare(huge) == 1);
  sum.add(quantity("-1e300"));
  CHECK(sum.compare(quantity("1n")) == 0);
  CHECK(sum.to_string() == "0.000000001");
  Quantity thirds;
  const Quantity third = quantity("33333333333333333333333333333333333333333333.4");
  for (int i = 0; i < 3; ++i) thirds.add(third);
  CHECK(thirds.to_string() == "100000000000000000000000000000000000000000000.2");
}

// Recorded from k8s.io/apiserver v0.36.3: quantity(text).sub(-9223372036854775808).
TEST_CASE("the smallest int64 is its own negative among amounts, and no others") {
  const std::pair<const char*, const char*> recorded[] = {
      {"0", "-9223372036854775808"},
      {"1", "-9223372036854775807"},
      {"1k", "-9223372036854774808"},
      {"1E", "-8223372036854775808"},
      {"-1", "9223372036854775807"},
      {".5", "9223372036854775808.5"},
      {"0.0000000001", "9223372036854775808.000000001"},
      {"9223372036854775807", "18446744073709551615"},
      {"-9223372036854775808", "0"},
      {"12345678901234567890", "21569050938089343698"},
  };
  for (const auto& [text, want] : recorded) {
    CAPTURE(text);
    Quantity difference = quantity(text);
    difference.subtract(Quantity::from_int(kMin));
    CHECK(difference.to_string() == want);
  }
  // Decimals have no such number: the smallest of 128 bits is subtracted exactly, too.
  Quantity least = quantity("-170141183460469231731687303715884105727n");
  least.subtract(quantity("1n"));
  Quantity difference = quantity("1n");
  difference.subtract(least);
  CHECK(difference.to_string() == "170141183460469231731687303715.884105729");
}

TEST_CASE("exponents beyond all use cost nothing") {
  CHECK(quantity("1e2000000000").compare(quantity("9e1999999999")) == 1);
  CHECK(quantity("-1e2000000000").compare(quantity("1")) == -1);
  CHECK(quantity("1e2000000000").to_string() == "1e2000000000");
  Quantity sum = quantity("3e2000000000");
  sum.add(quantity("1"));
  CHECK(sum.compare(quantity("3e2000000000")) == 0);
  CHECK(quantity("1234567890123456789e90000000").to_string() == "1234567890123456789e90000000");
  CHECK(Quantity::parse("1234567890123456789e200000000").error().rc == Rc::kLimit);
  CHECK(Quantity::parse(std::string(200000, '9')).error().rc == Rc::kLimit);
  CHECK(quantity(std::string(100000, '9')).sign() == 1);
}

TEST_CASE("white space is dropped where JSON is read") {
  CHECK(Quantity::parse_trimmed(" \t1Gi\r\n\u00a0")->value() == 1 << 30);
  CHECK(Quantity::parse_trimmed("1 Gi").error().message == kFormat);
  CHECK(Quantity::parse_trimmed("  ").error().message == kFormat);
  CHECK(Quantity::parse_trimmed("\xc2"
                                "1")
            .error()
            .message == kFormat);
}

TEST_CASE("numbers and exact decimals") {
  CHECK(Quantity::from_int(3).milli_value() == 3000);
  CHECK(Quantity::from_milli(1500).value() == 2);
  CHECK(Quantity().is_zero());
  CHECK(quantity("-1.50Gi").to_string() == "-1610612736");
  CHECK(quantity("0.0250").to_string() == "0.025");
  CHECK(quantity("12E").to_string() == "12000000000000000000");
}

}  // namespace libsched::quantity_test
