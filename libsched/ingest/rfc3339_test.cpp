// Tests the times that Go accepts and refuses.
#include "libsched/ingest/rfc3339.hpp"

#include <doctest/doctest.h>

#include <limits>

namespace libsched::rfc3339_test {

TEST_CASE("rfc3339: what Go's time.Parse takes") {
  constexpr int64_t kSecond = 1'000'000'000;
  CHECK(parse_rfc3339("1970-01-01T00:00:00Z") == 0);
  CHECK(parse_rfc3339("2026-01-01T00:00:00Z") == 1767225600 * kSecond);
  CHECK(parse_rfc3339("2024-02-29T23:59:59Z") == 1709251199 * kSecond);
  CHECK(parse_rfc3339("1969-12-31T23:59:59Z") == -kSecond);
  CHECK(parse_rfc3339("2026-01-01T01:30:00+01:30") == 1767225600 * kSecond);
  CHECK(parse_rfc3339("2025-12-31T19:00:00-05:00") == 1767225600 * kSecond);
  CHECK(parse_rfc3339("2026-01-01T00:00:00.123456789Z") == 1767225600 * kSecond + 123456789);
  CHECK(parse_rfc3339("2026-01-01T00:00:00.5Z") == 1767225600 * kSecond + 500000000);
  CHECK(parse_rfc3339("2026-01-01T00:00:00,25Z") == 1767225600 * kSecond + 250000000);
  CHECK(parse_rfc3339("2026-01-01T00:00:00.1234567899Z") == 1767225600 * kSecond + 123456789);
  CHECK(parse_rfc3339("2026-01-01T1:00:00Z") == 1767229200 * kSecond);
  CHECK(parse_rfc3339("2026-01-01T00:00:00+24:60") == (1767225600 - 90000) * kSecond);
  CHECK(parse_rfc3339("0001-01-01T00:00:00Z") == std::numeric_limits<int64_t>::min());
  CHECK(parse_rfc3339("9999-12-31T23:59:59Z") == std::numeric_limits<int64_t>::max());
}

TEST_CASE("rfc3339: what it refuses") {
  for (const char* bad : {"",
                          "x",
                          "2026-01-01",
                          "2026-01-01T00:00:00",
                          "2026-01-01 00:00:00Z",
                          "2026-1-01T00:00:00Z",
                          "2026-13-01T00:00:00Z",
                          "2026-00-01T00:00:00Z",
                          "2026-02-29T00:00:00Z",
                          "2026-01-32T00:00:00Z",
                          "2026-01-00T00:00:00Z",
                          "2026-01-01T24:00:00Z",
                          "2026-01-01T00:60:00Z",
                          "2026-01-01T00:00:60Z",
                          "2026-01-01T00:00:00z",
                          "2026-01-01t00:00:00Z",
                          "2026-01-01T00:00:00.Z",
                          "2026-01-01T00:00:00+0100",
                          "2026-01-01T00:00:00+25:00",
                          "2026-01-01T00:00:00+01:61",
                          "2026-01-01T00:00:00Z ",
                          " 2026-01-01T00:00:00Z",
                          "2026-01-01T00:00:00ZZ",
                          "26-01-01T00:00:00Z"}) {
    CAPTURE(bad);
    CHECK_FALSE(parse_rfc3339(bad));
  }
}

}  // namespace libsched::rfc3339_test
