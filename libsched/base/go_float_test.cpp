// Numbers with an exponent and without, as Go writes them.
#include "libsched/base/go_float.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <utility>

#include "libsched/base/arena.hpp"

namespace libsched::go_float_test {

TEST_CASE("numbers have an exponent from a million on") {
  const std::pair<double, const char*> numbers[] = {{0, "0"},
                                                    {-0.0, "-0"},
                                                    {1e6, "1e+06"},
                                                    {999999, "999999"},
                                                    {1234567.5, "1.2345675e+06"},
                                                    {1e-5, "1e-05"},
                                                    {0.00012345, "0.00012345"},
                                                    {-0.1, "-0.1"},
                                                    {1e100, "1e+100"},
                                                    {0.1 + 0.2, "0.30000000000000004"},
                                                    {HUGE_VAL, "+Inf"},
                                                    {-HUGE_VAL, "-Inf"},
                                                    {NAN, "NaN"}};
  for (const auto& [number, text] : numbers) CHECK(go_float(number) == text);
}

TEST_CASE("the plain form has no exponent, and JSON's has one for what is small or large") {
  CHECK(go_float(-0.0) == "-0");
  CHECK(go_float(1e6) == "1e+06");
  CHECK(go_float(123456789.0) == "1.23456789e+08");
  CHECK(go_float(0.0001) == "0.0001");
  CHECK(go_float(1e-7) == "1e-07");
  CHECK(go_float_plain(1e23) == "100000000000000000000000");
  CHECK(go_float_plain(-1.5e-7) == "-0.00000015");
  CHECK(json_float(1e20) == "100000000000000000000");
  CHECK(json_float(1e21) == "1e+21");
  CHECK(json_float(-1.5e-7) == "-1.5e-7");
  CHECK(json_float(1e-10) == "1e-10");
  CHECK(json_float(0.0) == "0");
  CHECK(json_float(16777217.0F) == "16777216");
  CHECK(json_float(0.1F) == "0.1");
}

}  // namespace libsched::go_float_test
