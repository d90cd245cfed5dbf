// Regular expressions where RE2 and Go differ, and a few where they don't.
#include "libsched/cel/lib/regex.hpp"

#include <doctest/doctest.h>

#include <string>

namespace libsched::regex_test {

using namespace cel;

using Parts = std::vector<Str>;

std::string refused(Str pattern) {
  auto regex = Regex::compile(pattern);
  return regex ? "" : regex.error().message;
}

bool matches(Str text, Str pattern) { return Regex::compile(pattern)->matches(text); }
Parts all(Str text, Str pattern, int64_t limit = -1) {
  return Regex::compile(pattern)->find_all(text, limit);
}

TEST_CASE("matches are found anywhere, leftmost first") {
  CHECK(matches("NVIDIA A100", "A1.0$"));
  CHECK_FALSE(matches("a\nb", "a.b"));
  CHECK(matches("a\nb", "(?s)a.b"));
  CHECK_FALSE(matches("a\nb", "^b"));
  CHECK(Regex::compile("a|ab")->find("xab") == "a");
  CHECK(Regex::compile("z")->find("xab").empty());
  CHECK(matches("ab", "(?<name>a)(?P<other>b)"));
  CHECK(matches("ab", "(?<n>a)(?P<n>b)"));
  CHECK(matches("(?<n>", R"(\Q(?<n>\E)"));
}

TEST_CASE("find_all has Go's rule about empty matches") {
  CHECK(all("baac", "a*") == Parts{"", "aa", ""});
  CHECK(all("abab", "ab", 1) == Parts{"ab"});
  CHECK(all("abab", "ab", 0).empty());
  CHECK(all("", "a*") == Parts{""});
  CHECK(all("\u00e9", "") == Parts{"", ""});
  CHECK(all("a\u00e9", R"(\B)") == Parts{""});
}

TEST_CASE("bytes that are not UTF-8 are characters") {
  CHECK(
      matches("a\xff"
              "b",
              "a.b"));
  CHECK(all("\xff\u00e9\xfe"
            "b",
            ".") == Parts{"\xff", "\u00e9", "\xfe", "b"});
  CHECK(all("x\xff\xff"
            "ab",
            "[ab]+") == Parts{"ab"});
}

TEST_CASE("wrong patterns get Go's errors") {
  const std::string prefix = "error parsing regexp: ";
  CHECK(refused("[") == prefix + "missing closing ]: `[`");
  CHECK(refused("(a") == prefix + "missing closing ): `(a`");
  CHECK(refused("a)") == prefix + "unexpected ): `a)`");
  CHECK(refused("*") == prefix + "missing argument to repetition operator: `*`");
  CHECK(refused("a**") == prefix + "invalid nested repetition operator: `**`");
  CHECK(refused("a{1001}") == prefix + "invalid repeat count: `{1001}`");
  CHECK(refused("a*{1001}") == prefix + "invalid repeat count: `{1001}`");
  CHECK(refused("a*{2,1}") == prefix + "invalid repeat count: `{2,1}`");
  CHECK(refused("\\") == prefix + "trailing backslash at end of expression: ``");
  CHECK(refused("\\C") == prefix + "invalid escape sequence: `\\C`");
  CHECK(refused("*\\C") == prefix + "missing argument to repetition operator: `*`");
  CHECK(refused("[b-a]") == prefix + "invalid character class range: `b-a`");
  CHECK(refused("(?=a)") == prefix + "invalid or unsupported Perl syntax: `(?=`");
  CHECK(refused("(?<!a)") == prefix + "invalid named capture: `(?<!a)`");
  CHECK(refused("(?P<\u00e9>a)") == prefix + "invalid named capture: `(?P<\u00e9>`");
  CHECK(refused("\xff").starts_with(prefix + "invalid UTF-8"));
}

TEST_CASE("memory is bounded") {
  std::string pattern = "x";
  for (int i = 0; i < 40; ++i) pattern = "(" + pattern + "\\pL{100})";
  CHECK(refused(pattern).starts_with("error parsing regexp: expression too large"));
  CHECK_FALSE(refused(std::string(100'000, '(')).empty());
}

}  // namespace libsched::regex_test
