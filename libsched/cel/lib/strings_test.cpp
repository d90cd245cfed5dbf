// Strings by code points, and bytes that are not UTF-8 among them.
#include "libsched/cel/lib/strings.hpp"

#include <doctest/doctest.h>

#include <random>

namespace libsched::strings_test {

using namespace cel;

using Parts = std::vector<Str>;

std::string text_of(const Result<std::string>& text) {
  return text ? *text : "error: " + text.error().message;
}

TEST_CASE("places are code points") {
  CHECK(code_points("a\u00e9\U0001d4b3") == 3);
  CHECK(text_of(char_at("a\u00e9b", 1)) == "\u00e9");
  CHECK(text_of(char_at("ab", 2)).empty());
  CHECK(text_of(char_at("ab", 3)) == "error: index out of range: 3");
  CHECK(text_of(char_at("ab", -1)) == "error: index out of range: -1");
  CHECK(text_of(substring("\u00e9a\u00e9", 1)) == "a\u00e9");
  CHECK(text_of(substring("\u00e9a\u00e9", 1, 2)) == "a");
  CHECK(text_of(substring("abc", 3, 1)) == "error: invalid substring range. start: 3, end: 1");
  CHECK(text_of(substring("abc", 1, 4)) == "error: index out of range: 4");
  CHECK(text_of(substring("abc", 4)) == "error: index out of range: 4");
}

TEST_CASE("searching finds code points") {
  CHECK(index_of("\u00e9a\u00e9a", "a") == 1);
  CHECK(*index_of("\u00e9a\u00e9a", "a", 2) == 3);
  CHECK(*index_of("aa", "a", 5) == -1);
  CHECK(*index_of("aa", "", 5) == 5);
  CHECK(index_of("aa", "a", -1).error().message == "index out of range: -1");
  CHECK(last_index_of("\u00e9a\u00e9a", "a") == 3);
  CHECK(last_index_of("aaa", "aa") == 1);
  CHECK(*last_index_of("abab", "ab", 1) == 0);
  CHECK(*last_index_of("abab", "ab", 3) == 2);
  CHECK(*last_index_of("abab", "ab", 4) == -1);
  CHECK(last_index_of("ab", "") == 2);
  CHECK(contains("abc", ""));
  CHECK_FALSE(contains("", "a"));
}

TEST_CASE("bytes that are not UTF-8 are one U+FFFD each") {
  CHECK(code_points("\xff\xe2\x82") == 3);
  CHECK(code_points("\xed\xa0\x80") == 3);
  CHECK(text_of(char_at("a\xff", 1)) == "\ufffd");
  CHECK(index_of("a\xff", "\ufffd") == 1);
  // Upstream compares the lengths in bytes first.
  CHECK(last_index_of("\xff", "\ufffd") == -1);
  CHECK(upper_ascii("a\xff") == "A\ufffd");
  CHECK(split("a\xff", "") == Parts{"a", "\xff"});
  CHECK(trim("\xff ") == "\xff");
}

TEST_CASE("replacing and splitting have limits") {
  CHECK(text_of(replace("aaa", "a", "b", 2)) == "bba");
  CHECK(text_of(replace("a\u00e9", "", "-")) == "-a-\u00e9-");
  CHECK(text_of(replace("ab", "", "-", 2)) == "-a-b");
  CHECK(text_of(replace("aaa", "aa", "a")) == "aa");
  CHECK(text_of(replace("abc", "x", "y")) == "abc");
  CHECK(split("a,b,,c", ",") == Parts{"a", "b", "", "c"});
  CHECK(split("a,b,c", ",", 2) == Parts{"a", "b,c"});
  CHECK(split("a,b", ",", 0).empty());
  CHECK(split("", ",") == Parts{""});
  CHECK(split("", "").empty());
  CHECK(split("ab\u00e9", "", 2) == Parts{"a", "b\u00e9"});
  CHECK(text_of(join({"a", "", "b"}, ", ")) == "a, , b");
  CHECK(text_of(join({}, ", ")).empty());
}

TEST_CASE("white space is Unicode's, letters are ASCII's") {
  CHECK(trim(" \t\n\v\f\r\u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000x\u3000 ") ==
        "x");
  CHECK(trim("\u200b") == "\u200b");
  CHECK(trim("\ufeff") == "\ufeff");
  CHECK(trim("\xe3\x80").size() == 2);
  CHECK(lower_ascii("AZ\u00c9") == "az\u00c9");
  CHECK(quote("\"\\\a\b\f\n\r\t\v\u00e9\xff") == "\"\\\"\\\\\\a\\b\\f\\n\\r\\t\\v\u00e9\ufffd\"");
}

TEST_CASE("short and long parts are found where they are") {
  std::mt19937 random(1);
  const auto text_of_size = [&](size_t size) {
    std::string text(size, 'a');
    for (char& c : text)
      if (random() % 16 == 0) c = 'b';
    return text;
  };
  size_t found = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string text = text_of_size(random() % 400);
    const size_t size = 1 + random() % 70;
    const bool within = i % 2 == 0 && size <= text.size();
    const std::string part =
        within ? text.substr(random() % (text.size() - size + 1), size) : text_of_size(size);
    const auto place = [](size_t at) {
      return at == std::string::npos ? -1 : static_cast<int64_t>(at);
    };
    CHECK(index_of(text, part) == place(text.find(part)));
    CHECK(last_index_of(text, part) == place(text.rfind(part)));
    found += contains(text, part);
  }
  CHECK(found > 200);
  CHECK(found < 400);
  // From an offset on, and again and again.
  const std::string long_part = std::string(40, 'x') + "y";
  CHECK(index_of(long_part + long_part, long_part, 1).value() == 41);
  CHECK(split(long_part + "1" + long_part + long_part + "2", long_part) == Parts{"", "1", "", "2"});
  CHECK(text_of(replace("1" + long_part + "2" + long_part, long_part, "-")) == "1-2-");
}

TEST_CASE("long texts end in a limit or in time") {
  const std::string half(kMostBytes / 2, 'a');
  CHECK(replace(half, "", "abc").error().rc == Rc::kLimit);
  CHECK(join({half, half}, ",").error().rc == Rc::kLimit);
  // Quadratic searches would take minutes.
  const std::string text(1 << 20, 'a');
  const std::string part = std::string(1 << 19, 'a') + "b";
  const std::string reversed = "b" + std::string(1 << 19, 'a');
  CHECK(index_of(text, part) == -1);
  CHECK(last_index_of(text, reversed) == -1);
  CHECK(split(text, "a").size() == text.size() + 1);
}

}  // namespace libsched::strings_test
