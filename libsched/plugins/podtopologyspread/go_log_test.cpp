// go_log against the output of Go 1.26 on amd64.
#include "libsched/plugins/podtopologyspread/go_log.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>

namespace libsched::go_log_test {

struct Fold {
  uint64_t h = 0xcbf29ce484222325;
  void add(double v) { h = (h ^ std::bit_cast<uint64_t>(v)) * 0x100000001b3; }
};

TEST_CASE("ln has the bits of Go's math.Log") {
  struct Case {
    int n;
    uint64_t bits;
  };
  const Case cases[] = {
      {2, 0x3fe62e42fefa39ef},    {3, 0x3ff193ea7aad030a},    {5, 0x3ff9c041f7ed8d33},
      {7, 0x3fff2272ae325a57},    {12, 0x4003e116bcd39e7d},   {33, 0x400bf8d8f4d5b8d1},
      {102, 0x40127ff8df87c7bd},  {1002, 0x401ba3965d405f5f}, {4098, 0x4020a2f23b3c00c1},
      {5002, 0x40210901f6dc84b9}, {65537, 0x40262e44fef939f0}};
  for (const Case& c : cases) {
    CAPTURE(c.n);
    CHECK(std::bit_cast<uint64_t>(go_log(c.n)) == c.bits);
  }
}

TEST_CASE("ln has the bits of Go's math.Log for a million whole and a million odd numbers") {
  Fold whole;
  for (int n = 2; n <= 1000001; ++n) whole.add(go_log(n));
  CHECK(whole.h == 0x0ad4b21727bb2303);
  Fold odd;
  uint64_t x = 88172645463325252;
  for (int i = 0; i < 1000000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    const uint64_t exponent = 1 + (x >> 52) % 2045;
    odd.add(go_log(std::bit_cast<double>(exponent << 52 | (x & ((uint64_t{1} << 52) - 1)))));
  }
  CHECK(odd.h == 0xec79d3d01e1e7397);
}

}  // namespace libsched::go_log_test
