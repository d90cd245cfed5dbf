// What is UTF-8, and the bytes of code points.
#include "libsched/base/utf8.hpp"

#include <doctest/doctest.h>

namespace libsched::utf8_test {

TEST_CASE("UTF-8 is told from other bytes") {
  for (const char* good : {"", "a", "\u00e9\ufffd\U0001F600"}) CHECK(valid_utf8(good));
  for (const char* bad : {"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80"})
    CHECK_FALSE(valid_utf8(bad));
}

TEST_CASE("code points are written as the bytes that they are read from") {
  for (const char* text : {"a", "\u00e9", "\ufffd", "\U0001F600"}) {
    CHECK(utf8_length(text, 0) == Str(text).size());
    CHECK(code_points(text) == 1);
  }
  std::string out;
  for (const uint32_t rune : {0x61U, 0xe9U, 0x20acU, 0x1f600U}) append_utf8(out, rune);
  CHECK(out == "a\u00e9\u20ac\U0001F600");
  CHECK(sanitized("a\xff\u00e9\xe2\x82") == "a\ufffd\u00e9\ufffd\ufffd");
  CHECK(latin1('\xc3') == "\u00c3");
}

}  // namespace libsched::utf8_test
