// Versions, their order and upstream's error texts.
#include "libsched/cel/lib/semver.hpp"

#include <doctest/doctest.h>

namespace libsched::semver_test {

using namespace cel;

std::string parsed(Str text, bool normalize = false) {
  auto version = parse_semver(text, normalize);
  return version ? to_string(*version) : "error: " + version.error().message;
}

int order(Str a, Str b) { return compare(*parse_semver(a), *parse_semver(b)); }

TEST_CASE("versions are parsed as semver/v4 does") {
  CHECK(parsed("1.2.3-alpha.1+build.7") == "1.2.3-alpha.1+build.7");
  CHECK(parsed("18446744073709551615.0.0") == "18446744073709551615.0.0");
  CHECK(parsed("1.2.3+a-b") == "1.2.3+a-b");
  CHECK(parsed("") == "error: Version string empty");
  CHECK(parsed("1.2") == "error: No Major.Minor.Patch elements found");
  CHECK(parsed("x.2.3") == R"(error: Invalid character(s) found in major number "x")");
  CHECK(parsed("1.02.3") == R"(error: Minor number must not contain leading zeroes "02")");
  CHECK(parsed("1.2.3.4") == R"(error: Invalid character(s) found in patch number "3.4")");
  CHECK(parsed("1..3") == R"(error: strconv.ParseUint: parsing "": invalid syntax)");
  CHECK(parsed("1.2.18446744073709551616") ==
        R"(error: strconv.ParseUint: parsing "18446744073709551616": value out of range)");
  CHECK(parsed("1.2.3-") == "error: Prerelease is empty");
  CHECK(parsed("1.2.3-a..b") == "error: Prerelease is empty");
  CHECK(parsed("1.2.3-01") ==
        R"(error: Numeric PreRelease version must not contain leading zeroes "01")");
  CHECK(parsed("1.2.3-a_b") == R"(error: Invalid character(s) found in prerelease "a_b")");
  CHECK(parsed("1.2.3+") == "error: Build meta data is empty");
  CHECK(parsed("1.2.3+\u00e9") ==
        "error: Invalid character(s) found in build meta data \"\u00e9\"");
}

TEST_CASE("normalising drops a v and zeros and adds parts") {
  CHECK(parsed("v1", true) == "1.0.0");
  CHECK(parsed("v01.002.0003-a+b", true) == "1.2.3-a+b");
  CHECK(parsed("1.2.-rc.1+b.2", true) == "1.2.0-rc.1+b.2");
  CHECK(parsed("1.2.+b", true) == "1.2.0+b");
  CHECK(parsed("1-a", true) == "error: short version cannot contain PreRelease/Build meta data");
  CHECK(parsed("vv1", true) == R"(error: Invalid character(s) found in major number "0v1")");
  CHECK(parsed("v1.2.3") == R"(error: Invalid character(s) found in major number "v1")");
}

TEST_CASE("the order knows numbers and ignores build data") {
  const Str ascending[] = {"1.0.0-0",   "1.0.0-9",     "1.0.0-10",  "1.0.0-A", "1.0.0-a",
                           "1.0.0-a.1", "1.0.0-a.1.0", "1.0.0-a.b", "1.0.0-b", "1.0.0",
                           "1.0.1-a",   "1.1.0",       "9.0.0",     "10.0.0"};
  for (size_t i = 0; i < std::size(ascending); ++i)
    for (size_t j = 0; j < std::size(ascending); ++j)
      CHECK(order(ascending[i], ascending[j]) == (i < j ? -1 : i > j ? 1 : 0));
  CHECK(order("1.0.0+a", "1.0.0+b") == 0);
}

}  // namespace libsched::semver_test
