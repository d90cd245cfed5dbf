// Compares quoted strings with Go's output.
#include "libsched/base/quote.hpp"

#include <doctest/doctest.h>

namespace libsched::quote_test {

TEST_CASE("go_quote is Go's %q") {
  CHECK(go_quote("") == R"("")");
  CHECK(go_quote("a \"b\" \\ c") == R"("a \"b\" \\ c")");
  CHECK(go_quote("\a\b\f\n\r\t\v") == R"("\a\b\f\n\r\t\v")");
  CHECK(go_quote(Str("\0\x1f\x7f", 3)) == R"("\x00\x1f\x7f")");
  CHECK(go_quote("gr\u00fc\u00dfe \u4e16 \U0001F600") == "\"gr\u00fc\u00dfe \u4e16 \U0001F600\"");
  CHECK(go_quote("\u00a0\u00ad\u2028\ufeff") == R"("\u00a0\u00ad\u2028\ufeff")");
  CHECK(go_quote("\U000e0001") == R"("\U000e0001")");
  CHECK(go_quote("\xff"
                 "a\xc3") == R"("\xffa\xc3")");
  CHECK(go_quote("\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80") ==
        R"("\xed\xa0\x80\xc0\x80\xf4\x90\x80\x80")");
  CHECK(go_quote("\xef\xbf\xbd<&>") == "\"\xef\xbf\xbd<&>\"");
}

TEST_CASE("json_quote is Go's json.Marshal") {
  CHECK(json_quote("") == R"("")");
  CHECK(json_quote("\"\\\b\f\n\r\t\v") == R"("\"\\\b\f\n\r\t\u000b")");
  CHECK(json_quote("<a&b>") == R"("\u003ca\u0026b\u003e")");
  CHECK(json_quote("\u2028\u2029 \x7f \u00a0") == "\"\\u2028\\u2029 \x7f \u00a0\"");
  CHECK(json_quote("\xff"
                   "a\xed\xa0\x80") == R"("\ufffda\ufffd\ufffd\ufffd")");
}

}  // namespace libsched::quote_test
