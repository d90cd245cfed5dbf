// The window reader against the slow reader of json_place.cpp: they must agree on what is JSON.
#include "libsched/ingest/json_reader.hpp"

#include <doctest/doctest.h>

#include <random>

#include "libsched/ingest/json_place.hpp"

namespace libsched::json_reader_test {

// These tell whether each reader accepts the text as one JSON value.
bool reader_accepts(const std::string& text, int max_depth = 200) {
  JsonReader r(max_depth);
  r.open(text);
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos) return false;
  return r.load(begin) && r.whole([&] { return r.skip(); }) && r.at_end() && r.last_window();
}

bool walker_accepts(const std::string& text) {
  const JsonPlace place = place_of(text, SIZE_MAX);
  return !place.error && text.find_first_not_of(" \t\r\n", place.end) == std::string::npos;
}

std::string string_at(const std::string& json) {
  JsonReader r(10);
  Arena arena;
  JsonString s;
  Str out;
  r.open(json);
  REQUIRE(r.load(0));
  REQUIRE(r.string(s));
  REQUIRE(r.text_of(s, arena, out));
  return std::string(out);
}

TEST_CASE("json_reader: what is JSON and what is not") {
  for (const char* good : {"{}", "[]", "null", "true", " false ", "0", "-0", "-1.5e+10", "1E5",
                           "\"\"", R"({"a":[1,2,{"b":null}],"c":"\u00e9\n\"x\\"})", "[[[]]]",
                           "[{},[],\"\"]", "{ \"a\" : [ 1 , 2 ] }", "\"\\ud800\"",
                           "100000000000000000000000", "1e999", "\t[\r\n]\n"}) {
    CAPTURE(good);
    CHECK(reader_accepts(good));
    CHECK(walker_accepts(good));
  }
  for (const char* bad : {"",
                          "{",
                          "[",
                          "]",
                          "{]",
                          "[}",
                          "{\"a\"}",
                          "{\"a\":}",
                          "{\"a\":1,}",
                          "[1,]",
                          "[,1]",
                          "[1 2]",
                          "{1:2}",
                          "{a:1}",
                          "{\"a\" 1}",
                          "{\"a\":1 \"b\":2}",
                          "tru",
                          "nul",
                          "truex",
                          "01",
                          "1.",
                          ".5",
                          "-",
                          "+1",
                          "1e",
                          "1e+",
                          "0x1",
                          "NaN",
                          "\"",
                          "\"a",
                          "\"\\\"",
                          "\"\\x\"",
                          "\"\\u12\"",
                          "\"\\u12g4\"",
                          "\"a\"b",
                          "a\"b\"",
                          "\"a\"\"b\"",
                          "\"tab\there\"",
                          "{\"a\":1}}",
                          "[1]]",
                          "1 2",
                          "[1,,2]",
                          "'a'",
                          "{\"a\":tru\"e\"}",
                          "\\",
                          "[\"a\"\\]",
                          "//",
                          "[1]#",
                          "\"\xff\"",
                          "\"\xc0\x80\"",
                          "\"\xed\xa0\x80\"",
                          "\xe9",
                          "[\"a\xc3\"]"}) {
    CAPTURE(bad);
    CHECK_FALSE(reader_accepts(bad));
    CHECK_FALSE(walker_accepts(bad));
  }
  CHECK_FALSE(reader_accepts(std::string("[1,\0]", 5)));
  CHECK_FALSE(reader_accepts(std::string("\"a\0b\"", 5)));
  CHECK_FALSE(walker_accepts(std::string("\"a\0b\"", 5)));
}

TEST_CASE("json_reader: mutated documents are judged alike by both readers") {
  const std::string base =
      R"({"a":[1,-2.5e3,true,false,null],"b":{"c":"x\u00e9\\\"y","d":{}},"e":[[],[{"f":""}]], "g" : "h" })";
  const std::string bytes = "{}[]:,\"\\ \n0-.eEtfnu1a\x01\x7f\xc3\xa9";
  std::mt19937 random(42);
  int good = 0;
  for (int i = 0; i < 40000; ++i) {
    std::string text = base;
    for (int n = static_cast<int>(random() % 3) + 1; n > 0 && !text.empty(); --n) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0: text[at] = bytes[random() % bytes.size()]; break;
        case 1: text.insert(at, 1, bytes[random() % bytes.size()]); break;
        case 2: text.erase(at, 1 + random() % 3); break;
        default: text.resize(at);
      }
    }
    const bool expected = walker_accepts(text);
    good += expected;
    if (reader_accepts(text) != expected) {
      CAPTURE(text);
      REQUIRE(reader_accepts(text) == expected);
    }
  }
  CHECK(good > 1000);  // both sides of the question are asked often
  CHECK(good < 39000);
}

TEST_CASE("json_reader: escapes") {
  CHECK(string_at("\"plain\"") == "plain");
  CHECK(string_at("\"\"  ") == "");
  CHECK(string_at(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string_at(R"("\u0041\u00e9\u20ac\ud83d\ude00")") ==
        "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(string_at(R"("\ud800")") == "\xef\xbf\xbd");
  CHECK(string_at(R"("\ud800\ud800\udc00")") == "\xef\xbf\xbd\xf0\x90\x80\x80");
  CHECK(string_at(R"("\udc00x\ud800\n")") == "\xef\xbf\xbdx\xef\xbf\xbd\n");
}

TEST_CASE("json_reader: the depth is limited") {
  for (const int depth : {1, 2, 200}) {
    const auto n = static_cast<size_t>(depth);
    CHECK(reader_accepts(std::string(n, '[') + std::string(n, ']'), depth));
    CHECK_FALSE(reader_accepts(std::string(n + 1, '[') + std::string(n + 1, ']'), depth));
  }
  const std::string deep(1 << 20, '[');
  CHECK_FALSE(reader_accepts(deep));
  CHECK_FALSE(walker_accepts(deep));
}

TEST_CASE("json_reader: values larger than a window, and text that looks like a cut") {
  // Every kind of text around the places where windows end.
  std::string text = "[";
  std::mt19937 random(7);
  while (text.size() < 3 * JsonReader::kWindow) {
    text += R"({"a":"{\"b\":1}","c":{"d":[{"e":"x"},{"e":")" + std::string(random() % 50, 'y') +
            R"("}]},"f":"\\{\"g"},)";
  }
  text += "1]";
  CHECK(reader_accepts(text));
  CHECK(walker_accepts(text));
  const std::string huge_string = "[\"" + std::string(2 * JsonReader::kWindow, '{') + "\"]";
  CHECK(reader_accepts(huge_string));
  text.back() = '}';
  CHECK_FALSE(reader_accepts(text));
}

}  // namespace libsched::json_reader_test
