// Backoff: durations, full seconds, and ends of backoffs.
#include "libsched/scheduler/queue/backoff.hpp"

#include <doctest/doctest.h>

namespace libsched::backoff_test {

constexpr int64_t kS = kSecondNs;

TEST_CASE("the duration doubles up to the maximum, which is reached exactly") {
  const Backoff backoff(kS, 10 * kS, true);
  CHECK(backoff.duration(0) == 0);
  CHECK(backoff.duration(1) == kS);
  CHECK(backoff.duration(2) == 2 * kS);
  CHECK(backoff.duration(4) == 8 * kS);
  CHECK(backoff.duration(5) == 10 * kS);
  CHECK(backoff.duration(64) == 10 * kS);
  CHECK(backoff.duration(UINT32_MAX) == 10 * kS);
  CHECK(Backoff(0, 10 * kS, true).duration(70) == 0);
}

TEST_CASE("consecutive errors count instead of the rejections") {
  const Backoff backoff(kS, 100 * kS, false);
  CHECK(backoff.expiration(5, 7, 0) == 5 + 64 * kS);
  CHECK(backoff.expiration(5, 7, 1) == 5 + kS);
  CHECK(backoff.expiration(5, 0, 0) == kNoTime);
}

TEST_CASE("a maximum of 0 disables backoff") {
  const Backoff backoff(kS, 0, true);
  CHECK(backoff.expiration(5, 3, 0) == kNoTime);
  CHECK(backoff.over(kNoTime, 0));
}

TEST_CASE("with windows the end is a full second, and its window must be over") {
  const Backoff windows(kS, 10 * kS, true), exact(kS, 10 * kS, false);
  const int64_t since = 10 * kS + 900'000'000;
  CHECK(windows.expiration(since, 1, 0) == 11 * kS);
  CHECK(exact.expiration(since, 1, 0) == 11 * kS + 900'000'000);
  CHECK_FALSE(windows.over(11 * kS, 11 * kS + 999'999'999));
  CHECK(windows.over(11 * kS, 12 * kS));
  CHECK_FALSE(exact.over(11 * kS, 11 * kS));
  CHECK(exact.over(11 * kS, 11 * kS + 1));
}

TEST_CASE("times before 1970 are in the window below, and no sum overflows") {
  const Backoff windows(INT64_MAX, INT64_MAX, true);
  CHECK(windows.align(-1) == -kS);
  CHECK(windows.align(-kS) == -kS);
  CHECK(windows.expiration(5 * kS, 1, 0) > 0);
}

}  // namespace libsched::backoff_test
