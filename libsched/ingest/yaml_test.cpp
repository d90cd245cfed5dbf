// YAML: documents, anchors and merge keys, errors with their places, and limits.
#include "libsched/ingest/yaml.hpp"

#include <doctest/doctest.h>
#include <simdjson.h>

#include <algorithm>

namespace libsched::yaml_test {

using Documents = std::vector<std::string>;

Documents convert(Str text) {
  auto r = yaml_to_json(text, {});
  CAPTURE((r.ok() ? std::string() : r.error().text()));
  REQUIRE(r.ok());
  return std::move(*r);
}

std::string error(Str text, const YamlLimits& limits = {}) {
  auto r = yaml_to_json(text, limits);
  return r.ok() ? "accepted" : r.error().text();
}

Rc code(Str text, const YamlLimits& limits = {}) {
  auto r = yaml_to_json(text, limits);
  return r.ok() ? Rc::kOk : r.error().rc;
}

// "a: &a [1]", and every further line a list of the one before, `width` times.
std::string laughs(int lines, int width) {
  std::string text = "a: &a [1]\n";
  for (int i = 1; i <= lines; ++i) {
    const char name = static_cast<char>('a' + i), before = static_cast<char>('a' + i - 1);
    text += std::string(1, name) + ": &" + name + " [";
    for (int k = 0; k < width; ++k) text += std::string(k > 0 ? ", " : "") + '*' + before;
    text += "]\n";
  }
  return text;
}

TEST_CASE("streams are split at marker lines, and empty documents left out") {
  CHECK(convert("").empty());
  CHECK(convert("# nothing\n\n").empty());
  CHECK(convert("---\n---\n---\n").empty());
  CHECK(convert("a: 1") == Documents{R"({"a":1})"});
  CHECK(convert("---\na: 1\n---\n# none\n--- # next\nnull\n---\nb: 2\n---\n") ==
        Documents{R"({"a":1})", R"({"b":2})"});
  CHECK(convert("\xef\xbb\xbf"
                "a: 1\r\n---\r\nb: |\r\n  x\r\n  y") ==
        Documents{R"({"a":1})", R"({"b":"x\ny\n"})"});
  CHECK(convert("a: 1\n...\n") == Documents{R"({"a":1})"});
}

TEST_CASE("anchors, aliases and merge keys") {
  CHECK(convert("a: &x 0x10\nb: *x\n*x : k\n") == Documents{R"({"a":16,"b":16,"16":"k"})"});
  CHECK(convert("a: &x 1\nb: &x 2\nc: *x\n") == Documents{R"({"a":1,"b":2,"c":2})"});
  CHECK(convert("m: &m {a: 1, b: 2}\no: {<<: *m, b: 3}\n") ==
        Documents{R"({"m":{"a":1,"b":2},"o":{"a":1,"b":3}})"});
  // As in upstream, a merge key also replaces earlier members.
  CHECK(convert("o: {b: 3, <<: {a: 1, b: 2}}\n") == Documents{R"({"o":{"b":2,"a":1}})"});
  CHECK(convert("{<<: [{a: 1}, {a: 2, b: 2}], c: 3}\n") == Documents{R"({"a":1,"b":2,"c":3})"});
  CHECK(convert("{\"<<\": 1}\n") == Documents{R"({"<<":1})"});
  // Anchors inside a rewritten mapping keep their values.
  CHECK(convert("o: {<<: {z: &z [1, {q: \"\\\"}\"}]}, k: &k v}\np: [*z, *k]\n") ==
        Documents{R"({"o":{"z":[1,{"q":"\"}"}],"k":"v"},"p":[[1,{"q":"\"}"}],"v"]})"});
  CHECK(convert("&r {<<: &i {a: {<<: {b: 1}}}, c: *i}\n") ==
        Documents{R"({"a":{"b":1},"c":{"a":{"b":1}}})"});
  CHECK(error("a: *x\n") == "a: unknown anchor 'x' referenced (line 1, column 4)");
  CHECK(error("a: &x 1\n---\nb: *x\n") ==
        "documents[1].b: unknown anchor 'x' referenced (line 3, column 4)");
  CHECK(error("a: &x [1, *x]\n") == "a[1]: anchor 'x' value contains itself (line 1, column 11)");
  CHECK(error("a:\n  <<: 1\n") ==
        "a[\"<<\"]: map merge requires map or sequence of maps as the value (line 2, column 7)");
  CHECK(error("a:\n  <<: [{}, [{}]]\n").find("map merge requires") != std::string::npos);
}

TEST_CASE("keys become strings as upstream's do") {
  CHECK(convert("{1: a, 2.50: b, yes: c, .inf: d, 010: e, 1e6: f, 16777217.0: g, '': h}") ==
        Documents{R"({"1":"a","2.5":"b","true":"c",".inf":"d","8":"e","1e+06":"f",)"
                  R"("1.6777216e+07":"g","":"h"})"});
}

TEST_CASE("plain words in flow style may end in a colon, as upstream has it") {
  CHECK(convert("args: [--bind-address=::, b]") ==
        Documents{R"({"args":["--bind-address=::","b"]})"});
  CHECK(convert("[a:]") == Documents{R"(["a:"])"});
  CHECK(convert("{a:, b: c:}") == Documents{R"({"a:":null,"b":"c:"})"});
  CHECK(convert("\xef\xbb\xbf[\xc3\xa9:, \"b:,\", 'c:]', d e:]") ==
        Documents{"[\"\xc3\xa9:\",\"b:,\",\"c:]\",\"d e:\"]"});
  CHECK(convert("a: [x:] # y:,\r\nb: |\n  z:,\nc: k:[\n") ==
        Documents{R"({"a":["x:"],"b":"z:,\n","c":"k:["})"});
  // A colon that is an indicator stays one, and so does the letter that stands for others.
  CHECK(convert("[{\"k\":[1]}, a:]") == Documents{R"([{"k":[1]},"a:"])"});
  CHECK(convert("[a:, \"\\uE000\", \xee\x80\x81]") ==
        Documents{"[\"a:\",\"\xee\x80\x80\",\"\xee\x80\x81\"]"});
  CHECK(error("[a:[1]]").starts_with("[1]: did not find expected ',' or ']'"));
  // Many of them, among all that looks alike.
  std::string many = "[", json = "[";
  for (int i = 0; i < 1000; ++i) {
    many += "w:, {\"k\":[1], *a:[2]}, 'q:,', ";
    json += R"("w:",{"k":[1],"x":[2]},"q:,",)";
  }
  many.replace(0, 1, "[&a x, ");
  json.replace(0, 1, "[\"x\",");
  CHECK(convert(many + "z:]") == Documents{json + R"("z:"])"});
  // As in libyaml and YAML 1.2, unlike upstream.
  CHECK(convert("{u: http://a/b?c}") == Documents{R"({"u":"http://a/b?c"})"});
  CHECK(convert("\"\\/\"") == Documents{R"("/")"});
}

TEST_CASE("duplicate keys are errors with the key's path") {
  CHECK(error("spec:\n  containers:\n  - name: a\n    image: b\n    name: c\n") ==
        "spec.containers[0].name: duplicate key, first set at line 3 (line 5, column 5)");
  CHECK(error("a: 1\n---\nx: {\"b.c\": 1, 'b.c': 2}\n") ==
        "documents[1].x[\"b.c\"]: duplicate key, first set at line 3 (line 3, column 15)");
  CHECK(error("yes: 1\ntrue: 2\n").starts_with("true: duplicate key"));
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "k" + std::to_string(i) + ": 1\n";
  CHECK(convert(many).size() == 1);
  CHECK(error(many + "k7: 2\n") == "k7: duplicate key, first set at line 8 (line 1001, column 1)");
  CHECK(error(many + "k999: 2\n").starts_with("k999: duplicate key, first set at line 1000"));
}

TEST_CASE("what is no YAML, or no JSON, is an error with its place") {
  CHECK(error("a:\n  b: [1, 2\nc: 3\n").starts_with("a.b"));
  CHECK(error("a: 1\n b: 2\n").find("(line 2, column 3)") != std::string::npos);
  CHECK(error("a:\n\tb: 1\n").find("tab") != std::string::npos);
  CHECK(error("a: 1\n--- b\n") == "documents[1]: invalid Yaml document separator: b (line 2)");
  CHECK(error("a: 1\n...\nb: 2\n").starts_with("more content after the end of the document"));
  CHECK(error("a: .nan\n") == "a: JSON has no number for .nan (line 1, column 4)");
  CHECK(error("~: 1\n").find("a mapping key must be text") != std::string::npos);
  CHECK(error("? [a]\n: 1\n").starts_with("invalid map key"));
  CHECK(error("a: !!int x\n") == "a: cannot decode !!str `x` as a !!int (line 1, column 4)");
  CHECK(error("a: !!binary x\n").find("invalid base64") != std::string::npos);
  CHECK(error("a: 1\nb: x\xff\n") ==
        "invalid UTF-8: invalid leading UTF-8 octet (line 2, column 5)");
  CHECK(error(Str("a: 1\nb: x\0\n", 11)) == "NUL bytes are not allowed (line 2, column 5)");
  CHECK(error("a: \x01\n").find("control characters") != std::string::npos);
  CHECK(error(Str("\xff\xfe"
                  "a\0",
                  4)) == "UTF-16 text; UTF-8 is expected");
}

TEST_CASE("depth is limited, through aliases too") {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(code(nested(200)) == Rc::kOk);
  CHECK(code(nested(201)) == Rc::kLimit);
  CHECK(error(nested(100000)).find("nested deeper than 200 levels") != std::string::npos);
  YamlLimits limits;
  limits.max_depth = 4;
  CHECK(code("a: &a [[1]]\nb: [*a]\n", limits) == Rc::kOk);
  CHECK(error("a: &a [[1]]\nb: [[*a]]\n", limits) ==
        "b[0][0]: nested deeper than 4 levels (line 2, column 6)");
  limits.max_depth = 100000;
  CHECK(code(nested(900), limits) == Rc::kOk);
  CHECK_FALSE(yaml_to_json(nested(100000), limits).ok());
  std::string block;
  for (int i = 0; i < 5000; ++i) block += "- ";
  CHECK(code(block) == Rc::kLimit);
}

TEST_CASE("size and expansion are limited") {
  CHECK(code(laughs(3, 9)) == Rc::kOk);
  CHECK(code(laughs(9, 9)) == Rc::kLimit);
  CHECK(error(laughs(9, 9)).find("document contains excessive aliasing") != std::string::npos);
  // Few aliases of a long text, which upstream's count of nodes lets pass.
  std::string text = "a: &a " + std::string(1 << 20, 'x') + "\nb:\n";
  for (int i = 0; i < 90; ++i) text += "- *a\n";
  CHECK(error(text).find("expand to more than 67108864 bytes") != std::string::npos);
  // Merge keys at every level.
  std::string merges = "v: &v {k: " + std::string(1 << 19, 'x') + "}\nm: ";
  for (int i = 0; i < 190; ++i) merges += "{<<: *v, n: ";
  CHECK(code(merges + "1" + std::string(190, '}') + "\n") == Rc::kLimit);
  YamlLimits limits;
  limits.max_bytes = 10;
  CHECK(code("a: 1234567", limits) == Rc::kOk);
  CHECK(error("a: 12345678", limits) == "the text has 11 bytes, more than the limit of 10");
}

TEST_CASE("any prefix and any flipped byte gets an answer") {
  const std::string text =
      "x: &a {b: [1, 'two', \"th\\u0072ee\"], <<: {c: 1}}\n--- # c\n"
      "? k\n: - *b\n  - |2-\n    text\n"
      "  - !!binary Zm9v\n  - &b >+\n   folded\n\n...\n";
  // JSON in each document, or an error.
  const auto answers = [](Str document) {
    const auto read = yaml_to_json(document, {});
    if (!read.ok()) return !read.error().message.empty();
    simdjson::dom::parser parser;
    return std::ranges::all_of(*read, [&](const std::string& json) {
      return parser.parse(json).error() == simdjson::SUCCESS;
    });
  };
  for (size_t n = 1; n <= text.size(); ++n) CHECK(answers(Str(text).substr(0, n)));
  for (size_t i = 0; i < text.size(); ++i) {
    for (const char c : Str("\0\t\n:-#{}[]&*!|\xff\x80", 16)) {
      std::string other = text;
      other[i] = c;
      CHECK(answers(other));
    }
  }
}

}  // namespace libsched::yaml_test
