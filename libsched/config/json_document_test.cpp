// The JSON value that keeps order, duplicates and the text of numbers.
#include "libsched/config/json_document.hpp"

#include <doctest/doctest.h>

namespace libsched::json_document_test {

std::string error_of(Str text) {
  auto v = parse_json_document(text);
  return v ? "" : v.error().message;
}

TEST_CASE("values keep their order, their duplicates and their text") {
  const std::string text = R"( {"b": [1, -2.5e3, true, null], "a": {"x": "y"}, "b": ""} )";
  const auto v = parse_json_document(text);
  REQUIRE(v.ok());
  REQUIRE_EQ(v->members.size(), 3);
  CHECK_EQ(v->members[0].first, "b");
  CHECK_EQ(v->members[0].second.raw, "[1, -2.5e3, true, null]");
  CHECK_EQ(v->members[0].second.items[1].raw, "-2.5e3");
  CHECK_EQ(v->members[2].first, "b");
  JsonValue sorted = *v;
  sorted.sort_members();
  CHECK_EQ(sorted.members[0].first, "a");
}

TEST_CASE("strings are unescaped, and repaired as Go repairs them") {
  const auto text = [](Str s) { return parse_json_document(s)->text; };
  CHECK_EQ(text(R"("a\"\\\/\b\f\n\r\tA")"), "a\"\\/\b\f\n\r\tA");
  CHECK_EQ(text(R"("\u0041\u00e9\u20AC\ud83d\ude00")"), "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK_EQ(text(R"("\ud83dx\ude00")"), "\xef\xbf\xbdx\xef\xbf\xbd");
  CHECK_EQ(text(R"("\ud83d\u0041")"),
           "\xef\xbf\xbd"
           "A");
  CHECK_EQ(text("\"\xc3\xa9\xff\xe2\x82\""), "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

TEST_CASE("syntax errors are Go's") {
  CHECK_EQ(error_of(""), "unexpected end of JSON input");
  CHECK_EQ(error_of("{"), "unexpected end of JSON input");
  CHECK_EQ(error_of("{\"a\""), "unexpected end of JSON input");
  CHECK_EQ(error_of("[1,"), "unexpected end of JSON input");
  CHECK_EQ(error_of("\"abc"), "unexpected end of JSON input");
  CHECK_EQ(error_of("{a: 1}"), "invalid character 'a' looking for beginning of object key string");
  CHECK_EQ(error_of("{\"a\":1,}"),
           "invalid character '}' looking for beginning of object key string");
  CHECK_EQ(error_of("{\"a\" 1}"), "invalid character '1' after object key");
  CHECK_EQ(error_of("{\"a\":1 \"b\"}"), "invalid character '\"' after object key:value pair");
  CHECK_EQ(error_of("[1 2]"), "invalid character '2' after array element");
  CHECK_EQ(error_of("[1] x"), "invalid character 'x' after top-level value");
  CHECK_EQ(error_of("[']"), "invalid character '\\'' looking for beginning of value");
  CHECK_EQ(error_of("\"\n\""), "invalid character '\\n' in string literal");
  CHECK_EQ(error_of(R"("\x")"), "invalid character 'x' in string escape code");
  CHECK_EQ(error_of(R"("\u12g4")"), "invalid character 'g' in \\u hexadecimal character escape");
  CHECK_EQ(error_of("tru"), "invalid character ' ' in literal true (expecting 'e')");
  CHECK_EQ(error_of("nul}"), "invalid character '}' in literal null (expecting 'l')");
  CHECK_EQ(error_of("-"), "invalid character ' ' in numeric literal");
  CHECK_EQ(error_of("01"), "invalid character '1' after top-level value");
  CHECK_EQ(error_of("1.x"), "invalid character 'x' after decimal point in numeric literal");
  CHECK_EQ(error_of("1e+"), "invalid character ' ' in exponent of numeric literal");
  CHECK_EQ(error_of("\xc3"), "invalid character '\xc3\x83' looking for beginning of value");
}

TEST_CASE("depth is limited") {
  const std::string open(kMaxJsonDepth, '['), close(kMaxJsonDepth, ']');
  CHECK(parse_json_document(open + close).ok());
  const auto deep = parse_json_document("[" + open + close + "]");
  REQUIRE_FALSE(deep.ok());
  CHECK_EQ(deep.error().rc, Rc::kLimit);
}

TEST_CASE("compact text") {
  CHECK_EQ(compact_json("{ \"a b\" : [ 1 , \"<\\\" >&\" ] }"),
           "{\"a b\":[1,\"\\u003c\\\" \\u003e\\u0026\"]}");
}

}  // namespace libsched::json_document_test
