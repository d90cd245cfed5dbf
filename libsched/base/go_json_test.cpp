// JSON with Go's errors.
#include "libsched/base/go_json.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace libsched::go_json_test {

std::string error_of(std::string_view text) {
  const Result<std::string_view> value = go_value(text);
  return value.ok() ? "" : value.error().message;
}

TEST_CASE("the first value of a text is taken, whatever follows") {
  CHECK(*go_value(" {\"a\": [1, {}]} {\"b") == "{\"a\": [1, {}]}");
  CHECK(*go_value("-1.5e3") == "-1.5e3");
  CHECK(*go_value("\"a\\\"b\"x") == "\"a\\\"b\"");
}

TEST_CASE("errors are Go's") {
  CHECK(error_of("") == "EOF");
  CHECK(error_of("  ") == "EOF");
  CHECK(error_of("{\"a\":") == "unexpected EOF");
  CHECK(error_of("\"abc\\") == "unexpected EOF");
  CHECK(error_of("x") == "invalid character 'x' looking for beginning of value");
  CHECK(error_of("{a") == "invalid character 'a' looking for beginning of object key string");
  CHECK(error_of("{\"a\" 1") == "invalid character '1' after object key");
  CHECK(error_of("{\"a\":1 2") == "invalid character '2' after object key:value pair");
  CHECK(error_of("[1 2") == "invalid character '2' after array element");
  CHECK(error_of("[1,]") == "invalid character ']' looking for beginning of value");
  CHECK(error_of("tru3") == "invalid character '3' in literal true (expecting 'e')");
  CHECK(error_of("\"\n") == "invalid character '\\n' in string literal");
  CHECK(error_of("\"\\q") == "invalid character 'q' in string escape code");
  CHECK(error_of("\"\\u12g") == "invalid character 'g' in \\u hexadecimal character escape");
  CHECK(error_of("1.x") == "invalid character 'x' after decimal point in numeric literal");
  CHECK(error_of("-'") == "invalid character '\\'' in numeric literal");
  CHECK(error_of(std::string(10001, '[')) == "exceeded max depth");
}

TEST_CASE("a walk finds members and items of any shape") {
  std::vector<std::string> seen;
  for (JsonWalk walk("{ \"a\" : [ ] , \"b\\\\\" : \"x}\\\"\" , \"c\":-1 , \"d\":{\"e\":[{}]}}");
       walk.next();)
    seen.push_back(std::string(walk.key) + std::string(walk.value));
  CHECK(seen == std::vector<std::string>{"\"a\"[ ]", "\"b\\\\\"\"x}\\\"\"", "\"c\"-1",
                                         "\"d\"{\"e\":[{}]}"});
  CHECK(json_string("\"\\u00e9\\ud83d\\ude00\\ud800x\\n\"") == "\u00e9\U0001F600\ufffdx\n");
  CHECK(json_string("\"a\xff\"") == "a\ufffd");
  CHECK(go_names("\"nodenames\"", "NodeNames"));
  CHECK_FALSE(go_names("\"nodename\"", "NodeNames"));
}

TEST_CASE("a value is written without white space") {
  CHECK(json_without_space("{ \"a b\" : [ 1 , -2.50 ,\ttrue ],\"\\u00e9\\n\":\"\"}") ==
        "{\"a b\":[1,-2.50,true],\"\u00e9\\n\":\"\"}");
}

}  // namespace libsched::go_json_test
