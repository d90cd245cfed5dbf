// Paths of offsets, and the words and places of syntax errors.
#include "libsched/ingest/json_place.hpp"

#include <doctest/doctest.h>

namespace libsched::json_place_test {

TEST_CASE("json_place: the path of an offset") {
  const std::string text =
      R"({"items":[{"spec":{"a b":[10,{"c":true}],"nvidia.com/gpu":{"d":"x"}}}, 5],"k":null})";
  const auto path = [&](const char* marker) { return place_of(text, text.find(marker)).path; };
  CHECK(path("{") == "");
  CHECK(path("\"items\"") == "items");
  CHECK(path("[{") == "items");
  CHECK(path("{\"spec") == "items[0]");
  CHECK(path("\"spec") == "items[0].spec");
  CHECK(path("10") == "items[0].spec[\"a b\"][0]");
  CHECK(path("true") == "items[0].spec[\"a b\"][1].c");
  CHECK(path("\"x\"") == "items[0].spec[\"nvidia.com/gpu\"].d");
  CHECK(path("5]") == "items[1]");
  CHECK(path("null") == "k");
}

TEST_CASE("json_place: what is wrong and where") {
  const auto error = [](Str text) {
    const JsonPlace place = place_of(text, SIZE_MAX);
    return place.path + " | " + place.error.value_or("none") + " | " + std::to_string(place.end);
  };
  CHECK(error("{\"a\":[1,2]}") == " | none | 11");
  CHECK(error("{\"a\":[1,x]}") ==
        "a[1] | invalid character 'x' looking for beginning of value | 8");
  CHECK(error("{\"a\":{\"b\":1") == "a.b | unexpected end of JSON input | 11");
  CHECK(error("{\"a\":\"b") == "a | unexpected end of JSON input | 7");
  CHECK(error("{\"a\" 1}") == "a | invalid character '1' after object key | 5");
  CHECK(error("{\"a\":1 2}") == "a | invalid character '2' after object key:value pair | 7");
  CHECK(error("[1 2]") == "[0] | invalid character '2' after array element | 3");
  CHECK(error("{a:1}") ==
        " | invalid character 'a' looking for beginning of object key string | 1");
  CHECK(error("[tru]") == "[0] | invalid character ']' in literal true (expecting 'e') | 4");
  CHECK(error("[-]") == "[0] | invalid character ']' in numeric literal | 2");
  CHECK(error("[\"\\q\"]") == "[0] | invalid character 'q' in string escape code | 3");
  CHECK(error("[\"\\u00g0\"]") ==
        "[0] | invalid character 'g' in \\u hexadecimal character escape | 6");
  CHECK(error("[\"a\nb\"]") == "[0] | invalid character '\\n' in string literal | 3");
  CHECK(error("[\"\xff\"]") == "[0] | invalid UTF-8 | 2");
  CHECK(error(Str("[\0]", 3)) == "[0] | NUL byte looking for beginning of value | 1");
}

TEST_CASE("json_place: joining paths") {
  CHECK(join_path("items[1]", "spec") == "items[1].spec");
  CHECK(join_path("items[1]", ".spec") == "items[1].spec");
  CHECK(join_path("", ".spec") == "spec");
  CHECK(join_path("items", "[1]") == "items[1]");
  CHECK(join_path("items", "") == "items");
  CHECK(join_path("", "") == "");
}

}  // namespace libsched::json_place_test
